package mcpserve

import (
	"context"
	"encoding/json"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
)

// success is the reply of a write: what Roam answered, or nothing, and the word
// that it was done.
func success(result json.RawMessage, more rawjson.Object) json.RawMessage {
	object := rawjson.Parse(result).With("success", true)
	for _, m := range more {
		object = object.With(m.Key, m.Value)
	}
	return object.JSON()
}

func createPage(ctx context.Context, c *call) (json.RawMessage, error) {
	if strings.TrimSpace(c.args.text("uid")) == "" {
		delete(c.args.Arguments, "uid")
	}
	page := c.args.pick(map[string]any{}, "title", "title", "uid", "uid", "childrenViewType", "children-view-type")
	args := map[string]any{"page": page}
	if markdown := c.args.text("markdown"); strings.TrimSpace(markdown) != "" {
		args["markdown-string"] = markdown
	}
	result, err := c.write(ctx, "data.page.fromMarkdown", []any{args}, c.lookForPage)
	if err != nil {
		if f := failureOf(err); f.Code == localapi.CodeAlreadyExists {
			f.Hint = "Nothing was written. Read what is there with get_page; create_block adds to it."
			return nil, f
		}
		return nil, err
	}
	return listOr(result, `{"uid":""}`), nil
}

func createBlock(ctx context.Context, c *call) (json.RawMessage, error) {
	location, err := c.location()
	if err != nil {
		return nil, err
	}
	args := c.args.pick(map[string]any{"location": location}, "markdown", "markdown-string", "open", "open")
	result, err := c.write(ctx, "data.block.fromMarkdown", []any{args}, c.lookForBlocks(location, c.args.text("markdown")))
	if err != nil {
		return nil, err
	}
	return listOr(result, `{"uids":[]}`), nil
}

// appendToDailyNote is create_block with its target settled.
func appendToDailyNote(ctx context.Context, c *call) (json.RawMessage, error) {
	date := c.args.text("date")
	if strings.TrimSpace(date) == "" {
		date = "today"
	}
	day, err := parseDay(date, c.server.now())
	if err != nil {
		return nil, invalid(c.tool.Name, "date is %s; it takes %s.", quote(date), err)
	}
	c.args.Arguments["dailyNotePage"] = day
	return createBlock(ctx, c)
}

// location is where create_block adds: exactly one target.
func (c *call) location() (map[string]any, error) {
	location := map[string]any{"order": "last"}
	if date := c.args.text("dailyNotePage"); strings.TrimSpace(date) != "" {
		resolved, err := parseDay(date, c.server.now())
		if err != nil {
			return nil, invalid(c.tool.Name, "dailyNotePage is %s; it takes %s.", quote(date), err)
		}
		location["page-title"] = map[string]any{"daily-note-page": resolved}
	}
	target, err := c.onlyOne("parentUid", "pageTitle", "dailyNotePage")
	switch {
	case err != nil:
		return nil, err
	case target == "parentUid":
		location["parent-uid"] = strings.TrimSpace(c.args.text(target))
	case target == "pageTitle":
		location["page-title"] = c.args.text(target)
	}
	if under := c.args.text("nestUnder"); strings.TrimSpace(under) != "" {
		location["nest-under-str"] = under
	}
	return c.args.pick(location, "order", "order"), nil
}

func addComment(ctx context.Context, c *call) (json.RawMessage, error) {
	for _, name := range []string{"comment", "commentMarkdown"} {
		if strings.TrimSpace(c.args.text(name)) == "" {
			delete(c.args.Arguments, name)
		}
	}
	switch plain, blocks := c.args.has("comment"), c.args.has("commentMarkdown"); {
	case plain && blocks:
		return nil, invalid(c.tool.Name, "give comment or commentMarkdown, not both.")
	case !plain && !blocks:
		return nil, invalid(c.tool.Name, "comment is missing: it takes a text that is not empty.")
	}
	args := c.args.pick(map[string]any{}, "blockUid", "block-uid", "comment", "reply-string", "commentMarkdown", "reply-markdown")
	result, err := c.write(ctx, "data.block.addComment", []any{args}, c.lookForComment)
	if err != nil {
		return nil, err
	}
	return listOr(result, `{"uids":[]}`), nil
}
