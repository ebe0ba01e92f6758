package transport

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// postHeader names the Post of a request in the header that the library hands on
// to Middleware: a call is handled in the context of its session, not of the HTTP
// request that it came by. What a client sends under this name is replaced.
const postHeader = "Roam-Mcp-Post"

// Post is one HTTP request with messages in it. The calls among them are counted
// from Admit until they end, also where the HTTP request ends before.
type Post struct {
	inFlight *InFlight
	client   string
	number   string
	ctx      context.Context // ends its calls
	cancel   context.CancelFunc
	over     func()

	mu      sync.Mutex
	open    bool // the HTTP request is being answered
	waiting int  // calls that are counted and have not come to Middleware
	running int
}

// Admit takes in an HTTP request with so many calls of a client; false where too
// many are running. The calls end with session, and once the client has hung up.
// header, that of the request, is changed. over is called when the request has
// been answered and its calls have ended; Done has to be called then.
func (f *InFlight) Admit(session context.Context, client string, calls int, header http.Header, over func()) (*Post, bool) {
	if !f.admitted.Enter(client, calls) {
		return nil, false
	}
	p := &Post{inFlight: f, client: client, over: over, open: true, waiting: calls}
	p.ctx, p.cancel = context.WithCancel(session)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lastPost++
	p.number = strconv.FormatUint(f.lastPost, 10)
	f.posts[p.number] = p
	header.Set(postHeader, p.number)
	return p, true
}

// postOf returns the Post that brought a request: one that is over where it can't
// be found, nil where the request did not come over HTTP.
func (f *InFlight) postOf(request mcp.Request) *Post {
	extra := request.GetExtra()
	if extra == nil || extra.Header == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.posts[extra.Header.Get(postHeader)]; p != nil {
		return p
	}
	return &Post{}
}

// Cancel ends the calls of the request.
func (p *Post) Cancel() { p.cancel() }

// Done notes that the HTTP request has been answered, or can't be any more.
func (p *Post) Done() {
	p.mu.Lock()
	p.open = false
	unused, last := p.waiting, p.running == 0
	p.waiting = 0
	p.mu.Unlock()
	p.inFlight.admitted.Leave(p.client, unused)
	if last {
		p.end()
	}
}

// take counts a call as running; false where it came too late.
func (p *Post) take() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.open || p.waiting == 0 {
		return false
	}
	p.waiting--
	p.running++
	return true
}

// giveBack notes that a call has ended.
func (p *Post) giveBack() {
	p.inFlight.admitted.Leave(p.client, 1)
	p.mu.Lock()
	p.running--
	last := p.running == 0 && !p.open
	p.mu.Unlock()
	if last {
		p.end()
	}
}

// end forgets the Post.
func (p *Post) end() {
	p.cancel()
	p.over()
	f := p.inFlight
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.posts, p.number)
	close(f.changed)
	f.changed = make(chan struct{})
}
