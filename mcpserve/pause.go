package mcpserve

import (
	"sync/atomic"

	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// pause is the switch that holds back all writes.
type pause struct{ on atomic.Bool }

// PauseWrites refuses every call that changes something, on all connections,
// with WRITES_PAUSED until ResumeWrites. Writes that are running go on.
func (s *Server) PauseWrites() { s.pause.on.Store(true) }

// ResumeWrites ends PauseWrites.
func (s *Server) ResumeWrites() { s.pause.on.Store(false) }

// WritesPaused reports whether writes are refused.
func (s *Server) WritesPaused() bool { return s.pause.on.Load() }

// refusal refuses a tool that changes something while writes are paused.
func (p *pause) refusal(t *surface.Tool) error {
	if t.Effects.ReadOnly || !p.on.Load() {
		return nil
	}
	return &problem.Error{
		Code:    CodeWritesPaused,
		Message: "The user has paused all writes in roam-mcp. Nothing was written.",
		Hint:    problem.Say("Reading goes on working. Tell the user, and send the call again once writes are resumed."),
		Retry:   problem.RetryLater,
	}
}
