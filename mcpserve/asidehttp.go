package mcpserve

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"sync"
)

// headerAside names, in the headers that the library hands on to tools, where
// texts for the answer are held. What a client sends in it is overwritten.
const headerAside = "Roam-Mcp-Aside"

// asides are where texts are held for the HTTP requests that are being answered.
// Each has its own: what stands for a text means nothing in another's answer.
type asides struct {
	mu   sync.Mutex
	open map[string]*aside // by what headerAside says
}

func newAsides() *asides { return &asides{open: map[string]*aside{}} }

// begin makes the place for a request, and names it in its headers. end lets go
// of what is held there; a call that outlives its request finds no place.
func (a *asides) begin(header http.Header) (texts *aside, end func()) {
	name := rand.Text()
	header.Set(headerAside, name)
	texts = &aside{}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[name] = texts
	return texts, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.open, name)
		texts.end()
	}
}

// of finds the place of a request by its headers; nil where it has none.
func (a *asides) of(header http.Header) *aside {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open[header.Get(headerAside)]
}

// wholeWriter writes an answer with the texts that were held aside for it, in
// pieces. The other bytes pass as they are.
type wholeWriter struct {
	http.ResponseWriter
	aside *aside
	kept  []byte // the end of what was written, where a mark may have begun
}

// WriteHeader implements http.ResponseWriter. A length that does not count the
// texts is left out.
func (w *wholeWriter) WriteHeader(status int) {
	w.measure()
	w.ResponseWriter.WriteHeader(status)
}

func (w *wholeWriter) measure() {
	if w.aside.holds() {
		w.Header().Del("Content-Length")
	}
}

// Write implements http.ResponseWriter.
func (w *wholeWriter) Write(data []byte) (int, error) {
	if len(w.kept) == 0 && !w.aside.holds() {
		return w.ResponseWriter.Write(data)
	}
	w.measure()
	size := len(data)
	if len(w.kept) > 0 {
		data = append(w.kept, data...)
		w.kept = nil
	}
	s := stringWriter{out: w.ResponseWriter}
	message := w.aside.restore(data)
	for ; message.tail != nil; message = w.aside.restore(message.tail) {
		if s.buffer == nil {
			s.buffer = make([]byte, 0, min(writeBuffer, len(data)+message.text.len()*9/8))
		}
		s.begin(message)
	}
	rest := message.head
	begun := w.aside.begun(rest)
	w.kept = bytes.Clone(rest[len(rest)-begun:])
	if rest = rest[:len(rest)-begun]; s.buffer == nil {
		s.buffer = rest
	} else {
		s.buffer = append(s.buffer, rest...)
	}
	if len(s.buffer) > 0 {
		s.flush()
	}
	if s.err != nil {
		return 0, s.err
	}
	return size, nil
}

// finish writes what was kept, when nothing more comes.
func (w *wholeWriter) finish() {
	if len(w.kept) > 0 {
		_, _ = w.ResponseWriter.Write(w.kept) // the client may be gone
	}
}

// Unwrap leads http.ResponseController to what is underneath.
func (w *wholeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
