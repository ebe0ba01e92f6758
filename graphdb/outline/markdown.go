package outline

import (
	"slices"
	"strconv"
	"strings"

	"roam-mcp/graphdb/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// ParseMarkdown reads markdown into trees as Roam does (LOCAL_API.md 9.5). Where
// every line belongs to a bullet the text is outliner-shaped: headings are
// labels, and only indentation nests. Otherwise it is document-shaped: a
// heading owns what follows until a heading of its rank or above. Any text is
// markdown, so there is no error; annotations of a read are decoded.
func ParseMarkdown(markdown string) []Block {
	p := &parser{lines: markdownLines(markdown)}
	p.read()
	return p.tree()
}

// The bounds of a markdown text that is written in one call.
const (
	MaxMarkdownBytes = 8 << 20
	MaxMarkdownLines = 100_000
)

// CheckMarkdown refuses a text that passes the bounds.
func CheckMarkdown(markdown string) error {
	if len(markdown) > MaxMarkdownBytes || strings.Count(markdown, "\n")+strings.Count(markdown, "\r") > MaxMarkdownLines {
		return invalid("The markdown is larger than one call may write: %d MB, or %d lines. Write it in parts.", MaxMarkdownBytes>>20, MaxMarkdownLines)
	}
	return nil
}

// markdownLines parts a text into lines, whatever they end with.
func markdownLines(markdown string) []string {
	markdown = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(strings.TrimPrefix(markdown, "\ufeff"))
	return strings.Split(markdown, "\n")
}

// item is a block before nesting.
type item struct {
	lines   []string
	bullet  bool
	column  int // of the bullet; 0 for what is none
	content int // column where a bullet's text begins
	fence   bool
	table   bool
	number  int // of a numbered list; 0 for none
	from    int // its first line, and the one behind its last
	to      int
}

type parser struct {
	lines     []string
	at        int
	items     []item
	annotated bool // keep what tags say, see ParseAnnotated
	foreign   bool // text of another program, see ParseForeign
}

var (
	bulletLine  = lazyregexp.New(`^([ \t]*)([-*+])(?:[ \t]+(.*)|)$`)
	numberLine  = lazyregexp.New(`^([ \t]*)(\d{1,9}[.)][ \t]+.*)$`)
	headingText = lazyregexp.New(`^(#{1,6})[ \t]+(\S.*)$`)
	fenceLine   = lazyregexp.New("^[ \t]*```")
	longFence   = lazyregexp.New("^[ \t]*(`{4,}|~{3,})(.*)$") // CommonMark's, beside three backticks
	backticks   = lazyregexp.New("`+")
	fenceEnd    = lazyregexp.New("^[ \t]*```[ \t]*(?:<roam[^<>]*/>)?[ \t]*$")
	ruleLine    = lazyregexp.New(`^[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$`)
)

// read parts the lines into items.
func (p *parser) read() {
	for p.at < len(p.lines) {
		line := p.lines[p.at]
		switch {
		case strings.TrimSpace(line) == "":
			p.at++
		case ruleLine.MatchString(line):
			p.items = append(p.items, item{lines: []string{strings.TrimSpace(line)}, column: columns(line)})
			p.at++
		case bulletLine.MatchString(line):
			m := bulletLine.FindStringSubmatch(line)
			p.block(item{bullet: true, column: columns(line), content: columns(line) + 2}, m[3])
		case numberLine.MatchString(line):
			text := strings.TrimLeft(line, " \t")
			marker := strings.IndexAny(text, ".)") + 2
			number, _ := strconv.Atoi(text[:marker-2])
			p.block(item{bullet: true, column: columns(line), content: columns(line) + marker, number: number}, text)
		default:
			p.block(item{}, strings.TrimLeft(line, " \t"))
		}
	}
}

// block reads the item that starts on this line with this text.
func (p *parser) block(it item, first string) {
	it.from = p.at
	p.at++
	switch {
	case p.opensFence(first):
		it.fence = true
		it.lines = p.fence(it.content, strings.TrimSpace(first))
	case p.startsTable(first):
		it.table = true
		it.lines = append([]string{first}, p.table()...)
	case !it.bullet && headingText.MatchString(first):
		it.lines = []string{first}
	default:
		it.lines = append([]string{first}, p.continuation(it)...)
	}
	it.to = p.at
	p.items = append(p.items, it)
}

func (p *parser) opensFence(line string) bool {
	return fenceLine.MatchString(line) || p.foreign && longFence.MatchString(line)
}

// fence reads up to the closing line, or to the end of the text. It returns the first
// line, too.
func (p *parser) fence(indent int, first string) []string {
	if m := longFence.FindStringSubmatch(first); m != nil && p.foreign {
		return p.longFence(indent, m[1], m[2])
	}
	out := []string{first}
	if strings.Contains(strings.TrimSpace(first)[3:], "```") {
		return out // opened and closed on one line
	}
	for p.at < len(p.lines) {
		line := p.lines[p.at]
		p.at++
		if fenceEnd.MatchString(line) {
			return append(out, strings.TrimSpace(line))
		}
		if body := strings.TrimRight(line, " \t"); strings.HasSuffix(roamTag.ReplaceAllString(body, ""), "```") {
			return append(out, unindent(line, indent)) // Roam closes a fence at the end of the last line, too
		}
		out = append(out, unindent(line, indent))
	}
	return append(trimBlank(out), "```")
}

// longFence reads a fence of tildes, or of more than three backticks (CommonMark 4.5).
// Roam knows backticks only; there are more of them than in any run inside.
func (p *parser) longFence(indent int, marker, info string) []string {
	first := strings.TrimSpace(strings.ReplaceAll(info, "`", ""))
	var body []string
	closed := false
	for p.at < len(p.lines) && !closed {
		line := p.lines[p.at]
		p.at++
		end := strings.TrimSpace(line)
		if closed = len(end) >= len(marker) && strings.Trim(end, marker[:1]) == ""; !closed {
			body = append(body, unindent(line, indent))
		}
	}
	if !closed {
		body = trimBlank(body)
	}
	longest := 2
	for _, line := range body {
		for _, run := range backticks.FindAllString(line, -1) {
			longest = max(longest, len(run))
		}
	}
	ticks := strings.Repeat("`", longest+1)
	return append(append([]string{ticks + first}, body...), ticks)
}

// trimBlank returns lines without the blank ones at their end.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// continuation reads the further lines of a paragraph or bullet. Blank lines
// and fences belong to a bullet if they are indented to its text.
func (p *parser) continuation(it item) []string {
	var out []string
	for p.at < len(p.lines) {
		next := p.at
		for it.bullet && next+1 < len(p.lines) && strings.TrimSpace(p.lines[next]) == "" {
			next++
		}
		line := p.lines[next]
		inside := it.bullet && columns(line) >= it.column+2
		fence := inside && p.opensFence(line)
		if next > p.at && !inside || !fence && (p.opensFence(line) || it.endsAt(line)) {
			return out
		}
		out = append(out, make([]string, next-p.at)...)
		text := strings.TrimLeft(line, " \t")
		if it.bullet {
			text = unindent(line, it.content)
		}
		p.at = next + 1
		if fence {
			out = append(out, p.fence(it.content, text)...)
		} else {
			out = append(out, text)
		}
	}
	return out
}

// endsAt tells whether a line begins something of its own.
func (it item) endsAt(line string) bool {
	text := strings.TrimLeft(line, " \t")
	return text == "" || bulletLine.MatchString(line) || numberLine.MatchString(line) || ruleLine.MatchString(line) ||
		columns(line) < max(it.content, 1) && headingText.MatchString(text)
}

// columns is the width of a line's indentation; a tab goes to the next
// multiple of 4.
func columns(line string) int {
	n := 0
	for _, c := range []byte(line) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// unindent takes up to so many columns of indentation away.
func unindent(line string, most int) string {
	n := 0
	for i, c := range []byte(line) {
		if n >= most || c != ' ' && c != '\t' {
			return line[i:]
		}
		if c == '\t' {
			n += 4 - n%4
		} else {
			n++
		}
	}
	return ""
}

// outlinerShaped tells whether every item is a bullet.
func (p *parser) outlinerShaped() bool {
	return !slices.ContainsFunc(p.items, func(it item) bool { return !it.bullet })
}

// tree nests the items by heading and indentation.
func (p *parser) tree() []Block { return p.nest().blocks() }

func (p *parser) nest() (root *branchNode) {
	flat := p.outlinerShaped()
	root = &branchNode{}
	headings := []*branchNode{root} // the open headings, outermost first
	ranks := []int{0}
	var bullets []*branchNode // the open bullets, outermost first
	var widths []int
	for _, it := range p.items {
		block, rank := it.block(p.annotated)
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

// branchNode is a block under construction: pointers into a growing slice of
// Blocks would not hold.
type branchNode struct {
	block    Block
	item     item
	children []*branchNode
}

func (n *branchNode) add(b Block, it item) *branchNode {
	child := &branchNode{block: b, item: it}
	n.children = append(n.children, child)
	return child
}

func (n *branchNode) blocks() []Block {
	var out []Block
	for _, c := range n.children {
		b := c.block
		b.Children = append(b.Children, c.blocks()...)
		out = append(out, b)
	}
	return out
}

// block makes the block and tells the heading's rank in the text, 1 to 6, or 0.
func (it item) block(annotated bool) (Block, int) {
	if annotated {
		if b, ok := it.annotatedBlock(); ok {
			return b, b.Heading
		}
	}
	switch {
	case it.table:
		return tableBlock(it.lines), 0
	case it.fence:
		return Block{String: DecodeAnnotations(strings.Join(it.lines, "\n"))}, 0
	}
	b := Block{String: DecodeAnnotations(strings.Join(it.lines, "\n"))}
	rank := 0
	if m := headingText.FindStringSubmatch(it.lines[0]); m != nil {
		rank = len(m[1])
		b.Heading = min(rank, 3)
		b.String = DecodeAnnotations(strings.Join(append([]string{m[2]}, it.lines[1:]...), "\n"))
	}
	if !it.bullet { // a bullet's text is kept as it is, so that what was read can be written back
		b.String = strings.TrimRight(b.String, " \t")
	}
	b.String = roamtext.FromMarkdown(b.String)
	return b, rank
}
