package mdfolder

import (
	"regexp"
	"strings"

	"roam-mcp/graphdb/outline"
	"roam-mcp/graphdb/roamtext"
)

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
	idLine        = regexp.MustCompile(`^ *id:: ([0-9a-f-]{36}) *$`)
	collapsedLine = regexp.MustCompile(`^ *collapsed:: true *$`)
)

// takeProperties takes Logseq's properties of a block out of its text: a uid, which
// references to the block use, unless a block has it already, and that the children are
// folded away.
func (n *node) takeProperties(taken map[string]bool) {
	if !strings.Contains(*n.String, "\n") || strings.Contains(*n.String, "```") {
		return
	}
	lines := strings.Split(*n.String, "\n")
	kept := lines[:1]
	for _, line := range lines[1:] {
		switch id := idLine.FindStringSubmatch(line); {
		case id != nil && n.UID == "" && !taken[id[1]]:
			n.UID = id[1]
			taken[n.UID] = true
		case collapsedLine.MatchString(line):
			n.Open = new(bool)
		default:
			kept = append(kept, line)
		}
	}
	*n.String = strings.Join(kept, "\n")
}
