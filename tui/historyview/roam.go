package historyview

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
)

const (
	askPatience = 2 * time.Second // for what Roam has now at what one call changed
	openFor     = 2 * time.Second // how long a list of open graphs is good
)

// mostReads bounds how far up the paths of blocks are followed.
const mostReads = 4

// now reads what Roam has at what a call changed.
func (v *View) now(ctx context.Context, record history.Record, only string) review.Now {
	now := review.Now{At: time.Now(), State: fact.State{Things: map[string]fact.Fact{}}}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	caller, why := v.caller(ctx, record.Call.Graph)
	if caller == nil {
		now.Why = why
		return now
	}
	for range mostReads {
		missing := review.Missing(record, only, now.State)
		if len(missing) == 0 {
			break
		}
		state, err := fact.Things(ctx, caller.ask, missing)
		if err != nil {
			return now
		}
		maps.Copy(now.State.Things, state.Things)
		now.Known = true
	}
	return now
}

// caller returns the way to a graph, or why there is none.
func (v *View) caller(ctx context.Context, g history.Graph) (caller *graphCaller, why string) {
	entry, found := v.entry(g)
	if !found {
		return nil, "the graph is not connected"
	}
	open, err := v.openGraphs(ctx)
	if err != nil {
		return nil, "Roam can't be asked"
	}
	if !slices.Contains(open, entry.Graph()) {
		return nil, "the graph is not open in Roam"
	}
	return &graphCaller{roam: v.roam, entry: entry}, ""
}

// openGraphs lists the graphs with a window in Roam.
func (v *View) openGraphs(ctx context.Context) ([]localapi.Graph, error) {
	v.asking.Lock()
	defer v.asking.Unlock()
	if time.Since(v.openAt) > openFor {
		v.open, v.openErr = v.roam.OpenGraphs(ctx)
		v.openAt = time.Now()
	}
	return v.open, v.openErr
}

// graphCaller is the way to one graph, with what its entry says of it. It is an
// ops.Caller that nobody is behind.
type graphCaller struct {
	ops.NoUser
	roam  *localapi.Client
	entry configstore.Entry
}

// Send implements ops.Caller.
func (c *graphCaller) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.roam.Call(localapi.Expecting(ctx, c.entry.APIVersion), c.entry.Graph(), c.entry.Token, action, args...)
}

// Look implements ops.Caller.
func (c *graphCaller) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.Send(ctx, action, args...)
}

// ask is a fact.Ask.
func (c *graphCaller) ask(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	reply, err := c.Send(ctx, action, args...)
	return reply.Result, err
}
