// Package ranking finds blocks and pages for a question in a person's words, and puts those
// first that answer it best.
//
// Its queries have no syntax errors. Words are wanted, none is a condition: "phrases" must be
// there, -exclusions must not, and OR makes one wanted thing of several. Results come in
// three classes: what has all that is wanted in one text; what has it together with the
// texts above it; then, of each other page, what has the most telling part of it. In a
// class the order is that of a score by BM25F (Robertson and Zaragoza, 2009), of the block
// and of its page, times the share of the rarity of the query that is met.
//
// It holds no graph: who has one gives it the texts that may be meant, asks for the best,
// and says what stands above those. So a client of Roam can rank with few questions, and a
// mirror without an index.
package ranking
