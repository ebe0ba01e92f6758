// Package graphtest makes graphs of any size for tests and benchmarks.
//
// It promises the shape of a graph that people wrote (Roam's public help
// graph): mostly short blocks and a few very long ones, pages that are only
// mentioned, daily notes, a few pages that everybody refers to. Equal options
// give equal datoms. The words mean nothing.
package graphtest

import (
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// Options of a generated graph.
type Options struct {
	Blocks int    // how many; a quarter as many pages come with them
	Seed   uint64 // another seed, another graph
}

// BigPage is the number of a page with BigPageBlocks blocks, where the graph has
// ten times as many.
const (
	BigPage       = 50
	BigPageBlocks = 1000
)

// Entities of every graph: one user, then the pages, then the blocks.
const (
	user      graphdb.EID = 1
	firstPage graphdb.EID = 2
)

// Pages is the number of pages that come with so many blocks.
func (o Options) Pages() int { return o.Blocks/4 + 1 }

// The shape of the help graph, counted over its 1,030 pages and 4,115 blocks.
const (
	emptyPages = 0.81 // pages that are only mentioned
	dailyPages = 0.37
	refsOne    = 0.24  // blocks that mention one page
	refsMore   = 0.048 // and several
	blockRefs  = 0.06  // mentions of a block, by block
	folded     = 0.05  // blocks whose children are folded away
)

// UserUID is the uid of the user who wrote everything.
const UserUID = "graphtest-user"

// Title is the title of the page with this number, from 0. A number at or above
// Options.Pages names a page that does not exist.
func Title(number int) string {
	// Every page counts as a daily note or not by its number alone, so that a
	// title can be told without the graph.
	if daily(number) {
		return dailyTitle(number)
	}
	return fmt.Sprintf("%s %s %d", word(uint64(number)*7), word(uint64(number)*13+5), number)
}

// PageUID is the uid of the page with this number.
func PageUID(number int) string {
	if daily(number) {
		return day(number).Format("01-02-2006")
	}
	return fmt.Sprintf("p%08d", number)
}

// BlockUID is the uid of the block with this number, from 0.
func BlockUID(number int) string { return fmt.Sprintf("b%08d", number) }

// Word is a word of the texts: the lower the rank, the more frequent.
func Word(rank int) string { return word(uint64(rank)) }

func daily(number int) bool { return float64(number%100) < dailyPages*100 }

func day(number int) time.Time {
	n := number/100*int(dailyPages*100) + number%100
	return time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n)
}

func dailyTitle(number int) string {
	d := day(number)
	suffix := "th"
	if n := d.Day(); n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%s %d%s, %04d", d.Month(), d.Day(), suffix, d.Year())
}

// word makes up a word; low numbers are short, as frequent words are.
func word(n uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for n += 1; n > 0; n /= uint64(len(consonants) * len(vowels)) {
		s := n % uint64(len(consonants)*len(vowels))
		b.WriteByte(consonants[s%uint64(len(consonants))])
		b.WriteByte(vowels[s/uint64(len(consonants))])
	}
	return b.String()
}

// endings are those of English, so that stems have something to share.
var endings = [...]string{"", "", "", "", "s", "ing", "ed", "er"}

// Datoms lists the graph's datoms, entity by entity.
func Datoms(o Options) iter.Seq2[graphdb.Datom, error] {
	return func(yield func(graphdb.Datom, error) bool) {
		random := rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15))
		g := &generator{
			options: o, random: random,
			words:   rand.NewZipf(random, 1.07, 12, 40_000),
			popular: rand.NewZipf(random, 1.2, 20, uint64(o.Pages()-1)),
			yield:   yield,
		}
		g.run()
	}
}

// UIDs is where a writer takes its random uids from, the same ones in every run.
func UIDs(seed uint64) io.Reader { return seededBytes{rand.New(rand.NewPCG(seed, seed))} }

type seededBytes struct{ *rand.Rand }

func (r seededBytes) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return len(p), nil
}

// FromJSON returns the graph of one of Roam's JSON exports.
func FromJSON(t testing.TB, export string) *graphdb.DB {
	t.Helper()
	conn := graphdb.NewConn(graphdb.RoamSchema())
	_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
		w := outline.NewWriter(tx, outline.Author{Now: time.UnixMilli(1)}, UIDs(1))
		_, err := w.ImportJSON(t.Context(), strings.NewReader(export), outline.ImportOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return conn.DB()
}

// Query is a query to measure with on a graph of Datoms.
type Query struct {
	Name  string // one word
	Text  string // Datalog
	Rules string // the one input, for %; "" for none
}

const below = `[[(below ?a ?b) [?a :block/children ?b]] [(below ?a ?b) [?a :block/children ?c] (below ?c ?b)]]`

// Queries are those that docs/benchmarks.md has figures for: look-ups (title, references,
// rule, pull), scans (since, includes, children) and regular expressions of every text, of
// which the last three have no literal part that is of use.
func Queries(o Options) []Query {
	since := createdAt(pageEntity(o.Pages() * 9 / 10))
	popular := Title(3)
	matching := func(expression string) string {
		return fmt.Sprintf(`[:find ?uid :where [?b :block/string ?s] [(re-pattern %q) ?re] [(re-find ?re ?s)] [?b :block/uid ?uid]]`, expression)
	}
	return []Query{
		{Name: "title", Text: fmt.Sprintf(`[:find ?uid . :where [?p :node/title %q] [?p :block/uid ?uid]]`, Title(77))},
		{Name: "references", Text: fmt.Sprintf(`[:find ?uid ?s :where [?p :node/title %q] [?b :block/refs ?p] [?b :block/uid ?uid] [?b :block/string ?s]]`, popular)},
		{Name: "since", Text: fmt.Sprintf(`[:find ?t ?at :where [?p :node/title ?t] [?p :create/time ?at] [(> ?at %d)]]`, since)},
		{Name: "includes", Text: fmt.Sprintf(`[:find ?uid :where [?b :block/string ?s] [(clojure.string/includes? ?s %q)] [?b :block/uid ?uid]]`, " "+Word(900)+" ")},
		{Name: "children", Text: `[:find ?t (count ?b) :where [?p :node/title ?t] [?b :block/page ?p]]`},
		{Name: "rule", Text: fmt.Sprintf(`[:find ?uid :in $ %% :where [?p :node/title %q] (below ?p ?b) [?b :block/uid ?uid]]`, Title(BigPage)), Rules: below},
		{Name: "pull", Text: fmt.Sprintf(`[:find (pull ?p [:node/title :block/uid {:block/children [:block/uid :block/string]}]) :where [?b :block/refs ?r] [?r :node/title %q] [?b :block/page ?p]]`, popular)},
		{Name: "literal", Text: matching(" " + Word(900) + "[a-z]* ")},
		{Name: "anchored", Text: matching(`^` + Word(900) + `\w*\s`)},
		{Name: "choice", Text: matching(Word(900) + "|" + Word(950) + "|" + Word(1000))},
		{Name: "anycase", Text: matching("(?i)" + strings.ToUpper(Word(900)))},
		{Name: "ahead", Text: matching(Word(900) + `(?= ` + Word(5)[:1] + `)`)},
		{Name: "behind", Text: matching(`(?<=\[\[)` + Word(10)[:1] + `[^\]]*(?=\]\])`)},
		{Name: "digits", Text: matching(`\d{4}`)},
		{Name: "repeated", Text: matching(`\b(\w{4,}) \1\b`)},
		{Name: "unless", Text: matching(`\b(?!ba)[a-z]+bo\b`)},
	}
}

func createdAt(e graphdb.EID) int64 {
	const start = 1_600_000_000_000 // September 2020
	return start + int64(e)*60_000
}

// ValueOf returns the Value of one of the types of graphdb.Value.Any, or of an int.
func ValueOf(x any) (graphdb.Value, error) {
	switch x := x.(type) {
	case string:
		return graphdb.StringValue(x), nil
	case int:
		return graphdb.IntValue(int64(x)), nil
	case int64:
		return graphdb.IntValue(x), nil
	case float64:
		return graphdb.FloatValue(x), nil
	case bool:
		return graphdb.BoolValue(x), nil
	case graphdb.Keyword:
		return graphdb.KeywordValue(x), nil
	case graphdb.EID:
		return graphdb.RefValue(x), nil
	case graphdb.Opaque:
		return graphdb.OpaqueValue(x), nil
	}
	return graphdb.Value{}, fmt.Errorf("a value of type %T can't be stored", x)
}
