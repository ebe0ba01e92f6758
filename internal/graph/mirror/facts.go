package mirror

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
)

// reading collects what the blocks of one page say.
type reading struct {
	page   *page
	intern func(title string) string
	blocks int32
	// hidden are the hidden blocks of the page, as far as they are known.
	hidden []graphdb.EID
	// targets are the visible blocks that are referred to, with their pages.
	targets []ref
}

// block reads a visible block, and reports whether it hides itself. Of what hides nothing
// else is read.
func (r *reading) block(text string, direct bool, refs []ref) (hides bool) {
	f := note.Read(text, direct)
	if f.Hides {
		return true
	}
	facts := &r.page.facts
	facts.words = r.add(facts.words, f.Words)
	facts.declared = r.add(facts.declared, f.Declared)
	facts.inline = r.add(facts.inline, f.Inline)
	if f.Reserved {
		facts.named = r.add(facts.named, f.Links)
		return false
	}
	for _, title := range f.Links {
		facts.mentions = append(facts.mentions, mention{block: r.blocks, title: r.intern(title)})
	}
	if len(f.Blocks) > 0 {
		for _, to := range refs {
			if to.page != 0 {
				facts.mentions = append(facts.mentions, mention{block: r.blocks, e: to.e})
				r.targets = append(r.targets, to)
			}
		}
	}
	r.blocks++
	return false
}

// add appends titles that a list lacks.
func (r *reading) add(list, titles []string) []string {
	for _, title := range titles {
		if title = r.intern(title); !slices.Contains(list, title) {
			list = append(list, title)
		}
	}
	return list
}

// tree reads what is below a page or a block.
func (r *reading) tree(children []entity, direct, hidden bool) {
	for i := range children {
		x := &children[i]
		below := hidden || r.block(x.text, direct, x.refs)
		if below {
			r.hidden = append(r.hidden, x.e)
		} else if direct {
			r.page.exists = true
		}
		r.tree(x.children, false, below)
	}
}

// readPage reads a page from its tree.
func readPage(x *entity, intern func(string) string) *reading {
	r := &reading{page: newPage(x.e, x.uid, x.title), intern: intern}
	r.page.edited = max(x.edited, x.pageEdited)
	r.page.direct = int32(len(x.children))
	r.tree(x.children, true, false)
	r.page.facts.mentions = slices.Clip(r.page.facts.mentions)
	return r
}

// same reports whether two pages say the same, titles aside.
func (p *page) same(other *page) bool {
	a, b := &p.facts, &other.facts
	return p.exists == other.exists && slices.Equal(a.mentions, b.mentions) && slices.Equal(a.named, b.named) &&
		slices.Equal(a.words, b.words) && slices.Equal(a.declared, b.declared) && slices.Equal(a.inline, b.inline)
}

// says reports whether a page says a title.
func (p *page) says(title string) bool {
	f := &p.facts
	return slices.ContainsFunc(f.mentions, func(m mention) bool { return m.title == title }) ||
		slices.Contains(f.named, title) || slices.Contains(f.words, title) || slices.Contains(f.declared, title)
}

// bytes is about how much memory a page takes.
func (p *page) bytes() int64 {
	const perPage, perText = 400, 24
	if p == nil {
		return 0
	}
	f := &p.facts
	return perPage + int64(len(p.title)+len(p.fold)+44*cap(f.mentions)+8*cap(p.found)+
		perText*(len(f.named)+len(f.words)+len(f.declared)+len(f.inline)))
}

// interner returns a function that returns equal titles as one text, which keeps nothing
// else alive.
func interner(known map[string]string) func(string) string {
	return func(title string) string {
		if t, ok := known[title]; ok {
			return t
		}
		title = strings.Clone(title)
		known[title] = title
		return title
	}
}
