package outline

import (
	"maps"
	"slices"
	"strings"

	"roam-mcp/graphdb"
)

// wordsIn returns the number of words of a text: of what stands between white space.
func wordsIn(text string) int {
	n := 0
	for range strings.FieldsSeq(text) {
		n++
	}
	return n
}

// countWords adds the words of a block, times, to the count of its page.
func (w *Writer) countWords(e graphdb.EID, times int) {
	page := w.tx.Ref(e, graphdb.BlockPage)
	if page == 0 {
		return
	}
	if w.words == nil {
		w.words = map[graphdb.EID]int{}
		w.tx.BeforeCommit(w.updateWordCounts)
	}
	w.words[page] += times * wordsIn(w.tx.String(e, graphdb.BlockString))
}

// updateWordCounts changes the counts of pages by what was added. One that has none,
// as in older graphs, is counted whole.
func (w *Writer) updateWordCounts() error {
	for _, page := range slices.Sorted(maps.Keys(w.words)) {
		if !IsPage(w.tx, page) {
			continue // it is gone
		}
		count, known := w.tx.Int(page, graphdb.PageWords)
		if known {
			count += int64(w.words[page])
		} else {
			for b := range w.tx.ReverseSeq(graphdb.BlockPage, page) {
				count += int64(wordsIn(w.tx.String(b, graphdb.BlockString)))
			}
		}
		if err := w.tx.Set(page, graphdb.PageWords, graphdb.IntValue(max(0, count))); err != nil {
			return err
		}
	}
	clear(w.words)
	return nil
}
