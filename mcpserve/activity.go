package mcpserve

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// OutcomeOK is the outcome of a call that succeeded; any other is the code of
// its error.
const OutcomeOK problem.Code = "OK"

// Activity is one event of the feed: a tool call that started, or one that
// ended. A call that is refused before its graph is known starts and ends at
// once.
type Activity struct {
	Call   uint64    // number of the call, from 1; its start and its end share it
	Ended  bool      // false: the call started
	At     time.Time // of the start, or of the end
	Client string    // as the client names itself; "" where it does not
	Graph  string    // nickname; "" where the call works on none
	Tool   string
	Writes bool // the tool changes something

	// Arguments as the caller sent them, without secrets and shortened to a few
	// KiB; nil unless the subscriber asked for them.
	Arguments json.RawMessage

	// Of a call that ended:
	Took    time.Duration
	Outcome problem.Code
	Bytes   int // of the reply's text
}

// Counters count the tool calls since the server was made.
type Counters struct {
	Calls   uint64 // ended
	Failed  uint64 // ended with an error
	Writes  uint64 // ended, of tools that change something, and succeeded
	Bytes   uint64 // of all replies
	Running int    // now
}

// feed tells of every call, in the order in which they start and end. It never
// waits for those who listen.
type feed struct {
	mu          sync.Mutex
	last        uint64
	running     map[uint64]Activity // the start of each call that goes on
	counters    Counters
	subscribers map[*Subscription]bool
	withArgs    int // subscribers that asked for arguments
}

func newFeed() *feed {
	return &feed{running: map[uint64]Activity{}, subscribers: map[*Subscription]bool{}}
}

// SubscribeOptions say what a subscriber wants to hear.
type SubscribeOptions struct {
	Buffer    int  // events kept for a subscriber that is slow; 0: 256
	Arguments bool // also what the callers sent
}

// Subscription hears of calls through a channel. A subscriber that is slow
// loses events, it never delays a call: an end may then come without its start,
// or a start without its end.
type Subscription struct {
	feed      *feed
	events    chan Activity
	arguments bool
	dropped   uint64 // guarded by feed.mu
}

// Subscribe listens to the tool calls of all connections. The first events are
// the starts of the calls that are running.
func (s *Server) Subscribe(options SubscribeOptions) *Subscription {
	if options.Buffer <= 0 {
		options.Buffer = 256
	}
	f := s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	sub := &Subscription{feed: f, events: make(chan Activity, options.Buffer), arguments: options.Arguments}
	f.subscribers[sub] = true
	if sub.arguments {
		f.withArgs++
	}
	for _, number := range slices.Sorted(maps.Keys(f.running)) {
		sub.offer(f.running[number])
	}
	return sub
}

// Events is the channel of the events; Close closes it.
func (sub *Subscription) Events() <-chan Activity { return sub.events }

// Dropped counts the events that found the buffer full.
func (sub *Subscription) Dropped() uint64 {
	sub.feed.mu.Lock()
	defer sub.feed.mu.Unlock()
	return sub.dropped
}

// Close ends the subscription. Events that are in the buffer can still be read.
func (sub *Subscription) Close() {
	f := sub.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.subscribers[sub] {
		return
	}
	delete(f.subscribers, sub)
	if sub.arguments {
		f.withArgs--
	}
	close(sub.events)
}

// offer hands over an event, or counts it as lost; feed.mu is held.
func (sub *Subscription) offer(event Activity) {
	if !sub.arguments {
		event.Arguments = nil
	}
	select {
	case sub.events <- event:
	default:
		sub.dropped++
	}
}

// Counters gives the counts as they are now.
func (s *Server) Counters() Counters {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	counters := s.feed.counters
	counters.Running = len(s.feed.running)
	return counters
}

// record is one call on its way through the feed.
type record struct {
	feed    *feed
	start   Activity
	started bool
}

// newRecord prepares the record of a call. It is told of with begin.
func (s *Server) newRecord(t *surface.Tool, request *mcp.CallToolRequest) *record {
	r := &record{feed: s.feed, start: Activity{
		At: s.now(), Client: clientName(request.ClientInfo()), Tool: t.Name, Writes: !t.Effects.ReadOnly,
	}}
	if s.feed.wantsArguments() {
		r.start.Arguments = redactArguments(request.Params.Arguments)
	}
	return r
}

func (f *feed) wantsArguments() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.withArgs > 0
}

// begin tells that the call started, on that graph.
func (r *record) begin(graph string) {
	f := r.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	r.start.Call, r.start.Graph, r.started = f.last, graph, true
	f.running[f.last] = r.start
	f.tell(r.start)
}

// end tells that the call ended, and before that of its start where nobody has.
func (r *record) end(at time.Time, outcome problem.Code, bytes int) {
	if !r.started {
		r.begin(r.start.Graph)
	}
	f := r.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, r.start.Call)
	f.counters.Calls++
	f.counters.Bytes += uint64(bytes)
	switch {
	case outcome != OutcomeOK:
		f.counters.Failed++
	case r.start.Writes:
		f.counters.Writes++
	}
	end := r.start
	end.Ended, end.At, end.Took, end.Outcome, end.Bytes = true, at, at.Sub(r.start.At), outcome, bytes
	f.tell(end)
}

// tell offers an event to all; mu is held.
func (f *feed) tell(event Activity) {
	for sub := range f.subscribers {
		sub.offer(event)
	}
}
