package actions

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
)

const (
	maxLength = 10_000 // bytes of a query
	maxDepth  = 50     // of nested clauses
)

// parseRoamQuery reads a query: clauses in braces, as in "{and: [[A]] {not: [[B]]}}", or
// a block's text with such a query in {{[[query]]: …}}. A name in quotes may
// come first. Several clauses side by side must all match. The error is *roamQueryError.
func parseRoamQuery(text string) (*roamQuery, error) {
	if inside, ok := roamtext.FindComponent(text, "query"); ok {
		text = inside
	}
	if len(text) > maxLength {
		return nil, &roamQueryError{Offset: maxLength, Message: fmt.Sprintf("it is longer than %d bytes", maxLength)}
	}
	p := &queryParser{text: text, refs: roamtext.References(text)}
	query := &roamQuery{}
	p.space()
	if p.next() == '"' {
		end := strings.IndexByte(p.text[p.at+1:], '"')
		if end < 0 {
			return nil, p.fail("the quote of its name does not end")
		}
		query.Title = p.text[p.at+1 : p.at+1+end]
		p.at += end + 2
		p.space()
	}
	query.root = queryClause{kind: clauseAll}
	for p.at < len(p.text) {
		if p.next() != '{' {
			return nil, p.fail("a clause in braces is expected, as in {and: [[Project]] [[TODO]]}")
		}
		c, err := p.clause(0)
		if err != nil {
			return nil, err
		}
		query.root.kids = append(query.root.kids, c)
		p.space()
	}
	if len(query.root.kids) == 0 {
		return nil, p.fail("it is empty; write a clause, as in {and: [[Project]] [[TODO]]}")
	}
	return query, nil
}

type queryParser struct {
	text string
	at   int
	refs []roamtext.Span // of the text, those that were read left out
}

func (p *queryParser) fail(format string, args ...any) error {
	return &roamQueryError{Offset: utf8.RuneCountInString(p.text[:p.at]), Message: fmt.Sprintf(format, args...)}
}

func (p *queryParser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *queryParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// clauseKinds maps the names of clauses, with hyphens for spaces, to kinds.
func clauseKinds() map[string]clauseKind {
	return map[string]clauseKind{
		"and": clauseAll, "or": clauseSome, "not": clauseNone, "search": clauseSearch, "between": clauseBetween, "daily-notes": clauseDailyNotes,
		"created-by": clauseCreatedBy, "edited-by": clauseEditedBy, "by": clauseBy,
	}
}

// clause reads "{name: …}". depth is the number of enclosing clauses.
func (p *queryParser) clause(depth int) (queryClause, error) {
	if depth >= maxDepth {
		return queryClause{}, p.fail("clauses may be nested %d deep", maxDepth)
	}
	name, ok := p.name()
	if !ok {
		return queryClause{}, p.fail("a clause begins with its name and a colon, as in {and: …}")
	}
	c := queryClause{}
	if c.kind, ok = clauseKinds()[name]; !ok {
		return queryClause{}, p.fail("there is no clause %q; there are and, or, not, search, between, daily-notes, created-by, edited-by and by", name)
	}
	if c.kind == clauseSearch && depth == 0 {
		return queryClause{}, p.fail("search works only inside and or or, as in {and: {search: text}}")
	}
	p.at += strings.IndexByte(p.text[p.at:], ':') + 1
	var err error
	switch c.kind {
	case clauseAll, clauseSome, clauseNone:
		c.kids, err = p.operands(c.kind, depth+1)
	case clauseBetween:
		c.first, c.last, err = p.days()
	case clauseDailyNotes:
	default:
		c.text, err = p.words(c.kind)
	}
	if err != nil {
		return queryClause{}, err
	}
	if p.space(); p.next() != '}' {
		return queryClause{}, p.fail("the clause %q is not closed by a brace", name)
	}
	p.at++
	return c, nil
}

// name returns the name of the clause that begins here.
func (p *queryParser) name() (string, bool) {
	head, _, ok := strings.Cut(p.text[p.at+1:], ":")
	if !ok || len(head) > 40 {
		return "", false
	}
	return strings.Join(strings.FieldsFunc(strings.ToLower(head), func(r rune) bool { return r == ' ' || r == '-' }), "-"), true
}

func (p *queryParser) operands(of clauseKind, depth int) ([]queryClause, error) {
	var kids []queryClause
	start := p.at
	for {
		p.space()
		var c queryClause
		var err error
		switch p.next() {
		case '}', 0:
			if len(kids) == 0 {
				return nil, p.fail("the clause needs something to look for, as in {and: [[Project]] [[TODO]]}")
			}
			if of == clauseNone && len(kids) > 1 {
				p.at = start
				return nil, p.fail("not takes exactly one condition; put several into an or, as in {not: {or: [[A]] [[B]]}}")
			}
			return kids, nil
		case '{':
			c, err = p.clause(depth)
		default:
			c, err = p.reference()
		}
		if err != nil {
			return nil, err
		}
		kids = append(kids, c)
	}
}

// reference reads a page or block that must be mentioned.
func (p *queryParser) reference() (queryClause, error) {
	i := slices.IndexFunc(p.refs, func(r roamtext.Span) bool { return r.Start == p.at && r.Kind != roamtext.Attribute })
	if i < 0 {
		return queryClause{}, p.fail("a [[page]], a ((block)) or a clause in braces is expected")
	}
	ref := p.refs[i]
	p.at, p.refs = ref.End, p.refs[i+1:]
	if ref.Kind == roamtext.BlockRef {
		return queryClause{kind: clauseLinksBlock, text: ref.Content(p.text)}, nil
	}
	return queryClause{kind: clauseLinksPage, text: ref.Content(p.text)}, nil
}

// days reads the two ends of between.
func (p *queryParser) days() (first, last day, err error) {
	var ends [2]day
	for i := range ends {
		p.space()
		start := p.at
		c, err := p.reference()
		if err != nil || c.kind != clauseLinksPage {
			p.at = start
			return day{}, day{}, p.fail("between takes two days, as in {between: [[last week]] [[today]]}")
		}
		if date, ok := outline.ParseDailyTitle(c.text); ok {
			ends[i] = day{date: date}
		} else if ends[i], ok = relativeDay(strings.ToLower(strings.TrimSpace(c.text))); !ok {
			p.at = start
			return day{}, day{}, p.fail("%q is no day; write one as in [[March 17th, 2026]], or as today, yesterday, tomorrow, last week, next week, last month or next month", c.text)
		}
	}
	return ends[0], ends[1], nil
}

// words reads the text of search, or the person of an author clause.
func (p *queryParser) words(of clauseKind) (string, error) {
	n := strings.IndexAny(p.text[p.at:], "{}")
	if n < 0 {
		n = len(p.text) - p.at
	}
	text := strings.TrimSpace(p.text[p.at : p.at+n])
	if of != clauseSearch {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "[["), "]]")
	}
	if text == "" {
		if of == clauseSearch {
			return "", p.fail("search needs a text, as in {search: oven}")
		}
		return "", p.fail("the clause needs a person, as in {by: [[Ana]]}")
	}
	if p.at += n; p.next() == '{' {
		return "", p.fail("no other clause can stand in this one")
	}
	return text, nil
}
