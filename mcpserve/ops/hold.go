package ops

import (
	"context"
	"sync"

	"roam-mcp/localapi"
)

// holds are the pages and blocks that calls of this program read, to write what they make
// of them.
type holds struct {
	mu    sync.Mutex
	until map[held]chan struct{} // closed at the end of the hold
}

type held struct {
	graph localapi.Graph
	uid   string
}

func newHolds() *holds { return &holds{until: map[held]chan struct{}{}} }

// Hold waits until no other call of this program holds a page or block, and holds it until
// release is called. waited reports whether another one did, so that what was read before
// may have changed.
func (g *Graph) Hold(ctx context.Context, uid string) (release func(), waited bool, err error) {
	h, key := g.operations.holds, held{g.graph, uid}
	for {
		h.mu.Lock()
		other, busy := h.until[key]
		if !busy {
			ended := make(chan struct{})
			h.until[key] = ended
			h.mu.Unlock()
			return func() {
				h.mu.Lock()
				delete(h.until, key)
				h.mu.Unlock()
				close(ended)
			}, waited, nil
		}
		h.mu.Unlock()
		waited = true
		select {
		case <-other:
		case <-ctx.Done():
			return nil, waited, ctx.Err()
		}
	}
}
