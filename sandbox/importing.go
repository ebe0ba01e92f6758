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
	"os"
	"path"
	"strings"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/dump"
	"roam-mcp/graphdb/mdfolder"
	"roam-mcp/graphdb/outline"
	"roam-mcp/localapi"
	"roam-mcp/sandbox/actions"
	"roam-mcp/sandbox/store"
)

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
		done, err := dump.Import(ctx, tx, in, dump.Options{})
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
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	if info.IsDir() {
		return fillFromFolder(os.DirFS(path), log), file, nil
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

// openArchive opens an archive with one export, or with markdown files.
func openArchive(file io.ReaderAt, size int64, log *slog.Logger) (filler, error) {
	archive, err := zip.NewReader(file, size)
	if err != nil {
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
