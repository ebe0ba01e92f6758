package streamablehttp

import (
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastUse notes when a request last came for each session. The zero value is for
// use.
type lastUse struct {
	mu sync.Mutex
	at map[string]time.Time // by id
}

// begin notes a new session; "" is none.
func (l *lastUse) begin(id string) {
	if id == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil {
		l.at = map[string]time.Time{}
	}
	l.at[id] = time.Now()
}

// note notes that a request came for a session. What no session has as its id is
// left alone.
func (l *lastUse) note(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.at[id]; known {
		l.at[id] = time.Now()
	}
}

// oldest returns the session that was not used for longest; nil where there is
// none. All others than open are forgotten.
func (l *lastUse) oldest(open []*mcp.ServerSession) *mcp.ServerSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := map[string]time.Time{}
	var oldest *mcp.ServerSession
	for _, each := range open {
		at, known := l.at[each.ID()]
		if !known { // it is being made
			continue
		}
		kept[each.ID()] = at
		if oldest == nil || at.Before(kept[oldest.ID()]) {
			oldest = each
		}
	}
	l.at = kept
	return oldest
}

// evict ends the session that was not used for longest where there are as many as
// may be; its client starts a new one when it comes back.
func (h *Server) evict() {
	open := slices.Collect(h.mcp.Sessions())
	open = slices.DeleteFunc(open, func(s *mcp.ServerSession) bool { return s.ID() == "" }) // not of HTTP
	if oldest := h.sessions.oldest(open); len(open) >= h.options.MaxSessions && oldest != nil {
		h.options.Log.Info("a session was ended to make room", "sessions", len(open))
		go func() { _ = oldest.Close() }() // waits for its calls
	}
}
