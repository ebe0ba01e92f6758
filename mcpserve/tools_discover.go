package mcpserve

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/unlinked"
	"roam-mcp/problem"
)

// suggestedLinks is how many links are suggested by default.
const suggestedLinks = 20

func semanticSearch(ctx context.Context, c *call) (json.RawMessage, error) {
	args := c.args.pick(map[string]any{}, "query", "query", "k", "k", "scope", "scope", "includePath", "includePath", "maxDepth", "maxDepth")
	result, err := c.roam(ctx, "data.ai.semanticSearch", args)
	if err != nil {
		return nil, semanticOff(err)
	}
	return listOr(result, `{"results":[]}`), nil
}

// semanticOff leads to search where Roam has no search by meaning: it is off in
// most graphs, and older builds do not know it.
func semanticOff(err error) error {
	roam, ok := problem.AsCall(err)
	if !ok {
		return err
	}
	told := strings.ToLower(roam.Call.Text)
	off := strings.Contains(told, "embedding") || strings.Contains(told, "semantic search")
	if !off && roam.Code != localapi.CodeUnknownAction {
		return err
	}
	f := failureOfRoam(roam)
	if off {
		f.Message = "Semantic search is not enabled for this graph. " + f.Message
		f.Hint = "Use search instead. The user can enable semantic search in Roam's settings."
	} else {
		f.Hint = "Use search instead, or ask the user to update Roam Desktop."
	}
	f.SuggestedNextTool = "search"
	return f.retryable(false)
}

// suggestLinks looks in a text of the caller's with Roam's own suggestions where
// this build has them, and in pages and blocks by itself: Roam has nothing that
// says in which block a link is missing.
func suggestLinks(ctx context.Context, c *call) (json.RawMessage, error) {
	text, uid, title := c.args.text("text"), c.args.text("uid"), c.args.text("title")
	place, err := c.onlyOne("text", "uid", "title")
	if err != nil {
		return nil, err
	}
	if place != "text" {
		return c.suggestInPage(ctx, uid, title)
	}
	result, err := c.roam(ctx, "data.ai.suggestLinks", c.args.pick(map[string]any{}, "text", "text", "maxResults", "maxResults"))
	switch {
	case problem.CodeOf(err) == localapi.CodeUnknownAction:
		plain := c.server.marks.preview.ReplaceAllString(c.server.marks.tag.ReplaceAllString(text, ""), "$1")
		return c.suggestIn(ctx, []unlinked.Block{{Text: plain}})
	case err != nil:
		return nil, err
	}
	return listOr(result, `{"suggestions":[]}`), nil
}

// suggestInPage reads a page or block as get_page and get_block do, so that what
// the user hides from agents stays hidden.
func (c *call) suggestInPage(ctx context.Context, uid, title string) (json.RawMessage, error) {
	actions, args := []string{"data.ai.getPage"}, map[string]any{"title": title}
	if strings.TrimSpace(uid) != "" {
		actions, args = []string{"data.ai.getBlock", "data.ai.getPage"}, map[string]any{"uid": uid}
	}
	var result json.RawMessage
	var read []block
	for _, action := range actions {
		if len(read) > 0 {
			break
		}
		var err error
		if result, err = c.roam(ctx, action, args); err != nil {
			return nil, err
		}
		read = c.server.readBlocks(result)
	}
	if len(read) == 0 {
		return notFound(), nil
	}
	var blocks []unlinked.Block
	skip := c.ownTitle(result, title)
	for _, b := range read {
		if b.header {
			skip = strings.TrimSpace(strings.TrimPrefix(b.text(c.server.marks), "# "))
			continue
		}
		blocks = append(blocks, unlinked.Block{UID: b.uid, Text: b.text(c.server.marks)})
	}
	return c.suggestIn(ctx, blocks, skip)
}

// ownTitle is the title of the page that was read, or that the block is on: a
// link from a page to itself is of no use.
func (c *call) ownTitle(result json.RawMessage, title string) string {
	path := rawjson.Elements(rawjson.Parse(result).Get("path"))
	var page string
	if len(path) > 0 && json.Unmarshal(path[0], &page) == nil {
		return page
	}
	return title
}

// suggestion is a link that is missing. Start and End count characters of the
// block's own text, from 0; they and the uid are left out for a text that came
// with the call.
type suggestion struct {
	UID     string `json:"uid,omitempty"`
	Title   string `json:"title"`
	PageUID string `json:"pageUid"`
	Text    string `json:"text"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Count   int    `json:"count,omitempty"`
	Link    string `json:"link"`
	Why     string `json:"why"`
}

// suggestIn compares the blocks with all titles of the graph.
func (c *call) suggestIn(ctx context.Context, blocks []unlinked.Block, skip ...string) (json.RawMessage, error) {
	result, err := c.roam(ctx, "q", `[:find ?title ?uid :where [?page :node/title ?title] [?page :block/uid ?uid]]`)
	if err != nil {
		return nil, err
	}
	var rows [][2]string
	if err := json.Unmarshal(orNull(result), &rows); err != nil {
		return nil, (&failure{Code: localapi.CodeInvalidReply, Message: "Roam answered the question for all titles with something else.", Action: "q", err: err}).retryable(false)
	}
	pages := make([]unlinked.Page, len(rows))
	for i, row := range rows {
		pages[i] = unlinked.Page{Title: row[0], UID: row[1]}
	}
	found, err := unlinked.Find(ctx, c.server.markup, pages, blocks, skip...)
	if err != nil {
		return nil, err
	}
	list := []json.RawMessage{}
	for _, m := range unlinked.Best(found, c.args.number("maxResults", suggestedLinks)) {
		list = append(list, rawjson.Encode(newSuggestion(m, blocks[m.Block])))
	}
	return rawjson.With("total", len(found)).With("suggestions", rawjson.Array(list)).JSON(), nil
}

func newSuggestion(m unlinked.Mention, b unlinked.Block) suggestion {
	start := utf8.RuneCountInString(b.Text[:m.Start])
	s := suggestion{
		UID: b.UID, Title: m.Page.Title, PageUID: m.Page.UID, Text: m.Text,
		Start: start, End: start + utf8.RuneCountInString(m.Text),
		Link: "[[" + m.Page.Title + "]]", Why: "names the page, spelt alike",
	}
	if m.Count > 1 {
		s.Count = m.Count
	}
	if m.Text != m.Page.Title { // the words stay as the user wrote them
		s.Link, s.Why = "["+m.Text+"]([["+m.Page.Title+"]])", "names the page, in other letters or signs"
	}
	return s
}
