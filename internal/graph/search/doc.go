// Package search finds pages and blocks of a graph in three ways: by words, for a question,
// and by meaning.
//
// It promises the same order for the same graph and history of searches, and that hidden
// blocks have no influence. It holds no graph: who has one hands over its texts or a
// snapshot of it.
//
// # Words
//
// WordIndex finds notes by what they say; it has a query language, a ranking and snippets. A
// query finds what its words mean (profiles/wiki.md, "Search language"), whatever was added
// to the index and removed before, and any text is a query. It takes notes as texts: who
// keeps an index tells it what has changed.
//
// Texts are read as Roam shows them: the label of an alias, not its target; nothing of a
// component or of a reference to a block, whose words are those of another note. A word is
// a run of letters and digits, without regard to case, compatibility forms (NFKC) and
// diacritics. A run of a script without spaces (Han, Kana, Hangul, Thai, Lao, Khmer,
// Myanmar) is found by each part of it: the index has its pairs of characters.
//
// # Questions
//
// A Question is in a person's words, and what answers it best comes first. It has no syntax
// errors. Words are wanted, none is a condition: "phrases" must be there, -exclusions must
// not, and OR makes one wanted thing of several. Results come in three classes: what has all
// that is wanted in one text; what has it together with the texts above it; then, of each
// other page, what has the most telling part of it. In a class the order is that of a score
// by BM25F (Robertson and Zaragoza, 2009), of the block and of its page, times the share of
// the rarity of the query that is met. Who has the graph gives the texts that may be meant,
// asks for the best, and says what stands above those. So a client of Roam can rank with few
// questions, and a mirror without an index.
//
// # Meaning
//
// MeaningIndex learns from the graph alone, by latent semantic analysis: words of the same
// blocks and pages get similar vectors. It has no knowledge of the world: it can't relate
// words that a graph never has together.
package search

import "errors"

// MaxQuery is how many characters a query or a question may have.
const MaxQuery = 1000

// ErrLong is the error of ParseWordQuery and ParseQuestion for a longer one.
var ErrLong = errors.New("the query has more than 1,000 characters")
