package activity

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// OutcomeOK is the outcome of a call that succeeded; any other is the code of
// its error.
const OutcomeOK problem.Code = "OK"

// Event is a tool call that started, or one that ended. A call that is refused before its
// graph is known starts and ends at once.
type Event struct {
	Call   uint64    // number of the call, from 1; its start and its end share it
	Ended  bool      // false: the call started
	At     time.Time // of the start, or of the end
	Client string    // as the client names itself; "" where it does not
	Graph  string    // nickname; "" where the call works on none
	Tool   string
	Writes bool // the tool changes something
	// Page is the title of the page that the call is about, or what the caller gave in its
	// place; "" where it names none. Of a start it is "" still.
	Page string
	// KeepsPage is set where the user lets texts of the graph be kept on disk, and so Page.
	KeepsPage bool

	// Arguments as the caller sent them, without secrets and shortened to a few
	// KiB; nil unless the subscriber asked for them.
	Arguments json.RawMessage

	// Of a call that ended:
	Took    time.Duration
	Outcome problem.Code
	Bytes   int // of the reply's text
	// Reply is the text that came back, without secrets and shortened to a few KiB; ""
	// unless the subscriber asked for it.
	Reply string

	// Change is the number that the call has in the journal, once something of it is
	// recorded; 0: nothing is.
	Change int64
	// Versioned: it has recorded a version of a note, which readers do too.
	Versioned bool
}

// Counters count the tool calls since the Monitor was made.
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
	running     map[uint64]Event // the start of each call that goes on
	counters    Counters
	subscribers map[*Subscription]bool
	withArgs    int // subscribers that asked for arguments
	withReplies int // subscribers that asked for replies
}

// SubscribeOptions say what a subscriber wants to hear.
type SubscribeOptions struct {
	Buffer    int  // events kept for a subscriber that is slow; 0: 256
	Arguments bool // also what the callers sent
	Replies   bool // also what came back
}

// Subscription hears of calls through a channel. A subscriber that is slow
// loses events, it never delays a call: an end may then come without its start,
// or a start without its end.
type Subscription struct {
	feed      *feed
	events    chan Event
	arguments bool
	replies   bool
	dropped   uint64 // guarded by feed.mu
}

// Subscribe listens to the tool calls of all connections. The first events are
// the starts of the calls that are running.
func (m *Monitor) Subscribe(options SubscribeOptions) *Subscription {
	if options.Buffer <= 0 {
		options.Buffer = 256
	}
	f := &m.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	sub := &Subscription{feed: f, events: make(chan Event, options.Buffer), arguments: options.Arguments, replies: options.Replies}
	f.subscribers[sub] = true
	f.count(sub, 1)
	for _, number := range slices.Sorted(maps.Keys(f.running)) {
		sub.offer(f.running[number])
	}
	return sub
}

// Events is the channel of the events; Close closes it.
func (sub *Subscription) Events() <-chan Event { return sub.events }

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
	f.count(sub, -1)
	close(sub.events)
}

// count adds a subscriber to those who want more than the usual, or takes it off.
func (f *feed) count(sub *Subscription, n int) {
	if sub.arguments {
		f.withArgs += n
	}
	if sub.replies {
		f.withReplies += n
	}
}

// offer hands over an event, or counts it as lost; feed.mu is held.
func (sub *Subscription) offer(event Event) {
	if !sub.arguments {
		event.Arguments = nil
	}
	if !sub.replies {
		event.Reply = ""
	}
	select {
	case sub.events <- event:
	default:
		sub.dropped++
	}
}

// Counters gives the counts as they are now.
func (m *Monitor) Counters() Counters {
	m.feed.mu.Lock()
	defer m.feed.mu.Unlock()
	counters := m.feed.counters
	counters.Running = len(m.feed.running)
	return counters
}

// Call is one call of a tool on its way through the feed. Its methods are for the goroutine
// that answers the call, but for Noted and NotedVersion, which any may call.
type Call struct {
	monitor   *Monitor
	start     Event
	started   bool
	change    atomic.Int64
	versioned atomic.Bool

	page      string
	keepsPage bool
	reply     string
}

// NewCall returns a call that came now, under the name that the client gives
// itself, with the arguments as they were sent. It is told of with Start.
func (m *Monitor) NewCall(client, tool string, writes bool, arguments json.RawMessage) *Call {
	c := &Call{monitor: m, start: Event{At: m.now(), Client: DisplayName(client), Tool: tool, Writes: writes}}
	if m.feed.wants(func(f *feed) int { return f.withArgs }) {
		c.start.Arguments = textsafe.RedactArguments(arguments)
	}
	return c
}

// wants reports whether there is a subscriber of a kind.
func (f *feed) wants(kind func(*feed) int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return kind(f) > 0
}

// Start tells that the call started, on a graph or on none.
func (c *Call) Start(graph string) {
	f := &c.monitor.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	c.start.Call, c.start.Graph, c.started = f.last, graph, true
	f.running[f.last] = c.start
	f.tell(c.start)
}

// About notes the page that the call is about, and whether its title may be kept on disk.
func (c *Call) About(page string, keep bool) {
	c.page, c.keepsPage = textsafe.Redact(textsafe.Line(page, longestPage)), keep
}

// longestPage is the length of a title in characters.
const longestPage = 100

// Replied notes the text that goes back, where anybody has asked for that.
func (c *Call) Replied(text string) {
	if c.monitor.feed.wants(func(f *feed) int { return f.withReplies }) {
		c.reply = textsafe.RedactReply(text)
	}
}

// Noted notes the number that the call has in the journal.
func (c *Call) Noted(change int64) { c.change.Store(change) }

// NotedVersion notes that the call has recorded a version of a note.
func (c *Call) NotedVersion() { c.versioned.Store(true) }

// End reports the end of the call, and its start if that was not reported yet. bytes is
// the size of the reply's text.
func (c *Call) End(outcome problem.Code, bytes int) {
	if !c.started {
		c.Start(c.start.Graph)
	}
	end, f := c.start, &c.monitor.feed
	end.Page, end.KeepsPage, end.Reply = c.page, c.keepsPage, c.reply
	end.Change, end.Versioned = c.change.Load(), c.versioned.Load()
	end.Ended, end.At, end.Outcome, end.Bytes = true, c.monitor.now(), outcome, bytes
	end.Took = end.At.Sub(c.start.At)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, end.Call)
	f.counters.Calls++
	f.counters.Bytes += uint64(bytes)
	switch {
	case outcome != OutcomeOK:
		f.counters.Failed++
	case end.Writes:
		f.counters.Writes++
	}
	f.tell(end)
}

// tell offers an event to all; mu is held.
func (f *feed) tell(event Event) {
	for sub := range f.subscribers {
		sub.offer(event)
	}
}
