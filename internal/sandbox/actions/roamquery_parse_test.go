package actions

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/require"
)

// notebook is a graph under test.
type notebook struct {
	*graphdb.Conn
	t      testing.TB
	random *rand.ChaCha8
	now    time.Time
}

func newNotebook(t testing.TB) *notebook {
	return &notebook{
		Conn: graphdb.NewConn(graphdb.RoamSchema()), t: t,
		random: rand.NewChaCha8([32]byte{1}), now: time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC),
	}
}

// as runs a transaction of a user, a minute after the one before.
func (n *notebook) as(user string, write func(w *outline.Writer) error) {
	n.t.Helper()
	n.now = n.now.Add(time.Minute)
	_, err := n.Transact(n.t.Context(), func(tx *graphdb.Tx) error {
		e, err := outline.NewWriter(tx, outline.Author{Now: n.now}, n.random).EnsureUser(strings.ToLower(user), user)
		if err != nil {
			return err
		}
		return write(outline.NewWriter(tx, outline.Author{User: e, Now: n.now}, n.random))
	})
	require.NoError(n.t, err)
}

// page writes a page line by line, each in a transaction of its own so that no
// two blocks are of the same time. A line is "uid text", nested by two spaces.
func (n *notebook) page(user, title, lines string) {
	n.t.Helper()
	var uid string
	n.as(user, func(w *outline.Writer) (err error) {
		uid, err = w.CreatePage(outline.NewPage{Title: title})
		return err
	})
	above := []string{uid}
	for line := range strings.SplitSeq(lines, "\n") {
		text := strings.TrimSpace(line)
		if text == "" {
			continue
		}
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		id, text, _ := strings.Cut(text, " ")
		n.as(user, func(w *outline.Writer) error {
			at := outline.Location{ParentUID: above[depth], Order: outline.Last}
			_, err := w.CreateBlocks(at, []outline.Block{{UID: id, String: text}})
			return err
		})
		above = append(above[:depth+1], id)
	}
}

// find runs a query and gives the uids, or titles of pages, in their order.
func (n *notebook) find(text string, o roamQueryOptions) string {
	n.t.Helper()
	query, err := parseRoamQuery(text)
	if err != nil {
		n.t.Fatalf("%s: %v", text, err)
	}
	if o.Now.IsZero() {
		o.Now = time.Date(2026, 11, 18, 23, 30, 0, 0, time.UTC)
	}
	if o.Limit == 0 {
		o.Limit = everyResult
	}
	result, err := query.Run(n.t.Context(), n.DB(), o)
	if err != nil {
		n.t.Fatalf("%s: %v", text, err)
	}
	var found []string
	for _, e := range result.Results {
		if title := n.DB().String(e, graphdb.NodeTitle); title != "" {
			found = append(found, "<"+title+">")
		} else {
			found = append(found, n.DB().String(e, graphdb.BlockUID))
		}
	}
	if o.Limit == everyResult && o.Offset == 0 && result.Total != len(found) {
		n.t.Errorf("%s: the total is %d of %d results", text, result.Total, len(found))
	}
	return strings.Join(found, " ")
}

// bakery is the graph of most tests.
func bakery(t testing.TB) *notebook {
	n := newNotebook(t)
	n.page("Ana", "Bread", `
b1 A loaf of [[Rye]]
  b2 needs [[Water]]
    b3 and salt
b4 plain #Water
b5 see ((b1))`)
	n.page("Ana", "About [[Rye]]", `
r1 the grain
r2 kept out [[Water]] #.rm-private
  r3 below it [[Rye]]`)
	n.page("Ben", "November 10th, 2026", `
d1 [[TODO]] buy [[Water]]
d2 nothing`)
	n.page("Ben", "November 18th, 2026", `
e1 [[TODO]] bake`)
	n.page("Ben", "Plans", `
p1 until [[November 10th, 2026]]
  p2 [[DONE]] order [[Rye]]`)
	return n
}

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
			_, err := parseRoamQuery(test.query)
			var e *roamQueryError
			if !errors.As(err, &e) || e.Offset != test.offset || !strings.Contains(e.Message, test.text) {
				t.Errorf("%v, want one at %d with %q", err, test.offset, test.text)
			}
		})
	}
}

func TestAQueryMayHaveAName(t *testing.T) {
	query, err := parseRoamQuery(`{{[[query]]: "To bake" {and: [[TODO]]}}}`)
	if err != nil || query.Title != "To bake" {
		t.Errorf("%+v, %v", query, err)
	}
}

// FuzzParseRoamQuery reads anything without harm, and what it reads can be run.
func FuzzParseRoamQuery(f *testing.F) {
	for _, seed := range []string{
		"{and: [[A]] ((b)) #c {not: {or: [[D [[E]]]] {search: f g}}}}", `{{[[query]]: "x" {between: [[last week]] [[today]]}}}`,
		"{by: [[Ana]]}{daily notes:}", "{and: {search: [[}]]}}", "{not:", "{{query: {and: [[A]]}}",
	} {
		f.Add(seed)
	}
	db := graphdb.NewConn(graphdb.RoamSchema()).DB()
	f.Fuzz(func(t *testing.T, text string) {
		query, err := parseRoamQuery(text)
		if err != nil {
			var e *roamQueryError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if _, err := query.Run(t.Context(), db, roamQueryOptions{Limit: everyResult}); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
