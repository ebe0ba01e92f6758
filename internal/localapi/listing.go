package localapi

import (
	"context"
	"net/http"
	"slices"

	"roam-mcp/internal/problem"
)

// Lister is the part of the Local API that lists graphs.
type Lister interface {
	OpenGraphs(context.Context) ([]Graph, error)
	AvailableGraphs(context.Context) ([]Graph, error)
}

var _ Lister = (*Client)(nil)

// Listing is what Roam lists at one moment.
type Listing struct {
	Open      []Graph // graphs that have a window
	Available []Graph // all graphs of the signed-in user
}

// List asks Roam for both of its lists (LOCAL_API.md 1.3.2).
func List(ctx context.Context, roam Lister) (Listing, error) {
	open, err := roam.OpenGraphs(ctx)
	if err != nil {
		return Listing{}, err
	}
	available, err := roam.AvailableGraphs(ctx)
	if failed, ok := problem.AsCall(err); ok && failed.Status() == http.StatusNotFound { // it is Roam, as the other list says
		return Listing{}, unsupported(*failed, "it does not list the graphs that are available.")
	}
	if err != nil {
		return Listing{}, err
	}
	return Listing{Open: open, Available: available}, nil
}

// Graphs returns every graph once, the open ones first.
func (l Listing) Graphs() []Graph {
	var all []Graph
	seen := make(map[Graph]bool, len(l.Open)+len(l.Available))
	for _, g := range slices.Concat(l.Open, l.Available) {
		if !seen[g] {
			all = append(all, g)
		}
		seen[g] = true
	}
	return all
}

// Find returns the graph of a name, and of a type where the wanted graph has one.
// Where a name is listed with both types, the hosted graph is returned.
func (l Listing) Find(wanted Graph) (found Graph, ok bool) {
	for _, g := range slices.Concat(l.Open, l.Available) {
		if g.Name != wanted.Name || wanted.Type != "" && g.Type != wanted.Type {
			continue
		}
		if !ok || g.Type == Hosted {
			found, ok = g, true
		}
	}
	return found, ok
}
