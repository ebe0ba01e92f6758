package outline

import (
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/rawjson"
)

// property is a line key:: value of a page or block.
type property struct {
	key, value string
	line       note.Node
}

// propertiesOf returns the properties of a page or block: lines key:: value directly
// below it, the first of each key without regard to case. A second one is a block like
// any other.
func propertiesOf(n note.Node) []property {
	var list []property
	seen := map[string]bool{}
	for _, child := range n.Children {
		key, value, ok := note.SplitProperty(child.Text)
		if folded := strings.ToLower(key); ok && !seen[folded] {
			seen[folded] = true
			list = append(list, property{key, value, child})
		}
	}
	return list
}

// properties returns the properties of a page or block, keys as they are written, and by
// key the uid of the line that has each: lines key:: value directly below it, the first
// of each key without regard to case. A value is a text, or a list of titles where the
// line holds two references to pages or more, and nothing else but commas.
func properties(n note.Node) (props rawjson.Object, uids map[string]string) {
	uids = map[string]string{}
	for _, p := range propertiesOf(n) {
		if titles := referencesOnly(p.value); len(titles) > 1 {
			props = props.With(p.key, titles)
		} else {
			props = props.With(p.key, p.value)
		}
		uids[p.key] = p.line.UID
	}
	return props, uids
}

// referencesOnly returns the titles of the pages that a text refers to, where blanks and
// commas are all that stands between; nil where there is anything else.
func referencesOnly(text string) (titles []string) {
	end := 0
	for _, span := range roamtext.Spans(text) {
		if span.Start < end { // within the one before
			continue
		}
		switch span.Kind {
		case roamtext.PageLink, roamtext.Tag, roamtext.TagLink:
		default:
			return nil
		}
		if strings.Trim(text[end:span.Start], " \t\n,") != "" {
			return nil
		}
		titles = append(titles, span.Content(text))
		end = span.End
	}
	if strings.Trim(text[end:], " \t\n,") != "" {
		return nil
	}
	return titles
}
