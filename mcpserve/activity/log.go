package activity

import (
	"context"
	"log/slog"
)

// callLogBuffer is how many calls may end while a line is being written.
const callLogBuffer = 1024

// LogCalls writes a line for each tool call that ends, and at the level debug for
// each that starts, until stop is called; stop returns once the lines of all calls that have ended are written. A log
// that is slow loses lines, and says how many, but delays no call. With
// arguments, the lines also hold what the callers sent, without secrets.
func (m *Monitor) LogCalls(log *slog.Logger, arguments bool) (stop func()) {
	sub := m.Subscribe(SubscribeOptions{Buffer: callLogBuffer, Arguments: arguments})
	done := make(chan struct{})
	go func() {
		defer close(done)
		lost := uint64(0)
		for event := range sub.Events() {
			logCall(log, event)
			if dropped := sub.Dropped(); dropped > lost {
				log.Warn("the log was too slow", "lost_events", dropped-lost)
				lost = dropped
			}
		}
	}()
	return func() { sub.Close(); <-done }
}

func logCall(log *slog.Logger, event Event) {
	if !event.Ended {
		log.Debug("tool call started", "call", event.Call, "client", event.Client, "graph", event.Graph, "tool", event.Tool)
		return
	}
	attributes := []slog.Attr{
		slog.Uint64("call", event.Call), slog.String("client", event.Client), slog.String("graph", event.Graph),
		slog.String("tool", event.Tool), slog.Float64("ms", float64(event.Took.Microseconds())/1000),
		slog.String("outcome", string(event.Outcome)), slog.Int("bytes", event.Bytes),
	}
	if event.Arguments != nil {
		attributes = append(attributes, slog.String("arguments", string(event.Arguments)))
	}
	log.LogAttrs(context.Background(), slog.LevelInfo, "tool call", attributes...)
}
