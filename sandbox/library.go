package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"roam-mcp/assets"
	"roam-mcp/graphdb"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/sandbox/actions"
	"roam-mcp/sandbox/store"
)

// graph is a graph that the sandbox serves.
type graph struct {
	*actions.Graph
	open   atomic.Bool // it has been used, so that Roam would have a window of it
	writes rateLimit
}

// library holds the graphs of the sandbox. None is added after the start.
type library struct {
	graphs []*graph // hosted ones first, by name
}

// openLibrary opens the graphs of the folder and makes those that the options ask
// for, or the sample graphs if there are none.
func openLibrary(ctx context.Context, folder *store.Folder, options Options) (_ *library, err error) {
	existing, err := folder.Graphs()
	if err != nil {
		return nil, err
	}
	l := &library{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	for _, id := range existing {
		existing, err := actions.Open(ctx, folder, id, store.Options{Now: options.Now})
		if err != nil {
			return nil, err
		}
		l.add(existing, id == localapi.Graph{Name: assets.DemoGraphName, Type: localapi.Hosted})
	}
	for _, wanted := range options.Import {
		if err := l.importFile(ctx, folder, wanted, options); err != nil {
			return nil, err
		}
	}
	for _, wanted := range options.New {
		if err := l.generate(ctx, folder, wanted, options); err != nil {
			return nil, err
		}
	}
	if len(l.graphs) == 0 {
		if err := l.seed(ctx, folder, options); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(l.graphs, func(a, b *graph) int {
		return strings.Compare(string(a.ID.Type)+" "+a.ID.Name, string(b.ID.Type)+" "+b.ID.Name)
	})
	return l, nil
}

func (l *library) add(opened *actions.Graph, open bool) {
	added := &graph{Graph: opened}
	added.open.Store(open)
	l.graphs = append(l.graphs, added)
}

// importFile makes a graph from an export. An existing one is kept, since it may
// have been written to.
func (l *library) importFile(ctx context.Context, folder *store.Folder, wanted Import, options Options) error {
	if there, err := l.find(wanted.Graph); err == nil {
		options.Log.Warn("the graph is there already and is kept as it is", "graph", wanted.Graph.Name, "file", wanted.Path)
		there.open.Store(true)
		return nil
	}
	fill, source, err := openImport(wanted.Path, options.Log)
	if err != nil {
		return importFailed(wanted, err)
	}
	defer source.Close()
	imported, err := createGraph(ctx, folder, wanted.Graph, fill, options)
	if err != nil {
		return importFailed(wanted, err)
	}
	l.add(imported, true)
	return nil
}

func importFailed(wanted Import, err error) error {
	if _, known := problem.As(err); known || errors.Is(err, context.Canceled) {
		return err
	}
	return &problem.Error{
		Code:    CodeImportFailed,
		Message: fmt.Sprintf("%s can't be imported as %s: %v.", wanted.Path, wanted.Graph.Name, strings.TrimSuffix(err.Error(), ".")),
		Hint:    problem.Say("It must be an export of a Roam graph (in Roam: Export All, format JSON, EDN or Markdown) or a folder of markdown files."),
		Err:     err,
	}
}

// seed makes the graphs that a fresh sandbox starts with.
func (l *library) seed(ctx context.Context, folder *store.Folder, options Options) error {
	for _, sample := range []struct {
		id     localapi.Graph
		export []byte
		open   bool
	}{
		{localapi.Graph{Name: assets.DemoGraphName, Type: localapi.Hosted}, assets.DemoGraph(), true},
		{localapi.Graph{Name: assets.OfflineGraphName, Type: localapi.Offline}, assets.OfflineGraph(), false},
	} {
		made, err := createFromExport(ctx, folder, sample.id, bytes.NewReader(sample.export), options)
		if err != nil {
			return fmt.Errorf("make the sample graph %s: %w", sample.id.Name, err)
		}
		l.add(made, sample.open)
	}
	return nil
}

func (l *library) find(id localapi.Graph) (*graph, error) {
	for _, graph := range l.graphs {
		if graph.ID == id {
			return graph, nil
		}
	}
	return nil, refuse(http.StatusNotFound, codeGraphUnknown, fmt.Sprintf("The sandbox has no %s graph named %s.", id.Type, id.Name))
}

func (l *library) status() []GraphStatus {
	list := make([]GraphStatus, 0, len(l.graphs))
	for _, graph := range l.graphs {
		db := graph.Data.DB()
		list = append(list, GraphStatus{
			Graph: graph.ID, Open: graph.open.Load(),
			Pages: db.Count(graphdb.NodeTitle), Blocks: db.Count(graphdb.BlockString),
		})
	}
	return list
}

func (l *library) close() error {
	var all error
	for _, graph := range l.graphs {
		all = errors.Join(all, graph.Data.Close())
	}
	return all
}

// writesPerMinute is Roam's own limit (LOCAL_API.md 1.7).
const writesPerMinute = 1500

// rateLimit counts writes by the minute. The zero value is ready.
type rateLimit struct {
	mu    sync.Mutex
	since time.Time
	count int
}

func (l *rateLimit) take(now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if passed := now.Sub(l.since); passed >= time.Minute || passed < 0 {
		l.since, l.count = now, 0
	}
	if l.count >= writesPerMinute {
		return fmt.Errorf("rate limit exceeded: more than %d writes in a minute, try again in %d seconds",
			writesPerMinute, int(time.Minute-now.Sub(l.since))/int(time.Second)+1)
	}
	l.count++
	return nil
}
