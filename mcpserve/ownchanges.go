package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

const (
	// holdUndo is held by the undo of a graph: there is one at a time.
	holdUndo = "undo"
	// settlePatience is how long an undo waits until it is known what servers left that have ended.
	settlePatience = 2 * time.Second
	// partOfReply is what part of a reply, in tokens, a text may have in characters: there are three
	// of one thing at most, with its path.
	partOfReply = 4
)

// ownHistory is what an agent is told of its own changes, and does with them.
type ownHistory struct{ *call }

// own returns the changes of the agent that calls, once it is read what the last of them left.
func (c ownHistory) own(ctx context.Context) (*undo.Own, error) {
	if c.server.options.Journal == nil {
		return nil, &problem.Error{Code: history.CodeUnavailable, Retry: problem.RetryNever, Message: "The server was started with --no-journal, so no change is recorded."}
	}
	entry := c.target.entry
	c.server.recorder.Flush(ctx, entry.Graph())
	return &undo.Own{
		Journal: c.server.options.Journal, Graph: history.Graph{Name: entry.Name, Type: string(entry.Graph().Type)},
		Who: c.who(), Named: c.server.options.Agent != "", Sessionless: c.session == nil && overHTTP(c.request), Ask: c.ask,
	}, nil
}

// overHTTP reports whether a call came over HTTP. A stream has one client, in the stateless era too.
func overHTTP(request *mcp.CallToolRequest) bool {
	return request.Extra != nil && request.Extra.Header != nil
}

// ask is a fact.Ask.
func (c ownHistory) ask(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	reply, err := c.roam.Send(ctx, action, args...)
	if err != nil {
		return nil, c.roam.Explain(ctx, err)
	}
	return reply.Result, nil
}

// longestText is how many characters of a text are told.
func (c ownHistory) longestText() int { return c.MaxReply() / partOfReply }

func listOwnChanges(ctx context.Context, c *call) (json.RawMessage, error) {
	if c.args.Text("change") != "" {
		return readOwnChange(ctx, c)
	}
	own, err := ownHistory{c}.own(ctx)
	if err != nil {
		return nil, err
	}
	query := undo.OwnQuery{
		Page: c.args.Text(surface.ArgPage), Block: c.args.Text("uid"), Since: c.args.Text("since"),
		Limit: c.args.Number("limit", 20), Now: c.Now(),
	}
	if text := c.args.Text("before"); text != "" {
		number, ok := undo.ParseNumber(text)
		if !ok {
			return nil, surface.Invalid(c.tool.Name, "before must be a number of a change.")
		}
		query.Before = number.Call
	}
	list, err := own.List(ctx, query)
	if errors.Is(err, undo.ErrSince) {
		return nil, surface.Invalid(c.tool.Name, "%s.", err)
	}
	if err != nil {
		return nil, err
	}
	reply := rawjson.Parse(rawjson.Encode(list))
	if own.Stateless() {
		reply = reply.With("note", c.World().Say(problem.Say("This connection keeps no session, so no change is known as yours. The user can give you a name, whose changes are yours: %s", problem.Run("serve").With("--agent", "NAME"))))
	}
	return reply.JSON(), nil
}

func readOwnChange(ctx context.Context, c *call) (json.RawMessage, error) {
	own, err := ownHistory{c}.own(ctx)
	if err != nil {
		return nil, err
	}
	change, err := own.Get(ctx, c.args.Text("change"), ownHistory{c}.longestText())
	if err != nil {
		return nil, err
	}
	return rawjson.Encode(change), nil
}

func undoOwnChanges(ctx context.Context, c *call) (json.RawMessage, error) {
	own, err := ownHistory{c}.own(ctx)
	if err != nil {
		return nil, err
	}
	entry := c.target.entry
	wish := undo.Wish{
		Changes: c.args.List("changes"), Session: c.args.Text("session") != "", DryRun: c.args.Flag("dryRun", false), Longest: ownHistory{c}.longestText(),
	}
	switch {
	case wish.Session && len(wish.Changes) > 0:
		return nil, surface.Invalid(c.tool.Name, "give changes or session, not both.")
	case entry.AccessLevel.Known() && !entry.AccessLevel.CanEdit():
		return nil, undo.NeedsEdit(entry.Nickname)
	}
	release, err := c.graph.Hold(ctx, []string{holdUndo}, func() ([]string, error) { return []string{holdUndo}, nil })
	if err != nil {
		return nil, err
	}
	defer release()
	ownHistory{c}.settle(ctx)
	u := undo.Undo{
		Graph: c.graph, Ask: ownHistory{c}.ask, Now: c.server.now,
		Tell: func(p undo.Progress) { c.Progress(p.String()) },
	}
	if !wish.DryRun {
		u.Recording = c.recording
	}
	undone, err := own.Undo(ctx, wish, u)
	if err != nil {
		return nil, withoutTexts(err)
	}
	return rawjson.Encode(undone), nil
}

// withoutTexts returns the error of an undo that was ended, without what it tells of blocks: some may
// be hidden from agents.
func withoutTexts(err error) error {
	failed, ok := problem.As(err)
	if !ok || errors.As(err, new(*inputRequired)) {
		return err
	}
	told := *failed
	told.Details = slices.DeleteFunc(slices.Clone(failed.Details), func(d problem.Detail) bool { return d.Name != ops.DetailApplied && d.Name != ops.DetailRetryAfter })
	if told.Code == ops.CodeOutcomeUnknown {
		told.Message = "The undo was ended: it is not known whether one of its steps was done."
		told.Hint = problem.Say("Call %s again: nothing is done twice.", problem.UndoOwnChanges)
	}
	return &told
}

// settle sees to it that the journal says what became of what is to be undone, as far as that is
// known soon.
func (c ownHistory) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settlePatience)
	defer cancel()
	_ = c.server.recorder.Settle(ctx, c.target.entry.Graph(), c.server.roam.Later(c.target.entry)) // what is not settled is left
}
