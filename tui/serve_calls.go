package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/history"
	"roam-mcp/history/review"
	"roam-mcp/mcpserve/activity"
)

// servedCall is a tool call of this server, or a write that another one has recorded.
// end.Ended is false while a call of this server runs, and for those of others.
type servedCall struct {
	start     activity.Event
	end       activity.Event
	elsewhere history.Call // its ID is 0 for a call of this server
}

// callKey tells the calls of the list apart.
type callKey struct {
	own       uint64 // number of the call in this server
	elsewhere int64  // number in the journal
}

func (c servedCall) key() callKey { return callKey{c.start.Call, c.elsewhere.ID} }

// change returns the number of the call in the journal; 0 if it is not known there.
func (c servedCall) change() int64 { return max(c.elsewhere.ID, c.end.Change) }

// otherServers are the writes of other servers, as the journal has them.
type otherServers struct {
	watch    int // id of the watching of the journal
	cancel   context.CancelFunc
	reading  int // id of the reading under way; 0: none
	again    bool
	recorded HistoryPage // since this server began, its own among them
	// server is this server's number in the journal; 0 before it has written.
	server int64
}

// othersMsg reports what was recorded since this server began.
type othersMsg struct {
	id   int
	page HistoryPage
	err  error
}

// watchOthers begins to follow what other servers record.
func (s *serveScreen) watchOthers() (cmd tea.Cmd) {
	s.others = otherServers{}
	if s.env.ports.History != nil {
		ctx, cancel := context.WithCancel(s.ctx)
		s.others.watch, cmd = s.env.watchHistory(ctx)
		s.others.cancel = cancel
	}
	return cmd
}

// close ends the watching of the journal.
func (o *otherServers) close() {
	if o.cancel != nil {
		o.cancel()
	}
}

// readOthers reads what was recorded, one reading at a time.
func (s *serveScreen) readOthers() tea.Cmd {
	o := &s.others
	if !o.again || o.reading != 0 {
		return nil
	}
	o.again, o.reading = false, s.env.nextID()
	id, ctx, port, since, now := o.reading, s.ctx, s.env.ports.History, s.since, s.env.now
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		page, err := ReadHistory(ctx, port, HistoryQuery{Since: since}, 0, 0, keptCalls, now)
		return othersMsg{id, page, err}
	}
}

// handleOthers takes news of the journal. What keeps it from being read is said by the
// screen of the history.
func (s *serveScreen) handleOthers(msg tea.Msg) tea.Cmd {
	o := &s.others
	var next tea.Cmd
	switch msg := msg.(type) {
	case historyNewsMsg:
		if msg.id != o.watch || !msg.open {
			return nil
		}
		o.again, next = true, msg.next()
	case othersMsg:
		if msg.id != o.reading {
			return nil
		}
		o.reading = 0
		if msg.err == nil {
			o.recorded = msg.page
			s.list()
		}
	}
	return tea.Batch(next, s.readOthers())
}

// list makes the list anew: the calls of this server and those of others, in the order
// in which they began.
func (s *serveScreen) list() {
	s.calls = slices.Clone(s.own)
	s.recognize()
	for i, call := range s.others.recorded.Calls {
		if !s.isOwn(call) {
			s.calls = append(s.calls, elsewhere(call, s.others.recorded.Lines[i]))
		}
	}
	slices.SortStableFunc(s.calls, func(a, b servedCall) int { return a.start.At.Compare(b.start.At) })
	if extra := len(s.calls) - keptCalls; extra > 0 {
		s.calls = slices.Clone(s.calls[extra:])
	}
}

// elsewhere returns a call of another server for the list.
func elsewhere(call history.Call, line review.Line) servedCall {
	start := activity.Event{At: call.At, Client: line.Agent, Graph: line.Graph, Tool: line.Tool, Writes: true}
	return servedCall{start: start, end: activity.Event{Took: call.Took}, elsewhere: call}
}

// ownSlack is how far the times of a call may lie apart in the journal and here.
const ownSlack = time.Second

// recognize learns this server's number in the journal from a call that is recorded
// there.
func (s *serveScreen) recognize() {
	for _, call := range s.others.recorded.Calls {
		if s.others.server != 0 {
			return
		}
		if slices.ContainsFunc(s.own, func(own servedCall) bool { return own.end.Change == call.ID }) {
			s.others.server = call.Server
		}
	}
}

// isOwn reports whether a recorded call is one of this server. As long as this server's
// number in the journal is not known, one that is like a call here is taken for it.
func (s *serveScreen) isOwn(call history.Call) bool {
	if s.others.server != 0 {
		return call.Server == s.others.server
	}
	return slices.ContainsFunc(s.own, func(own servedCall) bool {
		return own.start.Tool == call.Tool && !call.At.Before(own.start.At.Add(-ownSlack)) && !(own.end.Ended && call.At.After(own.end.At.Add(ownSlack)))
	})
}

// record takes the start or the end of a call. If events were dropped, an end may
// come without its start.
func (s *serveScreen) record(event activity.Event) {
	i := slices.IndexFunc(s.own, func(c servedCall) bool { return c.start.Call == event.Call })
	if i < 0 {
		s.own = append(s.own, servedCall{start: event})
		i = len(s.own) - 1
		if extra := len(s.own) - keptCalls; extra > 0 {
			s.own = append(s.own[:0], s.own[extra:]...)
			i -= extra
		}
	}
	if event.Ended {
		s.own[i].end = event
	}
}

// indexOf returns the index of a call in the list, or -1.
func (s *serveScreen) indexOf(key callKey) int {
	return slices.IndexFunc(s.calls, func(c servedCall) bool { return c.key() == key })
}

// selected returns the index of the chosen call, or -1.
func (s *serveScreen) selected() int {
	if i := s.indexOf(s.chosen); s.chosen != (callKey{}) && i >= 0 {
		return i
	}
	return len(s.calls) - 1
}

// openCall opens the difference that a call has made, or what was sent where it is in no
// journal.
func (s *serveScreen) openCall(call servedCall) action {
	if call.change() == 0 || s.env.ports.History == nil {
		return open{&callScreen{env: s.env, serving: s, key: call.key()}}
	}
	line := review.Line{Number: call.change(), Agent: call.start.Client, Graph: call.start.Graph, Tool: call.start.Tool}
	diff := newDiffScreen(s.env, line, callDiff{})
	diff.sent = call.start.Arguments
	return open{diff}
}
