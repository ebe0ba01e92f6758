package notes

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
)

// labelIn returns the key of the label that a query is: "#label", "#[[two words]]" or
// "label:two words". It is empty for any other query.
func labelIn(query string) string {
	query = strings.TrimSpace(query)
	if len(query) > len("label:") && strings.EqualFold(query[:len("label:")], "label:") {
		return note.Key(query[len("label:"):])
	}
	name, ok := strings.CutPrefix(query, "#")
	if inner, page := strings.CutPrefix(name, "[["); page {
		if inner, ok = strings.CutSuffix(inner, "]]"); !ok || strings.Contains(inner, "]]") {
			return ""
		}
		return note.Key(inner)
	}
	if !ok || strings.ContainsAny(name, " \t\n") {
		return ""
	}
	return note.Key(name)
}

// labelled returns the notes that have the label which a query is; none for any other query.
func labelled(all []*listedNote, query string) []*listedNote {
	key := labelIn(query)
	if key == "" {
		return nil
	}
	var having []*listedNote
	for _, n := range all {
		if slices.Contains(n.labels, key) {
			having = append(having, n)
		}
	}
	return having
}

// labelKeys returns the keys of labels.
func labelKeys(labels []string) []string {
	var keys []string
	for _, label := range labels {
		keys = append(keys, note.Key(label))
	}
	return keys
}
