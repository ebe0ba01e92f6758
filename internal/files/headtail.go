package files

import (
	"bytes"
	"io"
	"sync"
)

var (
	_ io.Writer = (*Head)(nil)
	_ io.Writer = (*Tail)(nil)
)

// Head keeps the first Max bytes that are written to it. It may be read while it is
// written.
type Head struct {
	Max int

	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer. It never fails.
func (h *Head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), h.Max-len(h.text))]...)
	return len(p), nil
}

// String returns what was kept.
func (h *Head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}

// Tail keeps the last Max bytes that are written to it. It may be read while it is
// written.
type Tail struct {
	Max int

	mu   sync.Mutex
	text []byte
	cut  bool
}

// Write implements io.Writer. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - t.Max; over > 0 {
		t.text, t.cut = bytes.Clone(t.text[over:]), true
	}
	return len(p), nil
}

// Text returns what was kept, and whether something was cut off before it.
func (t *Tail) Text() (text string, cut bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text), t.cut
}
