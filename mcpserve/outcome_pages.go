package mcpserve

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// Here is how writes to pages, shortcuts and comments are looked for; see look.

// lookForPage looks for a new page.
func (c *call) lookForPage(ctx context.Context, since int64) (applied, string) {
	title, markdown := c.args.text("title"), c.args.text("markdown")
	for _, written := range []string{title, strings.TrimSpace(title)} {
		pages, err := c.rows(ctx, `[:find ?u ?t :in $ ?target :where [?p :node/title ?target] [?p :block/uid ?u] [?p :create/time ?t]]`, written)
		switch {
		case err != nil && unanswerable(err):
			return c.readForPage(ctx, title)
		case err != nil:
			return appliedUnknown, cantLook(err)
		case len(pages) == 0:
			continue
		case !isSince(pages[0], 1, since):
			return appliedNo, "The page was there before the call."
		case c.args.text("uid") != "" && pages[0][0] != c.args.text("uid"):
			return appliedNo, "The page was created since the call, but with another uid."
		case strings.TrimSpace(markdown) == "":
			return appliedYes, "The page was created."
		}
		// A reference to a page makes it too: its blocks show which it was.
		blocks, err := c.createdSince(ctx, `[?p :node/title ?target]`, written, since)
		if err != nil {
			return appliedUnknown, cantLook(err)
		}
		if happened, _ := c.server.judgeRows(blocks, markdown); happened == appliedYes {
			return appliedYes, "The page was created, with its blocks."
		}
		return appliedUnknown, "The page was created since the call, but its blocks are not on it."
	}
	return appliedNo, "There is no page with this title."
}

// readForPage is lookForPage without queries.
func (c *call) readForPage(ctx context.Context, title string) (applied, string) {
	result, err := c.read(ctx, "data.ai.getPage", map[string]any{"title": title, "maxDepth": 0})
	switch {
	case err != nil:
		return appliedUnknown, cantLook(err)
	case string(found(result)) == string(notFound()):
		return appliedNo, "There is no page with this title."
	}
	return appliedUnknown, "A page with this title is there, but it may have been there before."
}

// lookForPageUpdate looks for a page's new title and view.
func (c *call) lookForPageUpdate(ctx context.Context, since int64) (applied, string) {
	rows, err := c.rows(ctx, `[:find ?n ?v ?t :in $ ?uid :where [?e :block/uid ?uid] [(get-else $ ?e :node/title "") ?n]
		[(get-else $ ?e :children/view-type "bullet") ?v] [(get-else $ ?e :edit/time 0) ?t]]`, c.args.text("uid"))
	if err != nil && unanswerable(err) {
		return c.readForPageUpdate(ctx)
	}
	change := c.args.pick(map[string]any{}, "title", "title", "childrenViewType", "children-view-type")
	return judgeChange("page", rows, err, since, change, "title", "children-view-type")
}

// readForPageUpdate is lookForPageUpdate without queries: the title is all of a
// page's look that a read shows.
func (c *call) readForPageUpdate(ctx context.Context) (applied, string) {
	wanted := c.args.text("title")
	if wanted == "" {
		return appliedUnknown, "What was to change can't be seen in a read."
	}
	result, err := c.read(ctx, "data.ai.getPage", map[string]any{"uid": c.args.text("uid"), "maxDepth": 0})
	if err != nil {
		return appliedUnknown, cantLook(err)
	}
	blocks := c.server.readBlocks(result)
	switch {
	case len(blocks) == 0:
		return appliedUnknown, "There is no page with this uid; it may have been merged."
	case strings.TrimPrefix(blocks[0].text(c.server.marks), "# ") == wanted && c.args.has("childrenViewType"):
		return appliedUnknown, "The page has this title, but how its blocks are listed can't be seen."
	case strings.TrimPrefix(blocks[0].text(c.server.marks), "# ") == wanted:
		return appliedYes, "The page has the new title."
	case plain(wanted):
		return appliedNo, "The page has another title."
	}
	return appliedUnknown, "The page's title as read is not exactly the new one."
}

// shortcuts are the uids of the pages in the left sidebar, in their order.
func (c *call) shortcuts(ctx context.Context) ([]string, error) {
	rows, err := c.rows(ctx, `[:find ?n ?u :where [?p :page/sidebar ?n] [?p :block/uid ?u]]`)
	if err != nil {
		return nil, err
	}
	places, uids := map[string]float64{}, []string{}
	for _, row := range rows {
		place, uid, ok := placeIn(row)
		if !ok {
			return nil, &problem.Error{Code: localapi.CodeInvalidReply, Call: &problem.Call{Action: "q"}, Message: "Roam's answer to a query is no list of shortcuts."}
		}
		places[uid] = place
		uids = append(uids, uid)
	}
	slices.SortFunc(uids, func(a, b string) int { return cmp.Compare(places[a], places[b]) })
	return uids, nil
}

// placeIn reads a place and a uid out of a row.
func placeIn(row []any) (place float64, uid string, ok bool) {
	if len(row) != 2 {
		return 0, "", false
	}
	place, isNumber := row[0].(float64)
	uid, isText := row[1].(string)
	return place, uid, isNumber && isText
}

func (c *call) lookForShortcut(ctx context.Context, _ int64) (applied, string) {
	list, err := c.shortcuts(ctx)
	if err != nil {
		return appliedUnknown, cantLook(err)
	}
	at := slices.Index(list, c.args.text("uid"))
	switch {
	case at < 0:
		return appliedNo, "The page is not among the shortcuts."
	case at == min(c.args.number("index", len(list)), len(list)-1):
		return appliedYes, "The page is among the shortcuts, at the place asked for."
	}
	return appliedUnknown, "The page is among the shortcuts, but at another place."
}

func (c *call) lookForNoShortcut(ctx context.Context, _ int64) (applied, string) {
	list, err := c.shortcuts(ctx)
	switch {
	case err != nil:
		return appliedUnknown, cantLook(err)
	case slices.Contains(list, c.args.text("uid")):
		return appliedNo, "The page is still among the shortcuts."
	}
	blocks, err := c.rows(ctx, `[:find ?s :in $ ?uid :where [?e :block/uid ?uid] [?e :block/string ?s]]`, c.args.text("uid"))
	switch {
	case err != nil:
		return appliedUnknown, cantLook(err)
	case len(blocks) > 0:
		return appliedNo, "It is a block, which is never among the shortcuts."
	}
	return appliedYes, "The page is not among the shortcuts."
}

// lookForComment looks for what was written since with this text, and whether
// it is among the comments on the block. Where Roam does not answer the first,
// the text counts, and that its comment was edited since: what is said on one
// day goes into one comment.
func (c *call) lookForComment(ctx context.Context, since int64) (applied, string) {
	wanted := c.args.text("comment")
	if wanted == "" {
		wanted = firstLine(c.args.text("commentMarkdown"))
	}
	rows, err := c.rows(ctx, `[:find ?u ?s :in $ ?s ?since :where [?e :block/string ?s] [?e :create/time ?t] [(>= ?t ?since)] [?e :block/uid ?u]]`, wanted, since)
	if err != nil && !unanswerable(err) {
		return appliedUnknown, cantLook(err)
	}
	asked := err == nil
	if asked && len(rows) == 0 && (c.args.has("comment") || plain(wanted)) {
		return appliedNo, "Nothing with this text was written since the call."
	}
	result, err := c.read(ctx, "data.ai.getComments", map[string]any{"uid": c.args.text("blockUid")})
	if err != nil {
		return appliedUnknown, cantLook(err)
	}
	comments := rawjson.Parse(result).Get("comments")
	if comments == nil {
		return appliedUnknown, "Roam's list of comments can't be read."
	}
	there := false
	for _, each := range rawjson.Elements(comments) {
		if !c.says(each, wanted) {
			continue
		}
		there = true
		if asked && c.holds(each, rows) || !asked && changedSince(each, since) {
			return appliedYes, "A comment with this text was written since the call."
		}
	}
	switch {
	case there:
		return appliedUnknown, "A comment with this text is there, but it may have been there before."
	case !asked && plain(wanted):
		return appliedNo, "The block has no comment with this text."
	}
	return appliedUnknown, "The block has no comment with exactly this text."
}

// says reports whether one of the blocks of a comment has a text.
func (c *call) says(comment json.RawMessage, wanted string) bool {
	for _, b := range c.server.readBlocks(comment) {
		if b.text(c.server.marks) == strings.TrimSpace(wanted) {
			return true
		}
	}
	return false
}

// holds reports whether one of the blocks of a comment is in the rows of
// createdSince.
func (c *call) holds(comment json.RawMessage, rows [][]any) bool {
	for _, b := range c.server.readBlocks(comment) {
		if slices.ContainsFunc(rows, func(row []any) bool { return len(row) > 0 && row[0] == b.uid }) {
			return true
		}
	}
	return false
}

func changedSince(comment json.RawMessage, since int64) bool {
	object := rawjson.Parse(comment)
	for _, key := range []string{"editedTime", "createdTime"} {
		var text string
		if json.Unmarshal(object.Get(key), &text) != nil {
			continue
		}
		if at, err := time.Parse(time.RFC3339, text); err == nil && at.UnixMilli() >= since {
			return true
		}
	}
	return false
}
