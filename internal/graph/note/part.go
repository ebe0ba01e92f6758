package note

import (
	"slices"
	"strings"
	"unicode"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
)

// Rendering is the content of a note, with where its blocks stand in it.
type Rendering struct {
	Text   string
	Blocks []Span // in reading order
}

// Span is the place of a block in a Rendering, without its children.
type Span struct {
	UID        string
	Start, End int // bytes; the line end is not in it
	Prefix     int // how many of them stand before the text: those of a bullet
	Depth      int
}

// Render returns what Content returns, with where the blocks stand.
func Render(n Node, reserved ...string) Rendering {
	shown := Shown(n, reserved...)
	if text, ok := flat(n, shown); ok {
		r := Rendering{Text: text}
		at := 0
		for i := range shown {
			paragraph, _ := shown[i].paragraph()
			r.Blocks = append(r.Blocks, Span{UID: shown[i].UID, Start: at, End: at + len(paragraph)})
			at += len(paragraph) + len("\n\n")
		}
		return r
	}
	blocks := display(shown)
	r := Rendering{Text: markdown.Bullets(blocks)}
	at := 0
	var walk func(nodes []Node, blocks []outline.Block, depth int)
	walk = func(nodes []Node, blocks []outline.Block, depth int) {
		for i := range nodes {
			start := at
			for range strings.Count(blocks[i].String, "\n") + 1 {
				if end := strings.IndexByte(r.Text[at:], '\n'); end >= 0 {
					at += end + 1
				} else {
					at = len(r.Text) + 1
				}
			}
			r.Blocks = append(r.Blocks, Span{nodes[i].UID, start, at - 1, 2*depth + len("- "), depth})
			walk(nodes[i].Children, blocks[i].Children, depth+1)
		}
	}
	walk(shown, blocks, 0)
	return r
}

// Lines returns on which line of the text each block begins, from 1, by uid.
func (r Rendering) Lines() map[string]int {
	lines, line, at := make(map[string]int, len(r.Blocks)), 1, 0
	for _, b := range r.Blocks {
		line += strings.Count(r.Text[at:b.Start], "\n")
		lines[b.UID], at = line, b.Start
	}
	return lines
}

// Part is a part of a Rendering that was shown to somebody.
type Part struct {
	From  int      // the byte of the rendering that it begins with
	Shown []string // uids of the blocks of which something was shown, in reading order
	Above []string // uids of the blocks above the first of them, from the top
	Lead  string   // the beginning of the first one, which was not shown
	Trail string   // the end of the last one, which was not shown
	// Mark is what stood behind the text to say that it was cut; empty: nothing.
	Mark string

	marks       int    // how often the text itself holds the mark
	stub        bool   // it ends with a bullet of which the text was not shown
	first, last string // its first and its last line
}

// Part returns the part from one byte to another, behind which a mark was shown.
func (r Rendering) Part(from, to int, mark string) Part {
	p := Part{From: from, Mark: strings.TrimSpace(mark)}
	to = min(to, len(r.Text))
	text := strings.TrimRight(r.Text[min(from, to):to], "\n")
	to = min(from, to) + len(text)
	if p.Mark != "" {
		p.marks = strings.Count(text, p.Mark)
	}
	p.first, _, _ = strings.Cut(text, "\n")
	p.last = text[strings.LastIndexByte(text, '\n')+1:]
	if strings.TrimSpace(text) == "" {
		return p
	}
	var above []string // of the block that is looked at
	for _, b := range r.Blocks {
		above = append(above[:b.Depth:b.Depth], b.UID)
		textAt := min(b.Start+b.Prefix, b.End)
		if b.End <= from || textAt >= to && (textAt < b.End || b.End > to) {
			p.stub = p.stub || b.Start < to && to <= textAt
			continue
		}
		if len(p.Shown) == 0 {
			p.Above = slices.Clone(above[:b.Depth])
			p.Lead = r.Text[b.Start:max(b.Start, from)]
		}
		p.Shown = append(p.Shown, b.UID)
		p.Trail = r.Text[min(b.End, to):b.End]
	}
	if strings.TrimSpace(p.Lead) == "" {
		p.first, _, _ = strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	}
	return p
}

// LastLine returns the line that the part ends with, as it was shown.
func (p Part) LastLine() string { return strings.TrimSpace(p.last) }

// IsWhole reports whether nothing of a rendering is left out.
func (p Part) IsWhole(r Rendering) bool {
	return len(p.Shown) == len(r.Blocks) && p.Lead == "" && p.Trail == ""
}

// placeholder stands for a block above the first one of a part, where what is sent is
// parsed.
const placeholder = "- above"

// Parse reads what somebody sends in place of the part. The blocks above the first one are
// there with their uids and no text. What was not shown of the first and the last block
// stays where these are sent; left are the uids of such blocks that are not sent where
// nothing is. ok is false where it can't be told where they are.
func (p Part) Parse(sent string) (parsed Parsed, left []string, ok bool) {
	text, at := p.unmarked(sent)
	if p.stub {
		text = withoutStub(text)
	}
	if strings.TrimSpace(text) == "" {
		return Parsed{}, p.Cut(), true
	}
	if p.Trail != "" {
		if at < 0 {
			if at = p.lastEnd(text); at < 0 {
				return Parsed{}, nil, false
			}
			text = text[:at] + strings.TrimLeft(text[at:], " \t")
		}
		text = text[:at] + missing(strings.TrimRight, text[:at], p.last) + p.Trail + text[at:]
	}
	if text, ok = p.led(text); !ok {
		return Parsed{}, nil, false
	}
	if len(p.Above) == 0 {
		return Parse(text), nil, true
	}
	var context strings.Builder
	for depth := range p.Above {
		context.WriteString(strings.Repeat("  ", depth) + placeholder + "\n")
	}
	parsed = Parse(context.String() + text)
	return parsed, nil, nameAbove(parsed.Blocks, p.Above)
}

// withoutStub returns a text without a bullet at its end that has no text.
func withoutStub(text string) string {
	text = strings.TrimRight(text, "\r\n")
	if line := text[strings.LastIndexByte(text, '\n')+1:]; strings.Trim(line, " \t-") == "" {
		text = strings.TrimRight(text[:len(text)-len(line)], "\r\n")
	}
	return text
}

// Cut returns the uids of the blocks of which only a part was shown.
func (p Part) Cut() []string {
	var cut []string
	if strings.TrimSpace(p.Lead) != "" && len(p.Shown) > 0 {
		cut = append(cut, p.Shown[0])
	}
	if p.Trail != "" && len(p.Shown) > 0 {
		cut = append(cut, p.Shown[len(p.Shown)-1])
	}
	return cut
}

// nameAbove gives the placeholders the uids of the blocks that they stand for.
func nameAbove(blocks []outline.Block, uids []string) bool {
	for _, uid := range uids {
		if len(blocks) == 0 || "- "+blocks[0].String != placeholder {
			return false
		}
		blocks[0].UID, blocks[0].String = uid, ""
		blocks = blocks[0].Children
	}
	return true
}

// unmarked returns a text without the mark of the cut, and the place where that stood; -1
// where there is none.
func (p Part) unmarked(sent string) (text string, at int) {
	if p.Mark == "" {
		return sent, -1
	}
	n := strings.Count(sent, p.Mark)
	at = strings.LastIndex(sent, p.Mark)
	if n <= p.marks || p.marks > 0 && !strings.HasSuffix(strings.TrimSpace(sent), p.Mark) {
		return sent, -1
	}
	before, behind := sent[:at], sent[at+len(p.Mark):]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.Trim(line, " \t-") == "" && (line != p.last || p.stub && strings.TrimSpace(behind) != "") { // it stood in a line of its own
		before = strings.TrimRight(before[:len(before)-len(line)], "\r\n")
	}
	if p.Trail == "" {
		return before + behind, -1
	}
	return before + behind, len(before)
}

// lastEnd returns where the last line of the part ends in a text that is sent; -1 where it
// can't be told. Blanks around the line do not matter.
func (p Part) lastEnd(text string) int {
	last := strings.TrimSpace(p.last)
	if bare := strings.TrimRight(text, "\r\n"); last == "" && strings.HasSuffix(bare, p.last) {
		return len(bare)
	}
	found, count, end, at := -1, 0, -1, 0 // end: of the last line of the text
	same := false                         // as that of the part
	for line := range strings.Lines(text) {
		if bare := strings.TrimSpace(line); bare != "" {
			end = at + len(strings.TrimRightFunc(line, unicode.IsSpace))
			if same = bare == last; same {
				found, count = end, count+1
			}
		}
		at += len(line)
	}
	switch {
	case same, count == 1:
		return found
	case end >= 0 && outline.Alike(text[strings.LastIndexByte(text[:end], '\n')+1:end], last):
		return end
	}
	return -1
}

// missing returns the blanks at an end of a text that was shown and are not at that of one
// which is sent, which may have been trimmed.
func missing(trim func(text, blanks string) string, sent, shown string) string {
	if blanks := " \t"; trim(sent, blanks) != sent || trim(shown, blanks) == "" {
		return ""
	} else if bare := trim(shown, blanks); strings.HasPrefix(shown, bare) {
		return shown[len(bare):]
	} else {
		return strings.TrimSuffix(shown, bare)
	}
}

// led returns a text with the beginning of its first block that was not shown, and with
// the blanks in front of it.
func (p Part) led(text string) (string, bool) {
	if strings.TrimSpace(p.Lead) == "" {
		text = strings.TrimLeft(text, "\r\n")
	}
	first, _, _ := strings.Cut(text, "\n")
	bare := strings.TrimLeft(text, " \t")
	known := strings.HasPrefix(bare, strings.TrimLeft(p.first, " \t")) || outline.Alike(first, p.first)
	switch {
	case strings.TrimSpace(p.Lead) != "":
		return p.Lead + missing(strings.TrimLeft, text, p.first) + text, known
	case len(p.Above) == 0 || !known || !strings.HasPrefix(bare, "- "):
		return text, true
	}
	return strings.Repeat("  ", len(p.Above)) + bare, true
}
