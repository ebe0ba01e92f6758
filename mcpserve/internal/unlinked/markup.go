package unlinked

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	// masked stands for a byte of what is no plain text.
	masked = 0
	// maxMarkup bounds how far the end of code, references and labels is looked for, in
	// bytes, so that a text of nothing but openings takes no longer.
	maxMarkup = 4096
)

// Markup knows what in a block's text is no plain text. It is made once and
// used by any number of goroutines.
type Markup struct{ address, attribute *regexp.Regexp }

// NewMarkup makes a Markup.
func NewMarkup() *Markup {
	return &Markup{
		address:   regexp.MustCompile(`(?i)\b(?:[a-z][a-z0-9+.-]{0,30}://|mailto:|www\.)[^\s()\[\]{}<>"]+`),
		attribute: regexp.MustCompile("^\\s*([^:\\[\\]\n`]{1,200})::"),
	}
}

// scanner walks over a block's text once.
type scanner struct {
	text   string
	plain  []byte
	linked map[string]bool
	// Where the openings of links, components and parentheses are closed.
	links, components, parentheses map[int]int
}

// plainText gives a text of the same length in which links, tags, references,
// components, code, formulas and addresses are masked, and the folded titles
// that the text links.
func (m *Markup) plainText(text string) (string, map[string]bool) {
	s := &scanner{
		text: text, plain: []byte(text), linked: map[string]bool{},
		links: pairs(text, "[[", "]]"), components: pairs(text, "{{", "}}"), parentheses: pairs(text, "(", ")"),
	}
	for i, b := range s.plain { // what is masked must be told from what is there
		if b == masked {
			s.plain[i] = ' '
		}
	}
	at := 0
	if found := m.attributeIn(text); found != nil {
		s.link(text[found[2]:found[3]])
		s.mask(0, found[1])
		at = found[1]
	}
	addresses := m.addressesIn(text)
	for at < len(text) {
		for len(addresses) > 0 && addresses[0][1] <= at {
			addresses = addresses[1:]
		}
		end := s.markup(at)
		if len(addresses) > 0 && addresses[0][0] == at {
			end = max(end, addresses[0][1])
		}
		s.mask(at, end)
		at = max(end, at+1)
	}
	return string(s.plain), s.linked
}

// attributeIn and addressesIn look first whether there can be any: most blocks
// have none, and the expressions are the slowest part of it all.
func (m *Markup) attributeIn(text string) []int {
	if !strings.Contains(text, "::") {
		return nil
	}
	return m.attribute.FindStringSubmatchIndex(text)
}

func (m *Markup) addressesIn(text string) [][]int {
	if !strings.Contains(text, ":") && !strings.Contains(text, "www.") {
		return nil
	}
	return m.address.FindAllStringIndex(text, -1)
}

func (s *scanner) mask(start, end int) {
	for i := start; i < end; i++ {
		s.plain[i] = masked
	}
}

// link notes a title that is linked.
func (s *scanner) link(title string) {
	s.linked[foldTitle(strings.TrimSpace(title))] = true
}

// foldTitle makes titles the same that a text would name by the same words.
func foldTitle(title string) string {
	return foldCase(strings.Join(strings.Fields(title), " "))
}

// markup is where the markup ends that starts at a place; the place itself where
// none does.
func (s *scanner) markup(at int) int {
	rest := s.text[at:]
	switch rest[0] {
	case '`':
		return at + codeLength(rest)
	case '$':
		return at + fenced(rest, "$$")
	case '{':
		return max(at, s.components[at])
	case '(':
		return at + enclosed(rest, "((", "))")
	case '#':
		return s.tag(at)
	case '[':
		if end := s.links[at]; end > 0 {
			s.linkWithin(at, end)
			return end
		}
		return s.labelled(at)
	}
	return at
}

// linkWithin notes the titles of the links in a part of the text, those inside
// others too.
func (s *scanner) linkWithin(start, end int) {
	for at := start; at < end; at++ {
		if closed := s.links[at]; closed > 0 && closed <= end && closed-at <= maxTitle+4 {
			s.link(s.text[at+2 : closed-2])
		}
	}
}

// tag is a link with # before it.
func (s *scanner) tag(at int) int {
	if end := s.links[at+1]; end > 0 {
		s.linkWithin(at+1, end)
		return end
	}
	rest := s.text[at+1:]
	n := strings.IndexFunc(rest, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !strings.ContainsRune("-_/.", r)
	})
	if n < 0 {
		n = len(rest)
	}
	if n == 0 {
		return at
	}
	s.link(strings.TrimRight(rest[:n], "."))
	return at + 1 + n
}

// labelled is [label](target), whatever it leads to.
func (s *scanner) labelled(at int) int {
	rest := clipped(s.text[at:])
	label := strings.IndexAny(rest[1:], "[]\n")
	if label < 0 || !strings.HasPrefix(rest[1+label:], "](") {
		return at
	}
	end := s.parentheses[at+label+2]
	if end == 0 {
		return at
	}
	s.linkWithin(at+label+2, end)
	return end
}

func clipped(text string) string { return text[:min(len(text), maxMarkup)] }

// codeLength is the length of the code that a text begins with. A fence that is
// not closed runs to the end.
func codeLength(text string) int {
	if strings.HasPrefix(text, "```") {
		if n := strings.Index(text[3:], "```"); n >= 0 {
			return n + 6
		}
		return len(text)
	}
	if n := strings.IndexByte(clipped(text)[1:], '`'); n >= 0 {
		return n + 2
	}
	return 0
}

// fenced is the length of what stands between two equal marks; 0 where it is
// not closed.
func fenced(text, mark string) int {
	if !strings.HasPrefix(text, mark) {
		return 0
	}
	if n := strings.Index(clipped(text)[len(mark):], mark); n >= 0 {
		return n + 2*len(mark)
	}
	return 0
}

// enclosed is the length of what stands between an opening and the next closing.
func enclosed(text, opening, closing string) int {
	if !strings.HasPrefix(text, opening) {
		return 0
	}
	if n := strings.Index(clipped(text), closing); n >= 0 {
		return n + len(closing)
	}
	return 0
}

// pairs finds, in one pass, where the closing of each opening ends. What is not
// closed has none.
func pairs(text, opening, closing string) map[int]int {
	if !strings.Contains(text, opening) || !strings.Contains(text, closing) {
		return nil
	}
	found := map[int]int{}
	var open []int
	for at := 0; at < len(text); {
		next := strings.IndexAny(text[at:], opening[:1]+closing[:1])
		if next < 0 {
			break
		}
		at += next
		switch {
		case strings.HasPrefix(text[at:], opening):
			open = append(open, at)
			at += len(opening)
		case strings.HasPrefix(text[at:], closing):
			at += len(closing)
			if n := len(open); n > 0 {
				found[open[n-1]] = at
				open = open[:n-1]
			}
		default:
			at++
		}
	}
	return found
}
