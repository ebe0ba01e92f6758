package nativequery

import (
	"errors"
	"strings"
	"testing"

	"roam-mcp/graphdb"
)

func TestAQueryThatCantBeReadSaysWhereAndWhy(t *testing.T) {
	for name, test := range map[string]struct {
		query  string
		offset int
		text   string
	}{
		"nothing":                       {" ", 1, "it is empty"},
		"only a name":                   {`"Mine"`, 6, "it is empty"},
		"a name without end":            {`"Mine {and: [[A]]}`, 0, "quote"},
		"a page alone":                  {"[[A]]", 0, "a clause in braces is expected"},
		"text after a clause":           {"{and: [[A]]} x", 13, "a clause in braces is expected"},
		"an unknown clause":             {"{xor: [[A]]}", 0, `no clause "xor"`},
		"a clause without a name":       {"{[[A]] [[B]]}", 0, "its name and a colon"},
		"a plain word":                  {"{and: TODO}", 6, "a [[page]], a ((block))"},
		"a quoted word":                 {`{and: "project"}`, 6, "a [[page]], a ((block))"},
		"a page that is not closed":     {"{and: [[A}", 6, "a [[page]], a ((block))"},
		"a clause that is not closed":   {"{and: [[A]]", 11, "not closed"},
		"an error behind long letters":  {"{or: [[Äpfel]] Öl}", 15, "a [[page]]"},
		"an empty clause":               {"{and: }", 6, "needs something to look for"},
		"two conditions in not":         {"{and: [[A]] {not: [[B]] [[C]]}}", 17, "exactly one condition"},
		"a search by itself":            {"{search: oven}", 0, "only inside and or or"},
		"a search for nothing":          {"{and: {search: }}", 14, "search needs a text"},
		"a clause in a search":          {"{and: {search: a {not: [[B]]}}}", 17, "no other clause"},
		"one day":                       {"{between: [[today]]}", 19, "between takes two days"},
		"a page that is no day":         {"{between: [[today]] [[Someday]]}", 20, `"Someday" is no day`},
		"a day that does not exist":     {"{between: [[today]] [[February 30th, 2026]]}", 20, "is no day"},
		"nobody":                        {"{and: [[A]] {by: }}", 16, "needs a person"},
		"something to daily notes":      {"{daily-notes: [[A]]}", 14, "not closed"},
		"clauses nested without end":    {strings.Repeat("{and: ", 60), 300, "nested 50 deep"},
		"a query that is far too long":  {"{and: [[" + strings.Repeat("a", maxLength) + "]]}", maxLength, "longer than"},
		"an error within a component":   {"{{[[query]]: {and: TODO}}}", 6, "a [[page]]"},
		"a component in code is no one": {"`{{query: {and: [[A]]}}}`", 0, "a clause in braces is expected"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(test.query)
			var e *Error
			if !errors.As(err, &e) || e.Offset != test.offset || !strings.Contains(e.Message, test.text) {
				t.Errorf("%v, want one at %d with %q", err, test.offset, test.text)
			}
		})
	}
}

func TestAQueryMayHaveAName(t *testing.T) {
	query, err := Parse(`{{[[query]]: "To bake" {and: [[TODO]]}}}`)
	if err != nil || query.Title != "To bake" {
		t.Errorf("%+v, %v", query, err)
	}
}

// FuzzParse reads anything without harm, and what it reads can be run.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"{and: [[A]] ((b)) #c {not: {or: [[D [[E]]]] {search: f g}}}}", `{{[[query]]: "x" {between: [[last week]] [[today]]}}}`,
		"{by: [[Ana]]}{daily notes:}", "{and: {search: [[}]]}}", "{not:", "{{query: {and: [[A]]}}",
	} {
		f.Add(seed)
	}
	db := graphdb.NewConn(graphdb.RoamSchema()).DB()
	f.Fuzz(func(t *testing.T, text string) {
		query, err := Parse(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if _, err := query.Run(t.Context(), db, Options{Limit: Everything}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
