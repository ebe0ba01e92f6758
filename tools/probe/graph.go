package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/internal/graph/outline"
)

// object is an argument.
type object = map[string]any

// block is a block, or a page with its title, as it is in the graph.
type block struct {
	uid, text string
	order     int
}

// fresh returns a uid that is on the list and given to nothing yet.
func (a *asking) fresh() string {
	const atOnce = 64
	if a.err != nil {
		return ""
	}
	if len(a.pool) == 0 {
		for range atOnce {
			uid, err := outline.NewUID(rand.Reader)
			a.fail(err)
			a.pool = append(a.pool, uid)
		}
		a.list(a.pool, nil)
	}
	uid := a.pool[0]
	a.pool = a.pool[1:]
	return uid
}

func (a *asking) newPage(ctx context.Context, name string) string {
	a.list(nil, []string{a.title(name)})
	a.do(ctx, "data.page.create", object{"page": object{"title": a.title(name), "uid": a.fresh()}})
	pages := a.pagesTitled(ctx, []string{a.title(name)})
	if len(pages) == 0 {
		a.fail(errUnclear)
		return ""
	}
	a.list([]string{pages[0].uid}, nil)
	return pages[0].uid
}

// make makes a block at the end of its parent and returns its uid. Where Roam does not
// honour uids it makes it in the way that tells the one which Roam gives it.
func (a *asking) make(ctx context.Context, parent, text string) string {
	if a.honours {
		uid := a.fresh()
		a.do(ctx, "data.block.create", object{"location": at(parent, "last"), "block": object{"uid": uid, "string": text}})
		return uid
	}
	result := a.do(ctx, "data.block.fromMarkdown", object{"location": at(parent, "last"), "markdown-string": "- " + text})
	var made struct{ UIDs []string }
	if json.Unmarshal(result, &made) != nil || len(made.UIDs) != 1 {
		a.fail(errUnclear)
		return ""
	}
	a.list(made.UIDs, nil)
	return made.UIDs[0]
}

// at is a place below a block.
func at(parent string, order any) object { return object{"parent-uid": parent, "order": order} }

// part is a block with one further key.
func part(uid, key string, value any) object { return object{"block": object{"uid": uid, key: value}} }

func (a *asking) update(ctx context.Context, uid, text string) {
	a.do(ctx, "data.block.update", part(uid, "string", text))
}

func (a *asking) delete(ctx context.Context, uid string) {
	a.do(ctx, "data.block.delete", object{"block": object{"uid": uid}})
}

func (a *asking) move(ctx context.Context, uid string, to object) (taken bool) {
	_, taken = a.try(ctx, "data.block.move", object{"location": to, "block": object{"uid": uid}})
	return taken
}

func (a *asking) createAs(ctx context.Context, parent, uid, text string) (taken bool) {
	_, taken = a.try(ctx, "data.block.create", object{"location": at(parent, "last"), "block": object{"uid": uid, "string": text}})
	return taken
}

// pagesTitled returns the pages that have one of the titles.
func (a *asking) pagesTitled(ctx context.Context, titles []string) []block {
	return a.blocks(ctx, "?u ?t", either(`[?p :node/title %s]`, titles)+` [?p :node/title ?t] [?p :block/uid ?u]`)
}

// either returns a clause that is true where a pattern is so with one of the values.
func either(pattern string, values []string) string {
	var clauses strings.Builder
	for _, value := range values {
		fmt.Fprintf(&clauses, pattern+" ", quote(value))
	}
	return "(or " + clauses.String() + ")"
}

// children returns the blocks below a page or a block, in their order.
func (a *asking) children(ctx context.Context, parent string) []block {
	return a.blocks(ctx, "?u ?s ?o", `[?p :block/uid `+quote(parent)+`] [?p :block/children ?b] [?b :block/uid ?u] [?b :block/string ?s] [?b :block/order ?o]`)
}

// below returns all blocks below a page or a block.
func (a *asking) below(ctx context.Context, parent string) []block {
	return a.find(ctx, `[?p :block/uid `+quote(parent)+`] [?b :block/parents ?p]`)
}

func (a *asking) text(ctx context.Context, uid string) string {
	found := a.find(ctx, `[?b :block/uid `+quote(uid)+`]`)
	if len(found) == 0 {
		a.fail(errUnclear)
		return ""
	}
	return found[0].text
}

// find returns the blocks ?b of which clauses are true.
func (a *asking) find(ctx context.Context, where string) []block {
	return a.blocks(ctx, "?u ?s", where+` [?b :block/uid ?u] [?b :block/string ?s]`)
}

// blocks asks for uids and texts, and orders where those are found, too.
func (a *asking) blocks(ctx context.Context, find, where string) (blocks []block) {
	for _, row := range a.rows(ctx, find, where) {
		var b block
		if json.Unmarshal(row[0], &b.uid) != nil || json.Unmarshal(row[1], &b.text) != nil || len(row) > 2 && json.Unmarshal(row[2], &b.order) != nil {
			a.fail(errUnclear)
			return nil
		}
		blocks = append(blocks, b)
	}
	slices.SortFunc(blocks, func(a, b block) int { return cmp.Or(a.order-b.order, strings.Compare(a.uid, b.uid)) })
	return blocks
}

// rows asks a query for variables that are scalars, which all actions answer alike, with the
// first action that Roam has.
func (a *asking) rows(ctx context.Context, find, where string) (rows [][]json.RawMessage) {
	query := "[:find " + find + " :where " + where + "]"
	if a.query == "" && a.err == nil {
		for _, a.query = range []string{"data.q", "q", "data.async.q", "data.fast.q", "data.backend.q"} {
			if _, err := a.send(ctx, a.query, query); !lacks(err) {
				break
			}
		}
	}
	result := a.do(ctx, a.query, query)
	short := func(row []json.RawMessage) bool { return len(row) != len(strings.Fields(find)) }
	if json.Unmarshal(result, &rows) != nil || slices.ContainsFunc(rows, short) {
		a.fail(errUnclear)
		return nil
	}
	return rows
}

// quote returns a text as it stands in a query.
func quote(text string) string { return strconv.Quote(text) }

// unquoted returns a text of a reply; empty where it is none.
func unquoted(value json.RawMessage) (text string) {
	_ = json.Unmarshal(value, &text) // it stays empty
	return text
}

// number returns a whole number of a reply; -1 where it is none.
func number(value json.RawMessage) int {
	n := -1
	_ = json.Unmarshal(value, &n) // it stays -1
	return n
}
