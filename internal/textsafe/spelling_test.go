package textsafe

import (
	"strings"
	"testing"
)

func TestClosest(t *testing.T) {
	known := []string{"serve", "sandbox", "reauth", "remove", "rename", "claude-code", "claude-desktop", "read-only"}
	for name, test := range map[string]struct{ word, want string }{
		"is a word with a letter too many":         {"servee", "serve"},
		"is a word with a letter too few":          {"srve", "serve"},
		"is a word with another letter":            {"sarve", "serve"},
		"is a word with two letters swapped":       {"sevre", "serve"},
		"is a word that begins so":                 {"claude", "claude-code"},
		"is found whatever the case":               {"SANDBOX", "sandbox"},
		"is the word itself, also beside its like": {"rename", "rename"},
		"is nothing where no word is alike":        {"frobnicate", ""},
		"is nothing for one letter":                {"r", ""},
		"is nothing for no letters":                {"", ""},
		"is found with two slips in a long word":   {"claud-dekstop", "claude-desktop"},
		"is not sought for a text":                 {strings.Repeat("serve", 1000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Closest(test.word, known); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
