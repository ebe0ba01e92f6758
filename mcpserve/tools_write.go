package mcpserve

import (
	"context"
	"encoding/json"
	"strings"
)

// Fields of replies that several write tools share (LOCAL_API.md 3.1).
func successField() param {
	return param{name: "success", kind: kindBoolean}
}

func viewTypes() []string { return []string{"bullet", "numbered", "document"} }

// writeTools change a graph.
func writeTools() []tool {
	return append(createTools(), changeTools()...)
}

func createTools() []tool {
	return []tool{
		{
			name: "create_page", title: "Create page", toolset: "write", effects: appends(), scope: scopeAppend, onGraph: true,
			description: "Creates a page, with blocks from Markdown where given. Fails where the title exists already: search first.",
			params: []param{
				{name: "title", kind: kindString, required: true, nonEmpty: true, about: "Title of the new page."},
				{name: "markdown", kind: kindString, about: "Content, as nested bullets."},
				{name: "uid", kind: kindString, about: "Own uid; normally left out."},
				{name: "childrenViewType", kind: kindString, choices: viewTypes(), about: "How blocks are listed."},
			},
			output: []param{{name: "uid", kind: kindString}},
			handle: createPage,
		},
		{
			name: "create_block", title: "Create blocks", toolset: "write", effects: appends(), scope: scopeAppend, onGraph: true,
			description: "Adds blocks below a page, a block or a daily note; a nested bullet list becomes a tree. Give exactly one of parentUid, pageTitle and dailyNotePage.",
			params: []param{
				{name: "markdown", kind: kindString, required: true, nonEmpty: true, about: "The blocks, as Markdown."},
				{name: "parentUid", kind: kindString, about: "Block or page to add to."},
				{name: "pageTitle", kind: kindString, about: "Page to add to; created where missing."},
				{name: "dailyNotePage", kind: kindString, about: "Daily note to add to: MM-DD-YYYY, YYYY-MM-DD, today, yesterday, tomorrow."},
				{name: "nestUnder", kind: kindString, about: "Exact text of a child of the target to add under; created where missing."},
				{name: "order", kind: kindOrder, about: "first, last (default) or a number from 0."},
				{name: "open", kind: kindBoolean, about: "false: new top blocks are folded."},
			},
			output: []param{{name: "uids", kind: kindStrings}},
			handle: createBlock,
		},
	}
}

func changeTools() []tool {
	lowest, highest := between(0, 3)
	uid := param{name: "uid", kind: kindString, required: true, nonEmpty: true, about: "The block's uid."}
	return []tool{
		{
			name: "update_block", title: "Update block", toolset: "write", effects: edits(), scope: scopeEdit, onGraph: true,
			description: "Changes a block's text or look; what is not given stays. The text replaces the old one as it is, without parsing; read the whole block first.",
			params: []param{
				uid,
				{name: "string", kind: kindString, about: "New text, without children."},
				{name: "open", kind: kindBoolean, about: "false: folded."},
				{name: "heading", kind: kindInteger, min: lowest, max: highest, about: "0: none."},
				{name: "childrenViewType", kind: kindString, choices: viewTypes(), about: "How children are listed."},
				{name: "textAlign", kind: kindString, choices: []string{"left", "center", "right", "justify"}, about: "Alignment."},
			},
			output: []param{successField()},
			handle: updateBlock,
		},
		{
			name: "delete_block", title: "Delete block", toolset: "write", effects: deletes(), scope: scopeEdit, onGraph: true,
			description: "Deletes a block and all below it; links to it become plain text. Look with get_block first, and ask the user where it has refs or many children.",
			params:      []param{uid},
			output: []param{
				successField(),
				{name: "deleted", kind: kindBoolean},
				{name: "descendants", kind: kindInteger},
				{name: "references", kind: kindInteger},
			},
			handle: deleteBlock,
		},
		{
			name: "move_block", title: "Move block", toolset: "write", effects: edits(), scope: scopeEdit, onGraph: true,
			description: "Moves a block with all below it to another parent or place.",
			params: []param{
				uid,
				{name: "parentUid", kind: kindString, required: true, nonEmpty: true, about: "New parent, block or page."},
				{name: "order", kind: kindOrder, required: true, about: "first, last or a number from 0."},
			},
			output: []param{successField()},
			handle: moveBlock,
		},
	}
}

// success is the reply of a write: what Roam answered, or nothing, and the word
// that it was done.
func success(result json.RawMessage, more ...member) json.RawMessage {
	object := members(result)
	for _, m := range append([]member{{"success", json.RawMessage("true")}}, more...) {
		object = set(object, m.key, m.value)
	}
	return join(object)
}

func createPage(ctx context.Context, c *call) (json.RawMessage, error) {
	page := c.args.pick(map[string]any{}, "title", "title", "uid", "uid", "childrenViewType", "children-view-type")
	args := map[string]any{"page": page}
	if markdown := c.args.text("markdown"); strings.TrimSpace(markdown) != "" {
		args["markdown-string"] = markdown
	}
	result, err := c.write(ctx, "data.page.fromMarkdown", args, c.lookForPage)
	if err != nil {
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
	result, err := c.write(ctx, "data.block.fromMarkdown", args, c.lookForBlocks(location, c.args.text("markdown")))
	if err != nil {
		return nil, err
	}
	return listOr(result, `{"uids":[]}`), nil
}

// location is where create_block adds: exactly one target.
func (c *call) location() (map[string]any, error) {
	location := map[string]any{"order": "last"}
	targets := 0
	if uid := strings.TrimSpace(c.args.text("parentUid")); uid != "" {
		location["parent-uid"] = uid
		targets++
	}
	if title := c.args.text("pageTitle"); strings.TrimSpace(title) != "" {
		location["page-title"] = title
		targets++
	}
	if date := c.args.text("dailyNotePage"); strings.TrimSpace(date) != "" {
		resolved, err := parseDay(date, c.server.now())
		if err != nil {
			return nil, invalid(c.tool.name, "dailyNotePage is %s; it takes %s.", quote(date), err)
		}
		location["page-title"] = map[string]any{"daily-note-page": resolved}
		targets++
	}
	if targets != 1 {
		return nil, invalid(c.tool.name, "give exactly one of parentUid, pageTitle and dailyNotePage; the call has %d.", targets)
	}
	if under := c.args.text("nestUnder"); strings.TrimSpace(under) != "" {
		location["nest-under-str"] = under
	}
	return c.args.pick(location, "order", "order"), nil
}

func updateBlock(ctx context.Context, c *call) (json.RawMessage, error) {
	block := c.args.pick(map[string]any{}, "uid", "uid", "open", "open", "heading", "heading",
		"childrenViewType", "children-view-type", "textAlign", "text-align")
	if c.args.has("string") {
		decoded, err := c.server.marks.decode(c.tool.name, c.args.text("string"))
		if err != nil {
			return nil, err
		}
		block["string"] = decoded
	}
	if len(block) == 1 {
		return nil, invalid(c.tool.name, "nothing to change: give string, open, heading, childrenViewType or textAlign.")
	}
	result, err := c.write(ctx, "data.block.update", map[string]any{"block": block}, c.lookForUpdate(block))
	if err != nil {
		return nil, err
	}
	return success(result), nil
}

func deleteBlock(ctx context.Context, c *call) (json.RawMessage, error) {
	uid := c.args.text("uid")
	before, err := c.roam(ctx, "data.ai.getBlock", map[string]any{"uid": uid})
	if err != nil {
		return nil, err
	}
	var counts []member
	known := false
	if blocks := c.server.readBlocks(before); len(blocks) > 0 {
		known = true
		references := 0
		for _, b := range blocks {
			references += b.refs
		}
		counts = []member{{"descendants", encode(len(blocks) - 1)}, {"references", encode(references)}}
	}
	result, err := c.write(ctx, "data.block.delete", map[string]any{"block": map[string]any{"uid": uid}}, c.lookForDelete(uid, known))
	if err != nil {
		return nil, err
	}
	if f := notDeleted(uid, result); f != nil {
		return nil, f
	}
	return success(result, counts...), nil
}

func moveBlock(ctx context.Context, c *call) (json.RawMessage, error) {
	args := map[string]any{
		"location": c.args.pick(map[string]any{}, "parentUid", "parent-uid", "order", "order"),
		"block":    map[string]any{"uid": c.args.text("uid")},
	}
	result, err := c.write(ctx, "data.block.move", args, c.lookForMove)
	if err != nil {
		return nil, err
	}
	return success(result), nil
}
