package mirror

import (
	"context"
	"iter"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/linkgraph"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/search"
)

// Page is a page of a View.
type Page struct {
	UID, Title string
	Kind       note.Kind
	Exists     bool // has a visible block
}

// View is a graph as it was at one time. It never changes, and is safe for concurrent
// use.
//
// Nodes are the pages of kind note.Plain and note.Daily. They are numbered from 0 in node
// order: by title without regard to case, then by uid.
type View struct {
	asOf    time.Time
	derived *derived
	db      *graphdb.DB // nil below Texts
	meaning *meaning
	log     changeLog
	notices func(uid string) []string
	kept    *kept
}

// AsOf returns the time at which Roam was asked last.
func (v *View) AsOf() time.Time { return v.asOf }

// Links returns the links between nodes.
func (v *View) Links() *linkgraph.Graph { return v.derived.links() }

// NodeOf returns the node of a page by its uid; false if there is none.
func (v *View) NodeOf(uid string) (int32, bool) {
	return v.derived.nodeOf(uid)
}

// PageAt returns the page of a node.
func (v *View) PageAt(node int32) Page {
	o := v.derived.nodes()
	return o.page(o.list[node])
}

// Page returns a page of any kind by its uid.
func (v *View) Page(uid string) (Page, bool) {
	if at, ok := v.derived.order().of[uid]; ok {
		return v.derived.nodes().page(v.derived.pages[v.derived.order().pages[at]]), true
	}
	return Page{}, false
}

// Pages lists the pages of all kinds, in node order.
func (v *View) Pages() iter.Seq[Page] {
	return func(yield func(Page) bool) {
		o := v.derived.nodes()
		for p := range v.derived.sorted() {
			if !yield(o.page(p)) {
				return
			}
		}
	}
}

// Names finds pages by name.
func (v *View) Names() *note.Names { return v.derived.names() }

// Tags lists the titles of the tags of nodes in order of their keys, with the number of
// nodes that have each.
func (v *View) Tags() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, t := range v.derived.tags().list {
			if !yield(t.title, len(t.pages)) {
				return
			}
		}
	}
}

// Tagged returns the nodes that have a tag, in node order.
func (v *View) Tagged(key string) []Page {
	t := v.derived.tags().byKey[key]
	if t == nil {
		return nil
	}
	o := v.derived.nodes()
	found := make([]Page, len(t.pages))
	for i, p := range t.pages {
		found[i] = o.page(p)
	}
	return found
}

// TagTitle returns the title of the first page in node order whose title has the key of a
// tag; false if there is none.
func (v *View) TagTitle(key string) (string, bool) {
	title, ok := v.derived.titles()[key]
	return title, ok
}

// DB returns all blocks as a snapshot, with the entity ids of Roam; nil for Links.
func (v *View) DB() *graphdb.DB { return v.db }

// Note returns a page or a block with all that is below it, hidden blocks included; false
// if there is none, and for Links.
func (v *View) Note(uid string) (note.Node, bool) {
	if v.db == nil {
		return note.Node{}, false
	}
	e := outline.ByUID(v.db, uid)
	if e == 0 {
		return note.Node{}, false
	}
	return note.FromDB(v.db, e)
}

// Search returns the pages and blocks that are nearest to a text in meaning, best first
// (package search); of a graph with more than 200,000 blocks the pages alone; nothing for
// Links.
func (v *View) Search(ctx context.Context, text string, scope outline.Scope, limit int) ([]search.MeaningResult, error) {
	if v.db == nil {
		return nil, nil
	}
	v.meaning.used.Store(true)
	return v.meaning.SearchScored(ctx, v.db, search.MeaningQuery{Text: text, Scope: scope, Limit: limit})
}

// Notices returns what refreshes have noticed of a page since it was asked for the last
// time: sentences such as that it was renamed. Each is told once.
func (v *View) Notices(uid string) []string {
	if v.notices == nil {
		return nil
	}
	return v.notices(uid)
}
