package mirror

import (
	"context"
	"errors"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/search"
)

// RankedPage is a page that answers a question, for its title or the best of its blocks.
type RankedPage struct {
	UID   string
	Block string // uid of the block; empty: the title
	Score float64
	Whole bool // all that is wanted is there
}

// rankedAbove is how many blocks are ranked together with what is above them.
const rankedAbove = 200

// Rank returns the pages that answer a question in a person's words, best first. What is
// hidden never counts. A View below Texts has none, and a question that wants nothing.
func (v *View) Rank(ctx context.Context, question string) ([]RankedPage, error) {
	q, err := search.ParseQuestion(question)
	if errors.Is(err, search.ErrLong) || v.db == nil || !q.HasTerms() {
		return nil, nil
	}
	r := ranker{db: v.db, hidden: map[graphdb.EID]bool{}, sizes: map[string]int{}, at: map[string]graphdb.EID{}}
	for e := range outline.AllHidden(v.db) {
		r.hidden[e] = true
	}
	r.set = q.Among(search.QuestionCorpus{Texts: v.db.Count(graphdb.BlockUID), Size: func(page string) int { return r.sizes[page] }})
	for page := range v.Pages() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if q.Titled(page.Title) {
			r.add(page)
		}
	}
	for _, uid := range r.set.Best(rankedAbove, rankedAbove) {
		var path []string
		for _, e := range outline.Ancestors(v.db, r.at[uid]) {
			path = append(path, outline.TextOf(v.db, e))
		}
		r.set.Above(uid, path)
	}
	var pages []RankedPage
	seen := map[string]bool{}
	for _, found := range r.set.Found().Results {
		if seen[found.Page] {
			continue
		}
		seen[found.Page] = true
		page := RankedPage{UID: found.Page, Score: found.Score, Whole: len(found.Lacks) == 0}
		if !found.IsPage {
			page.Block = found.UID
		}
		pages = append(pages, page)
	}
	return pages, nil
}

// ranker adds the texts of a graph to a set.
type ranker struct {
	db     *graphdb.DB
	set    *search.QuestionTexts
	hidden map[graphdb.EID]bool
	sizes  map[string]int         // blocks of a page
	at     map[string]graphdb.EID // of a block
}

// add adds a page and its blocks.
func (r *ranker) add(page Page) {
	e := outline.ByUID(r.db, page.UID)
	edited, _ := r.db.Int(e, graphdb.EditTime)
	r.set.Add(search.Text{UID: page.UID, Page: page.UID, Text: page.Title, IsPage: true, Edited: edited})
	for _, block := range outline.Subtree(r.db, e)[1:] {
		if r.hidden[block] {
			continue
		}
		uid := r.db.String(block, graphdb.BlockUID)
		heading, _ := r.db.Int(block, graphdb.BlockHeading)
		edited, _ := r.db.Int(block, graphdb.EditTime)
		r.sizes[page.UID]++
		r.at[uid] = block
		r.set.Add(search.Text{UID: uid, Page: page.UID, Text: r.db.String(block, graphdb.BlockString), Heading: int(heading), Edited: edited})
	}
}
