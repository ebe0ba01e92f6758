package files

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestALogHasFewLinesOfAKind(t *testing.T) {
	for name, tc := range map[string]struct {
		write func(log *slog.Logger)
		want  []string // parts of the lines
	}{
		"all lines of few": {func(log *slog.Logger) {
			for n := range linesOfKind {
				log.Warn("a line was no JSON", "bytes", n)
			}
		}, []string{"bytes=0", "bytes=1", "bytes=2", "bytes=3", "bytes=4"}},
		"a number in the place of the others": {func(log *slog.Logger) {
			for n := range 200_000 {
				log.Warn("a line was no JSON", "bytes", n)
			}
		}, []string{"bytes=0", "bytes=1", "bytes=2", "bytes=3", "bytes=4", "… and 199995 more of this kind: a line was no JSON"}},
		"each kind has its own": {func(log *slog.Logger) {
			for range linesOfKind + 1 {
				log.Warn("one")
				log.Error("two")
			}
		}, []string{"one", "two", "one", "two", "one", "two", "one", "two", "one", "two", "1 more of this kind: one", "1 more of this kind: two"}},
		"numbers and texts in it make no other kind": {func(log *slog.Logger) {
			for n := range linesOfKind + 1 {
				log.Warn(fmt.Sprintf("from port %d: \"%d\"", n, n))
			}
		}, []string{"port 0", "port 1", "port 2", "port 3", "port 4", "1 more of this kind"}},
		"loggers that are made of one share it": {func(log *slog.Logger) {
			for range linesOfKind {
				log.Warn("one")
			}
			log.With("a", 1).WithGroup("g").Warn("one")
		}, []string{"one", "one", "one", "one", "one", "1 more of this kind"}},
		"after a minute there may be as many again": {func(log *slog.Logger) {
			for range 2 {
				for range linesOfKind {
					log.Warn("one")
				}
				time.Sleep(time.Minute)
			}
		}, strings.Split(strings.Repeat("one ", 2*linesOfKind), " ")[:2*linesOfKind]},
		"the number comes when the minute is over": {func(log *slog.Logger) {
			for range linesOfKind + 2 {
				log.Warn("one")
			}
			time.Sleep(time.Minute + time.Second)
			log.Warn("two")
			log.Warn("one")
		}, []string{"one", "one", "one", "one", "one", "2 more of this kind", "two", "one"}},
		"calls of tools have a line each": {func(log *slog.Logger) {
			for range 2 * linesOfKind {
				log.Info("tool call", "call", 1)
			}
		}, strings.Split(strings.Repeat("call=1 ", 2*linesOfKind), " ")[:2*linesOfKind]},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				handler := NewLimitedLog(slog.NewTextHandler(&out, nil))
				tc.write(slog.New(handler))
				synctest.Wait()
				_ = handler.Close()
				lines := strings.Split(strings.TrimSpace(out.String()), "\n")
				if len(lines) != len(tc.want) {
					t.Fatalf("%d lines, want %d:\n%.3000s", len(lines), len(tc.want), out.String())
				}
				for i, want := range tc.want {
					if !strings.Contains(lines[i], want) {
						t.Errorf("line %d is %s, want %s", i, lines[i], want)
					}
				}
			})
		})
	}
}

// Messages of ever new kinds do not fill the memory, nor the log.
func TestALogHasFewKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		handler := NewLimitedLog(slog.NewTextHandler(&out, nil))
		log := slog.New(handler)
		for n := range 20_000 {
			log.Warn(strings.Repeat(string(rune('A'+n%26)), 1+n/26%30) + string(rune('a'+n/26/30)))
		}
		_ = handler.Close()
		if lines := strings.Count(out.String(), "\n"); lines > 2*linesOfKind*mostKinds || len(handler.lines.kinds) > mostKinds+1 {
			t.Errorf("%d lines, %d kinds", lines, len(handler.lines.kinds))
		}
	})
}
