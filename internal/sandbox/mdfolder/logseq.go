package mdfolder

import (
	"net/url"
	"path"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// isLogseqs reports whether a file is in one of the folders in which Logseq keeps pages.
func (f *file) isLogseqs() bool {
	folder := path.Base(path.Dir(f.path))
	return folder == "pages" || folder == "journals"
}

// titleLine matches the property with which a page of Logseq has another title than its
// file. It stands among the properties of the page, which come first.
var titleLine = lazyregexp.New(`\A\s*(?:-[ \t]+)?(?:[^\s:]+::[^\n]*\n[ \t]*)*?title::[ \t]+([^\n]*[^\s])`)

// logseqTitle returns the title that a file of Logseq has by a property, or else by its
// name, in which %3F stands for a question mark.
func (f *file) logseqTitle(name string) string {
	if m := titleLine.FindStringSubmatch(f.text); m != nil {
		return m[1]
	}
	if decoded, err := url.PathUnescape(name); err == nil && decoded != "" {
		return strings.ToValidUTF8(decoded, "\uFFFD")
	}
	return name
}

// propertyLines returns the lines of a block that holds nothing but "key:: value", as
// Logseq writes the properties of a page; nil for another block. In Roam an attribute is
// a block.
func propertyLines(b outline.Block) []string {
	lines := strings.Split(b.String, "\n")
	if len(lines) == 1 || b.Heading != 0 || b.Annotation != nil || len(b.Children) > 0 {
		return nil
	}
	for _, line := range lines {
		if spans := roamtext.References(line); len(spans) == 0 || spans[0].Kind != roamtext.Attribute {
			return nil
		}
	}
	return lines
}

var (
	idLine        = lazyregexp.New(`^ *id:: ([0-9a-f-]{36}) *$`)
	collapsedLine = lazyregexp.New(`^ *collapsed:: true *$`)
	propertyLine  = lazyregexp.New(`^ *([\pL\pN.*+!\-_?$%&=<>]+:: +.*[^ ]) *$`)
)

// takeProperties takes Logseq's properties of a block out of its text: a uid, which
// references to the block use, unless a block has it already, and that the children are
// folded away. It returns the others, an id left aside, which become blocks below.
func (n *node) takeProperties(taken map[string]bool) (others []string) {
	if !strings.Contains(*n.String, "\n") || strings.Contains(*n.String, "```") {
		return nil
	}
	lines := strings.Split(*n.String, "\n")
	kept := lines[:1]
	for _, line := range lines[1:] {
		switch id, other := idLine.FindStringSubmatch(line), propertyLine.FindStringSubmatch(line); {
		case id != nil && n.UID == "" && !taken[id[1]]:
			n.UID = id[1]
			taken[n.UID] = true
		case collapsedLine.MatchString(line):
			n.Open = new(bool)
		case other != nil && !strings.HasPrefix(other[1], "id::"):
			others = append(others, other[1])
		default:
			kept = append(kept, line)
		}
	}
	*n.String = strings.Join(kept, "\n")
	return others
}

// logseqText rewrites what Logseq means by a text: a marker that Roam has a component for,
// and tags and aliases that are no links. Other markers, such as DOING, stay words.
func logseqText(text string) string {
	for _, marker := range [...]string{"TODO", "DONE"} {
		if rest, ok := strings.CutPrefix(text, marker+" "); ok {
			return "{{[[" + marker + "]]}} " + rest
		}
	}
	name, value, ok := note.SplitProperty(text)
	before := map[string]string{"tags": "#", "alias": ""}
	mark, known := before[strings.ToLower(name)]
	if !ok || !known || strings.Contains(value, "\n") {
		return text
	}
	written := name + "::"
	for _, title := range note.ListedTags(value) {
		if strings.ContainsAny(title, "[]") {
			return text
		}
		written += " " + mark + "[[" + title + "]]"
	}
	return written
}
