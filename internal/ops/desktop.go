package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// What is open in Roam's windows is no part of a graph: to change it is no Write,
// and any token may (LOCAL_API.md 1.4).

// Windows is what the user has open in Roam, as Roam sends it.
type Windows struct {
	Main    json.RawMessage // nil: nothing
	Sidebar []json.RawMessage
}

// OpenWindows tells what the user has open in Roam. A block that is hidden from
// reads is shown without its text, and so is one of which that can't be told.
func (g Desktop) OpenWindows(ctx context.Context) (Windows, error) {
	open, panes, err := g.askBoth(ctx, "ui.mainWindow.getOpenView", "ui.rightSidebar.getWindows")
	if err != nil {
		return Windows{}, err
	}
	windows := Windows{g.withoutHidden(ctx, open), rawjson.Elements(panes)}
	for i, each := range windows.Sidebar {
		windows.Sidebar[i] = g.withoutHidden(ctx, each)
	}
	return windows, nil
}

// withoutHidden returns a window without the text of a block that Roam does not
// read out.
func (g Desktop) withoutHidden(ctx context.Context, window json.RawMessage) json.RawMessage {
	object := rawjson.Parse(window)
	if object.Get("block-string") == nil {
		return window
	}
	uid, _ := object.Text("uid")
	if uid == "" {
		uid, _ = object.Text("block-uid")
	}
	none := 0
	if block, err := g.reads().ReadBlock(ctx, uid, &none); err == nil && block != nil {
		return window
	}
	return object.Except(rawjson.With("block-string", nil)).With("hidden", true).JSON()
}

// Selection is what the user has selected in Roam, as Roam sends it.
type Selection struct {
	Focused json.RawMessage   // the block with the cursor; nil: none
	Marked  []json.RawMessage // the blocks that are marked
}

// Selection tells which blocks the user has selected in Roam.
func (g Desktop) Selection(ctx context.Context) (Selection, error) {
	focused, marked, err := g.askBoth(ctx, "ui.getFocusedBlock", "ui.multiselect.getSelected")
	return Selection{focused, rawjson.Elements(marked)}, err
}

// askBoth runs two reads without arguments side by side. The first error ends
// both.
func (g Desktop) askBoth(ctx context.Context, first, second string) (a, b json.RawMessage, err error) {
	both, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	send := func(action string) json.RawMessage {
		reply, err := g.caller.Send(both, action)
		if err != nil {
			fail(err)
		}
		return reply.Result
	}
	var other sync.WaitGroup
	var panicked any
	other.Go(func() {
		defer func() { panicked = recover() }()
		b = send(second)
	})
	a = send(first)
	other.Wait()
	if panicked != nil {
		panic(panicked) // where it can be recovered
	}
	if err := context.Cause(both); err != nil {
		return nil, nil, g.caller.Explain(ctx, err)
	}
	return a, b, nil
}

// OpenInMain shows a page or block in Roam's main window, in place of what is
// there. It returns Roam's reply, nil where there is none.
func (g Desktop) OpenInMain(ctx context.Context, target PageRef) (json.RawMessage, error) {
	action, key := "ui.mainWindow.openPage", "page"
	if target.UID != "" {
		action, key = "ui.mainWindow.openBlock", "block"
	}
	if err := g.checkThere(ctx, target); err != nil {
		return nil, err
	}
	return g.ask(ctx, action, request{key: target.request()})
}

// OpenInSidebar adds a window to Roam's right sidebar. kind is outline, block, or
// mentions for what links to the block or page. It returns Roam's reply, nil
// where there is none.
func (g Desktop) OpenInSidebar(ctx context.Context, uid, kind string) (json.RawMessage, error) {
	if err := g.checkThere(ctx, PageRef{UID: uid}); err != nil {
		return nil, err
	}
	return g.ask(ctx, "ui.rightSidebar.addWindow", request{"window": request{"type": kind, "block-uid": uid}})
}

// checkThere refuses what is not in the graph: Roam opens nothing then, and says
// nothing. Where it can't be told, the operation goes on.
func (g Desktop) checkThere(ctx context.Context, target PageRef) error {
	attribute, wanted := ":node/title", target.Title
	if target.UID != "" {
		attribute, wanted = ":block/uid", target.UID
	}
	reply, err := g.caller.Send(ctx, "q", `[:find ?e :in $ ?wanted :where [?e `+attribute+` ?wanted]]`, wanted)
	if result := reply.Result; err != nil || len(result) == 0 || result[0] != '[' || len(rawjson.Elements(result)) > 0 {
		return nil
	}
	return &problem.Error{
		Code:    localapi.CodeNotFound,
		Message: fmt.Sprintf("There is nothing called %s in this graph, so nothing was opened.", textsafe.Quote(wanted)),
		Hint: problem.Say("Find the page or block with %s; a daily note exists once something is written there.", problem.Search).
			Or("A daily note exists once something is written there."),
		Next: problem.Search,
	}
}
