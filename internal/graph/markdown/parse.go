package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/lazyregexp"
)

// The bounds of a text that is written in one call.
const (
	MaxBytes = 8 << 20
	MaxLines = 100_000
)

// Check refuses a text that passes the bounds.
func Check(text string) error {
	if len(text) > MaxBytes || strings.Count(text, "\n")+strings.Count(text, "\r") > MaxLines {
		return &outline.Error{Code: outline.CodeInvalid, Message: fmt.Sprintf(
			"The markdown is larger than one call may write: %d MB, or %d lines. Write it in parts.", MaxBytes>>20, MaxLines)}
	}
	return nil
}

// Document holds the blocks of a text.
type Document struct {
	Blocks []outline.Block
	// Unclosed is the number of code blocks that the text does not close, and Parse does.
	Unclosed int
	// Stripped is the first text that lost marks of a read, which it has outside of code.
	Stripped string

	root *branch
}

// Parse reads a text that an agent writes. Any text is Markdown. The annotations of a read are
// decoded.
func Parse(text string) Document {
	return newReader(text).document()
}

// LeavesCodeOpen reports whether a text does not close a code block, so that Parse does.
func LeavesCodeOpen(text string) bool {
	return (strings.Contains(text, "```") || strings.Contains(text, "~~~")) && Parse(text).Unclosed > 0
}

// Importer returns the blocks that Roam's importer makes of a text (LOCAL_API.md 9.5).
func Importer(text string) []outline.Block {
	r := newReader(text)
	r.importer = true
	return r.document().Blocks
}

// reader parts the lines of a text into items, and nests them.
type reader struct {
	lines    []string
	at       int
	items    []item
	unclosed int
	stripped string
	search   search

	importer bool // what Roam's importer does not know is not read
	tagged   bool // keep what tags say, see ParseTagged
}

func newReader(text string) *reader {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(strings.TrimPrefix(text, "\ufeff"))
	return &reader{lines: strings.Split(text, "\n"), search: search{}}
}

func (r *reader) document() Document {
	r.read()
	root := r.nest()
	return Document{Blocks: root.blocks(), Unclosed: r.unclosed, Stripped: r.stripped, root: root}
}

// item is a block before nesting.
type item struct {
	lines   []line
	bullet  bool
	column  int // of the bullet; 0 for what is none
	content int // column where a bullet's text begins
	rule    bool
	table   bool
	number  int // of a numbered list; 0 for none
	limit   int // where what is indented to a bullet's text ends; not known if that is before the line that is read
}

// line is a line of an item, without its indentation.
type line struct {
	text string
	kept bool // it is within code, a formula or HTML
}

var (
	bulletLine  = lazyregexp.New(`^([ \t]*)([-*+])(?:([ \t]+)(.*)|)$`)
	numberLine  = lazyregexp.New(`^([ \t]*)(\d{1,9}[.)][ \t]+)(.*)$`)
	headingText = lazyregexp.New(`^(#{1,6})[ \t]+(\S.*)$`)
	emptyHead   = lazyregexp.New(`^#{1,3}[ \t]*$`)
	ruleLine    = lazyregexp.New(`^[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$`)
)

// read parts the lines into items.
func (r *reader) read() {
	for r.at < len(r.lines) {
		text := r.lines[r.at]
		switch {
		case strings.TrimSpace(text) == "":
			r.at++
		case !beginsItem(text):
			r.block(item{}, "", strings.TrimLeft(text, " \t"))
		case ruleLine.MatchString(text):
			r.items = append(r.items, item{lines: []line{{text: strings.TrimSpace(text)}}, rule: true, column: columns(text)})
			r.at++
		case bulletLine.MatchString(text):
			m := bulletLine.FindStringSubmatch(text)
			it := item{bullet: true, column: columns(text), content: columns(text) + 2}
			if blanks := len(m[3]); blanks <= 4 && m[4] != "" && !strings.Contains(m[3], "\t") {
				it.content += blanks - 1
			}
			r.block(it, "", m[4])
		case numberLine.MatchString(text):
			m := numberLine.FindStringSubmatch(text)
			it := item{bullet: true, column: columns(text), content: columns(text) + strings.IndexAny(m[2], ".)") + 2}
			it.number, _ = strconv.Atoi(strings.TrimRight(m[2], ".) \t"))
			r.block(it, m[2], m[3])
		default:
			r.block(item{}, "", strings.TrimLeft(text, " \t"))
		}
	}
}

// beginsItem reports whether a line may begin a bullet, a number or a rule, by its first sign.
func beginsItem(text string) bool {
	text = strings.TrimLeft(text, " \t")
	return text != "" && (strings.IndexByte("-*+_", text[0]) >= 0 || '0' <= text[0] && text[0] <= '9')
}

// block reads the item that starts on this line, with a number or without, and with this text.
func (r *reader) block(it item, number, first string) {
	r.at++
	mark, rest := cutHeading(first)
	region := r.region(&it, rest)
	switch {
	case region != nil:
		region[0].text = number + mark + region[0].text
		it.lines = region
		if it.bullet {
			it.lines = append(it.lines, r.continuation(&it, true)...)
		}
	case r.startsTable(first):
		it.table = true
		it.lines = append([]line{{text: first}}, r.table()...)
	case !it.bullet && mark != "":
		it.lines = []line{{text: first}}
	default:
		it.lines = append([]line{{text: number + first}}, r.continuation(&it, false)...)
	}
	r.items = append(r.items, it)
}

// cutHeading parts the signs of a heading from its text.
func cutHeading(text string) (mark, rest string) {
	if !strings.HasPrefix(text, "#") {
		return "", text
	}
	if m := headingText.FindStringSubmatchIndex(text); m != nil {
		return text[:m[4]], text[m[4]:]
	}
	return "", text
}

// region reads code, a formula or HTML that begins with a line of an item; nil if none does.
// Code that is not closed ends with its item.
func (r *reader) region(it *item, first string) []line {
	c, ending := opens(first)
	if c == nil || r.importer && (!c.importer || ending[0] == '~') {
		return nil
	}
	code, limit := c.name == "code", r.limitOf(it)
	body := r.search.end(c, ending, r.lines, r.at, limit)
	if body == 0 && code && it.bullet && limit == r.at { // not indented as it should be
		limit = r.nextItem(it)
		body = r.search.end(c, ending, r.lines, r.at, limit)
	}
	closed := body > 0
	if !closed {
		if body = limit - r.at; !code || body == 0 {
			return nil
		}
		r.unclosed++
	}
	out := make([]line, 1, body+2)
	out[0] = line{first, true}
	for _, text := range r.lines[r.at : r.at+body] {
		out = append(out, line{unindent(text, it.content), true})
	}
	r.at += body
	if last := out[len(out)-1].text; code && (!closed || withoutTag(last) == last) {
		out = asRoamsCode(out, ending, closed)
	}
	return out
}

// asRoamsCode returns code with backticks around it, which are all that Roam knows, and closed.
func asRoamsCode(code []line, fence string, closed bool) []line {
	if !closed {
		for strings.TrimSpace(code[len(code)-1].text) == "" {
			code = code[:len(code)-1]
		}
		code = append(code, line{fence, true})
	}
	if fence[0] != '~' {
		return code
	}
	size := 3
	for _, each := range code[1 : len(code)-1] {
		for rest := each.text; strings.Contains(rest, "`"); {
			rest = rest[strings.IndexByte(rest, '`'):]
			run := len(rest) - len(strings.TrimLeft(rest, "`"))
			size, rest = max(size, run+1), rest[run:]
		}
	}
	ticks := strings.Repeat("`", size)
	info := strings.TrimLeft(code[0].text, " \t~")
	code[0].text = ticks + strings.TrimSpace(strings.ReplaceAll(info, "`", ""))
	code[len(code)-1].text = ticks
	return code
}

// limitOf returns the first line behind an item that is not indented to its text; the end of
// the text for what is no bullet.
func (r *reader) limitOf(it *item) int {
	if !it.bullet {
		return len(r.lines)
	}
	if it.limit < r.at {
		it.limit = r.at
		for it.limit < len(r.lines) && (strings.TrimSpace(r.lines[it.limit]) == "" || it.holds(r.lines[it.limit])) {
			it.limit++
		}
	}
	return it.limit
}

// nextItem returns the line of the next bullet that is not below an item, or the end of the text.
func (r *reader) nextItem(it *item) int {
	for at := r.at; at < len(r.lines); at++ {
		if text := r.lines[at]; columns(text) <= it.column && (bulletLine.MatchString(text) || numberLine.MatchString(text)) {
			return at
		}
	}
	return len(r.lines)
}

// holds reports whether a line is indented to the text of a bullet.
func (it *item) holds(text string) bool { return it.bullet && columns(text) >= it.column+2 }

// continuation reads the further lines of a paragraph or bullet. Blank lines and code
// belong to a bullet if they are indented to its text; so does all behind code.
func (r *reader) continuation(it *item, code bool) []line {
	var out []line
	for r.at < len(r.lines) {
		next := r.at
		for it.bullet && next+1 < len(r.lines) && strings.TrimSpace(r.lines[next]) == "" {
			next++
		}
		text := r.lines[next]
		inside := it.holds(text)
		if (next > r.at || code) && !inside {
			return out
		}
		bare := strings.TrimLeft(text, " \t")
		if inside {
			bare = unindent(text, it.content)
		}
		before, unclosed := r.at, r.unclosed
		r.at = next + 1
		region := r.region(it, bare)
		if region != nil && !inside || region == nil && it.endsAt(text) {
			r.at, r.unclosed = before, unclosed
			return out
		}
		out = append(out, make([]line, next-before)...)
		if region != nil {
			out = append(out, region...)
		} else {
			out = append(out, line{text: bare})
		}
	}
	return out
}

// endsAt reports whether a line begins something of its own.
func (it *item) endsAt(text string) bool {
	bare := strings.TrimLeft(text, " \t")
	return bare == "" || beginsItem(bare) && (bulletLine.MatchString(text) || numberLine.MatchString(text) || ruleLine.MatchString(text)) ||
		bare[0] == '#' && columns(text) < max(it.column+2, 1) && !it.holds(text) && headingText.MatchString(bare)
}

// columns returns the width of a line's indentation; a tab goes to the next multiple of 4.
func columns(text string) int {
	n := 0
	for _, c := range []byte(text) {
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
func unindent(text string, most int) string {
	n := 0
	for i, c := range []byte(text) {
		if n >= most || c != ' ' && c != '\t' {
			return text[i:]
		}
		if c == '\t' {
			n += 4 - n%4
		} else {
			n++
		}
	}
	return ""
}
