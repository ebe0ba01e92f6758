// Package shown remembers what a connection was shown of notes and blocks, and makes the
// difference between that and what it sends.
//
// It promises that nothing changes that the connection was not shown, that what it left as
// it was shown stays as it is now, and that what somebody else has changed since is an
// error before anything is written (profiles/README.md, "What is written"). Its memory is bounded,
// is gone with the connection, and holds nothing of graphs that are not served. It knows no
// tool by name, and neither reads nor writes a graph.
package shown

import (
	"container/list"
	"strings"
	"sync"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/rawjson"
)

// The bounds of a Memory. What was shown last is kept whatever its size is.
const (
	maxNotes = 256
	maxBytes = 4 << 20
)

// Memory is what one connection was shown. It may be used by several calls at once. A nil
// Memory remembers nothing.
type Memory struct {
	mu    sync.Mutex
	known map[key]*list.Element
	order *list.List // of *remembered, the last used first
	bytes int
	last  int // number of the last reply
}

type key struct {
	graph localapi.Graph
	uid   string // of a note
	reply int    // number of what shows texts of blocks; 0: a note
}

// remembered is a note, a reply, or texts of blocks.
type remembered struct {
	key   key
	note  Note
	reply string
	texts map[string]string // by uid
	size  int               // bytes, about
}

// NewMemory makes a memory.
func NewMemory() *Memory { return &Memory{known: map[key]*list.Element{}, order: list.New()} }

// On returns the memory of one graph. With all, what was never shown counts as shown.
func (m *Memory) On(graph localapi.Graph, all bool) Graph {
	return Graph{memory: m, graph: graph, all: all}
}

// Retain forgets what was shown of other graphs than those that are served.
func (m *Memory) Retain(serves func(localapi.Graph) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, each := range m.known {
		if !serves(each.Value.(*remembered).key.graph) {
			m.drop(each)
		}
	}
}

func (m *Memory) drop(e *list.Element) {
	r := m.order.Remove(e).(*remembered)
	delete(m.known, r.key)
	m.bytes -= r.size
}

func (m *Memory) keep(r *remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(r)
}

func (m *Memory) keepTexts(r *remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last++
	r.key.reply = m.last
	m.add(r)
}

func (m *Memory) add(r *remembered) {
	if before, ok := m.known[r.key]; ok {
		m.drop(before)
	}
	m.known[r.key] = m.order.PushFront(r)
	m.bytes += r.size
	for m.order.Len() > 1 && (m.order.Len() > maxNotes || m.bytes > maxBytes) {
		m.drop(m.order.Back())
	}
}

func (m *Memory) find(k key) *remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.known[k]
	if !ok {
		return nil
	}
	m.order.MoveToFront(e)
	return e.Value.(*remembered)
}

// Graph is what a connection was shown of one graph.
type Graph struct {
	memory *Memory
	graph  localapi.Graph
	all    bool // what was never shown counts as shown
	room   int  // tokens of texts that an error may tell; 0: maxTold
}

// Telling returns g for a call whose reply has so many tokens at most. Its errors tell
// no more texts than fit into a third of that: a profile may tell them twice, and in JSON.
func (g Graph) Telling(tokens int) Graph {
	g.room = tokens / 3
	return g
}

// Keep remembers what was shown of a note, in the place of what was shown of it before.
func (g Graph) Keep(uid string, n Note) {
	if g.memory != nil {
		g.memory.keep(&remembered{key: key{graph: g.graph, uid: uid}, note: n, size: n.size()})
	}
}

// Forget forgets what was shown of a note.
func (g Graph) Forget(uid string) {
	if g.memory == nil {
		return
	}
	g.memory.mu.Lock()
	defer g.memory.mu.Unlock()
	if e, ok := g.memory.known[key{graph: g.graph, uid: uid}]; ok {
		g.memory.drop(e)
	}
}

// Note returns what was shown of a note; false where nothing is known.
func (g Graph) Note(uid string) (Note, bool) {
	if g.memory == nil {
		return Note{}, false
	}
	if r := g.memory.find(key{graph: g.graph, uid: uid}); r != nil {
		return r.note, true
	}
	return Note{}, false
}

// Titled returns the uid of the note that was shown last with a title; empty where none was.
func (g Graph) Titled(title string) string {
	title = note.BareTitle(strings.TrimSpace(title))
	if g.memory == nil || title == "" {
		return ""
	}
	g.memory.mu.Lock()
	defer g.memory.mu.Unlock()
	for e := g.memory.order.Front(); e != nil; e = e.Next() {
		if r := e.Value.(*remembered); r.key.reply == 0 && r.key.graph == g.graph && r.note.Title == title {
			return r.key.uid
		}
	}
	return ""
}

// KeepReply remembers a reply, with the escapes that the client has it with, which shows texts
// of blocks.
func (g Graph) KeepReply(reply string) {
	if g.memory != nil {
		g.memory.keepTexts(&remembered{key: key{graph: g.graph}, reply: reply, size: len(reply)})
	}
}

// Showed reports whether a reply that was kept has a text in it, in JSON or as it is.
func (g Graph) Showed(text string) bool {
	if g.memory == nil {
		return false
	}
	encoded := string(rawjson.Encode(text))
	encoded = encoded[1 : len(encoded)-1]
	g.memory.mu.Lock()
	defer g.memory.mu.Unlock()
	for e := g.memory.order.Front(); e != nil; e = e.Next() {
		if r := e.Value.(*remembered); r.key.graph == g.graph && (strings.Contains(r.reply, encoded) || strings.Contains(r.reply, text)) {
			return true
		}
	}
	return false
}

// KeepText remembers the text that a block has been given.
func (g Graph) KeepText(uid, text string) {
	if g.memory != nil {
		g.memory.keepTexts(&remembered{key: key{graph: g.graph}, texts: map[string]string{uid: text}, size: len(uid) + len(text) + blockSize})
	}
}

// Text returns the text of a block that was shown last; false where none was. in returns
// the texts that a reply shows, by uid.
func (g Graph) Text(uid string, in func(reply string) map[string]string) (text string, ok bool) {
	if g.memory == nil {
		return "", false
	}
	g.memory.mu.Lock()
	defer g.memory.mu.Unlock()
	for e := g.memory.order.Front(); e != nil; e = e.Next() {
		r := e.Value.(*remembered)
		if r.key.graph != g.graph || r.key.reply == 0 {
			continue
		}
		texts := r.texts
		if strings.Contains(r.reply, uid) {
			texts = in(r.reply)
		}
		if text, ok = texts[uid]; ok {
			return text, true
		}
	}
	return "", false
}
