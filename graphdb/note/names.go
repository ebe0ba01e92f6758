package note

import (
	"iter"
	"time"
)

// Names finds pages by what people and agents call them.
type Names struct {
	titles map[string]string // uid to title
	uids   map[string]string // title to uid
}

// NewNames indexes the uids and titles of pages.
func NewNames(pages iter.Seq2[string, string]) *Names {
	n := &Names{titles: map[string]string{}, uids: map[string]string{}}
	for uid, title := range pages {
		n.titles[uid], n.uids[title] = title, uid
	}
	return n
}

// Resolve returns the uid of the page with a name, or the titles that it may have meant.
func (n *Names) Resolve(name string, now time.Time, slugs bool) (uid string, candidates []string) {
	if _, ok := n.titles[name]; ok {
		return name, nil
	}
	return n.uids[name], nil
}
