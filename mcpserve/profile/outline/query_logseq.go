package outline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/datalog"
	"roam-mcp/graphdb/logseqview"
	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mirror"
	"roam-mcp/problem"
)

// queryMemory is what all queries over one graph may hold together, in bytes.
const queryMemory = 256 << 20

// longest is more time than a call can have: its context ends before.
const longest = 2 * time.Minute

// askLogseq answers a query in Logseq's schema from the mirror.
func askLogseq(ctx context.Context, c surface.Call, query *logseqview.Query, written string) (answered, error) {
	text, inputs, err := query.Datalog(c.Now())
	if err != nil {
		return answered{}, surface.Invalid(c.ToolName(), "%s.", err)
	}
	parsed, err := datalog.Parse(text)
	if err != nil {
		return answered{}, failure(logseqview.Readable(written), err)
	}
	view, err := c.Mirror(ctx, mirror.Texts)
	if err != nil {
		return answered{}, slowly(ctx, err)
	}
	kept := view.Kept("logseq", func() any { return &logseqViews{memory: datalog.NewMemory(queryMemory)} }).(*logseqViews)
	db, err := kept.of(ctx, view.DB())
	if err != nil {
		return answered{}, slowly(ctx, err)
	}
	share := kept.memory.Open()
	defer share.Release()
	result, err := datalog.Run(ctx, db, parsed, inputs, datalog.Options{Memory: share, Timeout: longest})
	if err != nil {
		return answered{}, slowly(ctx, failure(logseqview.Readable(written), err))
	}
	out := answered{schema: schemaLogseq}
	if len(query.NotRun) > 0 {
		out.warnings = []string{fmt.Sprintf("Functions are not run: %s. The results are what the query finds.", strings.Join(query.NotRun, ", "))}
	}
	if len(result.Rows) == 0 {
		return out, nil
	}
	reply, err := result.JSON(datalog.Stripped) // keys as Logseq's own API has them
	if err != nil {
		return answered{}, failure(logseqview.Readable(written), err)
	}
	if out.rows = rawjson.Elements(reply); result.Shape == datalog.Tuple || result.Shape == datalog.Scalar {
		out.rows = []json.RawMessage{reply}
	}
	return out, nil
}

// failure returns the error of a query that package datalog refuses or gives up.
func failure(query string, err error) error {
	var failed *datalog.Error
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Code {
	case datalog.CodeTimeout, datalog.CodeBudget, datalog.CodeMemory:
		return &problem.Error{
			Code: localapi.CodeQueryTimeout, Message: failed.Message + ".", Retry: problem.RetryNever, Err: err,
			Hint: say("Begin with the clause that matches least, and ask for less at once."),
		}
	}
	return ops.InvalidDatalog(query, failed.Message)
}

// slowly returns an error as it is, or that of a call whose time was up.
func slowly(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return &problem.Error{
		Code: localapi.CodeTimeout, Message: "The query took longer than timeout_ms.", Retry: problem.RetryLater, Err: err,
		Hint: say("What was read of the graph is kept, so call again; else give a longer timeout_ms, or ask for less at once."),
	}
}

// logseqViews holds the newest snapshot of a graph in Logseq's schema. It is kept with the
// mirror of the graph.
type logseqViews struct {
	memory *datalog.Memory

	mu     sync.Mutex
	newest *logseqView
}

// logseqView is a snapshot in Logseq's schema, made in the background: what one call has
// no time to wait for is there for the next one.
type logseqView struct {
	from    *graphdb.DB
	waiting int // calls; guarded by logseqViews.mu
	stop    context.CancelFunc
	made    chan struct{} // closed when db or err is there
	db      *graphdb.DB
	err     error
}

// of returns a snapshot of the mirror in Logseq's schema.
func (v *logseqViews) of(ctx context.Context, from *graphdb.DB) (*graphdb.DB, error) {
	v.mu.Lock()
	view := v.newest
	if view == nil || view.from != from {
		if view != nil && view.waiting == 0 {
			view.stop() // nobody will ask for it again
		}
		view = makeView(from)
		v.newest = view
	}
	view.waiting++
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		view.waiting--
		v.mu.Unlock()
	}()
	select {
	case <-view.made:
		return view.db, view.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func makeView(from *graphdb.DB) *logseqView {
	ctx, stop := context.WithCancel(context.Background())
	view := &logseqView{from: from, stop: stop, made: make(chan struct{})}
	go func() {
		defer stop()
		defer close(view.made)
		view.db, view.err = logseqview.Build(ctx, from)
	}()
	return view
}
