package note

import (
	"strings"

	"roam-mcp/graphdb/outline"
)

// CutLink splits the content of a link of another program, "target|label".
func CutLink(link string) (target, label string, labelled bool) {
	target, label, labelled = strings.Cut(link, "|")
	return strings.TrimSpace(target), strings.TrimSpace(label), labelled
}

// The components of a task, as Roam writes them, and the check boxes of markdown.
const (
	todo, done           = "{{[[TODO]]}} ", "{{[[DONE]]}} "
	openBox, checkedBox  = "[ ] ", "[x] "
	checkedBoxInCapitals = "[X] "
)

// CheckBox turns a check box at the start of a text into Roam's component: "[ ] " into
// "{{[[TODO]]}} ", "[x] " and "[X] " into "{{[[DONE]]}} ".
func CheckBox(text string) string {
	for _, box := range [...]struct{ mark, roam string }{{openBox, todo}, {checkedBox, done}, {checkedBoxInCapitals, done}} {
		if rest, ok := strings.CutPrefix(text, box.mark); ok {
			return box.roam + rest
		}
	}
	return text
}

// CheckBoxes turns the check boxes at the start of the blocks of a markdown text into Roam's
// components, as CheckBox does. Code stays as it is.
func CheckBoxes(markdown string) string {
	if !strings.Contains(markdown, openBox) && !strings.Contains(markdown, checkedBox) && !strings.Contains(markdown, checkedBoxInCapitals) {
		return markdown
	}
	return outline.WithStarts(markdown, CheckBox)
}

// showBox is the inverse of CheckBox.
func showBox(text string) (mark, rest string) {
	if rest, ok := strings.CutPrefix(text, todo); ok {
		return openBox, rest
	}
	if rest, ok := strings.CutPrefix(text, done); ok {
		return checkedBox, rest
	}
	return "", text
}
