// Package historyview is the history of what agents have written, as commands and screens
// show it: with nicknames, with what Roam has now, as text and as JSON. What a person asks
// for is read here too: calls, times and ranges. It keeps nothing itself.
package historyview

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/localapi"
)

// Options are what New takes.
type Options struct {
	Journal *history.Journal   // the View closes it
	Store   *configstore.Store // has nicknames and tokens
	Config  configstore.Config // as it was read last; it may be zero
	Roam    *localapi.Client   // the View closes its idle connections
	Log     *slog.Logger
}

// View reads the journal for commands and screens. It opens no graph in Roam: one without
// a window isn't asked. It is safe for concurrent use.
type View struct {
	journal  *history.Journal
	recorder *recording.Recorder // settles
	store    *configstore.Store
	roam     *localapi.Client

	mu      sync.Mutex
	config  configstore.Config
	settled time.Time // when the screens last had it settled

	asking  sync.Mutex       // is held while Roam is asked for the following
	open    []localapi.Graph // with a window in Roam
	openErr error
	openAt  time.Time

	ctx     context.Context // of what goes on in the background; Close ends it
	stop    context.CancelFunc
	running sync.WaitGroup
}

// New returns a View of a journal. It makes no file.
func New(o Options) *View {
	v := &View{
		journal: o.Journal, recorder: recording.New(recording.Options{Journal: o.Journal, Log: o.Log}),
		store: o.Store, config: o.Config, roam: o.Roam,
	}
	v.ctx, v.stop = context.WithCancel(context.Background())
	return v
}

// Close frees what the journal holds.
func (v *View) Close() {
	v.stop()
	v.running.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), settlePatience)
	defer cancel()
	_ = v.recorder.Close(ctx) // what is left open, the next program settles
	v.roam.CloseIdleConnections()
}

// refresh reads the configuration, for nicknames and tokens.
func (v *View) refresh(ctx context.Context) error {
	config, err := v.store.Load(ctx)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		v.config = config
	}
	return err
}

func (v *View) entry(g history.Graph) (configstore.Entry, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.config.FindGraph(localGraph(g))
}

func localGraph(g history.Graph) localapi.Graph {
	return localapi.Graph{Name: g.Name, Type: localapi.GraphType(g.Type)}
}

// Name returns the nickname of a graph, or its name in Roam where it has none.
func (v *View) Name(g history.Graph) string {
	if entry, found := v.entry(g); found {
		return entry.Nickname
	}
	return g.Name
}

// Notices implements tui.History. Those about texts of a graph are left out where the
// configuration says by now whether they are kept.
func (v *View) Notices(ctx context.Context) (notices []history.Notice, err error) {
	all, err := v.journal.Notices(ctx)
	_ = v.refresh(ctx) // without it the configuration is the one that was read last
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, n := range all {
		if n.Code == history.CodeTextsUnsaid {
			graph := localGraph(n.Graph)
			if !v.config.TextsUnsaid(graph) {
				continue
			}
			entry, _ := v.config.FindGraph(graph)
			n = history.TextsUnsaid(n.Graph, entry.Nickname)
		}
		notices = append(notices, n)
	}
	return notices, err
}

// Watch implements tui.History.
func (v *View) Watch(ctx context.Context) <-chan struct{} { return v.journal.Watch(ctx) }

// Calls implements tui.History. What is to be settled, is in the background: Watch tells
// of it.
func (v *View) Calls(ctx context.Context, filter history.Filter) (history.Page, error) {
	_ = v.refresh(ctx) // without it the graphs have the names that they had
	v.settleLater()
	return v.journal.Calls(ctx, filter)
}

// Sessions implements tui.History.
func (v *View) Sessions(ctx context.Context, filter history.Filter) ([]history.Session, error) {
	return v.journal.Sessions(ctx, filter)
}

// Diff implements tui.History.
func (v *View) Diff(ctx context.Context, call int64) (review.Diff, error) {
	record, found, err := v.journal.Record(ctx, call)
	if err != nil {
		return review.Diff{}, err
	}
	if !found {
		return review.Diff{}, notRecorded(strconv.FormatInt(call, 10))
	}
	return v.RecordDiff(ctx, record, ""), nil
}

// RecordAll returns RecordDiff with every line of it.
func (v *View) RecordAll(ctx context.Context, record history.Record, only string) review.Diff {
	return review.AllOf(record, only, v.now(ctx, record, only), v.Name)
}

// RecordDiff returns what a call has changed, or what it changed at a uid.
func (v *View) RecordDiff(ctx context.Context, record history.Record, only string) review.Diff {
	return review.DiffOf(record, only, v.now(ctx, record, only), v.Name)
}
