package sandbox

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"roam-mcp/assets"
	"roam-mcp/internal/files"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/sandbox/mdfolder"
	"roam-mcp/internal/sandbox/store"
)

// library holds the graphs of the sandbox. None is added after the start.
type library struct {
	folder *store.Folder
	now    func() time.Time
	graphs []*graph // hosted ones first, by name
	broken []broken
}

// broken is a graph whose file can't be read.
type broken struct {
	id  localapi.Graph
	err *problem.Error // CodeDamaged or CodeTooNew
}

// openLibrary opens the graphs of the folder, but for those whose files can't be
// read, and makes those that the options ask for, or the sample graphs if there are none.
func openLibrary(ctx context.Context, folder *store.Folder, options Options) (_ *library, err error) {
	existing, err := folder.Graphs()
	if err != nil {
		return nil, err
	}
	l := &library{folder: folder, now: options.Now}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	for _, id := range existing {
		existing, err := actions.Open(ctx, folder, id, store.Options{Now: options.Now})
		if e, ok := problem.As(err); ok && (e.Code == store.CodeDamaged || e.Code == store.CodeTooNew) {
			l.broken = append(l.broken, broken{id, e})
			continue
		}
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
	for _, wanted := range options.InMemory {
		if _, err := l.find(wanted.Graph); err == nil {
			return nil, fmt.Errorf("make the graph %s: there is one on disk", wanted.Graph.Name)
		}
		made, err := actions.InMemory(ctx, folder, wanted.Graph, store.Options{Now: options.Now}, wanted.Datoms)
		if err != nil {
			return nil, fmt.Errorf("make the graph %s: %w", wanted.Graph.Name, err)
		}
		l.add(made, true)
	}
	if len(l.graphs)+len(l.broken) == 0 {
		if err := l.seed(ctx, folder, options); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(l.graphs, func(a, b *graph) int {
		return strings.Compare(string(a.id.Type)+" "+a.id.Name, string(b.id.Type)+" "+b.id.Name)
	})
	return l, nil
}

func (l *library) add(opened *actions.Graph, open bool) {
	added := newGraph(opened)
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
	if b := l.brokenOne(wanted.Graph); b != nil {
		return b
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
		if graph.id == id {
			return graph, nil
		}
	}
	if b := l.brokenOne(id); b != nil {
		return nil, refuse(http.StatusInternalServerError, b.Code, fmt.Sprintf("The file of the %s graph %s can't be read. The sandbox said which file it is when it started.", id.Type, id.Name))
	}
	return nil, refuse(http.StatusNotFound, localapi.CodeGraphNotFound, fmt.Sprintf("The sandbox has no %s graph named %s.", id.Type, id.Name))
}

// brokenOne returns why a graph was left out; nil if it was not.
func (l *library) brokenOne(id localapi.Graph) *problem.Error {
	for _, b := range l.broken {
		if b.id == id {
			return b.err
		}
	}
	return nil
}

func (l *library) status() []GraphStatus {
	list := make([]GraphStatus, 0, len(l.graphs))
	for _, graph := range l.graphs {
		db := graph.db()
		list = append(list, GraphStatus{
			Graph: graph.id, Open: graph.open.Load(),
			Pages: db.Count(graphdb.NodeTitle), Blocks: db.Count(graphdb.BlockString),
		})
	}
	return list
}

func (l *library) close() error {
	var all error
	for _, graph := range l.graphs {
		all = errors.Join(all, graph.loaded.Load().Data.Close())
	}
	return all
}

// filler writes an import to a graph that holds only its users.
type filler func(context.Context, *graphdb.Tx, *outline.Writer) error

// createGraph makes a graph that begins with what fill writes.
func createGraph(ctx context.Context, folder *store.Folder, id localapi.Graph, fill filler, options Options) (*actions.Graph, error) {
	return actions.Create(ctx, folder, id, store.Options{Now: options.Now}, func(tx *graphdb.Tx, w *outline.Writer) error {
		return fill(ctx, tx, w)
	})
}

// createFromExport makes a graph from a Roam JSON export.
func createFromExport(ctx context.Context, folder *store.Folder, id localapi.Graph, export io.Reader, options Options) (*actions.Graph, error) {
	return createGraph(ctx, folder, id, fillFromJSON(export, outline.ImportOptions{}, options.Log), options)
}

// maxReports bounds what is said of one import.
const maxReports = 20

// fillFromJSON reads an export. Pages that it mentions and lacks are made, as in
// Roam; what can't be imported as it is is logged.
func fillFromJSON(export io.Reader, o outline.ImportOptions, log *slog.Logger) filler {
	return func(ctx context.Context, _ *graphdb.Tx, w *outline.Writer) error {
		reports := 0
		o.MakeMissing = true
		o.Report = func(text string) {
			if reports++; reports <= maxReports {
				log.Warn("not all was imported as it is: " + text)
			}
		}
		done, err := w.ImportJSON(ctx, export, o)
		if err == nil && reports > maxReports {
			log.Warn("not all was imported as it is: there is more", "in all", reports)
		}
		if err == nil {
			log.Info("an export was imported", "pages", done.Pages, "blocks", done.Blocks, "pages only mentioned", done.Mentioned)
		}
		return err
	}
}

func fillFromDump(in io.Reader, log *slog.Logger) filler {
	return func(ctx context.Context, tx *graphdb.Tx, _ *outline.Writer) error {
		done, err := graphdb.ImportEDN(ctx, tx, in, graphdb.ImportOptions{})
		if err == nil {
			log.Info("a dump was imported", "datoms", done.Datoms, "pages", done.Pages, "blocks", done.Blocks,
				"blocks outside every page", done.Orphans, "users", done.Users, "versions", done.Versions)
		}
		return err
	}
}

func fillFromFolder(folder fs.FS, log *slog.Logger) filler {
	return func(ctx context.Context, tx *graphdb.Tx, w *outline.Writer) error {
		export := mdfolder.NewReader(ctx, folder, mdfolder.Options{})
		defer export.Close()
		return fillFromJSON(export, outline.ImportOptions{Stamp: true}, log)(ctx, tx, w)
	}
}

// openImport opens a Roam JSON or EDN export, a folder of markdown files, or a zip
// archive of any of them, as Roam's Export All makes. It tells them by their content,
// not by their name. The closer must be closed after the import.
func openImport(path string, log *slog.Logger) (filler, io.Closer, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fillFromFolder(os.DirFS(path), log), io.NopCloser(nil), nil
	}
	file, err := files.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	in := bufio.NewReader(file)
	if start, _ := in.Peek(len(zipMagic)); string(start) == zipMagic {
		fill, err := openArchive(file, info.Size(), log)
		if err != nil {
			return nil, nil, errors.Join(err, file.Close())
		}
		return fill, file, nil
	}
	return fillFromText(in, log), file, nil
}

const zipMagic = "PK\x03\x04"

// fillFromText tells a dump from a JSON export by its first character.
func fillFromText(in *bufio.Reader, log *slog.Logger) filler {
	const byteOrderMark = "\ufeff"
	if start, _ := in.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, _ = in.Discard(len(byteOrderMark)) // it was just seen
	}
	start, _ := in.Peek(1024)
	start = bytes.TrimLeft(start, " \t\r\n,")
	if bytes.HasPrefix(start, []byte("#")) {
		return fillFromDump(in, log)
	}
	return fillFromJSON(in, outline.ImportOptions{}, log)
}

// The bounds of an archive. An export of text takes five to twenty times what its
// archive does.
const (
	maxUnpacked      = 1 << 30 // bytes
	alwaysUnpacked   = 64 << 20
	maxUnpackedRatio = 100
)

// checkUnpacked refuses an archive that says it is, or that is, made to fill the
// memory. Package zip refuses files that are larger than the archive says.
func checkUnpacked(archive *zip.Reader, size int64) error {
	most := uint64(min(maxUnpacked, max(alwaysUnpacked, size*maxUnpackedRatio)))
	unpacked := uint64(0)
	for _, f := range archive.File {
		if unpacked += min(f.UncompressedSize64, most+1); unpacked > most {
			return fmt.Errorf("the archive unpacks to more than %d MB, which is the most for one of its size", most>>20)
		}
	}
	return nil
}

// openArchive opens an archive with one export, or with markdown files.
func openArchive(file io.ReaderAt, size int64, log *slog.Logger) (filler, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, err
	}
	if err := checkUnpacked(archive, size); err != nil {
		return nil, err
	}
	var exports []*zip.File
	for _, f := range archive.File {
		if strings.HasPrefix(path.Base(f.Name), ".") {
			continue // hidden: macOS puts a "._x.json" beside every "x.json"
		}
		switch strings.ToLower(path.Ext(f.Name)) {
		case ".json", ".edn":
			exports = append(exports, f)
		case ".md", ".markdown":
			return fillFromFolder(archive, log), nil
		}
	}
	if len(exports) != 1 {
		return nil, fmt.Errorf("the archive holds %d exports and no markdown files: it must hold one export, or markdown files", len(exports))
	}
	return func(ctx context.Context, tx *graphdb.Tx, w *outline.Writer) error {
		in, err := exports[0].Open()
		if err != nil {
			return err
		}
		defer in.Close()
		return fillFromText(bufio.NewReader(in), log)(ctx, tx, w)
	}, nil
}
