package ops

import (
	"slices"
	"testing"
)

func TestTopmost(t *testing.T) {
	row := func(uid, text, above string, order float64) []any { return []any{uid, text, above, order} }
	for name, tc := range map[string]struct {
		markdown string
		rows     [][]any
		want     []string
	}{
		"are those whose parents were there, in their order":        {"- one\n  - in it\n- two", [][]any{row("b", "two", "p", 4), row("c", "in it", "a", 0), row("a", "one", "p", 3)}, []string{"a", "b"}},
		"are what is below a parent that was made for them":         {"- one", [][]any{row("n", "Plans", "p", 0), row("a", "one", "n", 0)}, []string{"a"}},
		"are told in Roam's markup":                                 {"## *One*\n\n`two`", [][]any{row("a", "__One__", "p", 0), row("b", "`two`", "p", 1)}, []string{"a", "b"}},
		"are told where a line is in another":                       {"- a\n- ab", [][]any{row("x", "ab", "p", 1), row("y", "a", "p", 0)}, []string{"y", "x"}},
		"are not told where one is missing":                         {"- one\n- two", [][]any{row("a", "one", "p", 0)}, nil},
		"are not told where one has more":                           {"- one", [][]any{row("a", "one, and more", "p", 0)}, nil},
		"are not told where somebody else has written the same":     {"- one", [][]any{row("a", "one", "p", 0), row("b", "one", "p", 1)}, nil},
		"are told where one has no letters, and there is no other":  {"- one\n- 👍", [][]any{row("a", "one", "p", 0), row("b", "👍", "p", 1)}, []string{"a", "b"}},
		"are not told where one has no letters":                     {"- one\n- 👍", [][]any{row("a", "one", "p", 0), row("b", "👍", "p", 1), row("c", "👍", "p", 2)}, nil},
		"are not told where they are at several places":             {"- one\n- two", [][]any{row("a", "one", "p", 0), row("b", "two", "q", 0)}, nil},
		"are not told of a reply that is something else":            {"- one", [][]any{{"a", "one"}}, nil},
		"leave out what somebody else wrote there at the same time": {"- one", [][]any{row("a", "one", "p", 0), row("b", "other", "p", 1)}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := topmost(tc.rows, tc.markdown); ok != (tc.want != nil) || ok && !slices.Equal(got, tc.want) {
				t.Errorf("got %v, %v", got, ok)
			}
		})
	}
}
