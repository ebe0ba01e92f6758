package search

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// MeaningIndex holds the vectors of one graph. Search updates it. It is safe for concurrent
// use; searches run one at a time.
type MeaningIndex struct {
	turn chan struct{} // a lock for what follows

	tuning

	seed   maphash.Seed
	basis  int64 // of the snapshot that the index stands for; -1: none yet
	pass   uint32
	docs   []document
	place  map[graphdb.EID]int // in docs
	words  vocabulary
	space  space
	packer packer
	list   []feature // of the document that was unpacked last
	// changed counts the documents that were added or changed since space was made.
	changed int
	length  float64 // of all documents together
}

// document is a page or a block.
type document struct {
	e        graphdb.EID
	print    uint64 // of the texts it was made of
	features packed
	vector   *quantizedVector // nil: not placed
	pass     uint32           // the last update that saw it
	length   float32
	page     bool
}

// feature is a word of a document with its frequency. Words of the surrounding blocks
// and page count for less than one.
type feature struct {
	term   int32
	weight float32
}

// tuning is what differs between an index with blocks and one without. The tests of
// paraphrases measure it.
type tuning struct {
	pagesOnly     bool
	contentWeight float32 // of the words of a page's blocks, beside titleWeight
	damped        bool    // a word that is there ten times counts for three
	// coverage is how much of the score of the words goes by how many of them are
	// there: 0 to 1.
	coverage float64
	// vectorShare is the weight of the vectors beside that of the words; 0: there are
	// none.
	vectorShare float64
	// leastScore is the score below which a document is no result.
	leastScore float64
}

// NewMeaningIndex returns an empty index.
func NewMeaningIndex() *MeaningIndex {
	return newMeaningIndex(tuning{contentWeight: 0.4, damped: true, coverage: 0.3, vectorShare: 0.25, leastScore: 0.06})
}

func newMeaningIndex(t tuning) *MeaningIndex {
	return &MeaningIndex{
		tuning: t,
		turn:   make(chan struct{}, 1), seed: maphash.MakeSeed(), basis: -1,
		place: map[graphdb.EID]int{}, words: vocabulary{ids: map[string]int32{}}, packer: packer{numbers: map[float32]uint32{}},
	}
}

// NewPageMeaningIndex returns an empty index of pages alone, for graphs that have too many blocks to
// keep each. It finds pages by the words of their blocks, without vectors, which say
// little of long pages: so no page that has none of the words. It finds no blocks.
func NewPageMeaningIndex() *MeaningIndex {
	return newMeaningIndex(tuning{pagesOnly: true, contentWeight: 1, coverage: 1, leastScore: 0.01})
}

// MeaningQuery is the argument of Search.
type MeaningQuery struct {
	Text  string
	Scope outline.Scope // "" is outline.ScopeAll
	Limit int           // results at most
}

// MeaningResult is a result of SearchScored.
type MeaningResult struct {
	E     graphdb.EID
	Score float64 // above 0, at most 1
}

// Search returns the results of SearchScored without their scores.
func (x *MeaningIndex) Search(ctx context.Context, db *graphdb.DB, query MeaningQuery) ([]graphdb.EID, error) {
	scored, err := x.SearchScored(ctx, db, query)
	var found []graphdb.EID
	for _, s := range scored {
		found = append(found, s.E)
	}
	return found, err
}

// SearchScored returns the pages and blocks that are nearest to a text in meaning, best
// first: by their words, weighted by rarity, and by the vectors. A block has to do with
// the words of its page's title and tags too, and with those of the block above. Scores of different
// queries can't be compared. The snapshot needs titles, texts, uids, references and
// children, and no :block/parents or :block/page.
//
// The first search reads the whole graph, later ones what has changed; after many
// changes the vectors are computed again. All snapshots must be of one graph, and those
// with the same BasisTx are taken for equal. At 200,000 blocks on 50,000 pages the first
// search takes about 10 s of one core, later ones 0.1 s, one after a write 0.3 s, and
// the index holds 80 MB.
func (x *MeaningIndex) SearchScored(ctx context.Context, db *graphdb.DB, query MeaningQuery) ([]MeaningResult, error) {
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

func (x *MeaningIndex) rank(ctx context.Context, query MeaningQuery) ([]MeaningResult, error) {
	asked := x.words.known(appendWords(nil, outline.DecodeAnnotations(query.Text)))
	if len(asked) == 0 || query.Limit <= 0 {
		return nil, nil
	}
	weights, most := make([]float64, len(asked)), 0.0
	for i, f := range asked {
		weights[i] = x.idf(f.term)
		most += weights[i]
	}
	wanted := quantized(x.space.place(make([]float64, x.space.dimensions), unit(slices.Clone(asked), x.idf)))
	var found []MeaningResult
	for i := range x.docs {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := &x.docs[i]
		if d.page && query.Scope == outline.ScopeBlocks || !d.page && query.Scope == outline.ScopePages {
			continue
		}
		score := (1 - x.vectorShare) * x.overlap(asked, weights, most, d)
		if d.vector != nil {
			score += x.vectorShare * cosine(wanted, d.vector)
		}
		if score >= x.leastScore {
			found = append(found, MeaningResult{d.e, min(1, score)})
		}
	}
	slices.SortFunc(found, func(a, b MeaningResult) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.E, b.E)) })
	return slices.Clone(found[:min(len(found), query.Limit)]), nil
}

// overlap returns the BM25 score of a document, divided by its greatest possible value,
// the sum of the weights, and less for one that lacks some of the words: 0 to 1.
func (x *MeaningIndex) overlap(asked []feature, weights []float64, most float64, d *document) float64 {
	const saturation, lengthShare = 1.2, 0.75
	sum, met := 0.0, 0.0
	relative := float64(d.length) * float64(len(x.docs)) / x.length
	term, number := int32(0), uint32(0)
	// Both are in the order of the words' numbers.
	for i, rest := 0, d.features; len(rest) > 0; {
		term, number, rest = rest.next(term)
		for i < len(asked) && asked[i].term < term {
			i++
		}
		if i == len(asked) {
			break
		}
		if asked[i].term == term {
			idf, w := weights[i], float64(x.packer.weights[number])
			met += idf
			sum += idf * w / (w + saturation*(1-lengthShare+lengthShare*relative))
		}
	}
	return min(1, sum/most) * (1 - x.coverage + x.coverage*met/most)
}
