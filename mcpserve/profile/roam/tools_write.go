package roam

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// anyReply is the output of a write whose fields explain themselves: uid, uids,
// success, deleted, results and counts (LOCAL_API.md 3.1).
func anyReply() []surface.Param { return []surface.Param{} }

// Parameters that several write tools share.
func uidParam(about string) surface.Param {
	return surface.Param{Name: "uid", Kind: surface.String, UID: true, Required: true, NonEmpty: true, About: problem.Say("%s", about)}
}

// pageUIDParam takes the uid of a page.
func pageUIDParam() surface.Param {
	uid := uidParam("Uid of the page")
	uid.Page = true
	return uid
}

func viewTypeParam() surface.Param {
	return surface.Param{Name: "childrenViewType", Kind: surface.String, Choices: []string{"bullet", "numbered", "document"}, About: say("How its children are listed")}
}

// newViewParam is how the blocks that a tool makes are listed.
func newViewParam() surface.Param {
	view := viewTypeParam()
	view.About = say("Their view")
	return view
}

func openParam() surface.Param {
	return surface.Param{Name: "open", Kind: surface.Boolean, About: say("false folds them")}
}

// writeTools change a graph.
func writeTools() []surface.Tool {
	return slices.Concat(createTools(), changeTools(), moveTools(), deleteTools(), shortcutTools())
}

func createTools() []surface.Tool {
	markdown := surface.Param{Name: "markdown", Kind: surface.String, Markdown: true, Required: true, NonEmpty: true, About: say("Nested bullets: \"- A\\n  - B\"; # to ### headings, - [ ] a TODO, 1. 2. numbered")}
	under := surface.Param{Name: "nestUnder", Kind: surface.String, About: say("Below the child of this text, or a new one")}
	return []surface.Tool{
		{
			Name: "create_page", Task: problem.CreatePage, Title: "Create page", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Creates a page with blocks. Fails if it exists: search first."),
			Params: []surface.Param{
				{Name: "title", Kind: surface.String, Title: true, Required: true, NonEmpty: true, About: say("New title")},
				{Name: "markdown", Kind: surface.String, Markdown: true, About: say("As in %s", problem.CreateBlocks)},
				{Name: "uid", Kind: surface.String, About: say("Rarely")},
				viewTypeParam(),
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(createPage),
		},
		{
			Name: "create_block", Task: problem.CreateBlocks, Title: "Create blocks", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Adds blocks, a whole tree at once, in parentUid, pageTitle or dailyNotePage."),
			Params: []surface.Param{
				markdown,
				{Name: "parentUid", Kind: surface.String, UID: true, Page: true, About: say("Block or page")},
				{Name: "pageTitle", Kind: surface.String, Title: true, Page: true, Makes: true, About: say("Made if absent")},
				{Name: "dailyNotePage", Kind: surface.String, About: say("today, 2026-11-22")},
				under,
				{Name: "order", Kind: surface.Order, Default: "last", About: say("first, last or an index")},
				newViewParam(),
				openParam(),
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(createBlocks),
		},
		{
			Name: "append_to_daily_note", Task: problem.AppendToDay, Title: "Daily note", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true, ListedAs: problem.CreateBlocks,
			Description: say("Adds blocks at the end of a daily note as %s does with dailyNotePage.", problem.CreateBlocks),
			Params: []surface.Param{
				{Name: "markdown", Kind: surface.String, Markdown: true, Required: true, NonEmpty: true, About: say("As in %s", problem.CreateBlocks)},
				under,
				{Name: "date", Kind: surface.String, Default: "today", About: say("today, 2026-11-22")},
				openParam(),
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(appendToDay),
		},
		{
			Name: "add_comment", Task: problem.AddComment, Title: "Add comment", Toolset: "write", Effects: surface.Appends(), Scope: surface.ScopeAppend, OnGraph: true,
			Description: say("Adds a comment to a block, which is no child of it. Give comment or commentMarkdown."),
			Params: []surface.Param{
				{Name: "blockUid", Kind: surface.String, UID: true, Required: true, NonEmpty: true, About: say("The block")},
				{Name: "comment", Kind: surface.String, About: say("One block")},
				{Name: "commentMarkdown", Kind: surface.String, Markdown: true, About: say("Nested bullets")},
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
	return createdReply(c, created, rawjson.With("uid", "")), err
}

// createdReply says what was created: Roam's reply, or what stands for none.
func createdReply(c surface.Call, created ops.Created, empty rawjson.Object) json.RawMessage {
	reply := created.Reply
	if reply == nil {
		reply = empty
	}
	if warning := c.World().Say(created.Warning); warning != "" {
		reply = reply.With("warning", warning)
	}
	return reply.JSON()
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
	created, err := c.Graph().CreateBlocks(ctx, ops.NewBlocks{Location: location, Markdown: c.Args().Text("markdown"), Open: surface.Optional[bool](c.Args(), "open")}, c.Args().Text("childrenViewType"))
	return createdReply(c, created, noUIDs()), err
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
		return "", surface.Invalid(c.ToolName(), "%s is %s; it takes %s.", name, textsafe.Quote(value), err)
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
	if day, err := ops.ParseDay(target.PageTitle, c.Now()); err == nil && ops.DayTitle(day) == target.PageTitle { // a new page would be no daily note
		target.Day, target.PageTitle = day, ""
	}
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
	return createdReply(c, created, noUIDs()), err
}
