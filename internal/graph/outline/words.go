package outline

import (
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// wordsIn returns the number of words of a text: of what stands between white space.
func wordsIn(text string) int {
	n := 0
	for range strings.FieldsSeq(text) {
		n++
	}
	return n
}

// wordCounts are what a transaction adds to the counts of words of pages.
type wordCounts struct {
	tx    *graphdb.Tx
	added map[graphdb.EID]int // by page; nil: nothing was
}

// add adds the words of a block, times, to the count of its page.
func (c *wordCounts) add(e graphdb.EID, times int) {
	page := c.tx.Ref(e, graphdb.BlockPage)
	if page == 0 {
		return
	}
	if c.added == nil {
		c.added = map[graphdb.EID]int{}
		c.tx.BeforeCommit(c.update)
	}
	c.added[page] += times * wordsIn(c.tx.String(e, graphdb.BlockString))
}

// update changes the counts of pages by what was added. One that has none, as in older
// graphs, is counted whole.
func (c *wordCounts) update() error {
	for _, page := range slices.Sorted(maps.Keys(c.added)) {
		if !IsPage(c.tx, page) {
			continue // it is gone
		}
		count, known := c.tx.Int(page, graphdb.PageWords)
		if known {
			count += int64(c.added[page])
		} else {
			for b := range c.tx.ReverseSeq(graphdb.BlockPage, page) {
				count += int64(wordsIn(c.tx.String(b, graphdb.BlockString)))
			}
		}
		if err := c.tx.Set(page, graphdb.PageWords, graphdb.IntValue(max(0, count))); err != nil {
			return err
		}
	}
	clear(c.added)
	return nil
}
