package markdown

import (
	"strings"

	"roam-mcp/internal/lazyregexp"
)

// construct is a form of Markdown that a line can begin.
type construct struct {
	name string
	// form matches a line that begins the construct, indentation included. Its first
	// group is the place of the backslashes that say that it does not.
	form *lazyregexp.Regexp
	// signs are the characters that the construct can begin with, so that most lines are
	// not matched at all.
	signs string
	// first reports whether it is recognized where the text of a bullet begins, and
	// not only at the start of a line.
	first bool
	// ending returns what ends the construct that a line begins; "" if it ends on the line. nil:
	// the construct is one line.
	ending func(first string) string
	// ends reports whether a line is the last one. What is before it is kept as it is.
	ends func(line, ending string) bool
	// importer reports whether Roam's importer reads it as well.
	importer bool
}

// The constructs that begin a line. Bullets, numbers, headings and rules are parted from
// their text by read and block; tables are recognized by the rule that is their second line.
var constructs = [...]construct{
	{name: "bullet", form: lazyregexp.New(`^[ \t]*(\\*)[-*+](?:[ \t]|$)`), signs: "-*+", importer: true},
	{name: "number", form: lazyregexp.New(`^[ \t]*\d{1,9}(\\*)[.)](?:[ \t]|$)`), signs: "0123456789", importer: true},
	{name: "heading", form: lazyregexp.New(`^[ \t]*(\\*)#{1,6}(?:[ \t]|$)`), signs: "#", first: true, importer: true},
	{name: "rule", form: lazyregexp.New(`^[ \t]*(\\*)(?:-{3,}|\*{3,}|_{3,})[ \t]*$`), signs: "-*_", importer: true},
	{name: "table", form: lazyregexp.New(`^[ \t]*(\\*)[-:| \t]*[-|][-:| \t]*$`), signs: "-:|", importer: true},
	{name: "code", form: lazyregexp.New("^[ \t]*(\\\\*)(?:`{3}|~{3})"), signs: "`~", first: true, ending: endingOfCode, ends: endsCode, importer: true},
	{name: "formula", form: lazyregexp.New(`^[ \t]*(\\*)\$\$`), signs: "$", first: true, ending: endingOfFormula, ends: endsFormula},
	{name: "HTML", form: lazyregexp.New(`^[ \t]*(\\*)<(?i:!--|\?|!\[CDATA\[|(?:pre|script|style|textarea)[ \t>])`), signs: "<", first: true, ending: endingOfHTML, ends: endsHTML},
}

// The forms that are escaped only at the start of a block's text, and on empty lines.
var (
	startForm = lazyregexp.New(`^(\\*)(?:\[[ xX]\](?: |$)|[ \t\f\x{feff}])`)
	blankForm = lazyregexp.New(`^[\pZ\t\v\f\x{85}]*(\\*)$`)
)

// construct returns the construct that a line begins, and where its backslashes begin and end;
// nil if it begins none.
func constructOf(line string) (c *construct, from, to int) {
	sign := strings.TrimLeft(line, " \t\\")
	if sign == "" {
		return nil, 0, 0
	}
	for i := range constructs {
		c = &constructs[i]
		if strings.IndexByte(c.signs, sign[0]) < 0 {
			continue
		}
		if m := c.form.FindStringSubmatchIndex(line); m != nil {
			return c, m[2], m[3]
		}
	}
	return nil, 0, 0
}

// opens returns what ends the construct of several lines that a line begins; c is nil if it
// begins none.
func opens(line string) (c *construct, ending string) {
	c, from, to := constructOf(line)
	if c == nil || c.ending == nil || from < to {
		return nil, ""
	}
	if ending = c.ending(line); ending == "" {
		return nil, ""
	}
	return c, ending
}

// search finds where constructs end. It remembers what it has not found, so that no text is
// looked through again for the same.
type search map[string]int

// end returns how many lines behind the first are those of a construct, among those from a line
// to a limit; 0 if it does not end there.
func (s search) end(c *construct, ending string, lines []string, from, limit int) int {
	if s[ending] == limit {
		return 0
	}
	for i := from; i < limit; i++ {
		if c.ends(lines[i], ending) {
			return i + 1 - from
		}
	}
	s[ending] = limit
	return 0
}

// endingOfCode returns the marks of a fence; "" for a line that is none, such as code that
// ends on its line.
func endingOfCode(first string) string {
	first = strings.TrimLeft(first, " \t")
	info := strings.TrimLeft(first, first[:1])
	if first[0] == '`' && strings.Contains(info, "`") {
		return ""
	}
	return first[:len(first)-len(info)]
}

func endsCode(text, fence string) bool {
	text = strings.TrimRight(withoutTag(text), " \t")
	bare := strings.TrimRight(text, fence[:1])
	return len(text)-len(bare) >= len(fence) && (fence[0] == '`' || strings.TrimLeft(bare, " \t") == "")
}

func endingOfFormula(first string) string {
	if strings.Count(first, "$$")%2 == 0 {
		return ""
	}
	return "$$"
}

func endsFormula(text, _ string) bool { return strings.Count(text, "$$")%2 == 1 }

// endingOfHTML returns the sign that ends HTML (CommonMark 4.6).
func endingOfHTML(first string) string {
	first = strings.ToLower(strings.TrimLeft(first, " \t"))
	for _, each := range [...][2]string{
		{"<!--", "-->"}, {"<?", "?>"}, {"<![cdata[", "]]>"},
		{"<pre", "</pre>"}, {"<script", "</script>"}, {"<style", "</style>"}, {"<textarea", "</textarea>"},
	} {
		if rest, begins := strings.CutPrefix(first, each[0]); begins && !strings.Contains(rest, each[1]) {
			return each[1]
		}
	}
	return ""
}

func endsHTML(text, sign string) bool { return strings.Contains(strings.ToLower(text), sign) }

var tagAtEnd = lazyregexp.New(`[ \t]*<roam[^<>]*/>[ \t]*$`)

// withoutTag returns a line without the tag of a read at its end.
func withoutTag(text string) string {
	if !strings.Contains(text, "<roam") {
		return text
	}
	return tagAtEnd.ReplaceAllString(text, "")
}
