package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
)

// windowText is how many characters of a block a window shows.
const windowText = 500

// together runs two actions without arguments side by side. The first error
// ends both.
func (c *call) together(ctx context.Context, first, second string) (a, b json.RawMessage, err error) {
	stop := c.progress.repeat(ctx, func() string { return waitingForRoam })
	defer stop()
	err = c.withRoam(ctx, c.target.entry.Graph(), func() (err error) {
		a, b, err = c.pair(ctx, first, second)
		return err
	})
	if err != nil {
		return nil, nil, c.explain(ctx, err)
	}
	return a, b, nil
}

func (c *call) pair(ctx context.Context, first, second string) (a, b json.RawMessage, err error) {
	both, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	run := func(action string) json.RawMessage {
		reply, err := c.server.options.Roam.Call(both, c.target.entry.Graph(), c.target.entry.Token, action)
		if err != nil {
			fail(err)
		}
		return reply.Result
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer c.server.recoverBackground("calling " + second)
		b = run(second)
	}()
	a = run(first)
	<-done
	return a, b, context.Cause(both)
}

func getOpenWindows(ctx context.Context, c *call) (json.RawMessage, error) {
	open, panes, err := c.together(ctx, "ui.mainWindow.getOpenView", "ui.rightSidebar.getWindows")
	if err != nil {
		return nil, err
	}
	sidebar := rawjson.Elements(panes)
	for i, pane := range sidebar {
		sidebar[i] = shortWindow(pane)
	}
	return rawjson.With("main", shortWindow(open)).With("sidebar", rawjson.Array(sidebar)).JSON(), nil
}

func getSelection(ctx context.Context, c *call) (json.RawMessage, error) {
	focused, marked, err := c.together(ctx, "ui.getFocusedBlock", "ui.multiselect.getSelected")
	if err != nil {
		return nil, err
	}
	return rawjson.With("focused", focused).With("multiSelected", rawjson.Array(rawjson.Elements(marked))).JSON(), nil
}

// orNull is a value, or null where Roam sent none.
func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// shortWindow cuts the text of a window that shows a long block: it is there to
// tell which block it is, and get_block reads it.
func shortWindow(window json.RawMessage) json.RawMessage {
	if len(window) <= windowText {
		return window
	}
	object := rawjson.Parse(window)
	var text string
	if json.Unmarshal(object.Get("block-string"), &text) != nil {
		return window
	}
	runes := []rune(text)
	if len(runes) <= windowText {
		return window
	}
	object = object.With("block-string", string(runes[:windowText])+"…")
	return object.With("truncated", len(runes)-windowText).JSON()
}

// checkThere refuses what is not in the graph: Roam opens nothing then, and says
// nothing. Where it can't be told, the call goes on.
func (c *call) checkThere(ctx context.Context, attribute, wanted string) error {
	reply, err := c.send(ctx, "q", `[:find ?e :in $ ?wanted :where [?e `+attribute+` ?wanted]]`, wanted)
	if result := reply.Result; err != nil || len(result) == 0 || result[0] != '[' || len(rawjson.Elements(result)) > 0 {
		return nil
	}
	return &failure{
		Code:              localapi.CodeNotFound,
		Message:           fmt.Sprintf("There is nothing called %s in this graph, so nothing was opened.", quote(wanted)),
		Hint:              "Find the page or block with search; a daily note exists once something is written there.",
		SuggestedNextTool: "search",
	}
}

func openMainWindow(ctx context.Context, c *call) (json.RawMessage, error) {
	target, err := c.pageOrBlock()
	if err != nil {
		return nil, err
	}
	action, kind, attribute, wanted := "ui.mainWindow.openPage", "page", ":node/title", c.args.text("title")
	if uid := c.args.text("uid"); uid != "" {
		action, kind, attribute, wanted = "ui.mainWindow.openBlock", "block", ":block/uid", uid
	}
	if err := c.checkThere(ctx, attribute, wanted); err != nil {
		return nil, err
	}
	result, err := c.roam(ctx, action, map[string]any{kind: target})
	if err != nil {
		return nil, err
	}
	return success(result, nil), nil
}

func openSidebar(ctx context.Context, c *call) (json.RawMessage, error) {
	window := map[string]any{"type": "outline"}
	c.args.pick(window, "type", "type", "uid", "block-uid")
	if err := c.checkThere(ctx, ":block/uid", c.args.text("uid")); err != nil {
		return nil, err
	}
	result, err := c.roam(ctx, "ui.rightSidebar.addWindow", map[string]any{"window": window})
	if err != nil {
		return nil, err
	}
	return success(result, nil), nil
}
