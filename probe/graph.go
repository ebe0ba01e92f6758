package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// create makes a block at the end of its parent and returns its uid, which is another one
// than it was given where Roam does not honour that.
func (r *run) create(ctx context.Context, parent, text string) (string, error) {
	if r.uids == notHonoured {
		return r.createAnyhow(ctx, parent, text)
	}
	uid, err := r.uid()
	if err != nil {
		return "", err
	}
	_, err = r.write(ctx, "data.block.create", object{"location": at(parent, "last"), "block": object{"uid": uid, "string": text}})
	if r.uids == honoured || err != nil && !refused(err) {
		return uid, err
	}
	if err != nil { // it may be the uid that is refused
		r.uids = notHonoured
		return r.createAnyhow(ctx, parent, text)
	}
	there, err := r.adopt(ctx, parent, text, uid)
	if err == nil {
		r.uids = honoured
	}
	if there != uid {
		r.uids = notHonoured
	}
	return there, err
}

// createAnyhow makes a block in the way that tells the uid which Roam gives it.
func (r *run) createAnyhow(ctx context.Context, parent, text string) (string, error) {
	result, err := r.write(ctx, "data.block.fromMarkdown", object{"location": at(parent, "last"), "markdown-string": "- " + text})
	if err != nil {
		return "", err
	}
	var made struct{ UIDs []string }
	if json.Unmarshal(result, &made) != nil || len(made.UIDs) != 1 {
		return "", errUnclear
	}
	return made.UIDs[0], r.made.add(made.UIDs, nil)
}

// adopt returns the uid of a new block below a parent: the one that it was given, or the
// one that Roam made up.
func (r *run) adopt(ctx context.Context, parent, text, uid string) (string, error) {
	blocks, err := r.children(ctx, parent)
	if err != nil || slices.ContainsFunc(blocks, func(b block) bool { return b.uid == uid }) {
		return uid, err
	}
	for _, b := range blocks {
		if b.text == text && !r.made.has(b.uid) {
			return b.uid, r.made.add([]string{b.uid}, nil)
		}
	}
	return "", errUnclear
}

// newPage makes a page and returns its uid.
func (r *run) newPage(ctx context.Context, name string) (string, error) {
	title := r.title(name)
	uid, err := r.uid()
	if err == nil {
		err = r.made.add(nil, []string{title})
	}
	if err == nil {
		_, err = r.write(ctx, "data.page.create", object{"page": object{"title": title, "uid": uid}})
	}
	if err != nil {
		return "", err
	}
	pages, err := r.pagesTitled(ctx, title)
	if err != nil || len(pages) == 0 {
		return "", errors.Join(err, errUnclear)
	}
	return pages[0].uid, r.made.add([]string{pages[0].uid}, nil)
}

// block is a block, or a page with its title, as it is in the graph.
type block struct {
	uid, text string
	order     int
}

// pagesTitled returns the pages that have one of the titles.
func (r *run) pagesTitled(ctx context.Context, titles ...string) ([]block, error) {
	return r.blocks(ctx, `[:find ?u ?t :where `+either(`[?p :node/title %s]`, titles)+` [?p :node/title ?t] [?p :block/uid ?u]]`)
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
func (r *run) children(ctx context.Context, parent string) ([]block, error) {
	return r.blocks(ctx, `[:find ?u ?s ?o :where [?p :block/uid `+quote(parent)+`] [?p :block/children ?b] [?b :block/uid ?u] [?b :block/string ?s] [?b :block/order ?o]]`)
}

// below returns all blocks below a page or a block.
func (r *run) below(ctx context.Context, parent string) ([]block, error) {
	return r.blocks(ctx, `[:find ?u ?s :where [?p :block/uid `+quote(parent)+`] [?b :block/parents ?p] [?b :block/uid ?u] [?b :block/string ?s]]`)
}

// blocks asks a query for uids and texts, and orders where there are some.
func (r *run) blocks(ctx context.Context, query string) ([]block, error) {
	rows, err := r.rows(ctx, query)
	if err != nil {
		return nil, err
	}
	blocks := make([]block, 0, len(rows))
	for _, row := range rows {
		var b block
		if len(row) < 2 || json.Unmarshal(row[0], &b.uid) != nil || json.Unmarshal(row[1], &b.text) != nil ||
			len(row) > 2 && json.Unmarshal(row[2], &b.order) != nil {
			return nil, errUnclear
		}
		blocks = append(blocks, b)
	}
	slices.SortFunc(blocks, func(a, b block) int { return cmp.Or(a.order-b.order, strings.Compare(a.uid, b.uid)) })
	return blocks, nil
}

// textOf returns the text of a block.
func (r *run) textOf(ctx context.Context, uid string) (string, error) {
	found, err := r.blocks(ctx, `[:find ?u ?s :where [?b :block/uid `+quote(uid)+`] [?b :block/uid ?u] [?b :block/string ?s]]`)
	if err != nil || len(found) == 0 {
		return "", errors.Join(err, errUnclear)
	}
	return found[0].text, nil
}

// queryActions are those that answer queries, the usual one first.
func queryActions() []string {
	return []string{"data.q", "q", "data.async.q", "data.fast.q", "data.backend.q"}
}

// rows asks a query for scalars, which all actions answer alike, with the first action that
// Roam has.
func (r *run) rows(ctx context.Context, query string) ([][]json.RawMessage, error) {
	result, err := r.inquire(ctx, query)
	if err != nil {
		return nil, err
	}
	var rows [][]json.RawMessage
	if err := json.Unmarshal(result, &rows); err != nil {
		return nil, errUnclear
	}
	return rows, nil
}

// inquire asks a query with its inputs.
func (r *run) inquire(ctx context.Context, query string, inputs ...any) (json.RawMessage, error) {
	args := append([]any{query}, inputs...)
	if r.query != "" {
		return r.read(ctx, r.query, args...)
	}
	var result json.RawMessage
	var err error
	for _, action := range queryActions() {
		if result, err = r.read(ctx, action, args...); !lacks(err) {
			r.query = action
			return result, err
		}
	}
	return result, err
}

// quote returns a text as it stands in a query.
func quote(text string) string { return strconv.Quote(text) }
