package shown

import (
	"strings"
	"testing"
)

func TestMergeList(t *testing.T) {
	for name, tc := range map[string]struct{ shown, sent, now, want string }{
		"adds what is new":                          {"a b", "a b c", "a b", "a b c"},
		"adds it where it was sent":                 {"a b", "a c b", "a b", "a c b"},
		"takes away what was left out":              {"a b", "b", "a b", "b"},
		"keeps what was added since":                {"a b", "b", "a b x", "b x"},
		"keeps what was added since where all goes": {"a b", "", "a b x", "x"},
		"leaves out what was taken away since":      {"a b", "a b c", "b", "b c"},
		"adds once what was added since, too":       {"a", "a B", "a b", "a b"},
		"takes over another order":                  {"a b c", "c a b", "a x b c", "c x a b"},
		"keeps the order that somebody made":        {"a b", "a b c", "b a", "b c a"},
		"sets a list that was empty":                {"", "b a", "", "b a"},
	} {
		t.Run(name, func(t *testing.T) {
			got := MergeList(strings.Fields(tc.shown), strings.Fields(tc.sent), strings.Fields(tc.now), strings.ToLower)
			if strings.Join(got, " ") != tc.want {
				t.Errorf("got %v, want %s", got, tc.want)
			}
		})
	}
}
