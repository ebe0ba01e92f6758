package budget

import (
	"context"
	"slices"
	"sync"
	"time"
)

// pool is one part of a Budget.
type pool struct {
	size     int64
	patience time.Duration
	changed  func() // called after used has changed, without mu; nil: nobody wants to know

	mu      sync.Mutex
	used    int64
	held    map[string]int64 // by client
	waiting []*waiter        // in the order in which they came
}

// waiter is one who waits.
type waiter struct {
	client string
	n      int64
	ready  chan struct{} // closed once it has what it waits for
}

func (p *pool) reserved() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// take waits for n bytes, and its turn.
func (p *pool) take(ctx context.Context, client string, n int64) error {
	w := &waiter{client: client, n: n, ready: make(chan struct{})}
	p.mu.Lock()
	p.waiting = append(p.waiting, w)
	p.grant()
	p.mu.Unlock()
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	var err error
	select {
	case <-w.ready:
	case <-timer.C:
		err = ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil && p.leave(w) {
		return err
	}
	p.tell()
	return nil
}

// leave ends a wait; false where it had come to its end already.
func (p *pool) leave(w *waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting, w)
	if i < 0 {
		return false
	}
	p.waiting = slices.Delete(p.waiting, i, i+1)
	p.grant() // those behind it may be content with less
	return true
}

// tryTake takes n bytes unless somebody waits for them.
func (p *pool) tryTake(client string, n int64) bool {
	p.mu.Lock()
	ok := len(p.waiting) == 0 && p.used+n <= p.size
	if ok {
		p.count(client, n)
	}
	p.mu.Unlock()
	if ok {
		p.tell()
	}
	return ok
}

func (p *pool) give(client string, n int64) {
	p.mu.Lock()
	p.count(client, -n)
	p.grant()
	p.mu.Unlock()
	p.tell()
}

// grant gives those who wait what they wait for, as long as there is enough for the one whose
// turn it is. The caller holds mu.
func (p *pool) grant() {
	for len(p.waiting) > 0 {
		i := p.next()
		w := p.waiting[i]
		if p.used+w.n > p.size {
			return
		}
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.count(w.client, w.n)
		close(w.ready)
	}
}

// next returns whose turn it is: of the client that holds least, who came first. The caller
// holds mu.
func (p *pool) next() (index int) {
	for i, w := range p.waiting {
		if p.held[w.client] < p.held[p.waiting[index].client] {
			index = i
		}
	}
	return index
}

// count notes that a client holds more, or less. The caller holds mu.
func (p *pool) count(client string, n int64) {
	if p.held == nil {
		p.held = map[string]int64{}
	}
	p.used += n
	if p.held[client] += n; p.held[client] == 0 {
		delete(p.held, client)
	}
}

func (p *pool) tell() {
	if p.changed != nil {
		p.changed()
	}
}
