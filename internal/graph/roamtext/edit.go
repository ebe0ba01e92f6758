package roamtext

import "strings"

// Edit replaces the bytes of a range.
type Edit struct {
	Range
	Text string
}

// Apply makes the edits, which are in order; one that overlaps the one before is left out.
func Apply(text string, edits []Edit) string {
	if len(edits) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.Start < at {
			continue
		}
		b.WriteString(text[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	b.WriteString(text[at:])
	return b.String()
}
