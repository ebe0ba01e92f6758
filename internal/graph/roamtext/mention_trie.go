package roamtext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// trie holds titles by their words, so that all titles that begin at a word of a
// text are found in one walk, however many there are.
type trie struct {
	root *node
	seen map[string]bool // titles that are in it
}

type node struct {
	next   map[string]*node
	titles []entry // of the words up to here
}

// entry is a title as it is matched: without the brackets of links inside it.
type entry struct {
	page  NamedPage
	shown string
	words []word // of shown
}

func newTrie() *trie { return &trie{root: &node{}, seen: map[string]bool{}} }

// add takes in a title. One whose words are not all in the texts can be in none
// of them, so most titles of a graph end here.
func (t *trie) add(page NamedPage, there map[string]bool) {
	shown := page.Title
	if len(shown) == 0 || len(shown) > maxTitle || structural(shown) {
		return
	}
	if strings.Contains(shown, "[[") {
		shown = strings.NewReplacer("#[[", "", "[[", "", "]]", "").Replace(shown)
	}
	shown = strings.TrimSpace(shown)
	first := strings.IndexFunc(shown, isWordRune)
	if first < 0 || !there[foldCase(shown[first:wordEnd(shown, first)])] || t.seen[page.Title] || !utf8.ValidString(shown) {
		return
	}
	words := split(shown)
	if len(words) > maxWords || tooPlain(shown, words) {
		return
	}
	at := t.root
	for _, w := range words {
		if !there[w.key] {
			return
		}
		next := at.next[w.key]
		if next == nil {
			next = &node{}
			if at.next == nil {
				at.next = map[string]*node{}
			}
			at.next[w.key] = next
		}
		at = next
	}
	t.seen[page.Title] = true
	at.titles = append(at.titles, entry{page, shown, words})
}

// structural reports whether Roam uses the title of a page itself.
func structural(title string) bool {
	switch title {
	case "TODO", "DONE", "query", "table", "embed", "kanban", "slider", "calc", "diagram", "mermaid", "video", "audio", "pdf", "iframe", "attr-table", "word-count":
		return true
	}
	return strings.HasPrefix(title, ".") || strings.HasPrefix(title, "roam/")
}

// at adds what begins at one word of a text.
func (t *trie) at(p *prepared, i int, hits []Mention) []Mention {
	here := t.root
	for k := i; k < len(p.words); k++ {
		if k > i && !together(p.plain[p.words[k-1].end:p.words[k].start]) {
			break
		}
		if here = here.next[p.words[k].key]; here == nil {
			break
		}
		if hit, ok := here.best(p, i); ok {
			hits = append(hits, hit)
		}
	}
	return hits
}

// together reports whether words with this between them can be of one title.
func together(gap string) bool {
	return len(gap) <= maxGap && strings.IndexByte(gap, masked) < 0
}

// best is the title of a node that the text has at a word: the one spelt alike
// where several differ in their case or signs only.
func (n *node) best(p *prepared, i int) (Mention, bool) {
	var best Mention
	found := false
	for _, each := range n.titles {
		start, end, ok := each.placeIn(p, i)
		if !ok {
			continue
		}
		hit := Mention{Page: each.page, Text: p.text[start:end], Start: start, End: end, Words: len(each.words)}
		hit.Exact = hit.Text == each.shown
		better := !found || hit.Exact && !best.Exact ||
			hit.Exact == best.Exact && (hit.End-hit.Start > best.End-best.Start ||
				hit.End-hit.Start == best.End-best.Start && hit.Page.Title < best.Page.Title)
		if better {
			best, found = hit, true
		}
	}
	return best, found
}

// placeIn compares what stands between, before and behind the words.
func (e entry) placeIn(p *prepared, i int) (start, end int, ok bool) {
	last := len(e.words) - 1
	for k := 1; k <= last; k++ {
		ours := e.shown[e.words[k-1].end:e.words[k].start]
		theirs := p.plain[p.words[i+k-1].end:p.words[i+k].start]
		if ours != theirs && alike(ours) != alike(theirs) {
			return 0, 0, false
		}
	}
	lead, trail := e.shown[:e.words[0].start], e.shown[e.words[last].end:]
	start, end = p.words[i].start, p.words[i+last].end
	if !strings.HasSuffix(p.plain[:start], lead) || !strings.HasPrefix(p.plain[end:], trail) {
		return 0, 0, false
	}
	start, end = start-len(lead), end+len(trail)
	return start, end, p.stands(start, end)
}

// alike returns a key that is equal for signs between words that people use for
// each other.
func alike(gap string) string {
	if gap == " " {
		return gap
	}
	var out strings.Builder
	space := false
	for _, r := range gap {
		if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) {
			space = true
			continue
		}
		if space {
			out.WriteByte(' ')
			space = false
		}
		if r == '’' {
			r = '\''
		}
		out.WriteRune(r)
	}
	if space {
		out.WriteByte(' ')
	}
	return out.String()
}
