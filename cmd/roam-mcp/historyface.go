package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/history"
	"roam-mcp/history/fact"
	"roam-mcp/history/review"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/recording"
)

// How long the history waits for Roam: it is shown without, then.
const (
	settlePatience = 2 * time.Second
	askPatience    = 2 * time.Second // for what Roam has now at what one call changed
	openFor        = 2 * time.Second // how long a list of open graphs is good
	settleAgain    = 30 * time.Second
)

// historyFace is the journal as commands and screens see it: with nicknames, and with
// what Roam has now. It opens no graph in Roam: one without a window isn't asked. It is
// safe for concurrent use.
type historyFace struct {
	journal  *history.Journal
	recorder *recording.Recorder // settles
	store    *configstore.Store
	roam     *localapi.Client
	queries  *localapi.Queries

	mu      sync.Mutex
	config  configstore.Config
	settled time.Time // when the screens last had it settled

	asking  sync.Mutex       // is held while Roam is asked for the following
	open    []localapi.Graph // with a window in Roam
	openErr error
	openAt  time.Time

	ctx     context.Context // of what goes on in the background; close ends it
	stop    context.CancelFunc
	running sync.WaitGroup
}

// history returns the journal of this world for a kind of program. It makes no file.
func (w world) history(ctx context.Context, kind history.Kind, log *slog.Logger) *historyFace {
	journal := w.journal(ctx, kind, log)
	f := &historyFace{
		journal: journal, recorder: recording.New(recording.Options{Journal: journal, Log: log}), store: w.store(), roam: w.client(), queries: localapi.NewQueries(nil),
	}
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// close frees what the journal holds.
func (f *historyFace) close() {
	f.stop()
	f.running.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), settlePatience)
	defer cancel()
	_ = f.recorder.Close(ctx) // what is left open, the next program settles
	f.roam.CloseIdleConnections()
}

// refresh reads the configuration, for nicknames and tokens.
func (f *historyFace) refresh(ctx context.Context) error {
	config, err := f.store.Load(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		f.config = config
	}
	return err
}

func (f *historyFace) entry(g history.Graph) (configstore.Entry, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.config.FindGraph(localGraph(g))
}

func localGraph(g history.Graph) localapi.Graph {
	return localapi.Graph{Name: g.Name, Type: localapi.GraphType(g.Type)}
}

// Name returns the nickname of a graph, or its name in Roam where it has none.
func (f *historyFace) Name(g history.Graph) string {
	if entry, found := f.entry(g); found {
		return entry.Nickname
	}
	return g.Name
}

// Notices implements tui.History. Those about texts of a graph are left out where the
// configuration says by now whether they are kept.
func (f *historyFace) Notices(ctx context.Context) (notices []history.Notice, err error) {
	all, err := f.journal.Notices(ctx)
	_ = f.refresh(ctx) // without it the configuration is the one that was read last
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range all {
		if n.Code == history.CodeTextsUnsaid {
			graph := localGraph(n.Graph)
			if !f.config.TextsUnsaid(graph) {
				continue
			}
			entry, _ := f.config.FindGraph(graph)
			n = history.TextsUnsaid(n.Graph, entry.Nickname)
		}
		notices = append(notices, n)
	}
	return notices, err
}

// Watch implements tui.History.
func (f *historyFace) Watch(ctx context.Context) <-chan struct{} { return f.journal.Watch(ctx) }

// Calls implements tui.History. What is to be settled, is in the background: Watch tells
// of it.
func (f *historyFace) Calls(ctx context.Context, filter history.Filter) (history.Page, error) {
	_ = f.refresh(ctx) // without it the graphs have the names that they had
	f.settleLater()
	return f.journal.Calls(ctx, filter)
}

// Sessions implements tui.History.
func (f *historyFace) Sessions(ctx context.Context, filter history.Filter) ([]history.Session, error) {
	return f.journal.Sessions(ctx, filter)
}

// Diff implements tui.History.
func (f *historyFace) Diff(ctx context.Context, call int64) (review.Diff, error) {
	record, found, err := f.journal.Record(ctx, call)
	if err != nil {
		return review.Diff{}, err
	}
	if !found {
		return review.Diff{}, notRecorded(strconv.FormatInt(call, 10))
	}
	return f.diff(ctx, record, ""), nil
}

// diff returns what a call has changed, or what it changed at a uid.
func (f *historyFace) diff(ctx context.Context, record history.Record, only string) review.Diff {
	return review.DiffOf(record, only, f.now(ctx, record, only), f.Name)
}

// mostReads bounds how far up the paths of blocks are followed.
const mostReads = 4

// now reads what Roam has at what a call changed.
func (f *historyFace) now(ctx context.Context, record history.Record, only string) review.Now {
	now := review.Now{At: time.Now(), State: fact.State{Things: map[string]fact.Fact{}}}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	caller, why := f.caller(ctx, record.Call.Graph)
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
func (f *historyFace) caller(ctx context.Context, g history.Graph) (caller *historyCaller, why string) {
	entry, found := f.entry(g)
	if !found {
		return nil, "the graph is not connected"
	}
	open, err := f.openGraphs(ctx)
	if err != nil {
		return nil, "Roam can't be asked"
	}
	if !slices.Contains(open, entry.Graph()) {
		return nil, "the graph is not open in Roam"
	}
	return &historyCaller{roam: f.roam, queries: f.queries, entry: entry}, ""
}

// openGraphs lists the graphs with a window in Roam.
func (f *historyFace) openGraphs(ctx context.Context) ([]localapi.Graph, error) {
	f.asking.Lock()
	defer f.asking.Unlock()
	if time.Since(f.openAt) > openFor {
		f.open, f.openErr = f.roam.OpenGraphs(ctx)
		f.openAt = time.Now()
	}
	return f.open, f.openErr
}

// settle finds out what became of the calls that servers left open when they ended, as
// far as Roam can be asked, for two seconds at the most.
func (f *historyFace) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settlePatience)
	defer cancel()
	for _, g := range f.unsettled(ctx) {
		if caller, _ := f.caller(ctx, g); caller != nil {
			// What is not settled now is listed as it is.
			_ = f.recorder.Settle(ctx, localGraph(g), caller)
		}
	}
}

// settleLater settles in the background, unless that was done lately.
func (f *historyFace) settleLater() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil || time.Since(f.settled) < settleAgain {
		return
	}
	f.settled = time.Now()
	f.running.Go(func() { f.settle(f.ctx) })
}

// unsettled returns the graphs with calls that servers left open, or of which nobody
// has read what they left.
func (f *historyFace) unsettled(ctx context.Context) (graphs []history.Graph) {
	abandoned, _ := f.journal.Abandoned(ctx, nil) // where it can't be read, the list says so
	unread, _ := f.journal.Unread(ctx, nil)
	for _, open := range append(abandoned, unread...) {
		if !slices.Contains(graphs, open.Graph) {
			graphs = append(graphs, open.Graph)
		}
	}
	return graphs
}

// historyCaller is the way to one graph, with what its entry says of it. It is an
// ops.Caller that nobody is behind.
type historyCaller struct {
	ops.Unattended
	roam    *localapi.Client
	queries *localapi.Queries
	entry   configstore.Entry
}

// Send implements ops.Caller.
func (c *historyCaller) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.queries.Ask(c.entry.Graph(), action, func(action string) (localapi.Reply, error) {
		return c.roam.Call(localapi.Expecting(ctx, c.entry.APIVersion), c.entry.Graph(), c.entry.Token, action, args...)
	})
}

// Look implements ops.Caller.
func (c *historyCaller) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return c.Send(ctx, action, args...)
}

// ask is a fact.Ask.
func (c *historyCaller) ask(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	reply, err := c.Send(ctx, action, args...)
	return reply.Result, err
}
