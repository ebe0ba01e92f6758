package actions

import (
	"errors"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// importMarkdown reads markdown into blocks: as LOCAL_API.md 9.5 says, or with some
// constructs as CommonMark has them, which are named by the findings of "importer".
func (c *call) importMarkdown(text string) []outline.Block {
	if c.Quirks.Finding("importer") == "" {
		return markdown.Importer(text)
	}
	as := func(construct string) bool { return c.Quirks.Has("importer", construct) }
	if as("fences") {
		text = tildeFence.ReplaceAllString(text, "$1```$2\n$3$1```")
	}
	for _, each := range readBefore() {
		if as(each.name) {
			text = each.read(text)
		}
	}
	if as("emphasis") {
		text = hideEmphasis(text)
	}
	blocks := markdown.Importer(text)
	c.readAfter(blocks)
	return blocks
}

// construct is a form of markdown, and what replaces a text of it.
type construct struct {
	name    string // among the findings of "importer"
	form    *lazyregexp.Regexp
	replace func(string) string
}

// read replaces what has the form and does not begin in code.
func (x construct) read(s string) string {
	var b strings.Builder
	code, at := roamtext.CodeRanges(s), 0
	for _, found := range x.form.FindAllStringIndex(s, -1) {
		if code.Contain(found[0]) {
			continue
		}
		b.WriteString(s[at:found[0]] + x.replace(s[found[0]:found[1]]))
		at = found[1]
	}
	return b.String() + s[at:]
}

// Markup of markdown. A backslash before a sign makes it plain, so that signs with one are
// matched first, and stay.
var (
	htmlTag     = lazyregexp.New(`\\.|</?([A-Za-z][A-Za-z0-9-]*)(?:\s[^<>]*)?/?>`)
	htmlComment = lazyregexp.New(`\\.|<!--[\s\S]*?-->`)
	definition  = lazyregexp.New(`(?m)^([ \t]*(?:[-*+][ \t]+)?)\[[^\]\n]+\]:[ \t]+\S+(?:[ \t]+"[^"\n]*")?[ \t]*(?:\n|$)`)
	quoteMarker = lazyregexp.New(`(?m)^([ \t]*(?:[-*+][ \t]+)?)> ?`)
	ruleLine    = lazyregexp.New(`(?m)^[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*(?:\n|$)`)
	tildeFence  = lazyregexp.New(`(?ms)^([ \t]*)~{3,}([^~\n]*)\n(.*?)^[ \t]*~{3,}[ \t]*$`)
	underline   = lazyregexp.New(`\n[ \t]*=+[ \t]*$`)
	escapedSign = lazyregexp.New("\\\\([!-/:-@\\[-`{-~])")
	entity      = lazyregexp.New(`\\.|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
	listNumber  = lazyregexp.New(`^\d{1,9}[.)][ \t]+`)
	lineEnd     = lazyregexp.New(`(?m)[ \t]+$`)
)

// readBefore lists the constructs that decide what the blocks are, in the order in which they
// are read: each is read in what those before it have left.
func readBefore() []construct {
	return []construct{
		{"comments", htmlComment, dropped},
		{"tags", htmlTag, dropped},
		{"definitions", definition, func(s string) string { return definition.FindStringSubmatch(s)[1] + "\n" }},
		{"quotes", quoteMarker, func(s string) string { return quoteMarker.FindStringSubmatch(s)[1] }},
		{"rules", ruleLine, func(string) string { return "\n" }},
	}
}

// readWithin lists those of the text of a block. Escapes come last, since the signs of the
// others count only without a backslash.
func readWithin() []construct {
	nothing := func(string) string { return "" }
	return []construct{
		{"numbers", listNumber, nothing},
		{"breaks", lineEnd, nothing},
		{"entities", entity, html.UnescapeString},
		{"escapes", escapedSign, func(s string) string { return s[1:] }},
	}
}

// dropped returns nothing for a tag, and what else is matched as it is: escapes, and the
// annotations of a read, which are Roam's own.
func dropped(s string) string {
	if s[0] == '\\' || strings.HasPrefix(s, "<roam") || strings.HasPrefix(s, "<ref>") || strings.HasPrefix(s, "</ref>") {
		return s
	}
	return ""
}

// Characters that stand for the signs of emphasis while blocks are made.
const (
	hiddenStar       = "\uE000"
	hiddenUnderscore = "\uE001"
)

// hideEmphasis hides single stars and underscores that have text beside them.
func hideEmphasis(s string) string {
	var b strings.Builder
	code := roamtext.CodeRanges(s)
	for i := 0; i < len(s); i++ {
		sign := s[i]
		if sign != '*' && sign != '_' || code.Contain(i) || i > 0 && s[i-1] == '\\' {
			b.WriteByte(sign)
			continue
		}
		n := 1
		for i+n < len(s) && s[i+n] == sign {
			n++
		}
		blank := func(at int) bool { return at < 0 || at >= len(s) || strings.IndexByte(" \t\n", s[at]) >= 0 }
		switch {
		case n > 1 || blank(i-1) && blank(i+1):
			b.WriteString(s[i : i+n])
		case sign == '*':
			b.WriteString(hiddenStar)
		default:
			b.WriteString(hiddenUnderscore)
		}
		i += n - 1
	}
	return b.String()
}

// readAfter changes the texts of blocks in place.
func (c *call) readAfter(blocks []outline.Block) {
	as := func(construct string) bool { return c.Quirks.Has("importer", construct) }
	for i := range blocks {
		b := &blocks[i]
		if as("tables") && b.String == markdown.TableMarker && len(b.Children) > 0 {
			b.String, b.Children = rows(b.Children), nil
		}
		c.readAfter(b.Children)
		if as("setext") && underline.MatchString(b.String) {
			b.String, b.Heading = underline.ReplaceAllString(b.String, ""), 1
		}
		for _, each := range readWithin() {
			if as(each.name) {
				b.String = each.read(b.String)
			}
		}
		b.String = strings.NewReplacer(hiddenStar, "*", hiddenUnderscore, "_").Replace(b.String)
	}
}

// rows writes the rows of a table as the lines that they were.
func rows(chains []outline.Block) string {
	var lines []string
	for i, row := range chains {
		var cells []string
		for cell := &row; ; cell = &cell.Children[0] {
			cells = append(cells, cell.String)
			if len(cell.Children) == 0 {
				break
			}
		}
		lines = append(lines, "| "+strings.Join(cells, " | ")+" |")
		if i == 0 {
			lines = append(lines, "|"+strings.Repeat(" --- |", len(cells)))
		}
	}
	return strings.Join(lines, "\n")
}

// block returns the block of a call, with its text as it is stored.
func (c *call) block(fields blockFields) (outline.Block, error) {
	fields.String = c.stored(fields.String)
	return fields.block()
}

// update returns the changes of a call, with its text as it is stored.
func (c *call) update(fields blockFields) (outline.BlockUpdate, error) {
	fields.String = c.stored(fields.String)
	if how := c.Quirks.Finding("props"); len(fields.Props) > 0 && how == "refused" {
		return outline.BlockUpdate{}, errors.New("props can't be set")
	} else if how == "ignored" {
		fields.Props = nil
	}
	return fields.update()
}

// longText is where a text is cut that is too long, in bytes.
const longText = 64 << 10

// stored returns a text that is sent as it is stored: the findings of "literal" change it.
func (c *call) stored(text *string) *string {
	if text == nil || c.Quirks.Finding("literal") == "" {
		return text
	}
	s := *text
	for _, each := range []struct {
		finding string
		read    func(string) string
	}{
		{"crlf", func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }},
		{"tab", func(s string) string { return strings.ReplaceAll(s, "\t", " ") }},
		{"nbsp", func(s string) string { return strings.ReplaceAll(s, "\u00a0", " ") }},
		{"emoji", withoutEmoji},
		{"blanks", func(s string) string { return strings.Trim(s, " ") }},
		{"long", func(s string) string { return cut(s, longText) }},
	} {
		if c.Quirks.Has("literal", each.finding) {
			s = each.read(s)
		}
	}
	return &s
}

// withoutEmoji drops what UTF-16 has in two units, as a store of three bytes a character
// does.
func withoutEmoji(s string) string {
	return string(slices.DeleteFunc([]rune(s), func(r rune) bool { return r > 0xFFFF }))
}

// cut returns a text up to a number of bytes, and no part of a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
