package mcpserve

import (
	"regexp"
	"strconv"
	"strings"
)

// block is one block of the markdown that Roam's reads return (LOCAL_API.md
// 9.6), or the header line of a page.
type block struct {
	source string // its lines, with the line breaks
	depth  int    // 0 at the left edge
	header bool   // the title line of a page
	uid    string // empty where the text has none
	refs   int    // blocks that link here
	hidden int    // children that were not shown
	head   int    // heading level, 0 for none
}

// tagSyntax is the tag that ends a block, and its attributes.
type tagSyntax struct{ end, attribute, bullet *regexp.Regexp }

func newTagSyntax() tagSyntax {
	return tagSyntax{
		end:       regexp.MustCompile(`<roam(?:\s[^<>]*)?/>\s*$`),
		attribute: regexp.MustCompile(`([A-Za-z]+)="([^"]*)"`),
		bullet:    regexp.MustCompile(`^ *- `),
	}
}

// blocks splits markdown into its blocks. A block ends with its tag, since its
// text may hold line breaks and code with bullets of its own; in text of old
// builds, without tags, a block starts at each bullet.
func (t tagSyntax) blocks(markdown string) []block {
	tagged := strings.Contains(markdown, "<roam")
	var found []block
	var open strings.Builder
	flush := func() {
		if open.Len() > 0 {
			found = append(found, t.block(open.String()))
			open.Reset()
		}
	}
	for line := range strings.Lines(markdown) {
		switch {
		case tagged && open.Len() == 0 && strings.TrimSpace(line) == "":
			// An empty line between blocks belongs to the one before it.
			if n := len(found); n > 0 {
				found[n-1].source += line
			}
			continue
		case !tagged && t.bullet.MatchString(line):
			flush()
		}
		open.WriteString(line)
		if tagged && t.end.MatchString(line) {
			flush()
		}
	}
	flush()
	return found
}

func (t tagSyntax) block(source string) block {
	b := block{source: source}
	trimmed := strings.TrimLeft(source, " ")
	b.depth = (len(source) - len(trimmed)) / 2
	b.header = !strings.HasPrefix(trimmed, "- ")
	tag := t.end.FindString(strings.TrimRight(source, "\n"))
	for _, m := range t.attribute.FindAllStringSubmatch(tag, -1) {
		n, _ := strconv.Atoi(m[2]) // not a number: 0, as if it were absent
		switch m[1] {
		case "uid":
			b.uid = m[2]
		case "refs":
			b.refs = n
		case "hiddenChildren":
			b.hidden = n
		case "heading":
			b.head = n
		}
	}
	return b
}

// text is the block's own text: without indent, bullet, tag and previews.
func (b block) text(m marks) string {
	s := m.tag.ReplaceAllString(strings.TrimRight(b.source, "\n"), "")
	s = m.bullet.ReplaceAllString(s, "")
	return strings.TrimSpace(m.preview.ReplaceAllString(s, "$1"))
}

// childrenOf gives the blocks directly below the thing that was read: a page,
// whose children stand at the left edge, or a block, which stands there itself.
func childrenOf(all []block) []block {
	if len(all) == 0 {
		return nil
	}
	depth := all[0].depth + 1
	if all[0].header {
		depth = 0
	}
	var children []block
	for _, b := range all[1:] {
		if b.depth == depth {
			children = append(children, b)
		}
	}
	return children
}
