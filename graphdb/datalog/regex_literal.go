package datalog

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// literals are texts of which every match of a regular expression holds one.
type literals struct {
	texts  []string // in order of preference; none if unknown
	folded bool     // they are in lower case, and match any case of ASCII
	whole  bool     // every match is one of them and nothing else
}

// mayMatch reports whether a text holds one of the literals, or may match without.
func (l *literals) mayMatch(s string) bool {
	return len(l.texts) == 0 || slices.ContainsFunc(l.texts, func(text string) bool { return l.index(s, text) >= 0 })
}

// first returns where the leftmost literal begins and ends in a text; nil if there is none.
func (l *literals) first(s string) []int {
	var found []int
	for _, text := range l.texts {
		before := s
		if found != nil { // those that begin at the same place are less preferred
			before = s[:min(len(s), found[0]+len(text)-1)]
		}
		if at := l.index(before, text); at >= 0 {
			found = []int{at, at + len(text)}
		}
	}
	return found
}

func (l *literals) index(s, text string) int {
	if l.folded {
		return indexFold(s, text)
	}
	return strings.Index(s, text)
}

const maxLiterals = 12 // of one expression; each is looked for in turn

// requiredLiterals returns what every match of an expression in the syntax of package
// regexp holds.
func requiredLiterals(text string) literals {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return literals{}
	}
	var f literalFinder
	p := f.part(tree)
	l := literals{texts: p.required(), folded: f.folded, whole: p.exact != nil && !f.inexact && !(f.folded && f.cased)}
	if l.texts == nil || !l.whole && len(l.texts) > 1 && shortest(l.texts) < 2 {
		return literals{}
	}
	if l.folded {
		for i, text := range l.texts {
			l.texts[i] = strings.Map(lowerRune, text)
		}
	}
	return l
}

// literalFinder goes through an expression.
type literalFinder struct {
	folded, cased bool // it has letters that match any case, and ones that do not
	inexact       bool // a match is more than its text: it has groups, or depends on what is around it
}

// part is what is known of a part of an expression.
type part struct {
	exact []string // all that it matches, in order of preference; nil if unknown or too many
	holds []string // one of them is in all that it matches; nil if unknown
}

// required returns texts one of which is in all that the part matches.
func (p part) required() []string {
	if p.exact != nil && shortest(p.exact) > 0 {
		return p.exact
	}
	return p.holds
}

func (f *literalFinder) part(x *syntax.Regexp) part {
	switch x.Op {
	case syntax.OpEmptyMatch:
		return part{exact: []string{""}}
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		f.inexact = true
		return part{exact: []string{""}}
	case syntax.OpLiteral:
		return part{exact: f.literal(x)}
	case syntax.OpCharClass:
		return part{exact: f.class(x.Rune)}
	case syntax.OpCapture:
		f.inexact = true
		return f.part(x.Sub[0])
	case syntax.OpQuest:
		p := part{exact: f.part(x.Sub[0]).exact}
		switch {
		case p.exact == nil:
		case x.Flags&syntax.NonGreedy != 0:
			p.exact = append([]string{""}, p.exact...)
		default:
			p.exact = append(slices.Clip(p.exact), "")
		}
		return p
	case syntax.OpPlus:
		return part{holds: f.part(x.Sub[0]).required()}
	case syntax.OpRepeat:
		if x.Min > 0 {
			return part{holds: f.part(x.Sub[0]).required()}
		}
	case syntax.OpConcat:
		return f.concat(x.Sub)
	case syntax.OpAlternate:
		return f.alternate(x.Sub)
	}
	return part{}
}

func (f *literalFinder) concat(subs []*syntax.Regexp) part {
	whole := part{exact: []string{""}} // of all that came before
	run := whole.exact                 // what ends where the next part begins
	for _, sub := range subs {
		p := f.part(sub)
		whole.holds = better(whole.holds, p.holds)
		if next := joinEach(run, p.exact); next != nil {
			run = next
			continue
		}
		whole.exact = nil
		whole.holds = better(whole.holds, part{exact: run}.required())
		if run = p.exact; run == nil {
			run = []string{""}
		}
	}
	if whole.exact != nil {
		whole.exact = run
	}
	whole.holds = better(whole.holds, part{exact: run}.required())
	return whole
}

func (f *literalFinder) alternate(subs []*syntax.Regexp) part {
	exact, holds := []string{}, []string{}
	for _, sub := range subs {
		p := f.part(sub)
		if exact != nil && p.exact != nil && len(exact)+len(p.exact) <= maxLiterals {
			exact = append(exact, p.exact...)
		} else {
			exact = nil
		}
		if one := p.required(); holds != nil && one != nil && len(holds)+len(one) <= maxLiterals {
			holds = append(holds, one...)
		} else {
			holds = nil
		}
	}
	return part{exact, holds}
}

// literal returns the text of a literal, unless letters beyond ASCII match any case in it:
// as the Kelvin sign and the long s, which fold to k and s.
func (f *literalFinder) literal(x *syntax.Regexp) []string {
	text := string(x.Rune)
	if x.Flags&syntax.FoldCase == 0 {
		f.cased = f.cased || strings.IndexFunc(text, func(c rune) bool { return lowerRune(c) != c || c >= 'a' && c <= 'z' }) >= 0
		return []string{text}
	}
	if !isASCII(text) || strings.ContainsAny(text, "kKsS") {
		return nil
	}
	f.folded = true
	return []string{text}
}

// class returns the characters of a small class. Both cases of one letter are a letter
// that matches any case.
func (f *literalFinder) class(ranges []rune) []string {
	if r := ranges; len(r) == 4 && r[0] == r[1] && r[2] == r[3] && r[0]^0x20 == r[2] && isLetter(string(r[2])) {
		f.folded = true
		return []string{string(r[2])}
	}
	var chars []string
	for i := 0; i < len(ranges); i += 2 {
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			if len(chars) == 4 {
				return nil
			}
			f.cased = true
			chars = append(chars, string(c))
		}
	}
	return chars
}

// joinEach returns each text of a followed by each of b; nil if those are too many.
func joinEach(a, b []string) []string {
	if len(a)*len(b) > maxLiterals {
		return nil
	}
	var out []string
	for _, start := range a {
		for _, end := range b {
			out = append(out, start+end)
		}
	}
	return out
}

// better returns the texts that are rarer, presumably: whose shortest is longer.
func better(a, b []string) []string {
	if a == nil || b != nil && (shortest(b) > shortest(a) || shortest(b) == shortest(a) && len(b) < len(a)) {
		return b
	}
	return a
}

func shortest(texts []string) int {
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

// plainLiteral returns the longest text that all matches of an expression of JavaScript's
// hold, as far as that is easily told: letters and escaped signs that follow one another
// outside of choices, classes and what may be repeated.
func plainLiteral(source string) (literal string) {
	var run []byte
	end := func() {
		if len(run) > len(literal) {
			literal = string(run)
		}
		run = nil
	}
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '|':
			return ""
		case strings.IndexByte("*?{", c) >= 0: // what comes before may be missing
			_, width := utf8.DecodeLastRune(run)
			run = run[:len(run)-width]
			end()
			if n := strings.IndexByte(source[i:], '}'); c == '{' && n > 0 {
				i += n
			}
		case c == '[':
			end()
			for i++; i < len(source) && source[i] != ']'; i++ {
				if source[i] == '\\' {
					i++
				}
			}
		case c == '(':
			end()
			close := closing(source, i)
			inner, asked := strings.CutPrefix(source[i+1:close], "?=")
			if behind, ok := strings.CutPrefix(inner, "?<="); ok {
				inner, asked = behind, true
			}
			if sub := plainLiteral(inner); asked && len(sub) > len(literal) && !repeated(source[min(close+1, len(source)):]) {
				literal = sub
			}
			i = close
		case c == '\\' && i+1 < len(source) && source[i+1] < 0x80 && !isLetter(source[i+1:i+2]) && (source[i+1] < '0' || source[i+1] > '9'):
			i++
			run = append(run, source[i])
		case c == '\\' && i+1 < len(source) && strings.IndexByte("dDwWsSbBtnrfv", source[i+1]) >= 0:
			i++
			end()
		case c == '\\':
			return "" // it may be longer
		case strings.IndexByte(".^$+)]}", c) >= 0:
			end()
		default:
			run = append(run, c)
		}
	}
	end()
	return literal
}

// closing returns the index of the bracket that closes the group at an index.
func closing(source string, at int) int {
	depth, inClass := 0, false
	for ; at < len(source); at++ {
		switch c := source[at]; {
		case c == '\\':
			at++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return len(source)
}

func repeated(rest string) bool { return rest != "" && strings.IndexByte("*?{+", rest[0]) >= 0 }

// indexFold returns where s holds an ASCII literal, given in lower case, in any case; -1
// if it does not.
func indexFold(s, literal string) int {
	for i := 0; i+len(literal) <= len(s); i++ {
		if lowerASCII(s[i]) != literal[0] {
			continue
		}
		n := 1
		for n < len(literal) && lowerASCII(s[i+n]) == literal[n] {
			n++
		}
		if n == len(literal) {
			return i
		}
	}
	return -1
}

func lowerRune(c rune) rune {
	if c < utf8.RuneSelf {
		return rune(lowerASCII(byte(c)))
	}
	return c
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
