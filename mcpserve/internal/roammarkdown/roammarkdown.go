// Package roammarkdown reads the markdown that Roam's reads return (LOCAL_API.md
// 9.6): blocks as bullets, each with a <roam …/> tag at its end, and references
// with a preview of what they show. It is not the text that Roam stores; Stored
// makes that of it.
package roammarkdown

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/graphdb/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// The errors of Stored.
var (
	ErrTruncated     = errors.New("the text was cut when it was read")
	ErrSeveralBlocks = errors.New("the text holds more than one block as read")
)

var (
	tag       = lazyregexp.New(`[ \t]*<roam(?:\s[^<>]*)?/>`)
	truncated = lazyregexp.New(`<roam\s[^<>]*\btruncated="`)
	preview   = lazyregexp.New(`(?s)(\(\([A-Za-z0-9_-]+\)\))<ref>.*?</ref>`)
	reference = lazyregexp.New(`^\(\([A-Za-z0-9_-]+\)\)$`)
	bullet    = lazyregexp.New(`^[ \t]*- `)
)

// Block is one block, or the line with the title of a page.
type Block struct {
	Source     string // its lines, with the line breaks
	Depth      int    // 0 at the left edge
	Header     bool   // whether it is the line with the title of a page
	UID        string // empty where the text has none
	References int    // number of blocks that link to it
	Repeated   bool   // a parent that an earlier part has shown: see After
}

// Blocks splits markdown into its blocks. A block ends with its tag, since its
// text may hold line breaks and code with bullets of its own; in text of old
// builds, without tags, a block starts at each bullet.
func Blocks(markdown string) []Block {
	var found []Block
	for source := range sources(markdown) {
		found = append(found, parse(source))
	}
	return found
}

// Each returns the blocks of markdown one by one, as Blocks has them.
func Each(markdown string) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for source := range sources(markdown) {
			if !yield(parse(source)) {
				return
			}
		}
	}
}

// sources returns the lines of each block, with the line breaks. An empty line
// between blocks belongs to the one before it. Together they are the markdown, but
// for empty lines at its start.
func sources(markdown string) iter.Seq[string] {
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

func parse(source string) Block {
	trimmed := strings.TrimLeft(source, " ")
	b := Block{Source: source, Depth: (len(source) - len(trimmed)) / 2, Header: !strings.HasPrefix(trimmed, "- ")}
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
func (b Block) Text() string {
	return strings.TrimSpace(unmarked(strings.TrimRight(b.Source, "\n")))
}

// IsReference reports whether a text is a reference to a block and nothing else.
func IsReference(text string) bool {
	return reference.MatchString(text)
}

// Title returns the title that a header shows.
func (b Block) Title() string { return strings.TrimPrefix(b.Text(), "# ") }

// Children returns the blocks directly below the thing that was read: a page,
// whose children stand at the left edge, or a block, which stands there itself.
func Children(blocks []Block) []Block {
	if len(blocks) == 0 {
		return nil
	}
	depth := blocks[0].Depth + 1
	if blocks[0].Header {
		depth = 0
	}
	var children []Block
	for _, b := range blocks[1:] {
		if b.Depth == depth {
			children = append(children, b)
		}
	}
	return children
}

// Plain returns a text without tags and previews; its bullets stay.
func Plain(text string) string {
	return preview.ReplaceAllString(tag.ReplaceAllString(text, ""), "$1")
}

// Stored returns the text that Roam stores for a block as it was read. Text that
// was cut when it was read is refused with ErrTruncated, several blocks at once
// with ErrSeveralBlocks.
func Stored(text string) (string, error) {
	if truncated.MatchString(text) {
		return "", ErrTruncated
	}
	if len(tagsIn(text)) > 1 {
		return "", ErrSeveralBlocks
	}
	return unmarked(text), nil
}

// unmarked returns a block's text without tag, bullet and previews.
func unmarked(text string) string {
	for _, at := range slices.Backward(tagsIn(text)) {
		text = text[:at[0]] + text[at[1]:]
	}
	return preview.ReplaceAllString(bullet.ReplaceAllString(text, ""), "$1")
}

// tagsIn returns where the tags of a text are. What stands in code is none, unless the
// text ends with it: code that is never closed hides no tag of a block.
func tagsIn(text string) (tags [][]int) {
	found := tag.FindAllStringIndex(text, -1)
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
