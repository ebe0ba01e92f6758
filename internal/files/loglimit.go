package files

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// linesOfKind is how many lines of one kind a log has in a minute; the others are
	// counted.
	linesOfKind = 5
	// mostKinds is how many kinds are told apart in a minute, and kindLength how much of a
	// message counts.
	mostKinds, kindLength = 200, 40
)

// LimitedLog is a slog.Handler that hands on few lines of a kind, and in the place of the others
// their number. The calls of tools are no kind: who wants them in the log wants each.
type LimitedLog struct {
	slog.Handler
	lines *lineCounts
}

// NewLimitedLog returns a LimitedLog in front of another one. The numbers that it still owes
// are written when it is closed.
func NewLimitedLog(to slog.Handler) LimitedLog {
	return LimitedLog{to, &lineCounts{kinds: map[string]*kindCount{}, to: to}}
}

// Handle implements slog.Handler.
func (l LimitedLog) Handle(ctx context.Context, record slog.Record) error {
	if strings.HasPrefix(record.Message, "tool call") || l.lines.admit(record) {
		return l.Handler.Handle(ctx, record)
	}
	return nil
}

// WithAttrs implements slog.Handler.
func (l LimitedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return LimitedLog{l.Handler.WithAttrs(attrs), l.lines}
}

// WithGroup implements slog.Handler.
func (l LimitedLog) WithGroup(name string) slog.Handler {
	return LimitedLog{l.Handler.WithGroup(name), l.lines}
}

// Close writes the numbers of what was left out.
func (l LimitedLog) Close() error {
	l.lines.flush()
	return nil
}

// lineCounts counts the lines of a minute by kind.
type lineCounts struct {
	to slog.Handler

	mu    sync.Mutex
	kinds map[string]*kindCount
	timer *time.Timer // runs while something was left out
}

// kindCount is how many lines of a kind there were in the minute that began then.
type kindCount struct {
	began   time.Time
	level   slog.Level
	lines   int
	example string
}

// kindOf returns what lines of a kind have in common: the beginning of the message, up to what
// differs from one to the other.
func kindOf(record slog.Record) string {
	kind := record.Message
	if i := strings.IndexAny(kind, "0123456789\"'"); i > 0 {
		kind = kind[:i]
	}
	return record.Level.String() + " " + kind[:min(len(kind), kindLength)]
}

// admit reports whether a line is to be written.
func (c *lineCounts) admit(record slog.Record) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, kind := time.Now(), kindOf(record)
	k := c.kinds[kind]
	if k == nil && len(c.kinds) >= mostKinds {
		c.forget(now)
		if len(c.kinds) >= mostKinds {
			kind = "" // all that come now are one
			k = c.kinds[kind]
		}
	}
	if k == nil || k.lines <= linesOfKind && now.Sub(k.began) >= time.Minute {
		k = &kindCount{began: now, level: record.Level, example: record.Message}
		c.kinds[kind] = k
	}
	if k.lines++; k.lines > linesOfKind && c.timer == nil {
		c.timer = time.AfterFunc(k.began.Add(time.Minute).Sub(now), c.flush)
	}
	return k.lines <= linesOfKind
}

// forget drops the kinds whose minute is over and that owe no number. The caller holds mu.
func (c *lineCounts) forget(now time.Time) {
	maps.DeleteFunc(c.kinds, func(_ string, k *kindCount) bool {
		return k.lines <= linesOfKind && now.Sub(k.began) >= time.Minute
	})
}

// flush writes how many lines were left out, and begins to count anew.
func (c *lineCounts) flush() {
	c.mu.Lock()
	var over []*kindCount
	for kind, k := range c.kinds {
		if k.lines > linesOfKind {
			over = append(over, k)
			delete(c.kinds, kind)
		}
	}
	c.timer = nil
	c.mu.Unlock()
	slices.SortFunc(over, func(a, b *kindCount) int { return strings.Compare(a.example, b.example) })
	for _, k := range over {
		record := slog.NewRecord(time.Now(), k.level, fmt.Sprintf("… and %d more of this kind: %s", k.lines-linesOfKind, k.example), 0)
		_ = c.to.Handle(context.Background(), record) // nothing is left to tell it to
	}
}
