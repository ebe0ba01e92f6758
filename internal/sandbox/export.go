package sandbox

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"roam-mcp/internal/files"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/mdfolder"
	"roam-mcp/internal/sandbox/store"
)

// CodeExportFailed is the code of an export that can't be written.
const CodeExportFailed problem.Code = "EXPORT_FAILED"

// ExportOptions say which graph to export.
type ExportOptions struct {
	Home  string // the sandbox's home folder
	Data  string // its data folder; empty: the default one of that home
	Graph string
	Type  localapi.GraphType // empty: hosted, or offline if only that exists
}

// ExportJSON writes a snapshot of a graph as a Roam JSON export. It asks the sandbox
// of the home folder if one runs; else it locks the data folder and reads it.
func ExportJSON(ctx context.Context, options ExportOptions, out io.Writer) error {
	home, err := filepath.Abs(options.Home)
	if err != nil {
		return homeUnusable(options.Home, err)
	}
	options.Home = home
	if options.Data == "" {
		options.Data = filepath.Join(home, DataFolder)
	}
	if port, running := Running(ctx, options.Home); running {
		return exportFromServer(ctx, port, options, out)
	}
	return exportFromFolder(ctx, options, out)
}

// ExportMarkdown writes a graph as a folder of markdown files, see package mdfolder,
// and returns the number of pages. The folder must be empty or missing.
func ExportMarkdown(ctx context.Context, options ExportOptions, folder string) (pages int, err error) {
	reader, writer := io.Pipe()
	go func() { _ = writer.CloseWithError(ExportJSON(ctx, options, writer)) }()
	defer reader.Close()
	pages, err = mdfolder.Write(ctx, folder, reader)
	return pages, exportFailed(folder, err)
}

// ExportJSONFile is ExportJSON to a file, which is replaced once the export is
// complete.
func ExportJSONFile(ctx context.Context, options ExportOptions, path string) error {
	file, err := files.StartReplacement(path, nil)
	if err != nil {
		return exportFailed(path, err)
	}
	defer func() { _ = file.Discard() }()
	buffered := bufio.NewWriter(file)
	if err := ExportJSON(ctx, options, buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return exportFailed(path, err)
	}
	return exportFailed(path, file.Commit())
}

func exportFailed(path string, err error) error {
	if _, known := problem.As(err); err == nil || known || errors.Is(err, context.Canceled) {
		return err
	}
	hint := problem.Say("Check the rights of that place and the room on the disk, or choose another one.")
	if errors.Is(err, mdfolder.ErrNotEmpty) {
		hint = problem.Say("Name a folder that is empty or not there yet.")
	}
	return &problem.Error{Code: CodeExportFailed, Message: fmt.Sprintf("The graph can't be exported to %s: %v.", path, err), Hint: hint, Err: err}
}

func exportFromFolder(ctx context.Context, options ExportOptions, out io.Writer) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := os.Stat(options.Data); errors.Is(err, fs.ErrNotExist) {
		return noSuchGraph(options)
	}
	folder, err := store.OpenFolder(options.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	there, err := folder.Graphs()
	if err != nil {
		return err
	}
	for _, graph := range there { // hosted ones first
		if graph.Name != options.Graph || options.Type != "" && options.Type != graph.Type {
			continue
		}
		data, err := folder.Open(ctx, graph, store.Options{})
		if err != nil {
			return err
		}
		return errors.Join(outline.ExportJSON(ctx, out, data.DB()), data.Close())
	}
	return noSuchGraph(options)
}

func noSuchGraph(options ExportOptions) error {
	return &problem.Error{
		Code: localapi.CodeNotFound, Message: fmt.Sprintf("The sandbox has no graph named %s.", options.Graph),
		Hint: problem.Say("%s lists its graphs when it starts.", problem.Run("sandbox").Anywhere()),
	}
}

func exportFromServer(ctx context.Context, port int, options ExportOptions, out io.Writer) error {
	query := url.Values{"graph": {options.Graph}, "type": {string(options.Type)}}
	response, err := ask(ctx, options.Data, port, http.MethodGet, "/sandbox/export?"+query.Encode(), nil)
	if err != nil {
		return fmt.Errorf("ask the sandbox for the graph: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		var answer reply
		if err := readReply(response, &answer); err != nil || answer.Error == nil {
			return fmt.Errorf("ask the sandbox for the graph: it answers %s: %w", response.Status, err)
		}
		if answer.Error.Code == localapi.CodeGraphNotFound {
			return noSuchGraph(options)
		}
		return &problem.Error{Code: answer.Error.Code, Message: answer.Error.Message}
	}
	if _, err := io.Copy(out, response.Body); err != nil { // one that was cut short is an error too
		return fmt.Errorf("take the graph from the sandbox: %w", err)
	}
	return nil
}

// export is GET /sandbox/export?graph=NAME&type=hosted: a graph as a Roam JSON
// export.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	db, err := s.exported(r)
	if err != nil {
		refuseWith(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := outline.ExportJSON(r.Context(), w, db); err != nil {
		panic(http.ErrAbortHandler) // the status is sent; only a cut connection tells that something is missing
	}
}

func (s *Server) exported(r *http.Request) (*graphdb.DB, error) {
	if r.Method != http.MethodGet {
		return nil, refuse(http.StatusMethodNotAllowed, codeWrongMethod, r.Method+" is not understood here.")
	}
	id := localapi.Graph{Name: r.FormValue("graph"), Type: localapi.GraphType(r.FormValue("type"))}
	either := id.Type == ""
	if either {
		id.Type = localapi.Hosted
	}
	found, err := s.graphs.find(id)
	if err != nil && either {
		id.Type = localapi.Offline
		found, err = s.graphs.find(id)
	}
	if err != nil {
		return nil, err
	}
	return found.db(), nil
}
