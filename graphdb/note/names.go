package note

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"roam-mcp/graphdb/outline"
	"roam-mcp/graphdb/roamtext"
)

// Names finds pages by what people and agents call them. It may be used by many at once.
type Names struct {
	byUID, byTitle map[string]page
	folded         func() foldedNames // made when first asked for
}

type page struct{ uid, title string }

// foldedNames holds pages by what is left of their titles, in node order: without regard
// to case, as slugs, and as slugs of the last part of the path. Of equal ones it holds no
// more than are named.
type foldedNames struct {
	pages         []page
	folds         []string // of the titles of pages
	titles, slugs map[string][]page
	lasts         map[string][]page // titles with a path
}

// maxCandidates is how many titles are named of a miss.
const maxCandidates = 5

// NewNames indexes the uids and titles of pages.
func NewNames(pages iter.Seq2[string, string]) *Names {
	n := &Names{byUID: map[string]page{}, byTitle: map[string]page{}}
	for uid, title := range pages {
		p := page{uid, title}
		n.byUID[uid], n.byTitle[title] = p, p
	}
	n.folded = sync.OnceValue(n.fold)
	return n
}

func (n *Names) fold() foldedNames {
	type folding struct {
		page
		fold string
	}
	all := make([]folding, 0, len(n.byUID))
	for _, p := range n.byUID {
		all = append(all, folding{p, fold(p.title)})
	}
	slices.SortFunc(all, func(a, b folding) int { return cmp.Or(cmp.Compare(a.fold, b.fold), cmp.Compare(a.uid, b.uid)) })
	f := foldedNames{titles: map[string][]page{}, slugs: map[string][]page{}, lasts: map[string][]page{}}
	add := func(m map[string][]page, key string, p page) {
		if len(m[key]) <= maxCandidates {
			m[key] = append(m[key], p)
		}
	}
	for _, p := range all {
		f.pages, f.folds = append(f.pages, p.page), append(f.folds, p.fold)
		add(f.titles, p.fold, p.page)
		s := slug(p.fold)
		add(f.slugs, s, p.page)
		if i := strings.LastIndexByte(s, '/'); i >= 0 {
			add(f.lasts, s[i+1:], p.page)
		}
	}
	return f
}

// Resolve returns the uid of the page that a name means, or "" and up to five titles
// that it may have meant. A name is, in this order, and without blanks, [[…]], ((…)) or
// the address of a page around it:
//
//   - a uid, or a title
//   - a day: today, yesterday, tomorrow, 2024-01-15, 01-15-2024, daily/2024-01-15,
//     January 15th, 2024, Jan 15th, 2024
//   - with slugs a path of a file: without .md, without regard to case, blanks, _ and -
//     as one; the whole path or its last part, if that is unique
//   - a title without regard to case, if that is unique
//
// now says which day is today.
func (n *Names) Resolve(name string, now time.Time, slugs bool) (uid string, candidates []string) {
	name = strings.TrimSpace(name)
	bare := unwrapped(name)
	for _, form := range []string{bare, strings.ReplaceAll(bare, `\|`, "|"), name} {
		if p, ok := n.known(form, now); ok {
			return p.uid, nil
		}
	}
	var near [][]page
	f := n.folded()
	if slugs {
		path := strings.TrimSuffix(bare, ".md")
		if p, ok := n.known(path, now); ok {
			return p.uid, nil
		}
		whole := slug(path)
		near = append(near, f.slugs[whole])
		if i := strings.LastIndexByte(whole, '/'); i >= 0 {
			near = append(near, f.slugs[whole[i+1:]]) // of a file in some folder
		} else {
			near = append(near, f.lasts[whole])
		}
	}
	near = append(near, f.titles[fold(bare)])
	for _, found := range near {
		if len(found) == 1 {
			return found[0].uid, nil
		}
	}
	for _, found := range append(near, f.alike(fold(bare))) {
		for _, p := range found {
			if len(candidates) < maxCandidates && !slices.Contains(candidates, p.title) {
				candidates = append(candidates, p.title)
			}
		}
	}
	return "", candidates
}

// known returns the page with a uid, a title or a day.
func (n *Names) known(name string, now time.Time) (page, bool) {
	if p, ok := n.byUID[name]; ok {
		return p, true
	}
	if p, ok := n.byTitle[name]; ok {
		return p, true
	}
	day, ok := parseDay(name, now)
	if !ok {
		return page{}, false
	}
	p, ok := n.byTitle[outline.DailyTitle(day)]
	return p, ok
}

// unwrapped returns what is inside of [[…]] or ((…)), and the uid in the address of a
// page.
func unwrapped(name string) string {
	switch {
	case strings.HasPrefix(name, "[["), strings.HasPrefix(name, "(("):
		if refs := roamtext.References(name); len(refs) > 0 && refs[0].Start == 0 && refs[0].End == len(name) {
			return strings.TrimSpace(refs[0].Content(name))
		}
	case strings.HasPrefix(name, "https://roamresearch.com/"), strings.HasPrefix(name, "roam://"):
		if _, uid, ok := strings.Cut(name, "/page/"); ok {
			if end := strings.IndexAny(uid, "/?#&"); end >= 0 {
				uid = uid[:end]
			}
			return uid
		}
	}
	return name
}

// ordinal is the end of a day in a title.
var ordinal = regexp.MustCompile(`^([a-z]{3,9} \d{1,2})(?:st|nd|rd|th)?, (\d{4})$`)

// maxDay bounds the length of what may be a day.
const maxDay = 40

// parseDay returns the day that a name means.
func parseDay(name string, now time.Time) (time.Time, bool) {
	if len(name) > maxDay {
		return time.Time{}, false
	}
	word := strings.ToLower(name)
	if i := slices.Index([]string{"yesterday", "today", "tomorrow"}, word); i >= 0 {
		year, month, day := now.Date()
		return time.Date(year, month, day+i-1, 12, 0, 0, 0, time.UTC), true
	}
	word = ordinal.ReplaceAllString(strings.TrimPrefix(word, "daily/"), "$1, $2")
	for _, layout := range []string{time.DateOnly, "01-02-2006", "January 2, 2006", "Jan 2, 2006"} {
		if day, err := time.Parse(layout, word); err == nil {
			return day, true
		}
	}
	return time.Time{}, false
}

// maxAlike bounds the length of a name for which titles that are alike are looked for.
const maxAlike = 100

// alike returns a few of the pages whose folded titles differ from a name by an edit, or
// contain it.
func (f foldedNames) alike(name string) []page {
	if name == "" || len(name) > maxAlike {
		return nil
	}
	var edited, contained []page
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
