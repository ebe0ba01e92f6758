package evaluation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"roam-mcp/assets"
	"roam-mcp/configstore"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/store"
)

// Suite makes the worlds of tasks in folders below one of its own. Graphs are imported
// once and copied for each task.
type Suite struct {
	folder   string
	helpPath string
	now      func() time.Time

	mu       sync.Mutex
	prepared map[string]prepared // by what is in them
	made     int
}

// prepared is a data folder with the graphs of a start state.
type prepared struct {
	folder string
	graphs []*graphdb.DB
}

// NewSuite returns a suite for a folder that exists. helpPath is Roam's help graph as a
// JSON export; without it, tasks about it can't be started. now dates what is written; nil:
// time.Now.
func NewSuite(folder, helpPath string, now func() time.Time) *Suite {
	if now == nil {
		now = time.Now
	}
	return &Suite{folder: folder, helpPath: helpPath, now: now, prepared: map[string]prepared{}}
}

// World is a running sandbox with the start state of a task, and the files of a user who
// has connected its graphs with full access.
type World struct {
	Home   string // the user's home folder, with Roam's port file
	Config string // of roam-mcp
	Today  time.Time
	Tokens []configstore.Entry

	graphs  []localapi.Graph
	before  []*graphdb.DB
	person  func(*Person) // what a person is still to do; nil: nothing
	after   string        // the tool after whose first call
	data    string
	sandbox *sandbox.Server
}

// graphs returns the graphs of a task; the first is the one that it is about.
func (t Task) graphs() []localapi.Graph {
	demo := localapi.Graph{Name: assets.DemoGraphName, Type: localapi.Hosted}
	switch t.Graph {
	case Help:
		return []localapi.Graph{{Name: string(Help), Type: localapi.Hosted}}
	case Both:
		return []localapi.Graph{demo, {Name: assets.OfflineGraphName, Type: localapi.Offline}}
	case Demo:
	}
	return []localapi.Graph{demo}
}

// Start starts the world of a task. It must be ended by Finish.
func (s *Suite) Start(ctx context.Context, task Task) (*World, error) {
	start, err := s.prepare(ctx, task)
	if err != nil {
		return nil, fmt.Errorf("prepare the graph: %w", err)
	}
	s.mu.Lock()
	s.made++
	home := filepath.Join(s.folder, fmt.Sprintf("%s-%d", task.Name, s.made))
	s.mu.Unlock()
	w := &World{
		Home: home, Config: filepath.Join(home, ".roam-mcp.json"), Today: s.now(),
		graphs: task.graphs(), data: filepath.Join(home, "graphs"), before: start.graphs, person: task.Person, after: task.After,
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	if err := copyFolder(w.data, start.folder); err != nil {
		return nil, err
	}
	w.sandbox, err = sandbox.Start(ctx, sandbox.Options{Home: home, Data: w.data, Policy: desk.Allow, Now: s.now})
	if err != nil {
		return nil, err
	}
	if err := w.connect(ctx); err != nil {
		return nil, errors.Join(err, w.sandbox.Close(ctx))
	}
	return w, nil
}

// prepare returns the start state of a task.
func (s *Suite) prepare(ctx context.Context, task Task) (prepared, error) {
	pages := ""
	if task.Pages != nil {
		pages = task.Pages(s.now())
	}
	key := string(task.Graph) + pages
	s.mu.Lock()
	defer s.mu.Unlock()
	if start, there := s.prepared[key]; there {
		return start, nil
	}
	home := filepath.Join(s.folder, fmt.Sprintf("prepared-%d", len(s.prepared)))
	if err := os.MkdirAll(home, 0o700); err != nil {
		return prepared{}, err
	}
	options := sandbox.Options{Home: home, Data: filepath.Join(home, "graphs"), Policy: desk.Deny, Now: s.now}
	for i, graph := range task.graphs() {
		export := s.helpPath
		if graph.Name != string(Help) {
			text := assets.DemoGraph()
			if graph.Type == localapi.Offline {
				text = assets.OfflineGraph()
			}
			if i > 0 {
				pages = ""
			}
			export = filepath.Join(home, graph.Name+".json")
			if err := os.WriteFile(export, joined(text, pages), 0o600); err != nil {
				return prepared{}, err
			}
		}
		options.Import = append(options.Import, sandbox.Import{Path: export, Graph: graph})
	}
	server, err := sandbox.Start(ctx, options)
	if err != nil {
		return prepared{}, err
	}
	if err := server.Close(ctx); err != nil {
		return prepared{}, err
	}
	start := prepared{folder: options.Data}
	if start.graphs, err = read(ctx, options.Data, task.graphs()); err != nil {
		return prepared{}, err
	}
	s.prepared[key] = start
	return start, nil
}

// joined returns two lists of pages as one.
func joined(export []byte, pages string) []byte {
	if pages == "" {
		return export
	}
	export = bytes.TrimSuffix(bytes.TrimSpace(export), []byte("]"))
	return append(append(export, ','), pages[1:]...)
}

func copyFolder(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return os.Chmod(to, 0o700)
}

// connect writes the configuration.
func (w *World) connect(ctx context.Context) error {
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(w.Home, localapi.PortFileName), Strict: true}})
	defer client.CloseIdleConnections()
	config := configstore.New(w.Config)
	for _, graph := range w.graphs {
		grant, err := client.RequestToken(ctx, localapi.TokenRequest{Graph: graph, AccessLevel: localapi.Full, Description: "An evaluation"})
		if err != nil {
			return err
		}
		entry := configstore.Entry{Name: graph.Name, Type: graph.Type, Token: grant.Token, Nickname: graph.Name, AccessLevel: grant.AccessLevel}
		if err := config.Save(ctx, entry); err != nil {
			return err
		}
		w.Tokens = append(w.Tokens, entry)
	}
	return nil
}

// Unchanged returns the end of a task at which the graphs are as at the start.
func (w *World) Unchanged(answer string) *End { return w.end(answer, w.before) }

// Finish stops the sandbox and returns the end of the task, with the graphs as they are on
// disk.
func (w *World) Finish(ctx context.Context, answer string) (*End, error) {
	if err := w.sandbox.Close(ctx); err != nil {
		return nil, err
	}
	after, err := read(ctx, w.data, w.graphs)
	if err != nil {
		return nil, err
	}
	end := w.end(answer, after)
	end.Early = w.person != nil
	return end, nil
}

func (w *World) end(answer string, after []*graphdb.DB) *End {
	e := &End{Answer: answer, Today: w.Today, Start: w.before[0], Graph: after[0]}
	if len(after) > 1 {
		e.NotebookStart, e.Notebook = w.before[1], after[1]
	}
	return e
}

// read returns the graphs of a data folder that no sandbox holds.
func read(ctx context.Context, data string, graphs []localapi.Graph) ([]*graphdb.DB, error) {
	folder, err := store.OpenFolder(data)
	if err != nil {
		return nil, err
	}
	var found []*graphdb.DB
	for _, id := range graphs {
		graph, err := folder.Open(ctx, id, store.Options{})
		if err != nil {
			return nil, errors.Join(err, folder.Close())
		}
		found = append(found, graph.DB())
		if err := graph.Close(); err != nil {
			return nil, errors.Join(err, folder.Close())
		}
	}
	return found, folder.Close()
}
