package roamtext

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

// NamedPage is a page that may be linked.
type NamedPage struct{ Title, UID string }

// Passage is a text to look in.
type Passage struct{ UID, Text string }

// Mention is the first place where a block names a page.
type Mention struct {
	Page  NamedPage
	Block int    // the block's place in the list
	Text  string // the words as the block has them
	// Start and End are the place of Text in the block's text, in bytes.
	Start, End int
	Count      int  // how often the block names the page
	Exact      bool // spelt as the title is, case included
	Words      int  // of the title
}

// FindMentions returns the mentions in the order of the text. Where titles overlap the
// longer one wins; a title that the block links already, or that is one of skip,
// is not reported, but what it covers is covered. Case is ignored, and how words
// are parted: by space, line or hyphen.
func FindMentions(ctx context.Context, pages []NamedPage, blocks []Passage, skip ...string) ([]Mention, error) {
	prepared := make([]prepared, len(blocks))
	there := map[string]bool{}
	for i, b := range blocks {
		prepared[i] = prepare(b)
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

// BestMentions keeps the mentions that are the surest to be meant, n at most, and leaves
// them in the order of the text: titles of more words come first, then those
// spelt alike, then longer ones.
func BestMentions(found []Mention, n int) []Mention {
	if len(found) <= n {
		return found
	}
	ranked := make([]int, len(found))
	for i := range ranked {
		ranked[i] = i
	}
	slices.SortStableFunc(ranked, func(i, j int) int {
		a, b := found[i], found[j]
		return cmp.Or(cmp.Compare(b.Words, a.Words), -compareBool(a.Exact, b.Exact), cmp.Compare(b.End-b.Start, a.End-a.Start))
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

// masked replaces the bytes of forms.
const masked = 0

// prepared is a block whose words are known.
type prepared struct {
	text, plain string // of the same length
	words       []word
	linked      map[string]bool // folded titles that are not to be reported
}

func prepare(b Passage) prepared {
	plain, linked := plainText(b.Text)
	return prepared{b.Text, plain, split(plain), linked}
}

// plainText returns a text of the same length in which all forms but emphasis are
// masked, and the folded titles that the text links.
func plainText(text string) (string, map[string]bool) {
	linked := map[string]bool{}
	plain := []byte(strings.ReplaceAll(text, string(rune(masked)), " "))
	end := 0
	for _, span := range Spans(text) {
		for i := max(end, span.Start); i < span.End; i++ {
			plain[i] = masked
		}
		end = max(end, span.End)
		if span.Kind.Refers() && span.Kind != BlockRef && span.To-span.From <= maxTitle {
			linked[foldTitle(span.Content(text))] = true
		}
	}
	return string(plain), linked
}

// foldTitle returns a key that is equal for titles with the same words.
func foldTitle(title string) string {
	return foldCase(strings.Join(strings.Fields(title), " "))
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
		return cmp.Or(cmp.Compare(b.Words, a.Words), cmp.Compare(b.End-b.Start, a.End-a.Start), cmp.Compare(a.Start, b.Start))
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
