package mirror

import (
	"strings"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/note"
)

// page is what is known of one page. What Views use of it never changes.
type page struct {
	e          graphdb.EID
	uid, title string
	fold       string    // of the title, for node order
	kind       note.Kind // by the title alone: never note.Word
	exists     bool      // has a visible block
	facts      facts

	// For the store alone.
	edited int64         // the greatest time known of it, in ms since 1970
	direct int32         // number of direct children
	found  []graphdb.EID // Links: its blocks that store.where has
}

// facts are what the visible blocks of a page say.
type facts struct {
	mentions         []mention
	named            []string // titles that are mentioned by Tags:: lines, which make no edge
	words            []string // titles that are mentioned as names of components and attributes
	declared, inline []string // tags
}

// mention is one block's mention of a page, by title, or of a block.
type mention struct {
	block int32 // which block of the page mentions it, by any number
	title string
	e     graphdb.EID // of the block that is mentioned; 0: title is
}

func newPage(e graphdb.EID, uid, title string) *page {
	return &page{e: e, uid: uid, title: title, fold: strings.ToLower(title), kind: note.KindOfTitle(title)}
}
