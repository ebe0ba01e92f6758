package activity

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"time"

	"roam-mcp/internal/files"
)

// What is kept of servers that have ended.
const (
	keptFor     = 30 * 24 * time.Hour
	mostEnded   = 200
	mostOfEnded = 16 << 20 // bytes of all their files
)

// sweep removes the files of servers that ended long ago, or are too many, and the locks
// that killed ones have left.
func (l *Log) sweep() {
	found := l.list()
	slices.Reverse(found) // the newest first
	ended, bytes := 0, int64(0)
	for _, f := range found {
		if l.alive(f.id) {
			continue
		}
		ended++
		bytes += f.size
		_ = os.Remove(l.lockPath(f.id))
		if ended > mostEnded || bytes > mostOfEnded || time.Since(f.at) > keptFor {
			_ = os.Remove(l.path(f.id))
		}
	}
}

// Forget removes the record of calls: the files of servers that have ended, and all but
// the first line in those of running servers.
func (l *Log) Forget() error {
	var failures []error
	for _, f := range l.list() {
		if !l.alive(f.id) {
			failures = append(failures, os.Remove(l.path(f.id)))
			continue
		}
		text, err := files.ReadOwn(l.path(f.id), longestFile)
		if first := bytes.IndexByte(text, '\n'); err == nil && first >= 0 {
			// The server appends, so what it writes next follows the first line.
			err = files.Truncate(l.path(f.id), int64(first)+1)
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// lastCalls returns the lines of a file with its last calls, and of those that run.
func lastCalls(text []byte) (kept []byte) {
	type numbered struct {
		number uint64
		ended  bool
		line   []byte
	}
	var calls []numbered
	at := map[uint64]int{}
	for raw := range bytes.Lines(text) {
		var l line
		if json.Unmarshal(raw, &l) != nil || l.Call == nil {
			continue
		}
		call := numbered{l.Call.Number, l.Call.Ended, bytes.TrimSuffix(raw, []byte("\n"))}
		if i, there := at[call.number]; there {
			calls[i] = call
			continue
		}
		at[call.number] = len(calls)
		calls = append(calls, call)
	}
	for i, call := range calls {
		if !call.ended || i >= len(calls)-keptCalls {
			kept = append(append(kept, call.line...), '\n')
		}
	}
	return kept
}
