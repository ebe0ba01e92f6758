package outline

import (
	"context"
	"fmt"
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/note"
	graphoutline "roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// createPage answers create_page. A page without blocks, which Roam makes when something
// links to it, is filled.
func createPage(ctx context.Context, c surface.Call) (surface.Reply, error) {
	title, err := newTitle(c, "title", c.Args().Text("title"))
	if err != nil {
		return surface.Reply{}, err
	}
	settings, err := settingsOf(c)
	if err != nil {
		return surface.Reply{}, err
	}
	there, found, err := lookForTitle(ctx, c, title)
	if err != nil {
		return surface.Reply{}, err
	}
	if found && len(there.whole.Children) > 0 {
		return surface.Reply{}, pageTaken(there.whole)
	}
	lines, err := newLines(ctx, c, settings)
	if err != nil {
		return surface.Reply{}, err
	}
	var blocks []graphoutline.Block
	for _, line := range lines {
		blocks = append(blocks, graphoutline.Block{String: line})
	}
	content := markdown.Parse(c.Args().Text(paramContent)).Blocks
	if len(content) == 0 && c.Args().Flag("create_first_block", false) {
		content = []graphoutline.Block{{}}
	}
	page := note.Node{UID: there.whole.UID, Title: title}
	if found {
		page.Title = there.whole.Title
	}
	if page.UID, err = writePage(ctx, c, page, append(blocks, content...)); err != nil {
		return surface.Reply{}, err
	}
	return pageCreated(ctx, c, page, len(lines))
}

// lookForTitle reads the page that a new one would be beside: that with the title as it was
// sent, or with the title that it means.
func lookForTitle(ctx context.Context, c surface.Call, title string) (there pageFound, found bool, err error) {
	there, found, err = lookForPage(ctx, c, c.Args().Text("title"))
	if found && (note.SameTitle(there.whole.Title, title) || note.SameTitle(there.whole.Title, barePage(c.Args().Text("title")))) {
		return there, true, err
	}
	if several, ok := problem.As(err); ok && several.Detail(ops.DetailCandidates) != nil { // none has this very title
		err = nil
	}
	return pageFound{}, false, err // or found by its uid
}

// pageTaken is the error of a name that a page with blocks has.
func pageTaken(n note.Node) error {
	return &problem.Error{
		Code: localapi.CodeAlreadyExists, Message: fmt.Sprintf("There is a page %s already, so nothing was written.", textsafe.Quote(n.Title)),
		Hint:    say("Read it with %s; %s adds to it.", problem.ReadPage, problem.UpdatePage).Or("Choose another title."),
		Details: []problem.Detail{{Name: fieldPageUID, Value: n.UID}}, Retry: problem.RetryNever,
	}
}

// writePage makes a page, or fills one that is there without blocks, and returns its uid.
func writePage(ctx context.Context, c surface.Call, page note.Node, blocks []graphoutline.Block) (string, error) {
	if page.UID == "" {
		return makePage(ctx, c, page.Title, blocks)
	}
	_, err := c.Graph().CreateBlocksOf(ctx, ops.Location{ParentUID: page.UID}, blocks)
	return page.UID, err
}

// makePage makes a page with blocks, and returns its uid.
func makePage(ctx context.Context, c surface.Call, title string, blocks []graphoutline.Block) (uid string, err error) {
	uid, daily := graphoutline.DailyUIDOf(title)
	if !daily {
		if uid, err = c.NewUID(); err != nil {
			return "", err
		}
	}
	return uid, c.Graph().CreatePageOf(ctx, ops.NewPage{Title: title, UID: uid}, blocks)
}

// pageCreated answers create_page with the page as it reads now. The first blocks, skip
// of them, are its properties.
func pageCreated(ctx context.Context, c surface.Call, page note.Node, skip int) (surface.Reply, error) {
	uids, warnings := madeOn(ctx, c, page.UID, func(at int, _ note.Node) bool { return at >= skip })
	reply := rawjson.With(paramPage, page.Title).With("success", true).With(fieldPageUID, page.UID).With(fieldBlocks, uids)
	return replyWith(reply, warnings), nil
}

// notReadBack warns of a write whose blocks are not all named.
const notReadBack = "It was written, and could not be read back."

// madeOn reads the uids of blocks of a page, after a write: of those of the topmost that
// are wanted and of all below these, in the order in which they are read.
func madeOn(ctx context.Context, c surface.Call, pageUID string, wanted func(at int, n note.Node) bool) (uids, warnings []string) {
	uids = []string{}
	var n note.Node
	ok := false
	err := c.Graph().RetryRead(ctx, func() (err error) { n, ok, err = c.Graph().ReadNote(ctx, pageUID); return err })
	if err != nil || !ok {
		return uids, []string{notReadBack}
	}
	for i, child := range n.Visible().Children {
		if wanted(i, child) {
			uids = append(uids, uidsFrom(child)...)
		}
	}
	return uids, nil
}

// madeBelow returns the uids of blocks that a write has made, and of those below them,
// in the order in which they are read.
func madeBelow(ctx context.Context, c surface.Call, tops []string) (uids, warnings []string) {
	var nodes map[string]note.Node
	err := c.Graph().RetryRead(ctx, func() (err error) { nodes, err = c.Graph().ReadNotes(ctx, tops); return err })
	if err != nil {
		return tops, []string{notReadBack}
	}
	uids = []string{}
	for _, top := range tops {
		if n, ok := nodes[top]; ok && !n.Hidden {
			uids = append(uids, uidsFrom(n.Visible())...)
		}
	}
	return uids, nil
}

// replyWith returns a reply with what there is to warn of.
func replyWith(reply rawjson.Object, warnings []string) surface.Reply {
	if len(warnings) > 0 {
		reply = reply.With("warnings", warnings)
	}
	return surface.Reply{JSON: reply.JSON()}
}

// createBlock answers create_block.
func createBlock(ctx context.Context, c surface.Call) (surface.Reply, error) {
	settings, err := settingsOf(c)
	if err != nil {
		return surface.Reply{}, err
	}
	at, err := placeOf(ctx, c, placing{"parent_block_uuid", paramPage}, true)
	if err != nil {
		return surface.Reply{}, err
	}
	lines, err := newLines(ctx, c, settings)
	if err != nil {
		return surface.Reply{}, err
	}
	if err := c.Graph().Permit(ctx, ops.Footprint{Titles: []string{at.missing}, Stored: append(lines, c.Args().Text(paramContent))}); err != nil {
		return surface.Reply{}, err
	}
	var warnings []string
	if at.missing != "" {
		at.parent.Title = at.missing
		if at.parent.UID, err = makePage(ctx, c, at.missing, nil); err != nil {
			return surface.Reply{}, err
		}
		warnings = append(warnings, fmt.Sprintf("The page %s was not there, and was created.", textsafe.Quote(at.missing)))
	}
	if n := bulletsIn(c.Args().Text(paramContent)); n > 1 {
		warnings = append(warnings, c.World().Say(say("The %d bullets of the content are one block; content_append of %s makes a block of each.", n, problem.UpdatePage).
			Or("The %d bullets of the content are one block.", n)))
	}
	uid, err := addBlock(ctx, c, at.parent.UID, at.order(), c.Args().Text(paramContent))
	if err != nil {
		return surface.Reply{}, err
	}
	for _, line := range lines {
		if _, err := addBlock(ctx, c, uid, ops.Order{}, line); err != nil {
			return surface.Reply{}, err
		}
	}
	reply := rawjson.With(paramBlock, uid).With("success", true).With(paramPage, titleOf(at.parent)).With(fieldParent, at.parent.UID).With("order", at.shown(""))
	return replyWith(reply, warnings), nil
}

// bulletsIn returns how many lines of a text are bullets of markdown, code left out.
func bulletsIn(text string) int {
	bullets, code := 0, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if !code && (strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ")) {
			bullets++
		}
	}
	return bullets
}

// addBlock creates a block with exactly this text, and returns its uid.
func addBlock(ctx context.Context, c surface.Call, parent string, order ops.Order, text string) (string, error) {
	uid, err := c.NewUID()
	if err != nil {
		return "", err
	}
	return uid, c.Graph().CreateBlock(ctx, ops.NewBlock{UID: uid, ParentUID: parent, Order: order, Block: graphoutline.Block{String: text}})
}
