package probe

import (
	"fmt"
	"os/user"
	"path/filepath"
	"strings"

	"roam-mcp/internal/observed"
	"roam-mcp/internal/problem"
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
		case observed.Differ:
			fmt.Fprintf(&text, "\n%s: %s", c.ID, Follows(c.ID))
		case observed.Untold:
			fmt.Fprintf(&text, "\n%s: not tried. %s", c.ID, r.Why[c.ID])
		case observed.Same:
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

// Problem returns an error if the probe could not remove what it made, if Roam stopped
// answering, or if a finding is not as expected, and nil otherwise. nickname is that of the
// graph.
func (r Report) Problem(nickname string) error {
	differ := r.Count(observed.Differ)
	switch {
	case len(r.Left) > 0:
		return NotCleaned(r.Left, nickname)
	case r.Gone:
		return &problem.Error{
			Code: problem.CodeFailed, Message: "Roam stopped answering during the probe.",
			Hint: problem.Say("What it had answered is above. Start %s and try again.", problem.Roam),
		}
	case differ > 0:
		return &problem.Error{
			Code: CodeOtherwise, Message: fmt.Sprintf("This Roam does otherwise than expected in %d of %d answers.", differ, len(r.File.Checks)),
			Hint: problem.Say("A file of the answers helps to make roam-mcp fit it: %s.", problem.Run("probe", nickname).With("--out", "roam.json")),
		}
	}
	return nil
}

// NotCleaned returns the error of a probe whose pages are still there.
func NotCleaned(left []Left, nickname string) error {
	titles := make([]string, len(left))
	for i, each := range left {
		titles[i] = each.Title
	}
	return &problem.Error{
		Code: CodeNotCleaned, Message: fmt.Sprintf("Not all is removed that the probe made: %s.", strings.Join(titles, ", ")),
		Hint: problem.Say("Remove it in Roam, or try again: %s.", problem.Run("probe", nickname).With("--clean")),
	}
}
