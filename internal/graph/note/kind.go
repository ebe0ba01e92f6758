package note

import (
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
)

// Kind is the kind of a page.
type Kind string

// The kinds of pages. Word is that of a page without blocks that is mentioned only as
// the name of a component or of an attribute; that the graph alone knows.
const (
	Plain  Kind = "plain"
	Daily  Kind = "daily"  // a daily note
	System Kind = "system" // roam/…, .rm-hide, .rm-private
	Word   Kind = "word"
)

// KindOfTitle returns what the title of a page says of its kind: Daily, System or Plain.
func KindOfTitle(title string) Kind {
	if strings.HasPrefix(title, "roam/") || Hides(title) {
		return System
	}
	if _, ok := outline.ParseDailyTitle(title); ok {
		return Daily
	}
	return Plain
}

// SplitProperty returns the name and the value of a text "Name:: value", without blanks
// around the value, and reports whether it is one.
func SplitProperty(text string) (name, value string, ok bool) {
	if !strings.Contains(text, "::") {
		return "", "", false
	}
	refs := roamtext.References(text)
	if len(refs) == 0 || refs[0].Kind != roamtext.Attribute {
		return "", "", false
	}
	return refs[0].Content(text), strings.TrimSpace(text[refs[0].End:]), true
}
