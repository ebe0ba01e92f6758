package markdown

import (
	"slices"
	"strconv"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
)

// nest makes a tree of the items by heading and indentation.
func (r *reader) nest() (root *branch) {
	flat := !slices.ContainsFunc(r.items, func(it item) bool { return !it.bullet })
	root = &branch{}
	headings := []*branch{root} // the open headings, outermost first
	ranks := []int{0}
	var bullets []*branch // the open bullets, outermost first
	var widths []int
	for _, it := range r.items {
		block, rank := r.blockOf(it)
		if it.bullet {
			for len(bullets) > 0 && widths[len(widths)-1] >= it.column {
				bullets, widths = bullets[:len(bullets)-1], widths[:len(widths)-1]
			}
			parent := headings[len(headings)-1]
			if len(bullets) > 0 {
				parent = bullets[len(bullets)-1]
			}
			bullets, widths = append(bullets, parent.add(block, it)), append(widths, it.column)
			continue
		}
		bullets, widths = nil, nil
		if rank > 0 && !flat {
			for ranks[len(ranks)-1] >= rank {
				headings, ranks = headings[:len(headings)-1], ranks[:len(ranks)-1]
			}
			headings, ranks = append(headings, headings[len(headings)-1].add(block, it)), append(ranks, rank)
			continue
		}
		headings[len(headings)-1].add(block, it)
	}
	return root
}

// branch is a block under construction: pointers into a growing slice of blocks would not hold.
type branch struct {
	block    outline.Block
	number   int
	children []*branch
}

func (n *branch) add(b outline.Block, it item) *branch {
	child := &branch{block: b, number: it.number}
	n.children = append(n.children, child)
	return child
}

func (n *branch) blocks() []outline.Block {
	var out []outline.Block
	for _, c := range n.children {
		b := c.block
		b.Children = append(b.Children, c.blocks()...)
		out = append(out, b)
	}
	return out
}

// blockOf makes the block of an item, and returns its rank as a heading, 1 to 6; 0 for others.
func (r *reader) blockOf(it item) (b outline.Block, rank int) {
	if it.table {
		return r.tableBlock(it.lines), 0
	}
	lines := it.lines
	last := lines[len(lines)-1].text
	annotation := it.cutTag()
	if annotation != nil && !r.tagged && !r.importer {
		r.strip(last)
		return r.asRead(lines, annotation), 0
	}
	if mark, rest := cutHeading(lines[0].text); mark != "" {
		rank, lines[0].text = strings.IndexAny(mark, " \t"), rest
	} else if it.bullet && !r.importer && emptyHead.MatchString(lines[0].text) {
		rank, lines[0].text = strings.Count(lines[0].text, "#"), ""
	}
	b.Heading = min(rank, 3)
	if !r.importer && !it.rule {
		readLines(lines, it.number > 0)
	}
	b.String = joined(lines, r.readInline)
	if !it.bullet { // a bullet's text is kept as it is, so that what was read can be written back
		b.String = strings.TrimRight(b.String, " \t")
	}
	if annotation != nil && r.tagged {
		annotate(&b, annotation)
	}
	return b, rank
}

// asRead returns the block of a text that a read shows, which ends with its tag: it is Roam's own.
func (r *reader) asRead(lines []line, annotation map[string]string) outline.Block {
	texts := make([]string, len(lines))
	for i, each := range lines {
		texts[i] = each.text
	}
	b := outline.Block{String: r.withoutMarks(strings.Join(texts, "\n")), ChildrenViewType: annotation["childrenViewType"]}
	b.Heading, _ = strconv.Atoi(annotation[headingAttribute]) // no number: none
	b.Heading = min(max(b.Heading, 0), 3)
	return b
}

// readInline reads what is within the lines of a text.
func (r *reader) readInline(text string) string {
	text = roamtext.FromMarkdown(r.withoutMarks(text))
	if r.importer {
		return text
	}
	return unescapeInline(text)
}

// withoutMarks returns a text without the marks of a read.
func (r *reader) withoutMarks(text string) string {
	without := outline.DecodeAnnotations(text)
	if without != text {
		r.strip(text)
	}
	return without
}

// strip notes that a text has lost a mark of a read.
func (r *reader) strip(text string) {
	if r.stripped == "" {
		r.stripped = text
	}
}

// joined returns lines as a text, in which each run of lines that are not kept as they are is
// what change makes of it.
func joined(lines []line, change func(string) string) string {
	var out, plain []string
	flush := func() {
		if plain != nil {
			out = append(out, change(strings.Join(plain, "\n")))
			plain = nil
		}
	}
	for _, each := range lines {
		if each.kept {
			flush()
			out = append(out, each.text)
		} else {
			plain = append(plain, each.text)
		}
	}
	flush()
	return strings.Join(out, "\n")
}
