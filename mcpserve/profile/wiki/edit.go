package wiki

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// editNote answers edit_note.
func editNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	edit, err := editOf(c)
	if err != nil {
		return surface.Reply{}, err
	}
	f, release, err := findToWrite(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	want, err := edit(f)
	if err != nil {
		return surface.Reply{}, err
	}
	c.Versions().Saw(ctx, f.whole)
	done, err := c.Graph().Revise(ctx, f.whole, want)
	if err != nil { // some of it may have been written
		c.Shown().Forget(f.whole.UID)
		return surface.Reply{}, err
	}
	reply := surface.Reply{Text: "Updated note at " + textsafe.Title(f.path) + paragraph(referredTo(done.Referred)...)}
	now, told := recordUpdate(ctx, c, f, "", true)
	reply.Note = told
	if merged, ok := c.Shown().Edited(f.whole, want); ok && told == "" {
		reply.Shows = changed(now, &merged, shown.Lists{})
	} else if ok {
		c.Shown().Forget(f.whole.UID)
	}
	return reply, nil
}

// editOf returns what a call makes of the blocks of a note.
func editOf(c surface.Call) (func(f found) ([]outline.Block, error), error) {
	args := c.Args()
	one, err := args.OnlyOne(c.ToolName(), "append", "prepend", "find")
	if err != nil {
		return nil, err
	}
	if one == "find" {
		if !args.Has("replace") || args.Text("find") == "" {
			return nil, surface.Invalid(c.ToolName(), "find is a text that is there, and replace what to put in its place.")
		}
		return func(f found) ([]outline.Block, error) { return replaced(c, f) }, nil
	}
	if args.Has("replace") || args.Has("all") {
		return nil, surface.Invalid(c.ToolName(), "replace and all go with find.")
	}
	added := note.Parse(args.Text(one)).Blocks
	if len(added) == 0 {
		return nil, surface.Invalid(c.ToolName(), "%s is empty.", one)
	}
	return func(f found) ([]outline.Block, error) {
		now := f.whole.Outline()
		at := len(now)
		if one == "prepend" {
			at = f.leading()
		}
		return slices.Insert(now, at, added...), nil
	}, nil
}

// replaced returns the blocks of a note in whose content a text is replaced. The texts
// that references show are of other notes, and are left out.
func replaced(c surface.Call, f found) ([]outline.Block, error) {
	args := c.Args()
	content := note.Content(withoutRefs(f.node), propTags, propTitle)
	find, with := outline.PlainText(args.Text("find")), args.Text("replace")
	switch count := strings.Count(content, find); {
	case count == 0:
		return nil, notMatched(c, "find is not in the note, so nothing was changed.")
	case count > 1 && !args.Flag("all", false):
		return nil, notMatched(c, fmt.Sprintf("find is %d times in the note, so nothing was changed; send more of the text around it, or all true.", count))
	}
	if err := surface.CheckWhole(c.ToolName(), "replace", with, content, problem.ReadPage); err != nil {
		return nil, err
	}
	blocks := note.Parse(strings.ReplaceAll(content, find, with)).Blocks
	all := f.current()
	merged, err := c.Shown().Merge(shown.Whole(all.Node, all.Content), shown.Sent{Parsed: note.Parsed{Blocks: blocks}}, all, f.leading(), f.reading("replace"))
	return change{}.inWhole(f, merged.Want, f.whole.Title), err
}

func notMatched(c surface.Call, what string) error {
	e := surface.Invalid(c.ToolName(), "%s", what)
	e.Hint = say("%s shows its content.", problem.ReadPage)
	return e
}

// withoutRefs returns a node that shows references alone, and not what they refer to.
func withoutRefs(n note.Node) note.Node {
	n.Refs, n.Children = nil, slices.Clone(n.Children)
	for i := range n.Children {
		n.Children[i] = withoutRefs(n.Children[i])
	}
	return n
}
