// Package recording keeps a journal of what tool calls change in graphs: it is the
// ops.Recorder of an MCP server (JOURNAL.md, Capture).
//
// It promises that a write whose texts are kept is in the journal before it is sent,
// with the facts that it is about to replace, and its outcome before the caller knows;
// that what was read for the journal reaches no reply but in numbers (ops.Impact), and may
// decide how the write ended; and that what a write has left is read before its outcome is
// told, or else in the background, before the next write that reads. It knows which write changes what. It does
// not know tools, profiles, and how the journal is stored.
package recording

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// The codes of this package's own errors (TOOLS.md, "Errors of our own"). All refuse a
// write before anything of it is sent.
const (
	// CodeBeingWritten: another server is changing the same blocks.
	CodeBeingWritten problem.Code = "BEING_WRITTEN"
	// CodeTooLargeToKeep: what the write would replace is more than one record keeps.
	CodeTooLargeToKeep problem.Code = "TOO_LARGE_TO_KEEP"
)

// Journal is what a Recorder needs of a history.Journal.
type Journal interface {
	Mark(ctx context.Context) (int64, error)
	Intend(ctx context.Context, intent history.Intent) (history.Change, error)
	TakenBack(ctx context.Context, in history.Intent) (history.Change, error)
	Finish(ctx context.Context, change history.Change, outcome history.Outcome) error
	After(ctx context.Context, change history.Change, seen history.Aftermath) error
	Stopped(ctx context.Context, intent history.Intent, code string) error
	Abandoned(ctx context.Context, graph *history.Graph) ([]history.Open, error)
	Unread(ctx context.Context, graph *history.Graph) ([]history.Open, error)
	Record(ctx context.Context, call int64) (record history.Record, ok bool, err error)
	InDoubt(ctx context.Context, call int64) ([]history.Open, error)
	Claim(graph history.Graph, page, agent string) *history.Claim
	Exclusive(ctx context.Context, name string, wait time.Duration) (release func(), ok bool, err error)
	Close(ctx context.Context) error
}

var _ Journal = (*history.Journal)(nil)

// Keeping says which parts of the writes to a graph are kept.
type Keeping int

// The values of Keeping.
const (
	Unsaid  Keeping = iota // the user has not said: all, if Roam says that the graph is not encrypted
	All                    // texts too
	NoTexts                // that something was changed, by whom, when and where
)

// Options of a Recorder. Journal is required.
type Options struct {
	Journal Journal
	Now     func() time.Time // nil: time.Now
	Log     *slog.Logger     // nil: nothing is logged. Never anything of a note
	// Wait waits between two tries of what others are in the way of; false where ctx ends
	// first. nil: it waits for that time.
	Wait func(ctx context.Context, d time.Duration) bool
}

// Recorder records the calls of one server. It is safe for concurrent use.
type Recorder struct {
	options Options
	now     func() time.Time
	log     *slog.Logger
	ctx     context.Context // of what goes on in the background; Close ends it
	stop    context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	closed bool
	graphs map[localapi.Graph]*onGraph
}

// onGraph is what a Recorder remembers of a graph.
type onGraph struct {
	after      *queue
	settling   bool // it is looked, or was looked, what became of the writes of servers that ended
	encryption localapi.Encryption
	unsaid     time.Time // when Roam was last asked about encryption and did not say; zero: it was not
}

// New returns a Recorder. It touches neither the journal nor Roam before the first
// write.
func New(options Options) *Recorder {
	r := &Recorder{options: options, now: options.Now, log: options.Log, graphs: map[localapi.Graph]*onGraph{}}
	if r.now == nil {
		r.now = time.Now
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if r.options.Wait == nil {
		r.options.Wait = ops.Wait
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// closePatience is how long Close waits for what writes have left to be read.
const closePatience = 2 * time.Second

// Close waits up to 2 seconds until what the last writes have left is read, and closes
// the journal. What was not read, the next server reads. No call may be under way.
func (r *Recorder) Close(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	r.mu.Lock()
	graphs := make([]*onGraph, 0, len(r.graphs))
	for _, g := range r.graphs {
		graphs = append(graphs, g)
	}
	r.closed = true
	r.mu.Unlock()
	for _, g := range graphs {
		g.after.flush(waiting)
	}
	r.stop()
	r.running.Wait()
	if err := r.options.Journal.Close(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("close the journal: %w", err)
	}
	return nil
}

// on returns what is remembered of a graph.
func (r *Recorder) on(graph localapi.Graph) *onGraph {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.graphs[graph]
	if g == nil {
		g = &onGraph{after: newQueue(r)}
		r.graphs[graph] = g
	}
	return g
}

// background runs something until the Recorder is closed, and reports whether it does.
// A panic of it ends nothing else.
func (r *Recorder) background(doing string, work func(context.Context)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.running.Add(1)
	go func() {
		defer r.running.Done()
		defer r.recover(doing)
		work(r.ctx)
	}()
	return true
}

// recover keeps a panic from ending the process. It is to be deferred.
func (r *Recorder) recover(doing string) {
	if fault := recover(); fault != nil {
		r.log.Error("panic", "while", doing, "panic", fmt.Sprintf("%T", fault), "stack", textsafe.Redact(string(debug.Stack())))
	}
}

// Call is one call of a tool, of which all writes are to be recorded.
type Call struct {
	Graph localapi.Graph
	Tool  string
	Args  json.RawMessage // as they came
	Who   history.Who
	Keeps Keeping
	// Adds says that the tool only adds to a graph. All else that a call writes is refused
	// where it can't be recorded, so that no call ends halfway because of it.
	Adds bool
	// Restores says that the tool brings back what was.
	Restores bool
	// Later is a way to the graph that outlives the call, for reads in the background.
	Later ops.Caller
	// Noted is told the number of the call, once the first of its writes is recorded;
	// nil: nobody is.
	Noted func(number int64)
}

// Call returns what records the writes of a call.
func (r *Recorder) Call(call Call) *Recording { return &Recording{recorder: r, call: call} }
