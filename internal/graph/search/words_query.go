package search

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/graph/note"
)

// Limits of a query.
const (
	maxTerms = 64
	maxDepth = 16 // levels of parentheses and exclusions
)

// The errors of ParseWordQuery, beside ErrLong.
var (
	ErrTerms = errors.New("the query has more than 64 terms")
	ErrDeep  = errors.New("the query has more than 16 levels of parentheses and exclusions")
)

// WordQuery is a parsed query. It never changes.
type WordQuery struct {
	root *expression // nil: it says nothing
}

// Empty reports whether the query says nothing, so that it finds nothing.
func (q *WordQuery) Empty() bool { return q.root == nil }

// Plain reports whether the query is words alone, without operators, fields and quotation
// marks.
func (q *WordQuery) Plain() bool {
	parts := []*expression{q.root}
	if q.root != nil && q.root.op == isAnd {
		parts = q.root.parts
	}
	return !q.Empty() && !slices.ContainsFunc(parts, func(e *expression) bool {
		return e.op != isTerm || e.term.field != inText || e.term.quoted
	})
}

// operator joins the parts of an expression.
type operator uint8

const (
	isTerm operator = iota
	isNot
	isAnd
	isOr
)

type expression struct {
	op    operator
	parts []*expression // one of isNot, none of isTerm
	term  term
}

// field is what a term looks at.
type field uint8

const (
	inText  field = iota // title or content
	inTitle              // title alone
	byKey                // a tag, a folder, or what a note has
	byTime               // when a note was made or edited
)

// term is one condition.
type term struct {
	field field
	// Of words: consecutive tokens, and whether they were quoted.
	tokens []wanted
	quoted bool
	key    string // of byKey, as the index has it
	prefix bool   // of byKey: the beginning of one
	// Of byTime, in ms since 1970: from inclusive, to exclusive.
	created  bool
	from, to int64
}

// wanted is a token of a query.
type wanted struct {
	text   string
	at     int  // its place among the tokens of the text
	prefix bool // text is the beginning of one
}

// The keys of what is no word begin with a sign that no word has.
const (
	tagKey    = "#"
	folderKey = "/"
	hasKey    = "!"
)

// hasNames are the values of the field has.
var hasNames = map[string]has{"link": hasLink, "task": hasTask, "image": hasImage}

// newTerm returns the term of a value; false for one that says nothing. A value with an
// unknown field, or one that the field does not know, is words.
func newTerm(name, value string, quoted bool) (term, bool) {
	stem, star := value, false
	if !quoted {
		stem, star = strings.CutSuffix(value, "*")
	}
	switch name {
	case "":
		return words(inText, stem, star, quoted)
	case "title":
		return words(inTitle, stem, star, quoted)
	case "tag":
		key := note.Key(stem)
		return term{field: byKey, key: tagKey + key, prefix: star}, key != "" || star
	case "folder":
		path := strings.TrimLeft(foldPath(stem), "/")
		if !star {
			path = strings.TrimRight(path, "/")
		}
		return term{field: byKey, key: folderKey + path, prefix: star}, path != "" || star
	case "has":
		if _, ok := hasNames[strings.ToLower(value)]; ok {
			return term{field: byKey, key: hasKey + strings.ToLower(value)}, true
		}
	case "created", "updated":
		if from, to, ok := period(value); ok {
			return term{field: byTime, created: name == "created", from: from, to: to}, true
		}
	}
	return words(inText, name+":"+stem, star, quoted)
}

// fields are the names of fields.
var fields = map[string]bool{"title": true, "tag": true, "folder": true, "has": true, "created": true, "updated": true}

// words returns the term of a text's tokens, which stand side by side.
func words(in field, text string, star, quoted bool) (term, bool) {
	found := term{field: in, quoted: quoted}
	at, end := 0, 0
	var t tokenizer
	t.each(text, func(folded []byte, _, to int, is shape) {
		if is != ending { // the pair before it has said so
			found.tokens = append(found.tokens, wanted{text: string(folded), at: at, prefix: is == lone})
		}
		at++
		end = to
	})
	if n := len(found.tokens); n > 0 && star && end == len(text) {
		found.tokens[n-1].prefix = true
	}
	return found, len(found.tokens) > 0
}

// foldPath returns a path without regard to case.
func foldPath(path string) string {
	for i := range len(path) {
		if path[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(path)))
		}
	}
	return strings.ToLower(path)
}

// foldersOf returns the folders of a path, outermost first: a and a/b of a/b/c. A path with
// an empty part, such as https://example.com, is in none.
func foldersOf(path string) []string {
	parts := strings.Split(path, "/")
	if slices.ContainsFunc(parts, func(part string) bool { return strings.TrimSpace(part) == "" }) {
		return nil
	}
	var folders []string
	for i := 1; i < len(parts); i++ {
		folders = append(folders, strings.Join(parts[:i], "/"))
	}
	return folders
}

// period returns the time that the value of created: and updated: means: 2024, 2024-01 or
// 2024-01-15, in UTC, with >, >=, < or <= in front.
func period(value string) (from, to int64, ok bool) {
	const never = 1 << 62
	date := strings.TrimLeft(value, "<>=")
	sign := value[:len(value)-len(date)]
	var begin, end time.Time
	var err error
	switch len(date) {
	case len("2024"):
		begin, err = time.Parse("2006", date)
		end = begin.AddDate(1, 0, 0)
	case len("2024-01"):
		begin, err = time.Parse("2006-01", date)
		end = begin.AddDate(0, 1, 0)
	default:
		begin, err = time.Parse(time.DateOnly, date)
		end = begin.AddDate(0, 0, 1)
	}
	if err != nil {
		return 0, 0, false
	}
	switch sign {
	case "":
		return begin.UnixMilli(), end.UnixMilli(), true
	case ">":
		return end.UnixMilli(), never, true
	case ">=":
		return begin.UnixMilli(), never, true
	case "<":
		return 1, begin.UnixMilli(), true // 0 is unknown
	case "<=":
		return 1, end.UnixMilli(), true
	}
	return 0, 0, false
}

// isBlank reports whether a rune ends a word of a query.
func isBlank(r rune) bool { return unicode.IsSpace(r) }
