package transport

import (
	"context"
	"log/slog"
)

// quietHandler keeps the library's chatter out of the log: in the stateless era
// it would say three lines for each call, in the stateful one the ids of the
// sessions.
type quietHandler struct{ slog.Handler }

// Quiet returns a logger for the library, which drops what is below a warning.
func Quiet(log *slog.Logger) *slog.Logger { return slog.New(quietHandler{log.Handler()}) }

// Enabled implements slog.Handler: from a warning on.
func (q quietHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (q quietHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return quietHandler{q.Handler.WithAttrs(attributes)}
}

// WithGroup implements slog.Handler.
func (q quietHandler) WithGroup(name string) slog.Handler {
	return quietHandler{q.Handler.WithGroup(name)}
}
