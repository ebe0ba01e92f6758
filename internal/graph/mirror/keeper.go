package mirror

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// CodeGraphTooLarge is the code of the error of View for a graph whose texts take more
// memory than Options.Limit.
const CodeGraphTooLarge problem.Code = "GRAPH_TOO_LARGE"

// Ask runs a reading action of Roam's (LOCAL_API.md 2) and returns its result.
type Ask func(ctx context.Context, action string, args ...any) (json.RawMessage, error)

// Need is how much of a graph is needed.
type Need int

// The values of Need. Each includes those before it.
const (
	Links Need = iota // pages, their names, kinds, links and tags
	Texts             // all blocks
)

// Source is a graph, and the way to it of one call.
type Source struct {
	Graph localapi.Graph
	Key   string // stands for the token: the graph is forgotten when another key comes
	Ask   Ask
	// Progress is told of a load that takes long, in a few words; nil: nobody is.
	Progress func(text string)
}

// Options of a Keeper. All may be left out.
type Options struct {
	Limit int64            // bytes of all graphs and what is derived from them, about; 0: 640 MiB
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: nothing is logged

	few   int // pages; 0: fewPages
	small int // entities; 0: smallGraph, negative: no graph is read as a whole
}

// Cache holds the mirrors of all graphs that a program serves. It is safe for
// concurrent use.
type Cache struct {
	options Options

	behind atomic.Int32 // calls that wait for a flight which began before them

	mu      sync.Mutex
	mirrors map[localapi.Graph]*mirror
}

const (
	defaultLimit = 640 << 20
	// idleLimit is how long a graph is kept for which nobody asks.
	idleLimit = 10 * time.Minute
)

// New returns a Keeper that holds no graph yet.
func New(options Options) *Cache {
	options.Limit = cmp.Or(options.Limit, defaultLimit)
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	options.few = cmp.Or(options.few, fewPages)
	options.small = cmp.Or(options.small, smallGraph)
	return &Cache{options: options, mirrors: map[localapi.Graph]*mirror{}}
}

// View returns a graph as Roam holds it now. It loads what is needed and not there yet,
// and brings the rest up to date with one call to Roam where nothing has changed. It
// returns an error of Ask as it is, and CodeGraphTooLarge.
func (k *Cache) View(ctx context.Context, s Source, need Need) (*View, error) {
	m := k.mirror(s)
	view, err := m.view(ctx, s, need)
	if forgets(err) {
		k.forget(m)
	}
	return view, err
}

// mirror returns the mirror of a graph, a new one if there is none for the key.
func (k *Cache) mirror(s Source) *mirror {
	k.mu.Lock()
	defer k.mu.Unlock()
	m := k.mirrors[s.Graph]
	if m != nil && m.key != s.Key {
		k.end(m)
		m = nil
	}
	if m == nil {
		m = &mirror{
			keeper: k, options: k.options, graph: s.Graph, key: s.Key, quickest: wayToRoam,
			flights: map[string]*refresh{}, notices: map[string][]string{},
		}
		m.ctx, m.forget = context.WithCancelCause(context.Background())
		own := weak.Make(m) // the runtime may hold the function of a stopped timer until its time
		m.idle = time.AfterFunc(idleLimit, func() {
			if m := own.Value(); m != nil {
				k.forget(m)
			}
		})
		k.mirrors[s.Graph] = m
	}
	m.used = k.options.Now()
	m.idle.Reset(idleLimit)
	return m
}

// forget forgets a mirror.
func (k *Cache) forget(m *mirror) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.end(m)
}

// end ends a mirror. The caller holds mu.
func (k *Cache) end(m *mirror) {
	if k.mirrors[m.graph] == m {
		delete(k.mirrors, m.graph)
	}
	m.idle.Stop()
	m.forget(errForgotten)
}

// Wrote tells that this program has written to a graph, so that renames which the next
// refresh sees may be its own. structure: something was deleted or moved, for which the
// next refresh looks.
func (k *Cache) Wrote(graph localapi.Graph, structure bool) {
	k.mu.Lock()
	m := k.mirrors[graph]
	k.mu.Unlock()
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wrote, m.structure = true, m.structure || structure
}

// Retain forgets the graphs that serves does not hold for, at once. Calls that wait for
// one fail.
func (k *Cache) Retain(serves func(localapi.Graph) bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for graph, m := range k.mirrors {
		if !serves(graph) {
			k.end(m)
		}
	}
}

// Close forgets all graphs.
func (k *Cache) Close() { k.Retain(func(localapi.Graph) bool { return false }) }

// fits reports with an error that a store is more than the Keeper may hold, also once
// the graphs that were used longest ago are forgotten.
func (f *refresh) fits(s *store, need Need) error {
	f.mirror.mu.Lock()
	f.mirror.size = s.size()
	if f.live != nil && f.live != s {
		f.mirror.size += f.live.size()
	}
	f.mirror.mu.Unlock()
	if f.keeper.makeRoom(f.mirror, nil) {
		return nil
	}
	if need == Links {
		return nil // which are few
	}
	f.mirror.mu.Lock()
	defer f.mirror.mu.Unlock()
	f.large, f.half[need] = true, nil
	return f.keeper.tooLarge()
}

// makeRoom forgets until all graphs and what is derived from them take no more than the
// limit: what is derived first, then graphs, each time what was used longest ago, but never
// one graph and what is derived in it by the caller. It reports false if these alone take
// more.
func (k *Cache) makeRoom(keep *mirror, made *entry) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		var total int64
		var graph *mirror // used longest ago
		var of *kept      // whose entry was
		var derived *entry
		var used time.Time
		for _, m := range k.mirrors {
			m.mu.Lock()
			size, kept := m.size, m.kept
			m.mu.Unlock()
			total += size + kept.size()
			if e, at := kept.oldest(made); e != nil && (derived == nil || at.Before(used)) {
				of, derived, used = kept, e, at
			}
			if m != keep && (graph == nil || m.used.Before(graph.used)) {
				graph = m
			}
		}
		switch {
		case total <= k.options.Limit:
			return true
		case derived != nil:
			of.forget(derived)
		case graph != nil:
			k.options.Log.Info("mirror: forgotten, to make room", "graph", graph.graph.Name)
			k.end(graph)
		default:
			return false
		}
	}
}

func (k *Cache) tooLarge() error {
	return &problem.Error{
		Code: CodeGraphTooLarge, Retry: problem.RetryNever,
		Message: fmt.Sprintf("The texts of this graph take more than the %d MiB that roam-mcp may hold in memory.", k.options.Limit>>20),
	}
}
