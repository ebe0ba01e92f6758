package roam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// blockLook are the parameters of update_block beside the uid.
func blockLook() []surface.Param {
	lowest, highest := surface.Between(0, 3)
	return []surface.Param{
		{Name: "string", Kind: surface.String, AsRead: true, About: say("Whole new text, line breaks included")},
		{Name: "find", Kind: surface.String, NonEmpty: true, Sought: true, About: say("Instead of string: exact text, once in it")},
		{Name: "replace", Kind: surface.String, About: say("Put in its place")},
		{Name: "replaceAll", Kind: surface.Boolean, About: say("Every occurrence")},
		{Name: "todo", Kind: surface.String, Choices: []string{"todo", "done", "none"}, About: say("TODO mark")},
		{Name: "heading", Kind: surface.Integer, Min: lowest, Max: highest, About: say("0: none")},
		{Name: "open", Kind: surface.Boolean, About: say("false folds its children")},
		viewTypeParam(),
		{Name: "expected", Kind: surface.String, AsRead: true, Sought: true, About: say("Text you hold; where it differs by now, nothing is sent")},
		{Name: "textAlign", Kind: surface.String, Choices: []string{"left", "center", "right", "justify"}},
	}
}

// changeTools change what is there.
func changeTools() []surface.Tool {
	first, last := surface.Between(1, ops.MaxBatch)
	uid := uidParam("The block")
	return []surface.Tool{
		{
			Name: "update_block", Task: problem.UpdateBlock, Title: "Update block", Toolset: "write", Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true, ListedAs: problem.UpdateBlocks,
			Description: say("Changes one block as %s does.", problem.UpdateBlocks),
			Params:      append([]surface.Param{uid}, blockLook()...),
			Output:      anyReply(),
			Cuts:        cutWritten(),
			Run:         surface.JSON(updateBlock),
		},
		{
			Name: "update_blocks", Task: problem.UpdateBlocks, Title: "Update blocks", Toolset: "write", Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Changes up to 25 blocks; children stay. find, replace and todo need no read; before string, read it and keep its ((references))."),
			Params: []surface.Param{
				{Name: "updates", Kind: surface.Objects, Required: true, Min: first, Max: last, About: say("Each block once"), Fields: append([]surface.Param{uid}, blockLook()...)},
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(updateBlocks),
		},
		{
			Name: "update_page", Task: problem.UpdatePage, Title: "Update page", Toolset: "write", Effects: surface.Edits(), Scope: surface.ScopeEdit, OnGraph: true,
			Description: say("Renames a page, and all links to it; or sets how its blocks are listed."),
			Params: []surface.Param{
				pageUIDParam(),
				{Name: "title", Kind: surface.String, Title: true, NonEmpty: true, About: say("New title")},
				viewTypeParam(),
				{Name: "mergePages", Kind: surface.Boolean, Default: false, About: say("Merge into the page of that title")},
				dryRunParam(),
			},
			Output: anyReply(),
			Cuts:   cutWritten(),
			Run:    surface.JSON(updatePage),
		},
	}
}

// blockUpdate returns what an update changes: the text as Roam stores it, or an edit
// of the text that is there, and at least one thing besides the uid.
func blockUpdate(c surface.Call, args surface.Arguments) (ops.BlockUpdate, ops.TextEdit, error) {
	edit := ops.TextEdit{Find: args.Text("find"), Replace: args.Text("replace"), All: args.Flag("replaceAll", false), Todo: args.Text("todo")}
	update := ops.BlockUpdate{
		UID: args.Text("uid"), Heading: surface.Optional[int](args, "heading"), Open: surface.Optional[bool](args, "open"),
		ViewType: surface.Optional[string](args, "childrenViewType"), TextAlign: surface.Optional[string](args, "textAlign"),
	}
	if args.Has("string") {
		stored, err := storedText(c, args, "string")
		if err != nil {
			return update, edit, err
		}
		update.String = &stored
	}
	switch {
	case args.Has("find") && !args.Has("replace"), !args.Has("find") && args.Text("replace") != "":
		return update, edit, surface.Invalid(c.ToolName(), "find and replace belong together: give both, replace \"\" to take text out.")
	case args.Has("find") && args.Has("string"):
		return update, edit, surface.Invalid(c.ToolName(), "give string or find, not both.")
	case update.IsEmpty() && edit.IsEmpty():
		return update, edit, surface.Invalid(c.ToolName(), "nothing to change: give string, find with replace, todo (none takes the mark off), heading or childrenViewType.")
	}
	if !args.Has("expected") {
		return withShown(c, update), edit, nil
	}
	expected, err := storedText(c, args, "expected")
	update.Shown = &expected
	return update, edit, err
}

// storedText returns the text of one block that an argument has, as Roam stores it. The hyphen
// in front of one with a tag is that of the read, unless the block was shown with as many.
func storedText(c surface.Call, args surface.Arguments, name string) (string, error) {
	sent := args.Text(name)
	stored, err := ops.StoredText(sent)
	if errors.Is(err, outline.ErrSeveralBlocks) {
		return "", surface.Invalid(c.ToolName(), "%s holds more than one block as read; send the text of this one block, and update its children by their own uids.", name)
	}
	if whole, _ := ops.StoredText("- " + sent); hyphens(sent) > 0 && whole != "- "+sent { // it has a tag
		if before, known := c.Shown().Text(args.Text("uid"), textsIn); known && hyphens(whole) <= hyphens(before) {
			stored = whole
		}
	}
	return stored, err
}

// hyphens returns with how many hyphens of a list a text begins.
func hyphens(text string) (n int) {
	text = strings.TrimLeft(text, " \t")
	for strings.HasPrefix(text[2*n:], "- ") {
		n++
	}
	return n
}

func updateBlock(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	update, edit, err := blockUpdate(c, c.Args())
	if err != nil {
		return nil, err
	}
	updates, edits := ops.BlockUpdates{update}, []ops.TextEdit{edit}
	release, _, err := c.Graph().EditTexts(ctx, updates, edits)
	if err != nil {
		return nil, err
	}
	defer release()
	reply, err := success(c.Graph().UpdateBlock(ctx, updates[0]))
	if err != nil {
		c.Shown().KeepChanged(err)
		return nil, err
	}
	keep(c.Shown(), updates[0])
	return rawjson.Parse(reply).Append(changeOf(c, updates[0], edits[0])).JSON(), nil
}

// changeOf returns the block of an update that was done before and after it, and how many
// places of the text were replaced.
func changeOf(c surface.Call, update ops.BlockUpdate, edit ops.TextEdit) rawjson.Object {
	change := c.Graph().BeforeAndAfter(update)
	if edit.Find != "" {
		change = change.With("replaced", edit.Replaced)
	}
	return change
}

func updateBlocks(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	given := c.Args().Objects("updates")
	if err := checkBatch(c, "updates", len(given)); err != nil {
		return nil, err
	}
	var updates ops.BlockUpdates
	var edits []ops.TextEdit
	for i, each := range given {
		uid := each.Text("uid")
		if slices.ContainsFunc(updates, func(u ops.BlockUpdate) bool { return u.UID == uid }) {
			return nil, surface.Invalid(c.ToolName(), "the block %s is listed twice.", textsafe.Quote(uid))
		}
		update, edit, err := blockUpdate(c, each)
		if err != nil {
			return nil, inItem(err, i, uid)
		}
		updates, edits = append(updates, update), append(edits, edit)
	}
	release, at, err := c.Graph().EditTexts(ctx, updates, edits)
	switch {
	case err != nil && at >= 0:
		return nil, inItem(err, at, updates[at].UID)
	case err != nil:
		return nil, err
	}
	defer release()
	report, err := c.Graph().UpdateBlocks(ctx, updates)
	c.Shown().KeepChanged(err)
	for i := range report.Parts {
		if string(report.Parts[i].Get("ok")) == "true" {
			keep(c.Shown(), updates[i])
			report.Parts[i] = report.Parts[i].Append(changeOf(c, updates[i], edits[i]))
		}
	}
	return batchReply(report, err)
}

// batchReply says how the parts of a batch ended.
func batchReply(report ops.BatchReport, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return rawjson.With("success", report.Failed == 0).
		With("succeeded", report.Succeeded).
		With("failed", report.Failed).
		With("results", report.List()).JSON(), nil
}

// inItem adds to an error which part of a batch it is about; nothing was sent.
func inItem(err error, at int, uid string) error {
	said := problem.FromError(err).With(ops.DetailUID, uid)
	said.Message = fmt.Sprintf("updates[%d]: %s Nothing was changed.", at, said.Message)
	return said
}

func checkBatch(c surface.Call, name string, size int) error {
	if size < 1 || size > ops.MaxBatch {
		return surface.Invalid(c.ToolName(), "%s has %d items; it takes 1 to %d.", name, size, ops.MaxBatch)
	}
	return nil
}

func updatePage(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	update := ops.PageUpdate{
		UID: c.Args().Text("uid"), Title: c.Args().Text("title"), ViewType: c.Args().Text("childrenViewType"), Merge: c.Args().Flag("mergePages", false),
	}
	if update.IsEmpty() {
		return nil, surface.Invalid(c.ToolName(), "nothing to change: give title.")
	}
	if c.Args().Flag(surface.ParamDryRun, false) {
		return previewReply(c.Graph().PreviewUpdate(ctx, update))
	}
	return success(c.Graph().UpdatePage(ctx, update))
}
