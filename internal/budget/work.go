package budget

import (
	"context"
	"sync"
)

// work is what is done for a client, such as a call of a tool. It keeps the share of the
// content that it has read last.
type work struct {
	client string

	mu    sync.Mutex
	share *Share
	over  bool
}

type workKey struct{}

// WithWork returns a context for work that is done for a client. What is kept for it is given
// back when end is called, or when more content is reserved for it: what it has read before is
// then taken to be done with.
func WithWork(ctx context.Context, client string) (_ context.Context, end func()) {
	w := &work{client: client}
	return context.WithValue(ctx, workKey{}, w), func() {
		w.mu.Lock()
		w.over = true
		w.mu.Unlock()
		w.keep(nil)
	}
}

// Keep leaves a share to the Work of ctx. Where there is none, or it has ended, the share is
// given back.
func Keep(ctx context.Context, share *Share) {
	w := workOf(ctx)
	if w == nil {
		share.Release()
		return
	}
	w.keep(share)
}

// Settle gives back what is kept for the Work of ctx, before it waits for other work.
func Settle(ctx context.Context) {
	if w := workOf(ctx); w != nil {
		w.keep(nil)
	}
}

func workOf(ctx context.Context) *work {
	w, _ := ctx.Value(workKey{}).(*work)
	return w
}

// keep replaces the share that is kept.
func (w *work) keep(share *Share) {
	w.mu.Lock()
	before := w.share
	w.share = share
	if w.over && share != nil {
		before, w.share = share, nil // the last one was given back at the end
	}
	w.mu.Unlock()
	before.Release()
}
