package main

import (
	"fmt"
	"os/user"
	"path/filepath"
	"strings"
)

// HiddenWords returns the words that must not be in the answers: names of the graph, of the
// home folder, and of who is logged in.
func HiddenWords(home string, names ...string) []string {
	words := append(names, home, filepath.Base(home))
	if who, err := user.Current(); err == nil {
		words = append(words, who.Username, who.Name)
	}
	return words
}

// Notes says what follows from each answer that differs, why others are missing, and what
// else was seen, a line each.
func (r Report) Notes() string {
	var text strings.Builder
	for _, c := range r.File.Checks {
		switch c.Verdict {
		case Differ:
			fmt.Fprintf(&text, "\n%s: %s", c.ID, Follows(c.ID))
		case Untold:
			fmt.Fprintf(&text, "\n%s: not tried. %s", c.ID, r.Why[c.ID])
		case Same:
		}
	}
	for _, seen := range r.Seen {
		text.WriteString("\n" + seen)
	}
	if text.Len() > 0 {
		text.WriteString("\n")
	}
	return text.String()
}
