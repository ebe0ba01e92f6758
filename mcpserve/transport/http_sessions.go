package transport

import (
	"context"
	"sync"
	"time"
)

// sessions are those of the stateful era that are open. The zero value is for use.
type sessions struct {
	mu     sync.Mutex
	open   map[string]*session // by id
	making int                 // places held for those that are being made
}

// session is one that is open, or was.
type session struct {
	id   string
	ctx  context.Context // ends its calls
	end  context.CancelFunc
	over chan struct{} // closed once it has ended and nothing of it is at work

	used      time.Time // when a request of it last came or ended
	working   int       // requests that are not answered, and calls that have not ended
	listening int       // streams
	ended     bool
}

// use names what a request does in its session.
type use func(*session) *int

func works(s *session) *int   { return &s.working }
func listens(s *session) *int { return &s.listening }

// enter counts a request in its session until leave is called; false where no
// session with this id is open.
func (l *sessions) enter(id string, counter use) (s *session, leave func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok = l.open[id]
	if !ok {
		return nil, nil, false
	}
	s.used = time.Now()
	*counter(s)++
	return s, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		s.used = time.Now()
		*counter(s)--
		l.announce(s)
	}, true
}

// announce closes over once that is due; mu is held.
func (l *sessions) announce(s *session) {
	select {
	case <-s.over:
	default:
		if s.ended && s.working == 0 {
			close(s.over)
		}
	}
}

// reserve holds a place for a session that is to be made, so that there are no
// more than most. Where all places are taken, the one that was not used for
// longest is ended and returned: one to which nobody listens before the others,
// and none that is at work. It is false where all are. Sessions that are not
// alive, as the library has ended them, are forgotten.
func (l *sessions) reserve(most int, alive func() map[string]bool) (ended *session, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open)+l.making >= most {
		here := alive()
		for id, s := range l.open {
			if !here[id] {
				l.close(s)
			}
		}
	}
	if len(l.open)+l.making >= most {
		if ended = l.idlest(); ended == nil {
			return nil, false
		}
		l.close(ended)
	}
	l.making++
	return ended, true
}

// idlest returns the session to end first; nil where all are at work. mu is held.
func (l *sessions) idlest() *session {
	var idlest *session
	for _, s := range l.open {
		switch {
		case s.working > 0:
		case idlest == nil, s.listening == 0 && idlest.listening > 0:
			idlest = s
		case s.listening > 0 && idlest.listening == 0:
		case s.used.Before(idlest.used):
			idlest = s
		}
	}
	return idlest
}

// made turns a place that was reserved into a session; "" gives it back.
func (l *sessions) made(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.making--
	if id == "" {
		return
	}
	s := &session{id: id, over: make(chan struct{}), used: time.Now()}
	s.ctx, s.end = context.WithCancel(context.Background())
	if l.open == nil {
		l.open = map[string]*session{}
	}
	l.open[id] = s
}

// remove ends a session and cancels its calls; false where none with this id is
// open.
func (l *sessions) remove(id string) (*session, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.open[id]
	if ok {
		l.close(s)
	}
	return s, ok
}

// close takes a session out; mu is held.
func (l *sessions) close(s *session) {
	delete(l.open, s.id)
	s.ended = true
	s.end()
	l.announce(s)
}

// alive are the ids of the library's sessions. Those that did not come over HTTP
// have none.
func (h *HTTPServer) alive() map[string]bool {
	ids := map[string]bool{}
	for each := range h.mcp.Sessions() {
		ids[each.ID()] = true
	}
	return ids
}

// dispose ends the library's part of a session, once its calls have been
// answered, or can't be expected to be.
func (h *HTTPServer) dispose(s *session) {
	timer := time.NewTimer(h.options.Drain.Cancelled)
	defer timer.Stop()
	select {
	case <-s.over:
	case <-timer.C:
	}
	for each := range h.mcp.Sessions() {
		if each.ID() == s.id {
			_ = each.Close() // waits for its calls
		}
	}
}
