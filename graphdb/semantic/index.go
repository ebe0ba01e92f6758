// Package semantic finds pages and blocks by what they are about, and pages
// that a text names without linking them. What belongs together it learns from
// the graph alone: words that stand in the same blocks and on the same pages
// get similar vectors (latent semantic analysis).
//
// It promises the same order for the same graph and history of searches, and
// that what is hidden leaves no trace in it. It knows nothing of JSON or HTTP,
// and nothing of the world: what a graph never mentions together, it can't
// relate.
package semantic

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
)

// Index is the vectors of one graph. It is made up to date by Search, and safe
// for concurrent use: searches take turns.
type Index struct {
	turn chan struct{} // holds one token while somebody uses what follows

	seed  maphash.Seed
	basis int64 // of the snapshot that the index stands for; -1: none yet
	pass  uint32
	docs  []document
	place map[graphdb.EID]int // in docs
	words vocabulary
	space space
	// changed counts the documents that came or changed since space was made.
	changed int
	length  float64 // of all documents together
}

// document is a page or a block.
type document struct {
	e        graphdb.EID
	page     bool
	print    uint64 // of the texts it was made of
	pass     uint32 // the last update that saw it
	length   float32
	features []feature
	vector   []int8 // nil: not placed yet
}

// feature is a word of a document, and how often it stands there; words of what
// surrounds the document count for less than one.
type feature struct {
	term   int32
	weight float32
}

// New makes an index of nothing.
func New() *Index {
	return &Index{
		turn: make(chan struct{}, 1), seed: maphash.MakeSeed(), basis: -1,
		place: map[graphdb.EID]int{}, words: vocabulary{ids: map[string]int32{}},
	}
}

// Query says what to look for.
type Query struct {
	Text  string
	Scope outline.Scope // "" is outline.ScopeAll
	Limit int           // results at most
}

// Search gives the pages and blocks that have most to do with a text, best
// first: by their words, weighed by how rare these are, and by the vectors. The
// first search reads the whole graph, later ones what has changed; after many
// changes the vectors are made anew. All snapshots must be of one graph.
func (x *Index) Search(ctx context.Context, db *graphdb.DB, query Query) ([]graphdb.EID, error) {
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := x.update(ctx, db); err != nil {
		return nil, err
	}
	return x.rank(ctx, query)
}

type ranked struct {
	e     graphdb.EID
	score float64
}

const (
	// vectorShare is how much the vectors count beside the words. More of it
	// finds what is near, less what is meant (TestAParaphrase… measures it).
	vectorShare = 0.3
	// leastScore is below what a result has nothing to do with the query.
	leastScore = 0.06
)

func (x *Index) rank(ctx context.Context, query Query) ([]graphdb.EID, error) {
	asked := x.words.known(words(outline.DecodeAnnotations(query.Text)))
	if len(asked) == 0 || query.Limit <= 0 {
		return nil, nil
	}
	wanted := x.space.quantized(x.space.place(asked, x.idf))
	weights, most := make(map[int32]float64, len(asked)), 0.0
	for _, f := range asked {
		weights[f.term] = x.idf(f.term)
		most += weights[f.term]
	}
	var found []ranked
	for i := range x.docs {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := &x.docs[i]
		if d.page && query.Scope == outline.ScopeBlocks || !d.page && query.Scope == outline.ScopePages {
			continue
		}
		score := vectorShare*cosine(wanted, d.vector) + (1-vectorShare)*x.overlap(weights, most, d)
		if score >= leastScore {
			found = append(found, ranked{d.e, score})
		}
	}
	slices.SortFunc(found, func(a, b ranked) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.e, b.e)) })
	var out []graphdb.EID
	for _, r := range found[:min(len(found), query.Limit)] {
		out = append(out, r.e)
	}
	return out, nil
}

// overlap is how much of what was asked for stands in a document, 0 to 1: the
// measure known as BM25, divided by its greatest value, the sum of the weights.
func (x *Index) overlap(weights map[int32]float64, most float64, d *document) float64 {
	const saturation, lengthShare = 1.2, 0.75
	sum := 0.0
	relative := float64(d.length) * float64(len(x.docs)) / x.length
	for _, f := range d.features {
		if idf, ok := weights[f.term]; ok {
			w := float64(f.weight)
			sum += idf * w / (w + saturation*(1-lengthShare+lengthShare*relative))
		}
	}
	return min(1, sum/most)
}
