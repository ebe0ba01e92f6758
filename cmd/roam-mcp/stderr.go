package main

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"runtime/debug"

	"roam-mcp/internal/lazyregexp"
)

// redacting takes what looks like a token, of a graph or of the HTTP endpoint, out
// of everything that is written. Standard error is behind one, and so are log files:
// also what libraries print there, such as the start of a reply that net/http did
// not ask for. Each write has to be a whole line.
//
// Only what the Go runtime itself prints goes past it, when a goroutine panics that
// nobody guards: of a Token it prints addresses, and its stack has no texts.
type redacting struct{ to io.Writer }

var tokens = lazyregexp.New(`(?:roam-graph-(?:local-)?token-|roam-mcp-http-)[^\s"'\\,;:)}\]]{4,}|[Bb]earer [\w.~+/=-]{16,}`)

// Write implements io.Writer.
func (w redacting) Write(p []byte) (int, error) {
	if _, err := w.to.Write(tokens.ReplaceAll(p, []byte("[token redacted]"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// logsTo returns the program's logger, to which the lines of package log go as well:
// net/http and others use it without being asked.
func logsTo(handler slog.Handler) *slog.Logger {
	log.SetFlags(0)
	log.SetOutput(slog.NewLogLogger(handler, slog.LevelWarn).Writer())
	return slog.New(handler)
}

// tellPanic is deferred. It prints a panic of the goroutine that runs the command as
// the runtime would, but for tokens, and sets the exit code.
func (a *app) tellPanic(code *int) {
	if cause := recover(); cause != nil {
		a.tell("%s", fmt.Sprintf("panic: %v\n\n%s", cause, debug.Stack()))
		*code = exitUsage // the runtime's own
	}
}
