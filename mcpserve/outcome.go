package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"roam-mcp/localapi"
)

const (
	lookTimeout = 5 * time.Second
	// A write may still be on its way when it is looked for the first time.
	lookAgain = 300 * time.Millisecond
)

// look finds out whether a write happened whose reply was lost: true or false
// only where that is known, with a sentence on how. since is when the write was
// sent, in milliseconds of this machine's clock, which is Roam's clock too.
type look func(ctx context.Context, since int64) (applied, string)

// write runs an action that changes the graph. It is sent once. Where the reply
// is lost the graph is looked at, and the error says what was found.
func (c *call) write(ctx context.Context, action string, args map[string]any, find look) (json.RawMessage, error) {
	since := c.server.now().UnixMilli()
	stop := c.reportWaiting(ctx)
	reply, err := c.server.options.Roam.Call(ctx, c.target.entry.Graph(), c.target.entry.Token, action, args)
	stop()
	if err == nil {
		return reply.Result, nil
	}
	var roam *localapi.Error
	if !errors.As(err, &roam) || !mayHaveHappened(roam) {
		return nil, c.explain(ctx, err)
	}
	happened, evidence := c.investigate(ctx, since, find)
	f := failureOfRoam(roam)
	unknown := &failure{
		Code:       CodeOutcomeUnknown,
		Message:    "The write was sent, but its reply was lost. " + f.Message,
		Applied:    &happened,
		Evidence:   evidence,
		HTTPStatus: f.HTTPStatus,
		Action:     f.Action,
		err:        err,
	}
	switch happened {
	case appliedYes:
		unknown.Hint = "It was done. Do not send it again."
		return nil, unknown.retryable(false)
	case appliedNo:
		unknown.Hint = "It was not done. It can be sent again."
		return nil, unknown.retryable(true)
	}
	unknown.Hint = "Read the place in the graph before sending it again."
	return nil, unknown.retryable(false)
}

// mayHaveHappened reports whether a failed call may have been carried out: it
// was sent, and what came back, if anything, is not Roam's word on it.
func mayHaveHappened(e *localapi.Error) bool {
	if !e.Sent {
		return false
	}
	switch e.Status {
	case 0, 502, 503, 504:
		return true
	}
	return e.Code == localapi.CodeInvalidReply || e.Code == localapi.CodeWindowClosed
}

// investigate looks twice before it says that a write did not happen.
func (c *call) investigate(ctx context.Context, since int64, find look) (applied, string) {
	if ctx.Err() != nil {
		return appliedUnknown, "The call was cancelled after it was sent, so nobody looked."
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	happened, evidence := find(ctx, since)
	if happened != appliedNo {
		return happened, evidence
	}
	select {
	case <-ctx.Done():
		return appliedUnknown, cantLook(ctx.Err())
	case <-time.After(lookAgain):
	}
	return find(ctx, since)
}

func cantLook(err error) string {
	return "It can't be looked at now: " + failureOf(err).Message
}

// read runs a read for a look; it does not touch the token's status.
func (c *call) read(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	reply, err := c.server.options.Roam.Call(ctx, c.target.entry.Graph(), c.target.entry.Token, action, args...)
	return reply.Result, err
}

// readBlocks are the blocks of a getPage or getBlock reply; none for a miss.
func (s *Server) readBlocks(result json.RawMessage) []block {
	var markdown string
	if json.Unmarshal(get(members(result), "markdown"), &markdown) != nil {
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

// createdSince asks for the texts created in a target since the write was sent.
// ok is false where Roam does not answer that.
func (c *call) createdSince(ctx context.Context, where, target string, since int64) (rows [][]any, ok bool) {
	query := `[:find ?u ?s :in $ ?target ?since :where ` + where + ` [?e :create/time ?t] [(>= ?t ?since)] [?e :block/uid ?u]]`
	result, err := c.read(ctx, "q", query, target, since)
	if err != nil || json.Unmarshal(result, &rows) != nil {
		return nil, false
	}
	return rows, true
}

func (c *call) lookForBlocks(ctx context.Context, since int64) (applied, string) {
	wanted := firstLine(c.args.text("markdown"))
	where, target := c.targetClause()
	if rows, ok := c.createdSince(ctx, where+` [?e :block/parents ?p] [?e :block/string ?s]`, target, since); ok {
		return judgeRows(rows, wanted)
	}
	blocks, err := c.readTarget(ctx)
	if err != nil {
		return appliedUnknown, cantLook(err)
	}
	for _, b := range blocks {
		if b.text(c.server.marks) == wanted {
			return appliedUnknown, fmt.Sprintf("A block with this text is there (uid %s), but it may have been there before.", quote(b.uid))
		}
	}
	if len(blocks) == 0 && c.args.text("parentUid") != "" || !plain(wanted) {
		return appliedUnknown, "No block with exactly this text was found at the target."
	}
	return appliedNo, "No block with this text is at the target."
}

// judgeRows decides from what was created in the target since the write was
// sent; a row is a uid and a text.
func judgeRows(rows [][]any, wanted string) (applied, string) {
	if len(rows) == 0 {
		return appliedNo, "Nothing was created at the target since the call."
	}
	for _, row := range rows {
		if len(row) == 2 && row[1] == wanted {
			return appliedYes, fmt.Sprintf("The block was created (uid %s).", quote(fmt.Sprint(row[0])))
		}
	}
	return appliedUnknown, fmt.Sprintf("%d blocks were created at the target since the call, none with exactly this text.", len(rows))
}

// targetClause finds the target of create_block in a query.
func (c *call) targetClause() (where, target string) {
	if uid := c.args.text("parentUid"); uid != "" {
		return `[?p :block/uid ?target]`, uid
	}
	if title := c.args.text("pageTitle"); title != "" {
		return `[?p :node/title ?target]`, title
	}
	date, _ := parseDay(c.args.text("dailyNotePage"), c.server.now()) // checked before it was sent
	return `[?p :block/uid ?target]`, date
}

func (c *call) readTarget(ctx context.Context) ([]block, error) {
	depth := 1
	if c.args.text("nestUnder") != "" {
		depth = 2
	}
	if title := c.args.text("pageTitle"); title != "" {
		result, err := c.read(ctx, "data.ai.getPage", map[string]any{"title": title, "maxDepth": depth})
		return c.server.readBlocks(result), err
	}
	_, uid := c.targetClause()
	return c.readTree(ctx, uid, depth)
}

func (c *call) lookForPage(ctx context.Context, since int64) (applied, string) {
	title := c.args.text("title")
	result, err := c.read(ctx, "data.ai.getPage", map[string]any{"title": title, "maxDepth": 0})
	if err != nil {
		return appliedUnknown, cantLook(err)
	}
	if string(found(result)) == string(notFound()) {
		return appliedNo, "There is no page with this title."
	}
	if rows, ok := c.createdSince(ctx, `[?e :node/title ?target] [?e :node/title ?s]`, title, since); ok {
		if len(rows) > 0 {
			return appliedYes, "The page was created."
		}
		return appliedNo, "The page was there before the call."
	}
	return appliedUnknown, "A page with this title is there, but it may have been there before."
}

func (c *call) lookForUpdate(ctx context.Context, change map[string]any) (applied, string) {
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
	case blocks[0].text(c.server.marks) == strings.TrimSpace(wanted):
		return appliedYes, "The block has the new text."
	case plain(wanted):
		return appliedNo, "The block has another text."
	}
	return appliedUnknown, "The block's text as read is not exactly the new one."
}

func (c *call) lookForDelete(ctx context.Context, uid string, existed bool) (applied, string) {
	result, err := c.read(ctx, "data.ai.getBlock", map[string]any{"uid": uid, "maxDepth": 0})
	switch {
	case err != nil:
		return appliedUnknown, cantLook(err)
	case len(c.server.readBlocks(result)) > 0:
		return appliedNo, "The block is still there."
	case existed:
		return appliedYes, "The block was there before the call and is gone."
	}
	return appliedUnknown, "The block could not be read before the call either."
}

func (c *call) lookForMove(ctx context.Context, _ int64) (applied, string) {
	blocks, err := c.readTree(ctx, c.args.text("parentUid"), 1)
	if err != nil {
		return appliedUnknown, cantLook(err)
	}
	if len(blocks) == 0 {
		return appliedUnknown, "The new parent was not found."
	}
	children := childrenOf(blocks)
	for i, child := range children {
		if child.uid != c.args.text("uid") {
			continue
		}
		order := c.args["order"]
		if order == "first" && i == 0 || order == "last" && i == len(children)-1 || order == i {
			return appliedYes, "The block is at the place it was to move to."
		}
		return appliedUnknown, "The block is below the new parent, but at another place."
	}
	return appliedNo, "The block is not below the new parent."
}

// notDeleted reads Roam's report on a delete (LOCAL_API.md 3.6). Old builds
// send none, and are believed.
func notDeleted(uid string, result json.RawMessage) *failure {
	object := members(result)
	if string(get(object, "deleted")) != "false" {
		return nil
	}
	f := &failure{Code: localapi.CodeNotFound, Action: "data.block.delete", UID: uid}
	reason, isText := "", true
	if raw := get(object, "reason"); raw != nil && string(raw) != "null" {
		isText = json.Unmarshal(raw, &reason) == nil
	}
	if isText && (reason == "" || reason == "not-found") {
		f.Message = fmt.Sprintf("There is no block %s, so nothing was deleted.", quote(uid))
		f.Hint = "It may be gone already, with a block above it or by an earlier call. Do not try again; where it should exist, find it with search."
		return f.retryable(false)
	}
	told := "a reason that is not a text"
	if isText {
		told = quote(reason)
	}
	f.Message = fmt.Sprintf("Roam did not delete the block %s; it gives as reason %s.", quote(uid), told)
	f.Hint = "Do not assume that it is gone: read it again."
	f.SuggestedNextTool = "get_block"
	return f.retryable(false)
}

// firstLine is the text of the first block that Markdown makes.
func firstLine(markdown string) string {
	for line := range strings.Lines(markdown) {
		if line = strings.TrimSpace(line); line != "" {
			for _, bullet := range []string{"- ", "* ", "+ "} {
				line = strings.TrimPrefix(line, bullet)
			}
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// plain reports whether a text reads back exactly as it was written: it has no
// markup that Roam would render.
func plain(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" .,;:!?'\"/-", r)
	}) < 0 && !strings.HasPrefix(s, "- ")
}
