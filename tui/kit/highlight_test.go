package kit

import (
	"strings"
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func TestFindFolded(t *testing.T) {
	fold := func(s string) string {
		return norm.NFD.String(cases.Fold().String(norm.NFD.String(strings.TrimSpace(s))))
	}
	family := "👩\u200d👩\u200d👧"
	for _, test := range []struct{ text, filter, want string }{
		{"reading-list", "ding", "ding"},
		{"Straße 7", "strasse", "Straße"},
		{"Café", "cafe\u0301", "Café"},
		{"Café", "e", "é"}, // the whole character, accent and all
		{"a " + family + " b", "👩", family},
		{"two words", "o w", "o w"},
		{"name", "other", ""},
		{"name", "", ""},
	} {
		from, to := FindFolded(test.text, fold(test.filter), fold)
		if got := test.text[from:to]; got != test.want {
			t.Errorf("%q in %q marks %q, want %q", test.filter, test.text, got, test.want)
		}
	}
}
