package search

import (
	"strings"
	"unicode/utf8"
)

// ParseWordQuery reads a query (profiles/wiki.md, "Search language"). Any text is one, up to
// the limits: ErrLong, ErrTerms, ErrDeep.
func ParseWordQuery(text string) (*WordQuery, error) {
	if utf8.RuneCountInString(text) > MaxQuery {
		return nil, ErrLong
	}
	p := parser{lexemes: lex(text)}
	root := p.or(0)
	return &WordQuery{root: root}, p.err
}

// kind is what a lexeme is.
type kind uint8

const (
	openGroup kind = iota
	closeGroup
	and
	or
	minus
	value
)

// lexeme is one sign or value of a query.
type lexeme struct {
	kind   kind
	field  string // of a value, in lower case; "": none
	text   string
	quoted bool
}

// lex splits a query. A parenthesis that closes nothing is left out.
func lex(text string) []lexeme {
	var out []lexeme
	depth := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case isBlank(r):
			i += n
		case r == '(':
			depth++
			out = append(out, lexeme{kind: openGroup})
			i++
		case r == ')':
			if depth > 0 {
				depth--
				out = append(out, lexeme{kind: closeGroup})
			}
			i++
		case r == '-' && wordEnd(text[i+1:]) > 0 || strings.HasPrefix(text[i:], "-("):
			out = append(out, lexeme{kind: minus})
			i++
		default:
			var found lexeme
			found, i = lexValue(text, i)
			out = append(out, found)
		}
	}
	return out
}

// lexValue reads a value, with its field, and returns where it ends.
func lexValue(text string, i int) (lexeme, int) {
	end := i + wordEnd(text[i:])
	if text[i] == '"' {
		content, end := unquote(text, i)
		return lexeme{kind: value, text: content, quoted: true}, end
	}
	if name, _, ok := strings.Cut(text[i:end], ":"); ok && fields[strings.ToLower(name)] {
		name = strings.ToLower(name)
		at := i + len(name) + 1
		if at < len(text) && text[at] == '"' {
			content, end := unquote(text, at)
			return lexeme{kind: value, field: name, text: content, quoted: true}, end
		}
		return lexeme{kind: value, field: name, text: text[at:end]}, end
	}
	switch word := text[i:end]; word {
	case "AND":
		return lexeme{kind: and}, end
	case "OR":
		return lexeme{kind: or}, end
	default:
		return lexeme{kind: value, text: word}, end
	}
}

// wordEnd returns where a word ends.
func wordEnd(text string) int {
	if end := strings.IndexFunc(text, func(r rune) bool { return isBlank(r) || r == '(' || r == ')' }); end >= 0 {
		return end
	}
	return len(text)
}

// unquote reads a text in quotation marks, and returns where it ends.
func unquote(text string, i int) (content string, end int) {
	var b strings.Builder
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), i + 1
		case c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), i
}

// parser reads lexemes.
type parser struct {
	lexemes []lexeme
	terms   int
	err     error
}

// next returns the kind of the next lexeme; false at the end, and after an error.
func (p *parser) next() (kind, bool) {
	if p.err != nil || len(p.lexemes) == 0 {
		return 0, false
	}
	return p.lexemes[0].kind, true
}

func (p *parser) skip() { p.lexemes = p.lexemes[1:] }

// joined returns an expression of those parts that there are.
func joined(op operator, parts []*expression) *expression {
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return &expression{op: op, parts: parts}
}

// or reads alternatives up to the end of a group.
func (p *parser) or(depth int) *expression {
	var parts []*expression
	for {
		if part := p.and(depth); part != nil {
			parts = append(parts, part)
		}
		if is, ok := p.next(); !ok || is != or {
			return joined(isOr, parts)
		}
		p.skip()
	}
}

// and reads what stands side by side.
func (p *parser) and(depth int) *expression {
	var parts []*expression
	for {
		is, ok := p.next()
		if !ok || is == or || is == closeGroup {
			return joined(isAnd, parts)
		}
		if is == and {
			p.skip()
			continue
		}
		if part := p.unary(depth); part != nil {
			parts = append(parts, part)
		}
	}
}

// unary reads a value, a group or an exclusion; nil where it says nothing.
func (p *parser) unary(depth int) *expression {
	is, ok := p.next()
	if !ok {
		return nil
	}
	if (is == minus || is == openGroup) && depth == maxDepth {
		p.err = ErrDeep
		return nil
	}
	switch is {
	case minus:
		p.skip()
		if part := p.unary(depth + 1); part != nil {
			return &expression{op: isNot, parts: []*expression{part}}
		}
	case openGroup:
		p.skip()
		group := p.or(depth + 1)
		if is, ok := p.next(); ok && is == closeGroup {
			p.skip()
		}
		return group
	case value:
		read := p.lexemes[0]
		p.skip()
		if p.terms++; p.terms > maxTerms {
			p.err = ErrTerms
			return nil
		}
		if t, ok := newTerm(read.field, read.text, read.quoted); ok {
			return &expression{op: isTerm, term: t}
		}
	case and, or, closeGroup: // an exclusion of nothing
	}
	return nil
}
