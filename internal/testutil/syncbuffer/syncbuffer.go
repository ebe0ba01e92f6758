// Package syncbuffer has an output that a test reads while it is written.
package syncbuffer

import (
	"bytes"
	"sync"
)

// Buffer holds what was written to it. The zero Buffer is empty and ready to use.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer. It never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns everything written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
