package clients

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
)

// entryOf is what the tests put in.
var entryOf = map[fileFormat]entryFields{
	formatJSON: {{"command", "/opt/roam-mcp"}, {"args", []string{"serve", "--profile", "notes"}}, {"env", entryFields{}}},
	formatTOML: {{"command", "/opt/roam-mcp"}, {"args", []string{"serve", "--profile", "notes"}}, {"startup_timeout_sec", 20}},
}

var placeOf = map[fileFormat]entryPlace{
	formatJSON: {Format: formatJSON, Path: []string{"mcpServers"}, Name: "roam"},
	formatTOML: {Format: formatTOML, Path: []string{"mcp_servers"}, Name: "roam"},
	formatYAML: {Format: formatYAML, Path: []string{"extensions"}, Name: "roam"},
}

// otherPlaces are the places of cases that have one of their own.
var otherPlaces = map[string]entryPlace{
	"a flat key":           {Format: formatJSON, Path: []string{"amp.mcpServers"}, Name: "roam"},
	"two levels":           {Format: formatJSON, Path: []string{"mcp", "servers"}, Name: "roam"},
	"two levels, one here": {Format: formatJSON, Path: []string{"mcp", "servers"}, Name: "roam"},
	"the root":             {Format: formatJSON, Name: "roam"},
	"list":                 {Format: formatTOML, Path: []string{"mcp_servers"}, List: true, Name: "roam"},
	"yaml list":            {Format: formatYAML, Path: []string{"mcpServers"}, List: true, Name: "roam", New: "name: mine\nversion: 1.0.0\nschema: v1\n"},
}

// variant is a way of writing the same document.
var variants = map[string]func(string) string{
	"as it is":               func(s string) string { return s },
	"CRLF":                   func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"a byte order mark":      func(s string) string { return byteOrderMark + s },
	"no line end at the end": func(s string) string { return strings.TrimSuffix(s, "\n") },
	"tabs": func(s string) string {
		lines := strings.SplitAfter(s, "\n")
		for i, line := range lines {
			rest := strings.TrimLeft(line, " ")
			lines[i] = strings.Repeat("\t", (len(line)-len(rest))/2) + strings.Repeat(" ", (len(line)-len(rest))%2) + rest
		}
		return strings.Join(lines, "")
	},
}

// TestEdit puts an entry into each document of testdata, puts it in again, and removes
// it. A section "NAME: put" holds what comes of it, "NAME: removed" what is left where
// that is not the document, "NAME: refused" the error. The same must come of the
// document with other line ends and indentations.
func TestEdit(t *testing.T) {
	for format, name := range map[fileFormat]string{formatJSON: "json", formatTOML: "toml"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".txtar")
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			made := &txtar.Archive{Comment: archive.Comment}
			for _, f := range archive.Files {
				if strings.Contains(f.Name, ": ") {
					continue
				}
				t.Run(f.Name, func(t *testing.T) {
					at := placeOf[format]
					for of, place := range otherPlaces {
						if f.Name == of || strings.HasPrefix(f.Name, of+" ") {
							at = place
						}
					}
					made.Files = append(made.Files, f)
					made.Files = append(made.Files, edited(t, f, at, entryOf[format])...)
				})
			}
			golden.File(t, path, string(txtar.Format(made)))
		})
	}
}

// edited returns the sections of a document, the same for all variants.
func edited(t *testing.T, f txtar.File, at entryPlace, entry entryFields) []txtar.File {
	document := string(f.Data)
	put, err := putEntry(f.Data, at, entry)
	if err != nil {
		return []txtar.File{{Name: f.Name + ": refused", Data: []byte(refusal(t, err) + "\n")}}
	}
	removed, err := removeEntry(put, at)
	require.NoError(t, err)
	for name, vary := range variants {
		if name == "tabs" && (!strings.Contains(document, "\n  ")) || len(document) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			got, err := putEntry([]byte(vary(document)), at, entry)
			if err != nil || string(got) != vary(string(put)) {
				t.Fatalf("putting it in: %v\n%q, want\n%q", err, got, vary(string(put)))
			}
			again, err := putEntry(got, at, entry)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("putting it in again: %v\n%q", err, again)
			}
			got, err = removeEntry(got, at)
			if err != nil || string(got) != vary(string(removed)) {
				t.Errorf("removing it: %v\n%q, want\n%q", err, got, vary(string(removed)))
			}
		})
	}
	files := []txtar.File{{Name: f.Name + ": put", Data: put}}
	if string(put) == document {
		files[0].Data = []byte("(the same)\n")
	}
	if string(removed) != document {
		files = append(files, txtar.File{Name: f.Name + ": removed", Data: removed})
	}
	return files
}

// refusal returns the sentence of an error about a document.
func refusal(t *testing.T, err error) string {
	t.Helper()
	e, ok := problem.As(err)
	if !ok || !errors.Is(err, errUnreadable) || e.Code != CodeUnreadable {
		t.Fatalf("the error is %v", err)
	}
	return e.Message
}
