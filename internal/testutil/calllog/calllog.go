// Package calllog remembers the calls that a sandbox logs.
package calllog

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Call is a request that a sandbox has answered.
type Call struct {
	Began  time.Time // by the clock of the machine
	Action string    // an action, or a route such as "graphs/open"
	Graph  string    // name; empty for the routes without a graph
}

// Log is a slog.Handler that remembers the calls among what is logged.
type Log struct {
	mu    sync.Mutex
	calls []Call
}

// Logger returns a logger for the options of a sandbox.
func (l *Log) Logger() *slog.Logger { return slog.New(l) }

// Calls returns all calls so far.
func (l *Log) Calls() []Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls)
}

// Count returns the number of calls so far that are accepted.
func (l *Log) Count(accept func(Call) bool) (n int) {
	for _, call := range l.Calls() {
		if accept(call) {
			n++
		}
	}
	return n
}

// Enabled implements slog.Handler.
func (l *Log) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (l *Log) Handle(_ context.Context, record slog.Record) error {
	if record.Message != "call" {
		return nil
	}
	call := Call{Began: record.Time}
	record.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "action":
			call.Action = a.Value.String()
		case "graph":
			call.Graph = a.Value.String()
		case "duration":
			call.Began = record.Time.Add(-a.Value.Duration())
		}
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, call)
	return nil
}

// WithAttrs implements slog.Handler.
func (l *Log) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements slog.Handler.
func (l *Log) WithGroup(string) slog.Handler { return l }
