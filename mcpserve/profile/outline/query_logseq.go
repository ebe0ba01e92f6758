package outline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/logseqview"
	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
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
	kept, err := logseqViews().Of(ctx, view)
	if err != nil {
		return answered{}, slowly(ctx, err)
	}
	db, err := kept.wait(ctx)
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

// logseqViews are graphs in Logseq's schema, kept with their mirrors.
func logseqViews() mirror.Derived[*logseqView] {
	return mirror.Derived[*logseqView]{
		Name: "logseq",
		Update: func(_ context.Context, before *logseqView, view *mirror.View, change mirror.Change) (*logseqView, error) {
			if change.Empty() {
				before.waiting.Add(1)
				return before, nil
			}
			return before.next(view.DB()), nil
		},
		Size: (*logseqView).size,
	}
}

// logseqView is a snapshot in Logseq's schema, made in the background: what one call has
// no time to wait for is there for the next one.
type logseqView struct {
	memory  *datalog.Memory // of queries, shared by all snapshots of a graph
	waiting atomic.Int32    // calls, from the update on that gave it to them
	stop    context.CancelFunc
	made    chan struct{} // closed when db or err is there
	db      *graphdb.DB
	err     error
}

// next begins to make the view of a newer snapshot, for one call that waits. It ends that
// of v, which may be nil, where no call waits for it.
func (v *logseqView) next(from *graphdb.DB) *logseqView {
	ctx, stop := context.WithCancel(context.Background())
	view := &logseqView{stop: stop, made: make(chan struct{})}
	if v == nil {
		view.memory = datalog.NewMemory(queryMemory)
	} else if view.memory = v.memory; v.waiting.Load() == 0 {
		v.stop() // nobody will ask for it again
	}
	view.waiting.Add(1)
	go func() {
		defer stop()
		defer close(view.made)
		view.db, view.err = logseqview.Build(ctx, from)
	}()
	return view
}

// wait returns the snapshot once it is made.
func (v *logseqView) wait(ctx context.Context) (*graphdb.DB, error) {
	defer v.waiting.Add(-1)
	select {
	case <-v.made:
		return v.db, v.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// size returns about how many bytes the snapshot holds; 0 before it is made.
func (v *logseqView) size() int64 {
	select {
	case <-v.made:
	default:
		return 0
	}
	if v.err != nil {
		return 0
	}
	const perEntity = 285
	return perEntity * int64(v.db.Count(logseqview.UUID))
}
