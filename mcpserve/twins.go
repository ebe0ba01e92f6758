package mcpserve

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"roam-mcp/localapi"
)

// underWay knows the writes of this process that are under way. Two that are
// the same can't be told apart in the graph, so neither may be claimed done
// because of what the other wrote.
type underWay struct {
	mu     sync.Mutex
	writes map[string]*sameWrites
}

// sameWrites are all writes of one content.
type sameWrites struct {
	running []*twin
	ended   int64 // when the last one ended, in milliseconds
}

// twin is one write among those of its content.
type twin struct {
	all   *underWay
	key   string
	began int64
	other bool // another one ran while it did
}

// keptWrites bounds how many contents are remembered after their end.
const keptWrites = 256

func newUnderWay() *underWay { return &underWay{writes: map[string]*sameWrites{}} }

// writeKey names the content of a write, which may be a large file, by its hash.
func writeKey(graph localapi.Graph, action string, args []any) string {
	content, err := json.Marshal([]any{graph.Name, graph.Type, action, args})
	if err != nil {
		return action // it fails when it is sent, too
	}
	sum := sha256.Sum256(content)
	return string(sum[:])
}

// begin notes a write that is sent at a time in milliseconds.
func (u *underWay) begin(key string, now int64) *twin {
	u.mu.Lock()
	defer u.mu.Unlock()
	same := u.writes[key]
	if same == nil {
		u.forget(now)
		same = &sameWrites{}
		u.writes[key] = same
	}
	t := &twin{all: u, key: key, began: now, other: same.ended >= now}
	for _, running := range same.running {
		running.other, t.other = true, true
	}
	same.running = append(same.running, t)
	return t
}

// end notes that the write is over.
func (t *twin) end(now int64) {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	same := t.all.writes[t.key]
	for i, running := range same.running {
		if running == t {
			same.running = append(same.running[:i], same.running[i+1:]...)
			break
		}
	}
	same.ended = max(same.ended, now)
}

// met reports whether another write of the same content ran at the same time.
func (t *twin) met() bool {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	return t.other
}

// forget drops contents that no write can meet any more; mu is held.
func (u *underWay) forget(now int64) {
	if len(u.writes) < keptWrites {
		return
	}
	for key, same := range u.writes {
		if len(same.running) == 0 && same.ended < now {
			delete(u.writes, key)
		}
	}
}
