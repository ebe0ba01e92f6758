package outline

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/textsafe"
)

// The errors of StoredText.
var (
	ErrTruncated     = errors.New("the text was cut when it was read")
	ErrSeveralBlocks = errors.New("the text holds more than one block as read")
)

var (
	truncatedTag  = lazyregexp.New(`<roam\s[^<>]*\btruncated="`)
	onlyReference = lazyregexp.New(`^\(\([A-Za-z0-9_-]+\)\)$`)
	leadingBullet = lazyregexp.New(`^[ \t]*- `)
)

// RenderedBlock is one block, or the line with the title of a page.
type RenderedBlock struct {
	Source     string // its lines, with the line breaks
	Depth      int    // 0 at the left edge
	Header     bool   // whether it is the line with the title of a page
	UID        string // empty where the text has none
	References int    // number of blocks that link to it
	Repeated   bool   // a parent that an earlier part has shown: see RenderedAfter
}

// RenderedBlocks splits markdown into its blocks. A block ends with its tag, since its
// text may hold line breaks and code with bullets of its own; in text of old
// builds, without tags, a block starts at each bullet.
func RenderedBlocks(markdown string) []RenderedBlock {
	var found []RenderedBlock
	for source := range renderedSources(markdown) {
		found = append(found, parseRendered(source))
	}
	return found
}

// EachRendered returns the blocks of markdown one by one, as RenderedBlocks has them.
func EachRendered(markdown string) iter.Seq[RenderedBlock] {
	return func(yield func(RenderedBlock) bool) {
		for source := range renderedSources(markdown) {
			if !yield(parseRendered(source)) {
				return
			}
		}
	}
}

// renderedSources returns the lines of each block, with the line breaks. An empty line
// between blocks belongs to the one before it. Together they are the markdown, but
// for empty lines at its start.
func renderedSources(markdown string) iter.Seq[string] {
	tagged := strings.Contains(markdown, "<roam")
	return func(yield func(string) bool) {
		start, end := 0, 0 // of the block that is read
		complete := false
		for end < len(markdown) {
			next := len(markdown)
			if n := strings.IndexByte(markdown[end:], '\n'); n >= 0 {
				next = end + n + 1
			}
			line := markdown[end:next]
			blank := tagged && strings.TrimSpace(line) == ""
			starts := !tagged && strings.HasPrefix(strings.TrimLeft(line, " "), "- ")
			switch {
			case blank && (complete || start == end):
				if !complete {
					start = next // at the very start
				}
			case end > start && (complete || starts):
				if !yield(markdown[start:end]) {
					return
				}
				start, complete = end, tagged && endsInTag(line)
			default:
				complete = tagged && endsInTag(line)
			}
			end = next
		}
		if end > start {
			yield(markdown[start:end])
		}
	}
}

// spaces are the characters that may stand behind a tag.
const spaces = " \t\r\n\f"

// tagAtEnd returns the tag of Roam's that a text ends in, without the spaces behind it, and
// where it starts; -1 where there is none.
func tagAtEnd(text string) (tag string, at int) {
	text = strings.TrimRight(text, spaces)
	if !strings.HasSuffix(text, "/>") {
		return "", -1
	}
	at = strings.LastIndexByte(text, '<')
	attributes, opened := strings.CutPrefix(text[max(0, at):len(text)-len("/>")], "<roam")
	if !opened || strings.IndexByte(attributes, '>') >= 0 || attributes != "" && strings.IndexByte(spaces, attributes[0]) < 0 {
		return "", -1
	}
	return text[at:], at
}

// attributesOf returns the attributes of a tag: names of letters, and values in quotes.
func attributesOf(tag string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for {
			name, rest, found := strings.Cut(tag, `="`)
			if !found {
				return
			}
			if name = name[len(strings.TrimRightFunc(name, isLetter)):]; name == "" {
				tag = rest
				continue
			}
			value, behind, closed := strings.Cut(rest, `"`)
			if !closed || !yield(name, value) {
				return
			}
			tag = behind
		}
	}
}

// endsInTag reports whether a line ends in a tag of Roam's.
func endsInTag(line string) bool {
	_, at := tagAtEnd(line)
	return at >= 0
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

func parseRendered(source string) RenderedBlock {
	trimmed := strings.TrimLeft(source, " ")
	b := RenderedBlock{Source: source, Depth: (len(source) - len(trimmed)) / 2, Header: !strings.HasPrefix(trimmed, "- ")}
	tag, _ := tagAtEnd(source)
	for name, value := range attributesOf(tag) {
		switch name {
		case "uid":
			b.UID = value
		case "refs":
			b.References, _ = strconv.Atoi(value) // not a number: 0, as if it were absent
		case "repeated":
			b.Repeated = true
		}
	}
	return b
}

// Text returns the block's own text: without indent, bullet, tag and previews.
func (b RenderedBlock) Text() string {
	return strings.TrimSpace(unmarked(strings.TrimRight(b.Source, "\n")))
}

// IsReference reports whether a text is a reference to a block and nothing else.
func IsReference(text string) bool {
	return onlyReference.MatchString(text)
}

// Title returns the title that a header shows.
func (b RenderedBlock) Title() string { return strings.TrimPrefix(b.Text(), "# ") }

// RenderedChildren returns the blocks directly below the thing that was read: a page,
// whose children stand at the left edge, or a block, which stands there itself.
func RenderedChildren(blocks []RenderedBlock) []RenderedBlock {
	if len(blocks) == 0 {
		return nil
	}
	depth := blocks[0].Depth + 1
	if blocks[0].Header {
		depth = 0
	}
	var children []RenderedBlock
	for _, b := range blocks[1:] {
		if b.Depth == depth {
			children = append(children, b)
		}
	}
	return children
}

// WithoutMarks returns a text without those previews and tags outside of code that shown
// accepts.
func WithoutMarks(text string, shown func(mark string) bool) string {
	text = WithoutPreviews(text, shown)
	for _, at := range slices.Backward(tagsIn(text)) {
		if shown(strings.TrimLeft(text[at[0]:at[1]], " \t")) {
			text = text[:at[0]] + text[at[1]:]
		}
	}
	return text
}

// WithoutPreviews returns a text with the reference alone in place of those previews outside
// of code that shown accepts.
func WithoutPreviews(text string, shown func(mark string) bool) string {
	return replacePreviews(text, func(p textsafe.Preview) (string, bool) { return "((" + p.UID + "))", shown(p.String()) })
}

// replacePreviews puts a text in place of those previews outside of code that with accepts.
func replacePreviews(text string, with func(p textsafe.Preview) (string, bool)) string {
	if !strings.Contains(text, "</ref>") {
		return text
	}
	code := roamtext.CodeRanges(text)
	var edits []roamtext.Edit
	end := 0
	for p := range textsafe.Previews(text) {
		if p.Start < end || code.Contain(p.Start) {
			continue
		}
		if put, ok := with(p); ok {
			edits, end = append(edits, roamtext.Edit{Range: roamtext.Range{Start: p.Start, End: p.End}, Text: put}), p.End
		}
	}
	return roamtext.Apply(text, edits)
}

// PlainText returns a text without the tags and previews that it has outside of code; its
// bullets stay.
func PlainText(text string) string { return WithoutMarks(text, anyMark) }

func anyMark(string) bool { return true }

// StoredText returns the text that Roam stores for a block as it was read, but for previews:
// without bullet and tag, where it ends with a tag. Text that
// was cut when it was read is refused with ErrTruncated, several blocks at once
// with ErrSeveralBlocks.
func StoredText(text string) (string, error) {
	if truncatedTag.MatchString(text) {
		return "", ErrTruncated
	}
	switch tags := tagsIn(text); {
	case len(tags) > 1:
		return "", ErrSeveralBlocks
	case len(tags) == 1 && strings.TrimSpace(text[tags[0][1]:]) == "":
		bare := leadingBullet.ReplaceAllString(text, "")
		return bare[:max(0, len(bare)-len(text)+tags[0][0])], nil
	case len(tags) == 1:
		return text[:tags[0][0]] + text[tags[0][1]:], nil
	}
	return text, nil
}

// unmarked returns a block's text without tag, bullet and previews.
func unmarked(text string) string { return PlainText(leadingBullet.ReplaceAllString(text, "")) }

// tagsIn returns where the tags of a text are. What stands in code is none, unless the
// text ends with it: code that is never closed hides no tag of a block.
func tagsIn(text string) (tags [][]int) {
	found := roamTag.FindAllStringIndex(text, -1)
	if len(found) == 0 || strings.IndexByte(text, '`') < 0 {
		return found
	}
	code, end := roamtext.CodeRanges(text), len(strings.TrimRight(text, " \t\r\n"))
	for _, at := range found {
		if at[1] == end || !code.Contain(at[1]-1) {
			tags = append(tags, at)
		}
	}
	return tags
}
