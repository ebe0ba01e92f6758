package note

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
)

// Names finds pages by what people and agents call them. It may be used by many at once.
type Names struct {
	byUID, byTitle map[string]Page
	folded         func() foldedNames // made when first asked for
}

// foldedNames holds pages by what is left of their titles, in node order: without regard
// to case, as slugs, and as slugs of the last part of the path. Of equal slugs it holds no
// more than are named.
type foldedNames struct {
	pages         []Page
	folds         []string // of the titles of pages
	titles, slugs map[string][]Page
	lasts         map[string][]Page // titles with a path
}

// maxCandidates is how many titles are named of a miss.
const maxCandidates = 5

// NewNames indexes the uids and titles of pages.
func NewNames(pages iter.Seq2[string, string]) *Names {
	n := &Names{byUID: map[string]Page{}, byTitle: map[string]Page{}}
	for uid, title := range pages {
		p := Page{uid, title}
		n.byUID[uid], n.byTitle[title] = p, p
	}
	n.folded = sync.OnceValue(n.fold)
	return n
}

func (n *Names) fold() foldedNames {
	type folding struct {
		Page
		fold string
	}
	all := make([]folding, 0, len(n.byUID))
	for _, p := range n.byUID {
		all = append(all, folding{p, fold(p.Title)})
	}
	slices.SortFunc(all, func(a, b folding) int { return cmp.Or(cmp.Compare(a.fold, b.fold), cmp.Compare(a.UID, b.UID)) })
	f := foldedNames{titles: map[string][]Page{}, slugs: map[string][]Page{}, lasts: map[string][]Page{}}
	add := func(m map[string][]Page, key string, p Page) {
		if len(m[key]) <= maxCandidates {
			m[key] = append(m[key], p)
		}
	}
	for _, p := range all {
		f.pages, f.folds = append(f.pages, p.Page), append(f.folds, p.fold)
		f.titles[p.fold] = append(f.titles[p.fold], p.Page)
		s := slug(p.fold)
		add(f.slugs, s, p.Page)
		if i := strings.LastIndexByte(s, '/'); i >= 0 {
			add(f.lasts, s[i+1:], p.Page)
		}
	}
	return f
}

// Meaning is what a name means among Names.
type Meaning struct {
	UID string // of the page; empty where there is none
	// Candidates are up to five titles that may have been meant. With Several they are
	// those of pages that are meant alike.
	Candidates []string
	Several    bool
}

// Resolve returns the page that a name means, for surfaces that print uids. It is that of
// Name.Resolve, and then, with slugs, a path of a file: without .md, without regard to
// case, blanks, _ and - as one; the whole path or its last part, if that is unique.
//
// now says which day is today.
func (n *Names) Resolve(said string, now time.Time, slugs bool) Meaning {
	m := n.resolve(said, now)
	if m.UID != "" || m.Several {
		return m
	}
	bare := strings.TrimSpace(said)
	if inside := ParseName(said, now).Inside(); inside != "" {
		bare = inside
	}
	var near [][]Page
	f := n.folded()
	if slugs {
		path := strings.TrimSuffix(bare, ".md")
		if m := n.resolve(path, now); path != bare && (m.UID != "" || m.Several) {
			return m
		}
		whole := slug(path)
		near = append(near, f.slugs[whole])
		if i := strings.LastIndexByte(whole, '/'); i >= 0 {
			near = append(near, f.slugs[whole[i+1:]]) // of a file in some folder
		} else {
			near = append(near, f.lasts[whole])
		}
	}
	for _, found := range near {
		if len(found) == 1 {
			return Meaning{UID: found[0].UID}
		}
	}
	for _, found := range append(near, f.alike(fold(bare))) {
		for _, p := range found {
			if len(m.Candidates) < maxCandidates && !slices.Contains(m.Candidates, p.Title) {
				m.Candidates = append(m.Candidates, p.Title)
			}
		}
	}
	return m
}

// resolve returns the page that a name means by the rule that all surfaces have.
func (n *Names) resolve(said string, now time.Time) Meaning {
	name := ParseName(said, now)
	var pages []Page
	for _, uid := range append(name.UIDs(), said) {
		pages = append(pages, n.byUID[uid])
	}
	for _, title := range name.Titles() {
		pages = append(pages, n.byTitle[title])
	}
	if n.byUID[said] == (Page{}) && n.byTitle[said] == (Page{}) {
		for _, title := range name.Titles() {
			pages = append(pages, n.folded().titles[fold(title)]...)
		}
	}
	uid, among := name.Resolve(pages, func(p Page) string { return p.UID })
	m := Meaning{Several: len(among) > 0}
	for _, p := range among[:min(len(among), maxCandidates)] {
		m.Candidates = append(m.Candidates, p.Title)
	}
	m.UID = n.byUID[uid].UID
	return m
}

// maxAlike bounds the length of a name for which titles that are alike are looked for.
const maxAlike = 100

// alike returns a few of the pages whose folded titles differ from a name by an edit, or
// contain it.
func (f foldedNames) alike(name string) []Page {
	if name == "" || len(name) > maxAlike {
		return nil
	}
	var edited, contained []Page
	for i, title := range f.folds {
		switch {
		case len(edited) < maxCandidates && oneEdit(name, title):
			edited = append(edited, f.pages[i])
		case len(contained) < maxCandidates && len(name) > 2 && strings.Contains(title, name):
			contained = append(contained, f.pages[i])
		}
	}
	return append(edited, contained...)
}

// oneEdit reports whether one text becomes the other by adding, leaving out, replacing or
// swapping one character.
func oneEdit(a, b string) bool {
	if len(a) > len(b)+4 || len(b) > len(a)+4 || len(a) < 4 {
		return false
	}
	x, y := []rune(a), []rune(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	switch {
	case len(x)+len(y) <= 1, len(x) == 1 && len(y) == 1:
		return true
	}
	return len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0]
}
