package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

// logseq stands in for Logseq's HTTP API, as far as reading goes, and counts its calls.
type logseq struct {
	notes   map[string]note
	titles  []string
	ids     map[string]int
	counted atomic.Int64
	server  *http.Server
	address string
	unknown atomic.Pointer[string] // a method that was asked for and is not there
}

func startLogseq(notes []note) (*logseq, error) {
	l := &logseq{notes: map[string]note{}, ids: map[string]int{}}
	for i, n := range notes {
		l.notes[n.title], l.ids[n.title] = n, i+1
		l.titles = append(l.titles, n.title)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l.address = "http://" + listener.Addr().String()
	l.server = &http.Server{Handler: l}
	go func() { _ = l.server.Serve(listener) }() // until it is closed
	return l, nil
}

func (l *logseq) env() []string { return []string{"LOGSEQ_API_URL=" + l.address, "LOGSEQ_API_TOKEN=x"} }

// ServeHTTP answers POST /api with {"method", "args"}.
func (l *logseq) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var asked struct {
		Method string
		Args   []any
	}
	if err := json.NewDecoder(request.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	l.counted.Add(1)
	name := ""
	if len(asked.Args) > 0 {
		name = strings.ToLower(fmt.Sprint(asked.Args[0]))
	}
	var reply any
	switch asked.Method {
	case "logseq.Editor.getAllPages":
		pages := make([]any, len(l.titles))
		for i, title := range l.titles {
			pages[i] = l.page(title)
		}
		reply = pages
	case "logseq.Editor.getPage":
		if _, ok := l.notes[name]; ok {
			reply = l.page(name)
		}
	case "logseq.Editor.getPageBlocksTree":
		reply = l.blocks(name)
	case "logseq.Editor.getPageLinkedReferences":
		reply = l.references(name)
	case "logseq.App.getCurrentGraph":
		reply = map[string]any{"name": graphName, "path": "/" + graphName}
	case "logseq.Editor.getCurrentPage":
	default:
		l.unknown.Store(&asked.Method)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply) // nobody to tell
}

func (l *logseq) page(title string) map[string]any {
	return map[string]any{"id": l.ids[title], "uuid": title, "name": title, "originalName": title, "journal?": false}
}

func (l *logseq) blocks(title string) []any {
	blocks := []any{}
	for i, line := range l.notes[title].lines {
		blocks = append(blocks, map[string]any{"uuid": fmt.Sprintf("%s-%d", title, i), "content": line, "children": []any{}})
	}
	return blocks
}

func (l *logseq) references(title string) []any {
	references := []any{}
	for _, from := range l.titles {
		blocks := []any{}
		for i, line := range l.notes[from].lines {
			if strings.Contains(line, "[["+title+"]]") {
				blocks = append(blocks, map[string]any{"uuid": fmt.Sprintf("%s-%d", from, i), "content": line})
			}
		}
		if len(blocks) > 0 && from != title {
			references = append(references, []any{l.page(from), blocks})
		}
	}
	return references
}
