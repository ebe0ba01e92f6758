// Package store keeps the sandbox's graphs on disk: a folder that one process at
// a time may hold, with one SQLite file a graph.
//
// It promises that only its user can read the files, that a write which was
// reported is on disk, that one which failed left no trace, that every transaction
// stays recorded with its time and author, and that the full-text index matches the
// titles and strings of the newest snapshot. It does not know what the other
// attributes mean.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gofrs/flock"

	"roam-mcp/internal/files"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Codes of this package's errors.
const (
	CodeInUse    problem.Code = "SANDBOX_IN_USE"      // another process holds the folder
	CodeDamaged  problem.Code = "GRAPH_FILE_DAMAGED"  // a file that is no graph, or a broken one
	CodeTooNew   problem.Code = "GRAPH_FILE_TOO_NEW"  // a file of a later version of the program
	CodeUnusable problem.Code = "SANDBOX_DATA_FOLDER" // the folder can't be made or read
)

const (
	lockName   = "lock"
	extension  = ".sqlite"
	unfinished = ".new"
)

// Folder is the data folder, held by this process until Close.
type Folder struct {
	path string
	lock *flock.Flock
}

// OpenFolder makes the folder if it is missing, and locks it. If another process has
// locked it, the error's code is CodeInUse. A folder of another user, or one that
// others can write to, is refused with CodeUnusable.
func OpenFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, unusable(path, err)
	}
	if err := checkFolder(path); err != nil {
		return nil, err
	}
	lock, err := files.Lock(filepath.Join(path, lockName))
	if err != nil {
		return nil, unusable(path, err)
	}
	held, err := lock.TryLock()
	if err != nil {
		return nil, unusable(path, err)
	}
	if !held {
		return nil, &problem.Error{
			Code:    CodeInUse,
			Message: fmt.Sprintf("Another sandbox uses the data folder %s.", path),
			Hint:    problem.Say("Use that sandbox, stop it first, or give this one a home of its own."),
		}
	}
	return &Folder{path: path, lock: lock}, nil
}

func unusable(path string, err error) *problem.Error {
	return &problem.Error{
		Code:    CodeUnusable,
		Message: fmt.Sprintf("The sandbox's data folder %s can't be used: %v.", path, err),
		Hint:    problem.Say("Check the rights of that folder."),
		Err:     err,
	}
}

// Path returns the path of the folder.
func (f *Folder) Path() string { return f.path }

// Close unlocks the folder. Its graphs must be closed before.
func (f *Folder) Close() error { return f.lock.Close() }

// Graphs lists the graphs of the folder, hosted ones first, by name. Some may not open.
func (f *Folder) Graphs() ([]localapi.Graph, error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return nil, unusable(f.path, err)
	}
	var graphs []localapi.Graph
	for _, entry := range entries {
		if graph, ok := graphOfFile(entry.Name()); ok {
			graphs = append(graphs, graph)
		}
	}
	slices.SortFunc(graphs, func(a, b localapi.Graph) int {
		return strings.Compare(string(a.Type)+" "+a.Name, string(b.Type)+" "+b.Name)
	})
	return graphs, nil
}

// fileOfGraph returns the name of a graph's file. Names of graphs are case-sensitive,
// those of files may not be, so a capital is written as "+" and the small letter.
func fileOfGraph(graph localapi.Graph) string {
	var name strings.Builder
	for _, r := range graph.Name {
		if unicode.IsUpper(r) {
			name.WriteByte('+')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return string(graph.Type) + "-" + name.String() + extension
}

func graphOfFile(file string) (localapi.Graph, bool) {
	name, ok := strings.CutSuffix(file, extension)
	kind, name, found := strings.Cut(name, "-")
	if !ok || !found {
		return localapi.Graph{}, false
	}
	var plain strings.Builder
	capital := false
	for _, r := range name {
		switch {
		case r == '+':
			capital = true
			continue
		case capital:
			r = unicode.ToUpper(r)
		}
		capital = false
		plain.WriteRune(r)
	}
	graph := localapi.Graph{Name: plain.String(), Type: localapi.GraphType(kind)}
	// A name that this program would not have written is not that of a graph.
	return graph, localapi.ValidGraphName(graph.Name) && fileOfGraph(graph) == file &&
		(graph.Type == localapi.Hosted || graph.Type == localapi.Offline)
}

// Create makes a graph with what fill writes, in one transaction of the author, and
// opens it. A graph of that name and type must not exist. If Create fails or is
// interrupted, it leaves no graph.
func (f *Folder) Create(ctx context.Context, graph localapi.Graph, options Options, author string, fill func(*graphdb.Tx) error) (*Graph, error) {
	var created *Graph
	path, err := f.create(graph, func(path string) (err error) {
		if created, err = open(ctx, path, options); err != nil {
			return err
		}
		_, err = created.Transact(ctx, author, fill)
		return errors.Join(err, created.Close())
	})
	if err != nil {
		return nil, err
	}
	// Not by open: a large graph need not be in memory twice.
	return created, created.reopen(path)
}

// CreateFrom is Create with the datoms of a whole graph, in any order, which is much
// quicker and takes less memory than setting them one by one. It returns the first
// error of the sequence, or of a datom that contradicts Roam's schema.
func (f *Folder) CreateFrom(ctx context.Context, graph localapi.Graph, options Options, author string, datoms iter.Seq2[graphdb.Datom, error]) (*Graph, error) {
	path, err := f.create(graph, func(path string) error {
		conn, err := graphdb.Load(ctx, graphdb.RoamSchema(), datoms)
		if err != nil {
			return err
		}
		database, err := openDatabase(path)
		if err != nil {
			return err
		}
		now := time.Now
		if options.Now != nil {
			now = options.Now
		}
		j := &journal{database: database, attributes: map[graphdb.Attr]int64{}}
		database.SetInterrupt(ctx.Done())
		err = j.write(entryOfAll(conn.DB(), now(), author))
		return errors.Join(err, database.Close())
	})
	if err != nil {
		return nil, err
	}
	return open(ctx, path, options)
}

// create makes a graph's file under a temporary name, renames it, and returns its path.
func (f *Folder) create(graph localapi.Graph, make func(path string) error) (string, error) {
	path := filepath.Join(f.path, fileOfGraph(graph))
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return "", &problem.Error{Code: localapi.CodeAlreadyExists, Message: fmt.Sprintf("The sandbox has a graph %s (%s) already.", graph.Name, graph.Type), Err: err}
	}
	temporary := path + unfinished
	if err := removeDatabase(temporary); err != nil {
		return "", unusable(f.path, err)
	}
	defer func() { _ = removeDatabase(temporary) }() // after a failure
	if err := make(temporary); err != nil {
		return "", err
	}
	if err := os.Rename(temporary, path); err != nil {
		return "", unusable(f.path, err)
	}
	return path, nil
}

// removeDatabase removes a database with the files that SQLite puts beside it.
func removeDatabase(path string) error {
	for _, name := range databaseFiles(path) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Open reads a graph of the folder into memory.
func (f *Folder) Open(ctx context.Context, graph localapi.Graph, options Options) (*Graph, error) {
	path := filepath.Join(f.path, fileOfGraph(graph))
	if _, err := os.Lstat(path); err != nil {
		return nil, &problem.Error{Code: localapi.CodeNotFound, Message: fmt.Sprintf("The sandbox has no graph %s (%s).", graph.Name, graph.Type), Err: err}
	}
	if err := checkFiles(path); err != nil {
		return nil, err
	}
	return open(ctx, path, options)
}

// Options of a graph.
type Options struct {
	// Now dates transactions; nil: time.Now.
	Now func() time.Time
	// Renumber gives all entities other ids than in the file, each that of another one.
	Renumber bool
}
