package roam

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// anyReply is the output of a write whose fields explain themselves: uid, uids,
// success, deleted, results and counts (LOCAL_API.md 3.1).
func anyReply() []surface.Param { return []surface.Param{} }

// Parameters that several write tools share.
func uidParam(about string) surface.Param {
	return surface.Param{Name: "uid", Kind: surface.String, Required: true, NonEmpty: true, About: problem.Say("%s", about)}
}

func viewTypeParam() surface.Param {
	return surface.Param{Name: "childrenViewType", Kind: surface.String, Choices: []string{"bullet", "numbered", "document"}, About: say("numbered, bullet, document")}
}

func openParam() surface.Param {
	return surface.Param{Name: "open", Kind: surface.Boolean, About: say("false folds the new top blocks"), Unlisted: true}
}

// writeTools change a graph.
func writeTools() []surface.Tool {
	return slices.Concat(createTools(), changeTools(), deleteTools(), shortcutTools())
}

func createTools() []surface.Tool {
	markdown := surface.Param{Name: "markdown", Kind: surface.String, Required: true, NonEmpty: true, About: say("Bullets")}
	under := surface.Param{Name: "nestUnder", Kind: surface.String, About: say("Under this child")}
	return []surface.Tool{
		{
			Name: "create_page", Task: task.CreatePage, Title: "Create page", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Creates a page. Search first."),
			Params: []surface.Param{
				{Name: "title", Kind: surface.String, Title: true, Required: true, NonEmpty: true, About: say("New title")},
				{Name: "markdown", Kind: surface.String, About: say("Bullets")},
				{Name: "uid", Kind: surface.String, About: say("own uid"), Unlisted: true},
				surface.NotListed(viewTypeParam()),
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(createPage),
		},
		{
			Name: "create_block", Task: task.CreateBlocks, Title: "Create blocks", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Adds blocks to a parentUid, pageTitle or dailyNotePage."),
			Params: []surface.Param{
				markdown,
				{Name: "parentUid", Kind: surface.String, About: say("Block or page")},
				{Name: "pageTitle", Kind: surface.String, Title: true, About: say("Created if missing")},
				{Name: "dailyNotePage", Kind: surface.String, About: say("MM-DD-YYYY or today")},
				under,
				{Name: "order", Kind: surface.Order, About: say("first, last, number")},
				openParam(),
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(createBlocks),
		},
		{
			Name: "append_to_daily_note", Task: task.AppendToDay, Title: "Daily note", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Adds blocks to today's note."),
			Params: []surface.Param{
				markdown,
				surface.NotListed(under),
				{Name: "date", Kind: surface.String, About: say("MM-DD-YYYY, YYYY-MM-DD, today (default), yesterday, tomorrow"), Unlisted: true},
				openParam(),
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(appendToDay),
		},
		{
			Name: "add_comment", Task: task.AddComment, Title: "Add comment", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Comments on a block."),
			Params: []surface.Param{
				{Name: "blockUid", Kind: surface.String, Required: true, NonEmpty: true, About: say("Block")},
				{Name: "comment", Kind: surface.String, About: say("Text")},
				{Name: "commentMarkdown", Kind: surface.String, About: say("instead of comment: several blocks, as Markdown"), Unlisted: true},
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(addComment),
		},
	}
}

// success returns the reply of a write: what Roam answered, or nothing, and the
// word that it was done.
func success(result json.RawMessage, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return rawjson.Parse(result).With("success", true).JSON(), nil
}

// orEmpty returns what Roam answered, or an object that says that there is nothing.
func orEmpty(object, empty rawjson.Object) json.RawMessage {
	if object == nil {
		return empty.JSON()
	}
	return object.JSON()
}

func createPage(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	created, err := c.Graph().CreatePage(ctx, ops.NewPage{
		Title: c.Args().Text("title"), UID: unlessBlank(c, "uid"), ViewType: c.Args().Text("childrenViewType"), Markdown: c.Args().Text("markdown"),
	})
	return orEmpty(created, rawjson.With("uid", "")), err
}

func createBlocks(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	target, err := targetOf(c)
	if err != nil {
		return nil, err
	}
	return createAt(ctx, c, target)
}

// createAt creates the blocks of a call at a target.
func createAt(ctx context.Context, c surface.Call, location ops.Location) (json.RawMessage, error) {
	location.NestUnder = unlessBlank(c, "nestUnder")
	location.Order = orderOf(c.Args())
	created, err := c.Graph().CreateBlocks(ctx, ops.NewBlocks{Location: location, Markdown: c.Args().Text("markdown"), Open: optional[bool](c.Args(), "open")})
	return orEmpty(created, noUIDs()), err
}

func noUIDs() rawjson.Object { return rawjson.With("uids", []string{}) }

// appendToDay creates blocks in a daily note, which is today's by default.
func appendToDay(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	day, err := dayOf(c, "date", cmp.Or(unlessBlank(c, "date"), "today"))
	if err != nil {
		return nil, err
	}
	return createAt(ctx, c, ops.Location{Day: day})
}

// dayOf reads the value of a parameter that names a day.
func dayOf(c surface.Call, name, value string) (string, error) {
	day, err := ops.ParseDay(value, c.Now())
	if err != nil {
		return "", surface.Invalid(c.ToolName(), "%s is %s; it takes %s.", name, safetext.Quote(value), err)
	}
	return day, nil
}

// targetOf returns the target that a call names: exactly one.
func targetOf(c surface.Call) (ops.Location, error) {
	var target ops.Location
	var err error
	if date := unlessBlank(c, "dailyNotePage"); date != "" {
		if target.Day, err = dayOf(c, "dailyNotePage", date); err != nil {
			return target, err
		}
	}
	if _, err := c.Args().OnlyOne(c.ToolName(), "parentUid", "pageTitle", "dailyNotePage"); err != nil {
		return target, err
	}
	target.ParentUID = strings.TrimSpace(c.Args().Text("parentUid"))
	target.PageTitle = unlessBlank(c, "pageTitle")
	return target, nil
}

func addComment(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	comment := ops.NewComment{BlockUID: c.Args().Text("blockUid"), Text: unlessBlank(c, "comment"), Markdown: unlessBlank(c, "commentMarkdown")}
	switch {
	case comment.Text != "" && comment.Markdown != "":
		return nil, surface.Invalid(c.ToolName(), "give comment or commentMarkdown, not both.")
	case comment.Text == "" && comment.Markdown == "":
		return nil, surface.Invalid(c.ToolName(), "comment is missing: it takes a text that is not empty.")
	}
	created, err := c.Graph().AddComment(ctx, comment)
	return orEmpty(created, noUIDs()), err
}
