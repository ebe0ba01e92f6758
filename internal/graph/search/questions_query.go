package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a question.
const (
	maxWanted = 32 // wanted things; more are ignored
	maxWords  = 63 // in one phrase; more are cut off
)

// Question is a parsed query. It is immutable.
type Question struct {
	Ignored  []string // words that are left out: function words, beside others
	Unlinked string   // the title of a page that is named without a link; empty: none is asked for

	terms    []questionTerm
	excluded []sequence
	titles   []titleFilter
}

// questionTerm is one wanted thing.
type questionTerm struct {
	label    string
	any      []sequence // one of which is there
	required bool       // see endGroup
}

// sequence is words that stand side by side.
type sequence struct {
	words []wantedWord
	exact bool // as they are written, not by stem
}

// wantedWord is one of a sequence.
type wantedWord struct {
	text    string // folded, and the stem of it where that is looked at
	raw     string // as it was written, in lower case, where that has marks
	prefix  bool   // the beginning of a word
	anyWord bool
}

// titleFilter is a condition on the title of the page.
type titleFilter struct {
	prefix string // folded in case; empty: words decide
	words  sequence
	not    bool
}

// HasTerms reports whether the query has words or phrases to rank by.
func (q *Question) HasTerms() bool { return len(q.terms) > 0 }

// HasTitleFilters reports whether the query has conditions on titles.
func (q *Question) HasTitleFilters() bool { return len(q.titles) > 0 }

// Words returns the terms of the query as replies name them (see part.label), in order.
func (q *Question) Words() []string {
	labels := make([]string, len(q.terms))
	for i, t := range q.terms {
		labels[i] = t.label
	}
	return labels
}

// ParseQuestion reads a query. Any text is one, up to MaxQuery characters.
func ParseQuestion(text string) (*Question, error) {
	if utf8.RuneCountInString(text) > MaxQuery {
		return nil, ErrLong
	}
	p := questionParser{}
	for part := range p.lex(text) {
		p.take(part)
	}
	p.endGroup()
	if len(p.query.terms) == 0 {
		p.query.terms = p.functionTerms
	}
	return &p.query, nil
}

// part is one word or phrase of a query, with the signs before it.
type part struct {
	field, text string
	not, quoted bool
}

// questionParser makes a query of parts.
type questionParser struct {
	query         Question
	words         Tokenizer
	group         []part         // joined by OR
	joins         bool           // OR was the last word
	functionTerms []questionTerm // function words, which count where nothing else is there
}

// lex yields the parts of a query.
func (p *questionParser) lex(text string) func(func(part) bool) {
	return func(yield func(part) bool) {
		for i := 0; i < len(text); {
			if r, n := utf8.DecodeRuneInString(text[i:]); unicode.IsSpace(r) {
				i += n
				continue
			}
			var next part
			next, i = lexPart(text, i)
			if !yield(next) {
				return
			}
		}
	}
}

// lexPart reads the part at a place, and returns where it ends.
func lexPart(text string, i int) (part, int) {
	var found part
	if text[i] == '-' && i+1 < len(text) && !blankAt(text, i+1) {
		found.not = true
		i++
	}
	for _, field := range [...]string{"title:", "unlinked:"} {
		if len(text)-i > len(field) && strings.EqualFold(text[i:i+len(field)], field) && !blankAt(text, i+len(field)) {
			found.field = strings.TrimSuffix(field, ":")
			i += len(field)
			break
		}
	}
	if text[i] == '"' {
		found.quoted = true
		if end := strings.IndexByte(text[i+1:], '"'); end >= 0 {
			found.text = text[i+1 : i+1+end]
			return found, i + end + 2
		}
		found.text = text[i+1:] // a mark without its other one quotes the rest
		return found, len(text)
	}
	end := len(text)
	if n := strings.IndexFunc(text[i:], unicode.IsSpace); n >= 0 {
		end = i + n
	}
	found.text = text[i:end]
	return found, end
}

func blankAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsSpace(r)
}

// take adds a part to the query.
func (p *questionParser) take(next part) {
	plain := next.field == "" && !next.not
	if plain && !next.quoted && next.text == "OR" {
		p.joins = len(p.group) > 0
		return
	}
	if !p.joins || !plain {
		p.endGroup()
	}
	p.joins = false
	switch {
	case plain:
		p.group = append(p.group, next)
	case next.field == "unlinked" && !next.not:
		p.query.Unlinked = strings.TrimSpace(next.text)
	case next.field == "title":
		p.addTitleFilter(next)
	default:
		if s, ok := p.sequence(next); ok {
			p.query.excluded = append(p.query.excluded, s)
		}
	}
}

// addTitleFilter adds a condition on titles.
func (p *questionParser) addTitleFilter(next part) {
	f := titleFilter{not: next.not}
	if start, ok := strings.CutSuffix(next.text, "*"); ok && start != "" {
		f.prefix = strings.ToLower(start)
	} else if f.words, ok = p.sequence(next); !ok {
		return
	}
	p.query.titles = append(p.query.titles, f)
}

// endGroup makes one term of the parts that OR has joined. A single phrase in quotes is
// required; no alternative of several is.
func (p *questionParser) endGroup() {
	defer func() { p.group = nil }()
	var t questionTerm
	var labels []string
	function := true
	for _, each := range p.group {
		s, ok := p.sequence(each)
		if !ok {
			continue
		}
		t.any = append(t.any, s)
		labels = append(labels, each.label())
		t.required = each.quoted
		function = function && !each.quoted && isFunctionWord(each.text)
	}
	if t.label = strings.Join(labels, "|"); len(t.any) == 0 {
		return
	}
	t.required = t.required && len(t.any) == 1
	switch {
	case slices.ContainsFunc(p.query.terms, func(other questionTerm) bool { return other.label == t.label }):
	case function:
		p.functionTerms = append(p.functionTerms, t)
	case len(p.query.terms) == maxWanted:
		p.query.Ignored = append(p.query.Ignored, t.label)
	default:
		p.query.terms = append(p.query.terms, t)
	}
	p.ignoreFunctionWords()
}

// ignoreFunctionWords moves the function words to Ignored once the query has another term;
// alone they are looked for. It runs after each group, since either may come first.
func (p *questionParser) ignoreFunctionWords() {
	if len(p.query.terms) == 0 || len(p.functionTerms) == 0 {
		return
	}
	for _, t := range p.functionTerms {
		if !slices.Contains(p.query.Ignored, t.label) {
			p.query.Ignored = append(p.query.Ignored, t.label)
		}
	}
	p.functionTerms = nil
}

// label returns a part as replies name it.
func (p part) label() string {
	if p.quoted {
		return `"` + p.text + `"`
	}
	return strings.ToLower(strings.TrimFunc(p.text, func(r rune) bool { return unicode.IsPunct(r) && r != '*' }))
}

// sequence returns the words of a part; false where it has none.
func (p *questionParser) sequence(of part) (sequence, bool) {
	text, star := of.text, false
	if !of.quoted {
		text, star = strings.CutSuffix(text, "*")
		text = withoutPossessive(text)
	}
	s := sequence{exact: of.quoted}
	end, open := 0, false
	p.words.Each(text, func(t Token) {
		end = t.End
		if len(s.words) == maxWords {
			return
		}
		if open = t.Ending; open {
			s.words = append(s.words, wantedWord{anyWord: true})
			return
		}
		w := wantedWord{text: string(t.Folded), prefix: t.Lone}
		if raw := strings.ToLower(text[t.Start:t.End]); raw != w.text {
			w.raw = raw
		}
		if !s.exact && !t.Lone {
			w.text = Stem(w.text)
		}
		s.words = append(s.words, w)
	})
	for len(s.words) > 0 && s.words[len(s.words)-1].anyWord {
		s.words = s.words[:len(s.words)-1]
	}
	if n := len(s.words); n > 0 && star && end == len(text) && !open {
		last := ""
		p.words.Each(text, func(t Token) { last = string(t.Folded) })
		s.words[n-1] = wantedWord{text: last, prefix: true}
	}
	return s, len(s.words) > 0
}

// withoutPossessive returns a word without 's.
func withoutPossessive(word string) string {
	for _, end := range [...]string{"'s", "’s"} {
		if stem, ok := strings.CutSuffix(word, end); ok {
			return stem
		}
	}
	return word
}
