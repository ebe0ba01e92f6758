package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// Here is how writes to blocks are looked for; see look. A Datalog query shows what is
// stored, and when it was changed; where Roam does not answer queries, what
// its reads show has to do, and less can be known.

// rows runs a query.
func (c *call) rows(ctx context.Context, query string, inputs ...any) (rows [][]any, err error) {
	result, err := c.read(ctx, "q", append([]any{query}, inputs...)...)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(result, &rows); err != nil {
		return nil, &problem.Error{Code: localapi.CodeInvalidReply, Call: &problem.Call{Action: "q"}, Message: "Roam's answer to a query is no list of rows.", Err: err}
	}
	return rows, nil
}

// readBlocks are the blocks of a getPage or getBlock reply; none for a miss.
func (s *Server) readBlocks(result json.RawMessage) []block {
	var markdown string
	if json.Unmarshal(rawjson.Parse(result).Get("markdown"), &markdown) != nil {
		return nil
	}
	return s.tags.blocks(markdown)
}

// readTree reads what a uid names, block or page.
func (c *call) readTree(ctx context.Context, uid string, depth int) ([]block, error) {
	for _, action := range []string{"data.ai.getBlock", "data.ai.getPage"} {
		result, err := c.read(ctx, action, map[string]any{"uid": uid, "maxDepth": depth})
		if err != nil {
			return nil, err
		}
		if blocks := c.server.readBlocks(result); len(blocks) > 0 {
			return blocks, nil
		}
	}
	return nil, nil
}

// createdSince asks for the uids and texts of the blocks created in a target
// since the write was sent. where binds ?p to it.
func (c *call) createdSince(ctx context.Context, where, target string, since int64) ([][]any, error) {
	return c.rows(ctx, `[:find ?u ?s :in $ ?target ?since :where `+where+
		` [?e :block/parents ?p] [?e :block/string ?s] [?e :create/time ?t] [(>= ?t ?since)] [?e :block/uid ?u]]`, target, since)
}

// lookForBlocks looks for the blocks of a markdown text at a location, as the
// write was sent.
func (c *call) lookForBlocks(location map[string]any, markdown string) look {
	return func(ctx context.Context, since int64) (applied, string) {
		where, target := targetClause(location)
		rows, err := c.createdSince(ctx, where, target, since)
		switch {
		case err == nil:
			return c.server.judgeRows(rows, markdown)
		case !unanswerable(err):
			return appliedUnknown, cantLook(err)
		}
		return c.readForBlocks(ctx, location, firstLine(markdown))
	}
}

// targetClause binds ?p to the target of a location.
func targetClause(location map[string]any) (where, target string) {
	switch title := location["page-title"].(type) {
	case string:
		return `[?p :node/title ?target]`, title
	case map[string]any:
		day, _ := title["daily-note-page"].(string)
		return `[?p :block/uid ?target]`, day // MM-DD-YYYY is a daily note's uid too
	}
	uid, _ := location["parent-uid"].(string)
	return `[?p :block/uid ?target]`, uid
}

// readForBlocks is lookForBlocks without queries: it can't tell what was there
// before.
func (c *call) readForBlocks(ctx context.Context, location map[string]any, wanted string) (applied, string) {
	blocks, err := c.readTarget(ctx, location)
	if err != nil {
		return appliedUnknown, cantLook(err)
	}
	for _, b := range blocks {
		if b.text(c.server.marks) == wanted {
			return appliedUnknown, fmt.Sprintf("A block with this text is there (uid %s), but it may have been there before.", quote(b.uid))
		}
	}
	if len(blocks) == 0 && location["parent-uid"] != nil || !plain(wanted) {
		return appliedUnknown, "No block with exactly this text was found at the target."
	}
	return appliedNo, "No block with this text is at the target."
}

func (c *call) readTarget(ctx context.Context, location map[string]any) ([]block, error) {
	depth := 1
	if location["nest-under-str"] != nil {
		depth = 2
	}
	_, target := targetClause(location)
	if _, byTitle := location["page-title"].(string); byTitle {
		result, err := c.read(ctx, "data.ai.getPage", map[string]any{"title": target, "maxDepth": depth})
		return c.server.readBlocks(result), err
	}
	return c.readTree(ctx, target, depth)
}

// isSince reads a time out of a row.
func isSince(row []any, at int, since int64) bool {
	time, ok := row[at].(float64)
	return ok && int64(time) >= since
}

// lookForUpdate looks for a change of a block, in Roam's own keys.
func (c *call) lookForUpdate(change map[string]any) look {
	return func(ctx context.Context, since int64) (applied, string) {
		rows, err := c.rows(ctx, `[:find ?s ?h ?o ?a ?v ?t :in $ ?uid :where [?e :block/uid ?uid]
			[(get-else $ ?e :block/string "") ?s] [(get-else $ ?e :block/heading 0) ?h] [(get-else $ ?e :block/open true) ?o]
			[(get-else $ ?e :block/text-align "left") ?a] [(get-else $ ?e :children/view-type "bullet") ?v] [(get-else $ ?e :edit/time 0) ?t]]`, change["uid"])
		if err != nil && unanswerable(err) {
			return c.readForUpdate(ctx, change)
		}
		return judgeChange("block", rows, err, since, change, "string", "heading", "open", "text-align", "children-view-type")
	}
}

// judgeChange decides from the values that a query found for keys, followed by
// the time of the last change.
func judgeChange(noun string, rows [][]any, err error, since int64, change map[string]any, keys ...string) (applied, string) {
	switch {
	case err != nil:
		return appliedUnknown, cantLook(err)
	case len(rows) == 0 || len(rows[0]) != len(keys)+1:
		return appliedUnknown, "The " + noun + " was not found."
	}
	as, edited := true, isSince(rows[0], len(keys), since)
	for i, key := range keys {
		if wanted, asked := change[key]; asked && stored(rows[0][i]) != stored(wanted) {
			as = false
		}
	}
	switch {
	case as && edited:
		return appliedYes, "The " + noun + " is as the call wanted it, and was changed since the call."
	case as:
		return appliedUnknown, "The " + noun + " is as the call wanted it, so there is nothing to do; it may have been so before."
	case edited:
		return appliedUnknown, "The " + noun + " was changed since the call, but is not as the call wanted it."
	}
	return appliedNo, "The " + noun + " was not changed since the call."
}

// stored is a value as it can be compared: keywords come with or without colon.
func stored(value any) string {
	return strings.TrimSpace(strings.TrimPrefix(fmt.Sprint(value), ":"))
}

// readForUpdate is lookForUpdate without queries.
func (c *call) readForUpdate(ctx context.Context, change map[string]any) (applied, string) {
	wanted, ok := change["string"].(string)
	if !ok || strings.Contains(wanted, "\n") {
		return appliedUnknown, "What was to change can't be seen in a read."
	}
	result, err := c.read(ctx, "data.ai.getBlock", map[string]any{"uid": change["uid"], "maxDepth": 0})
	if err != nil {
		return appliedUnknown, cantLook(err)
	}
	blocks := c.server.readBlocks(result)
	switch {
	case len(blocks) == 0:
		return appliedUnknown, "The block was not found."
	case blocks[0].text(c.server.marks) != strings.TrimSpace(wanted) && plain(wanted):
		return appliedNo, "The block has another text."
	case blocks[0].text(c.server.marks) == strings.TrimSpace(wanted) && len(change) == 2:
		return appliedYes, "The block has the new text."
	}
	return appliedUnknown, "What a read shows of the block does not tell."
}

// lookForDelete looks whether a thing is gone; existed says that it was seen
// right before the write.
func (c *call) lookForDelete(what deletable, uid string, existed bool) look {
	return func(ctx context.Context, _ int64) (applied, string) {
		rows, err := c.rows(ctx, `[:find ?u :in $ ?u :where [?e :block/uid ?u]]`, uid)
		there := len(rows) > 0
		if err != nil && unanswerable(err) {
			var result json.RawMessage
			result, err = c.read(ctx, what.readAction, map[string]any{"uid": uid, "maxDepth": 0})
			there = len(c.server.readBlocks(result)) > 0
		}
		switch {
		case err != nil:
			return appliedUnknown, cantLook(err)
		case there:
			return appliedNo, "The " + what.noun + " is still there."
		case existed:
			return appliedYes, "The " + what.noun + " was there before the call and is gone."
		}
		return appliedUnknown, "The " + what.noun + " could not be read before the call either."
	}
}

func (c *call) lookForMove(ctx context.Context, since int64) (applied, string) {
	rows, err := c.rows(ctx, `[:find ?p ?t :in $ ?uid :where [?e :block/uid ?uid] [?c :block/children ?e] [?c :block/uid ?p] [(get-else $ ?e :edit/time 0) ?t]]`, c.args.text("uid"))
	changed := false
	switch {
	case err != nil && !unanswerable(err):
		return appliedUnknown, cantLook(err)
	case err == nil && len(rows) == 0:
		return c.lookForPageMoved(ctx)
	case err == nil:
		changed = isSince(rows[0], 1, since)
		if rows[0][0] != c.args.text("parentUid") {
			if changed {
				return appliedUnknown, "The block is not below the new parent, but was changed since the call."
			}
			return appliedNo, "The block is not below the new parent."
		}
	}
	blocks, err := c.readTree(ctx, c.args.text("parentUid"), 1)
	if err != nil {
		return appliedUnknown, cantLook(err)
	}
	return c.judgePlace(blocks, changed)
}

// lookForPageMoved looks at what is below nothing: a page stays where it is.
func (c *call) lookForPageMoved(ctx context.Context) (applied, string) {
	rows, err := c.rows(ctx, `[:find ?n :in $ ?uid :where [?e :block/uid ?uid] [?e :node/title ?n]]`, c.args.text("uid"))
	switch {
	case err != nil:
		return appliedUnknown, cantLook(err)
	case len(rows) > 0:
		return appliedNo, "It is a page, which can't be moved."
	}
	return appliedUnknown, "The block was not found."
}

// judgePlace decides from the block's place below its new parent; changed says
// that it is there and was changed since the call.
func (c *call) judgePlace(blocks []block, changed bool) (applied, string) {
	children := childrenOf(blocks)
	for i, child := range children {
		if child.uid != c.args.text("uid") {
			continue
		}
		order := c.args.Arguments["order"]
		atPlace := order == "first" && i == 0 || order == "last" && i == len(children)-1 || order == i
		switch {
		case atPlace && changed:
			return appliedYes, "The block is at the place it was to move to."
		case atPlace:
			return appliedUnknown, "The block is at the place it was to move to, but may have been there before."
		}
		return appliedUnknown, "The block is below the new parent, but at another place."
	}
	switch {
	case len(blocks) == 0:
		return appliedUnknown, "The new parent was not found."
	case changed: // hidden from reads
		return appliedUnknown, "The block is below the new parent, but its place can't be read."
	}
	return appliedNo, "The block is not below the new parent."
}
