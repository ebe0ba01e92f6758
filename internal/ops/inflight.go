package ops

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"

	"roam-mcp/internal/localapi"
)

// writesInFlight knows the writes of this process that are in flight. Two of the
// same content can't be told apart in the graph, so neither may be claimed done
// because of what the other wrote.
type writesInFlight struct {
	mu        sync.Mutex
	byContent map[string]*sameWrites
}

// sameWrites are all writes of one content.
type sameWrites struct {
	flights []*flight
	ended   int64 // when the last one ended, in milliseconds
}

// flight is one write from being sent to its end.
type flight struct {
	all     *writesInFlight
	content string
	began   int64 // when it was sent, in milliseconds
	other   bool  // whether another write of its content was in flight as well
}

// keptContents bounds how many contents are remembered after their end.
const keptContents = 256

func newWritesInFlight() *writesInFlight {
	return &writesInFlight{byContent: map[string]*sameWrites{}}
}

// contentOf names the content of a write, which may be a large file, by its hash.
func contentOf(graph localapi.Graph, action string, args []any) string {
	content, err := json.Marshal([]any{graph.Name, graph.Type, action, args})
	if err != nil {
		return action // it fails when it is sent, too
	}
	sum := sha256.Sum256(content)
	return string(sum[:])
}

// begin notes a write that is sent at a time in milliseconds.
func (w *writesInFlight) begin(content string, now int64) *flight {
	w.mu.Lock()
	defer w.mu.Unlock()
	same := w.byContent[content]
	if same == nil {
		w.forget(now)
		same = &sameWrites{}
		w.byContent[content] = same
	}
	f := &flight{all: w, content: content, began: now, other: same.ended >= now || len(same.flights) > 0}
	for _, each := range same.flights {
		each.other = true
	}
	same.flights = append(same.flights, f)
	return f
}

// end notes that the write is over.
func (f *flight) end(now int64) {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	same := f.all.byContent[f.content]
	same.flights = slices.DeleteFunc(same.flights, func(each *flight) bool { return each == f })
	same.ended = max(same.ended, now)
}

// met reports whether another write of the same content was in flight at the
// same time.
func (f *flight) met() bool {
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	return f.other
}

// forget drops contents that no write can meet any more; mu is held.
func (w *writesInFlight) forget(now int64) {
	if len(w.byContent) < keptContents {
		return
	}
	for content, same := range w.byContent {
		if len(same.flights) == 0 && same.ended < now {
			delete(w.byContent, content)
		}
	}
}
