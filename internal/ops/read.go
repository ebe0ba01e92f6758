package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"roam-mcp/internal/rawjson"
)

const commentsAction = "data.ai.getComments"

// PageRef names a page or, where a read takes either, a block: by its UID where
// that is given.
type PageRef struct{ UID, Title string }

// request returns the reference as Roam takes it.
func (p PageRef) request() request {
	if p.UID != "" {
		return request{"uid": p.UID}
	}
	return request{"title": p.Title}
}

// existing returns a page or block that Roam has read, nil where there is none:
// Roam answers null, nothing, or an object without uid then. The first builds sent
// no uid at all, but markdown (LOCAL_API.md 9.10).
func existing(result json.RawMessage) rawjson.Object {
	object := rawjson.Parse(result)
	if uid, _ := object.Text("uid"); uid != "" {
		return object
	}
	if markdown, _ := object.Text("markdown"); strings.TrimSpace(markdown) != "" {
		return object
	}
	return nil
}

// UIDsOf returns the uids of the pages that have these titles, by title.
func (g Reads) UIDsOf(ctx context.Context, titles []string) (map[string]string, error) {
	pages, err := g.finds().titled(ctx, `[:find ?title ?uid :in $ [?title ...] :where [?page :node/title ?title] [?page :block/uid ?uid]]`, titles)
	uids := map[string]string{}
	for _, page := range pages {
		uids[page.Title] = page.UID
	}
	return uids, err
}

// ReadPage reads a page (LOCAL_API.md 2.1), nil where there is none. maxDepth is
// how many levels of blocks are read; nil: all.
func (g Reads) ReadPage(ctx context.Context, page PageRef, maxDepth *int) (rawjson.Object, error) {
	result, err := g.ask(ctx, Page.readAction(), with(page.request(), "maxDepth", maxDepth))
	return existing(result), err
}

// ReadBlock reads a block with its descendants and its path. It returns nil if there is
// no such block. maxDepth limits the levels below the block; nil means no limit.
func (g Reads) ReadBlock(ctx context.Context, uid string, maxDepth *int) (rawjson.Object, error) {
	result, err := g.ask(ctx, Block.readAction(), with(request{"uid": uid}, "maxDepth", maxDepth))
	return existing(result), err
}

// IsFolded reports whether a block is known to be folded.
func (g Reads) IsFolded(ctx context.Context, uid string) bool {
	var open *bool
	err := g.glance(ctx, &open, `[:find ?o . :in $ ?u :where [?b :block/uid ?u] [?b :block/open ?o]]`, uid)
	return err == nil && open != nil && !*open
}

// CountBelow returns how many blocks are below a page or block, without those that are hidden.
func (g Reads) CountBelow(ctx context.Context, uid string) (n int, err error) {
	err = g.glance(ctx, &n, `[:find (count ?b) . :in $ ?u :where [?p :block/uid ?u] [?b :block/parents ?p]
		(not-join [?b] [?t :node/title ".rm-hide"] [?b :block/refs ?t])
		(not-join [?b] [?t :node/title ".rm-private"] [?b :block/refs ?t])
		(not-join [?b] [?t :node/title ".rm-hide"] [?b :block/parents ?a] [?a :block/refs ?t])
		(not-join [?b] [?t :node/title ".rm-private"] [?b :block/parents ?a] [?a :block/refs ?t])]`, uid)
	return n, err
}

// Listing says which results of a question are wanted, and how. What is left out
// is as Roam has it.
type Listing struct {
	Offset, Limit *int
	Sort          string // created-date, edited-date or daily-note-date
	SortOrder     string // asc or desc
	IncludePath   *bool
	MaxDepth      *int // levels below each result
}

func (l Listing) into(r request) request {
	r.withText("sort", l.Sort).withText("sortOrder", l.SortOrder)
	with(with(with(r, "offset", l.Offset), "limit", l.Limit), "maxDepth", l.MaxDepth)
	return with(r, "includePath", l.IncludePath)
}

// Backlinks returns what links to a page or block (LOCAL_API.md 2.1): total and
// results, nil where Roam sends nothing. containing is a text that the linking
// block, its parents, its children or its page hold; empty: any.
func (g Reads) Backlinks(ctx context.Context, of PageRef, containing string, listing Listing) (rawjson.Object, error) {
	found, err := g.askObject(ctx, "data.ai.getBacklinks", listing.into(of.request().withText("search", containing)))
	if err != nil || found == nil {
		return found, err
	}
	return g.markThreads(ctx, found), nil
}

// Comments returns the comments on a block: total and comments, nil where Roam
// sends nothing. maxDepth is how many levels of each are read; nil: all.
func (g Reads) Comments(ctx context.Context, blockUID string, maxDepth *int) (rawjson.Object, error) {
	return g.askObject(ctx, commentsAction, with(request{"uid": blockUID}, "maxDepth", maxDepth))
}

// Search finds pages and blocks by words: total and results, nil where Roam sends
// nothing. scope is all, pages or blocks; the empty query finds what was used
// last. Roam does not sort the results as asked for.
func (g Reads) Search(ctx context.Context, query, scope string, listing Listing) (rawjson.Object, error) {
	return g.askObject(ctx, "data.ai.search", listing.into(request{"query": query, "scope": scope}))
}

// Templates finds the user's templates by their name: results, nil where Roam
// sends nothing. The empty query finds all.
func (g Reads) Templates(ctx context.Context, query string) (rawjson.Object, error) {
	result, err := g.ask(ctx, "data.ai.searchTemplates", request{}.withText("query", query))
	if err == nil && bytes.HasPrefix(bytes.TrimSpace(result), []byte("[")) { // builds of early 2026
		return rawjson.With("results", result), nil
	}
	return rawjson.Parse(result), err
}
