package outline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrNoSuchPlace is returned for a cursor whose block is not in the markdown.
var ErrNoSuchPlace = errors.New("the block of the cursor is not there")

// ellipsis stands for text that is not shown.
const ellipsis = "…"

// repeatedText is how many characters of a parent are shown again.
const repeatedText = 80

// Cursor is a place in markdown, behind a block: where a reader stopped. Its text
// is the block's uid; uid@N where only N characters of the block's own text were
// shown, and #N, the number of the block from 1, where it has no uid.
type Cursor struct {
	block  string // uid, or the number
	number bool
	within int // characters of the block's text that were shown; 0: the whole block
}

// ParseCursor reads the text of a cursor. Any text is one, since any may be a uid.
func ParseCursor(text string) Cursor {
	text = strings.TrimSpace(text)
	if number, ok := strings.CutPrefix(text, "#"); ok {
		return Cursor{block: number, number: true}
	}
	if uid, shown, ok := strings.Cut(text, "@"); ok {
		if n, err := strconv.Atoi(shown); err == nil && n > 0 {
			return Cursor{block: uid, within: n}
		}
	}
	return Cursor{block: text}
}

// CursorBehind returns the cursor behind the block that is the number-th of its
// markdown, the first being 1, of whose text all or some characters were shown.
func CursorBehind(b RenderedBlock, number, shown int) string {
	switch {
	case b.UID == "":
		return "#" + strconv.Itoa(number)
	case shown > 0:
		return fmt.Sprintf("%s@%d", b.UID, shown)
	}
	return b.UID
}

// RenderedAfter returns what is behind a cursor: the title of the page and the parents of
// the first block, repeated and cut short, and then the rest of the markdown. It
// also returns how many blocks of the markdown were passed. The error is
// ErrNoSuchPlace.
func RenderedAfter(markdown string, at Cursor) (rest string, passed int, err error) {
	var parents []RenderedBlock // of the block that is looked at, the outermost first
	offset := 0
	for source := range renderedSources(markdown) {
		b := parseRendered(source)
		passed++
		offset += len(source)
		parents = above(parents, b)
		if !at.is(b, passed) {
			parents = append(parents, b)
			continue
		}
		var out strings.Builder
		if at.within > 0 {
			text := b.without(at.within)
			writeRepeated(&out, parents)
			out.WriteString(text)
			return out.String() + markdown[offset:], passed - 1, nil
		}
		for next := range EachRendered(markdown[offset:]) {
			writeRepeated(&out, above(append(parents, b), next))
			break
		}
		return out.String() + markdown[offset:], passed, nil
	}
	return "", 0, ErrNoSuchPlace
}

// above returns those of the blocks on the way to one place that are also on the
// way to a block that comes behind it: the title of a page, and what is less deep.
func above(way []RenderedBlock, b RenderedBlock) []RenderedBlock {
	for len(way) > 0 && way[len(way)-1].Depth >= b.Depth && !way[len(way)-1].Header {
		way = way[:len(way)-1]
	}
	return way
}

func (c Cursor) is(b RenderedBlock, number int) bool {
	if c.number {
		return c.block == strconv.Itoa(number)
	}
	return b.UID != "" && c.block == b.UID
}

// writeRepeated writes the lines of parents that were shown before; none where
// blocks have no uids, since their lines would be taken for blocks.
func writeRepeated(out *strings.Builder, parents []RenderedBlock) {
	for _, p := range parents {
		if p.UID != "" {
			out.WriteString(p.repeated())
		}
	}
}

// Passed returns how many blocks the cursor is known to have passed: it is known
// only where blocks have no uids.
func (c Cursor) Passed() int {
	if !c.number {
		return 0
	}
	n, _ := strconv.Atoi(c.block) // no number: the cursor fits no block
	return n
}

// Shown returns how many characters of a block's text, as RenderedAfter returns it, the
// cursor has passed, without the sign that stands for them; 0 where it is another
// block.
func (c Cursor) Shown(b RenderedBlock) int {
	if c.within > 0 && c.is(b, 0) {
		return c.within - len([]rune(ellipsis))
	}
	return 0
}

// repeated returns the line of a parent that was shown before. Its tag says so,
// and that its text is not the whole one, so that it is not written back.
func (b RenderedBlock) repeated() string {
	text, cut := cutText(strings.ReplaceAll(b.Text(), "\n", " "), repeatedText)
	attributes := ` repeated="true"`
	if text != b.Text() { // cut, or on one line now
		attributes += fmt.Sprintf(` truncated="%d"`, cut)
	}
	if cut > 0 {
		text += ellipsis
	}
	line := strings.Repeat("  ", b.Depth) + "- " + text
	if b.Header {
		line = "# " + strings.TrimPrefix(text, "# ")
	}
	line += fmt.Sprintf(" <roam uid=%q%s/>\n", b.UID, attributes)
	if b.Header {
		line += "\n"
	}
	return line
}

// cutText returns at most max characters of a text, and how many are missing.
func cutText(text string, max int) (string, int) {
	count := 0
	for i := range text {
		if count == max {
			rest := text[i:]
			return text[:i], len([]rune(rest))
		}
		count++
	}
	return text, 0
}

// body returns where the block's own text stands in its source: behind the indent
// and the bullet, before the tag.
func (b RenderedBlock) body() (start, end int) {
	start = len(b.Source) - len(strings.TrimLeft(b.Source, " "))
	if strings.HasPrefix(b.Source[start:], "- ") {
		start += 2
	}
	end = len(b.Source)
	if _, at := tagAtEnd(b.Source); at >= 0 {
		end = at
	}
	return start, max(start, end)
}

// without returns the source of a block without the first characters of its text.
// Its tag says so.
func (b RenderedBlock) without(characters int) string {
	start, end := b.body()
	shown, _ := cutText(b.Source[start:end], characters)
	return b.Source[:start] + ellipsis + b.Source[start+len(shown):end] + withMissing(b.Source[end:], characters)
}

// Shortened returns the source of a block with at most that many characters of its
// text, and how many those are. Its tag says how many are missing.
func (b RenderedBlock) Shortened(characters int) (source string, shown int) {
	start, end := b.body()
	text, missing := cutText(b.Source[start:end], characters)
	return b.Source[:start] + text + ellipsis + " " + withMissing(b.Source[end:], missing), len([]rune(text))
}

// Brief returns the source of a block as one at the left edge, with at most that many
// characters of its text.
func (b RenderedBlock) Brief(characters int) string {
	source := b.Source
	if b.TextLength() > characters {
		source, _ = b.Shortened(characters)
	}
	indent := strings.Repeat("  ", b.Depth)
	return strings.ReplaceAll(strings.TrimPrefix(source, indent), "\n"+indent, "\n")
}

// TextLength returns how many characters the block's text has as it is read.
func (b RenderedBlock) TextLength() int {
	start, end := b.body()
	return len([]rune(b.Source[start:end]))
}

// withMissing adds to a tag how many characters of the text are missing.
func withMissing(tag string, missing int) string {
	if at := strings.LastIndex(tag, "/>"); at >= 0 && !truncatedTag.MatchString(tag) {
		return fmt.Sprintf(`%s truncated="%d"%s`, tag[:at], missing, tag[at:])
	}
	return tag
}

// CountRendered counts the blocks of markdown, without the title of a page.
func CountRendered(markdown string) int {
	n := 0
	for source := range renderedSources(markdown) {
		if strings.HasPrefix(strings.TrimLeft(source, " "), "- ") {
			n++
		}
	}
	return n
}
