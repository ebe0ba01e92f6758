// Package unlinked finds where the text of blocks names a page without linking
// it.
//
// It promises the same answer for the same graph, time that grows with the text
// and the number of titles and no faster, and no mention inside what is a link,
// a tag, a reference, code, a component or an address already. It knows Roam's
// markup, not where texts and titles come from.
package unlinked

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxTitle and maxWords are how long a title may be to be looked for, in
	// bytes and in words.
	maxTitle = 200
	maxWords = 20
	// maxGap is how many bytes may stand between two words of a title.
	maxGap = 8
)

// Page is a page that may be linked.
type Page struct{ Title, UID string }

// Block is a text to look in.
type Block struct{ UID, Text string }

// Mention is a block that names a page, where it does so first.
type Mention struct {
	Page  Page
	Block int    // the block's place in the list
	Text  string // the words as the block has them
	// Start and End are the place of Text in the block's text, in bytes.
	Start, End int
	Count      int  // how often the block names the page
	Exact      bool // spelt as the title is, case included

	words int
}

// Find gives the mentions in the order of the text. Where titles overlap the
// longer one wins; a title that the block links already, or that is one of skip,
// is not reported, but what it covers is covered. Case is ignored, and how words
// are parted: by space, line or hyphen.
func Find(ctx context.Context, markup *Markup, pages []Page, blocks []Block, skip ...string) ([]Mention, error) {
	prepared := make([]prepared, len(blocks))
	there := map[string]bool{}
	for i, b := range blocks {
		prepared[i] = prepare(markup, b)
		for _, title := range skip {
			prepared[i].linked[foldTitle(title)] = true
		}
		for _, w := range prepared[i].words {
			there[w.key] = true
		}
	}
	titles := newTrie()
	for i, page := range pages {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		titles.add(page, there)
	}
	var found []Mention
	for i := range prepared {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found = append(found, prepared[i].mentions(titles, i)...)
	}
	return found, nil
}

// Best keeps the mentions that are the surest to be meant, n at most, and leaves
// them in the order of the text: titles of more words come first, then those
// spelt alike, then longer ones.
func Best(found []Mention, n int) []Mention {
	if len(found) <= n {
		return found
	}
	ranked := make([]int, len(found))
	for i := range ranked {
		ranked[i] = i
	}
	slices.SortStableFunc(ranked, func(i, j int) int {
		a, b := found[i], found[j]
		return cmp.Or(cmp.Compare(b.words, a.words), -compareBool(a.Exact, b.Exact), cmp.Compare(b.End-b.Start, a.End-a.Start))
	})
	ranked = ranked[:n]
	slices.Sort(ranked)
	best := make([]Mention, n)
	for i, at := range ranked {
		best[i] = found[at]
	}
	return best
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// prepared is a block whose words are known.
type prepared struct {
	text, plain string
	words       []word
	linked      map[string]bool // folded titles that are not to be reported
}

func prepare(markup *Markup, b Block) prepared {
	plain, linked := markup.plainText(b.Text)
	return prepared{b.Text, plain, split(plain), linked}
}

// mentions finds the titles in one block.
func (p *prepared) mentions(titles *trie, block int) []Mention {
	var hits []Mention
	for i := range p.words {
		hits = titles.at(p, i, hits)
	}
	if len(hits) == 0 {
		return nil
	}
	// Longer ones first: they take their words from the others.
	slices.SortFunc(hits, func(a, b Mention) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.End-b.Start, a.End-a.Start), cmp.Compare(a.Start, b.Start))
	})
	taken := make([]bool, len(p.text))
	first := map[string]*Mention{}
	var kept []*Mention
	for _, hit := range hits {
		if slices.Contains(taken[hit.Start:hit.End], true) {
			continue
		}
		for at := hit.Start; at < hit.End; at++ {
			taken[at] = true
		}
		if p.linked[foldTitle(hit.Page.Title)] {
			continue
		}
		known := first[hit.Page.Title]
		if known == nil {
			known = &hit
			known.Block = block
			first[hit.Page.Title] = known
			kept = append(kept, known)
		} else if hit.Start < known.Start {
			hit.Block, hit.Count = block, known.Count
			*known = hit
		}
		known.Count++
	}
	slices.SortFunc(kept, func(a, b *Mention) int { return cmp.Compare(a.Start, b.Start) })
	out := make([]Mention, len(kept))
	for i, each := range kept {
		out[i] = *each
	}
	return out
}

// stands reports whether a place in the text is one of whole words: "Node" is
// not named in "Node.js", nor "Ana" in "ana@example.com".
func (p *prepared) stands(start, end int) bool {
	before, size := utf8.DecodeLastRuneInString(p.plain[:start])
	if strings.ContainsRune("._@\\'’", before) && before != utf8.RuneError {
		if further, _ := utf8.DecodeLastRuneInString(p.plain[:start-size]); isWordRune(further) {
			return false
		}
	}
	after, size := utf8.DecodeRuneInString(p.plain[end:])
	if strings.ContainsRune("._@\\", after) && after != utf8.RuneError {
		if further, _ := utf8.DecodeRuneInString(p.plain[end+size:]); isWordRune(further) {
			return false
		}
	}
	return true
}
