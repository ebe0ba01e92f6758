package note

import "strings"

// CutLink splits the content of a link of another program, "target|label".
func CutLink(link string) (target, label string, labelled bool) {
	target, label, labelled = strings.Cut(link, "|")
	return strings.TrimSpace(target), strings.TrimSpace(label), labelled
}
