package localapi

import (
	"context"
	"sync"

	"roam-mcp/internal/netutil"
)

// lastReply is the memory of the long reply that some work has read last.
type lastReply struct {
	mu    sync.Mutex
	share *netutil.Share
	over  bool
}

type lastReplyKey struct{}

// WithReplies returns a context for work that reads replies, such as a call of a tool. The memory
// of a long reply is given back once release is called, or another long one is read: what was
// read before is then taken to be done with.
func WithReplies(ctx context.Context) (_ context.Context, release func()) {
	last := &lastReply{}
	return context.WithValue(ctx, lastReplyKey{}, last), func() {
		last.mu.Lock()
		last.over = true
		last.mu.Unlock()
		last.replace(nil)
	}
}

// ReleaseReply gives back the memory of the last reply, before the work of ctx waits for
// other work.
func ReleaseReply(ctx context.Context) { keepReply(ctx, nil) }

// keepReply leaves a share to the work of ctx. Without such work it is given back.
func keepReply(ctx context.Context, share *netutil.Share) {
	if last, ok := ctx.Value(lastReplyKey{}).(*lastReply); ok {
		last.replace(share)
		return
	}
	share.Release()
}

// replace keeps a share in the place of the one before; after the end it keeps none.
func (l *lastReply) replace(share *netutil.Share) {
	l.mu.Lock()
	before := l.share
	l.share = share
	if l.over && share != nil {
		before, l.share = share, nil // the last one was given back at the end
	}
	l.mu.Unlock()
	before.Release()
}
