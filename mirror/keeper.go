package mirror

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/problem"
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
	Limit int64            // bytes of all graphs together, about; 0: 640 MiB
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: nothing is logged
}

// Keeper holds the mirrors of all graphs that a program serves. It is safe for
// concurrent use.
type Keeper struct{ options Options }

// New returns a Keeper that holds no graph yet.
func New(options Options) *Keeper {
	if options.Limit == 0 {
		options.Limit = defaultLimit
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	return &Keeper{options: options}
}

const defaultLimit = 640 << 20

// View returns a graph as Roam holds it now. It loads what is needed and not there yet,
// and brings the rest up to date with one call to Roam where nothing has changed. It
// returns an error of Ask as it is, and CodeGraphTooLarge.
func (k *Keeper) View(ctx context.Context, s Source, need Need) (*View, error) {
	return nil, &problem.Error{Code: localapi.CodeInternal, Message: "The mirror is not built yet."}
}

// Wrote tells that this program has written to a graph, so that renames which the next
// refresh sees may be its own. structure: something was deleted or moved, for which the
// next refresh looks.
func (k *Keeper) Wrote(graph localapi.Graph, structure bool) {}

// Retain forgets the graphs that serves does not hold for, at once. Calls that wait for
// one fail.
func (k *Keeper) Retain(serves func(localapi.Graph) bool) {}

// Close forgets all graphs.
func (k *Keeper) Close() { k.Retain(func(localapi.Graph) bool { return false }) }
