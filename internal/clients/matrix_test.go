package clients

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
)

// matrixKinds are the kinds of files that a client may have, as changes of a real-looking
// one. They return false where the format has no such file.
var matrixKinds = []struct {
	name string
	make func(document string, format fileFormat) (string, bool)
}{
	{"a real file", func(s string, _ fileFormat) (string, bool) { return s, true }},
	{"an empty file", func(string, fileFormat) (string, bool) { return "", true }},
	{"a file with CRLF", func(s string, _ fileFormat) (string, bool) { return strings.ReplaceAll(s, "\n", "\r\n"), true }},
	{"a file with a byte order mark", func(s string, _ fileFormat) (string, bool) { return "\uFEFF" + s, true }},
	{"a file without a line end at its end", func(s string, _ fileFormat) (string, bool) { return strings.TrimSuffix(s, "\n"), true }},
	{"a file with comments", withComments},
	{"a file with tabs", func(s string, _ fileFormat) (string, bool) {
		return regexp.MustCompile(`(?m)^( {2})+`).ReplaceAllStringFunc(s, func(indent string) string { return strings.Repeat("\t", len(indent)/2) }), true
	}},
	{"a file with trailing commas", func(s string, format fileFormat) (string, bool) {
		return regexp.MustCompile(`([^\s,{[/;])((?: //.*)?\n\s*[}\]])`).ReplaceAllString(s, "$1,$2"), format == formatJSON || format == formatJSONC
	}},
	{"a file in one line", func(s string, format fileFormat) (string, bool) {
		return regexp.MustCompile(`\s*\n\s*`).ReplaceAllString(s, ""), format == formatJSON
	}},
}

func withComments(s string, format fileFormat) (string, bool) {
	if format == formatJSON || format == formatJSONC {
		s = regexp.MustCompile(`\n(\s*"roam-research")`).ReplaceAllString(s, " // a comment\n/* the official one */\n$1")
		return "// at the start\n" + s + "// at the end\n", true
	}
	return "# at the start\n" + strings.ReplaceAll(s, "\n\n", "\n\n# between\n\n") + "\n# at the end\n", true
}

// matrix is a home with one client, and what the clients of a kind have in common.
type matrix struct {
	Machine
	client Client
	option Options
	file   string // that a document is written to
	apply  bool   // whether plans are applied, which brings files to disk, rather than what they say written
}

func newMatrix(t *testing.T, c Client) matrix {
	t.Helper()
	m := Machine{GOOS: linux, Home: t.TempDir(), Getenv: func(string) string { return "" }, Program: filepath.Join(t.TempDir(), "roam-mcp")}
	m.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	for _, system := range []string{windows, mac, linux} {
		if some := (Machine{GOOS: system, Getenv: m.Getenv}).paths(c.files); len(some) > 0 {
			m.GOOS = system
		}
	}
	require.NoError(t, os.WriteFile(m.Program, nil, 0o700))
	return matrix{Machine: m, client: c, option: Options{File: true}, file: m.paths(c.files)[0].at}
}

func (m matrix) server() Server {
	return Server{Name: "roam", Command: m.Program, Args: []string{"serve"}}
}

// carryOut applies a plan, or writes what it says.
func (m matrix) carryOut(t *testing.T, p Plan) {
	t.Helper()
	if m.apply || p.Unchanged {
		require.NoError(t, m.Apply(t.Context(), p))
		return
	}
	if p.Backup != "" {
		require.NoError(t, os.WriteFile(p.Backup, p.Before, 0o600))
	}
	if p.staleBackup != "" {
		require.NoError(t, os.Remove(p.staleBackup))
	}
	if p.Gone {
		require.NoError(t, os.Remove(p.File))
		return
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(p.File), 0o700))
	require.NoError(t, os.WriteFile(p.File, p.After, 0o600))
}

// write makes the client's file.
func (m matrix) write(t *testing.T, document string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(m.file), 0o700))
	require.NoError(t, os.WriteFile(m.file, []byte(document), 0o640))
}

func (m matrix) install(t *testing.T, s Server) Plan {
	t.Helper()
	p, err := m.PlanInstall(m.client, s, m.option)
	require.NoError(t, err)
	if p.Way != ByFile {
		t.Fatalf("%s is configured by %v", m.client.ID, p.Way)
	}
	m.carryOut(t, p)
	return p
}

// roundTrip installs an entry, installs it again, which must change nothing, and takes it
// out, which must bring the document back; nil stands for no file.
func (m matrix) roundTrip(t *testing.T, document []byte) Plan {
	t.Helper()
	p := m.install(t, m.server())
	if status := m.Look(m.client); !p.Unchanged && status.State != Configured || len(status.Entries) != 1 || !status.Entries[0].Ours {
		t.Fatalf("after the installation it is %s, with %v, %v", status.State, status.Entries, status.Err)
	}
	if again := m.install(t, m.server()); !again.Unchanged {
		t.Errorf("the second installation changes it:\n%s", again.Diff())
	}
	removal, err := m.PlanRemove(m.client, "roam", m.option)
	require.NoError(t, err)
	m.carryOut(t, removal)
	defer os.Remove(p.File) // the next kind begins without a file
	now, err := os.ReadFile(p.File)
	if document == nil && errors.Is(err, os.ErrNotExist) {
		return p
	}
	if err != nil || !bytes.Equal(now, document) {
		t.Errorf("after the removal it is, %v,\n%s\nwas\n%s", err, now, document)
	}
	if info, err := os.Stat(p.File); m.apply && runtime.GOOS != windows && (err != nil || info.Mode().Perm() != 0o640) {
		t.Errorf("after the removal it has the mode %v, %v", info.Mode(), err)
	}
	if files, _ := filepath.Glob(p.File + "*"); len(files) != 1 {
		t.Errorf("there is something beside it: %v", files)
	}
	return p
}

// TestMatrix takes every client whose file is edited through an installation, another one, which
// changes nothing, and a removal, which brings back the bytes that were there: with no
// file, with files of all kinds, and with an older entry of ours. What is written where
// there is no file, and into a real-looking one, stands in testdata/matrix.txtar, under
// the names of the clients that get the same.
func TestMatrix(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/real.txtar")
	require.NoError(t, err)
	real := map[string]string{}
	for _, f := range archive.Files {
		real[f.Name] = string(f.Data)
	}
	results := &matrixResults{}
	for _, c := range All() {
		if len(c.files) == 0 || c.paste {
			continue
		}
		t.Run(c.ID, func(t *testing.T) { clientMatrix(t, c, real, results) })
	}
	if runtime.GOOS != windows { // whose paths have backslashes
		golden.File(t, "testdata/matrix.txtar", results.text())
	}
}

func clientMatrix(t *testing.T, c Client, real map[string]string, results *matrixResults) {
	name := matrixName(c.servers[0])
	if real[name] == "" {
		t.Fatalf("testdata/real.txtar lacks %q", name)
	}
	home := newMatrix(t, c)
	t.Run("no file", func(t *testing.T) {
		m := home
		p := m.roundTrip(t, nil)
		results.add("no file", c.ID, m.neutral(string(p.After)))
	})
	for _, kind := range matrixKinds {
		document, ok := kind.make(real[name], c.servers[0].format)
		if !ok {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			m := home
			if c.strict && (kind.name == "a file with comments" || kind.name == "a file with trailing commas") {
				m.write(t, document)
				if p, err := m.PlanInstall(m.client, m.server(), m.option); problem.CodeOf(err) != CodeUnreadable || p.After != nil {
					t.Errorf("the file is planned to be %q, %v", p.After, err)
				}
				return
			}
			m.apply = kind.name == "a real file" && !results.has(name)
			m.write(t, document)
			p := m.roundTrip(t, []byte(document))
			if kind.name == "a real file" {
				_, diff, _ := strings.Cut(p.Diff(), "\n@@")
				results.add(kind.name, c.ID, "@@"+m.neutral(diff))
				results.places = append(results.places, name)
			}
		})
	}
	t.Run("an older entry of ours", func(t *testing.T) {
		m := home
		m.write(t, real[name])
		older := m.server()
		older.Args = []string{"serve", "--read-only", "--graph", "work"}
		m.install(t, older)
		m.roundTrip(t, []byte(real[name]))
	})
	t.Run("an older entry of ours by hand", func(t *testing.T) {
		m := home
		at := c.servers[0]
		written, err := putEntry([]byte(real[name]), at.at("roam"), at.entry.of(Server{Name: "roam", Command: "/old/roam-mcp", Args: []string{"serve"}}))
		require.NoError(t, err)
		m.write(t, string(written))
		m.roundTrip(t, []byte(real[name]))
	})
	for _, other := range c.servers[1:] {
		t.Run("servers in "+matrixName(other), func(t *testing.T) {
			m := home
			m.write(t, real[matrixName(other)])
			m.roundTrip(t, []byte(real[matrixName(other)]))
		})
	}
	if c.HasProjectFile() {
		t.Run("a file in a project", func(t *testing.T) {
			m := home
			m.Folder, m.option.Project = t.TempDir(), true
			m.roundTrip(t, nil)
			m.file = filepath.Join(m.Folder, filepath.FromSlash(c.project[0]))
			m.write(t, real[name])
			m.roundTrip(t, []byte(real[name]))
		})
	}
}

// matrixName returns what testdata/real.txtar calls a place.
func matrixName(p place) string {
	name := map[fileFormat]string{formatJSON: "JSON", formatJSONC: "JSONC", formatTOML: "TOML"}[p.format]
	for _, key := range p.path {
		name += " " + key
	}
	return name
}

// neutral replaces the home folder in a text.
func (m matrix) neutral(text string) string {
	return strings.ReplaceAll(text, filepath.Dir(m.Program), "/home/me/bin")
}

// matrixResults are texts with the clients that get them.
type matrixResults struct {
	all    []matrixResult
	places []string // that a plan was applied to
}

func (r *matrixResults) has(place string) bool { return slices.Contains(r.places, place) }

type matrixResult struct {
	kind, text string
	clients    []string
}

func (r *matrixResults) add(kind, client, text string) {
	for i, each := range r.all {
		if each.kind == kind && each.text == text {
			r.all[i].clients = append(each.clients, client)
			return
		}
	}
	r.all = append(r.all, matrixResult{kind, text, []string{client}})
}

func (r *matrixResults) text() string {
	slices.SortStableFunc(r.all, func(a, b matrixResult) int { return cmp.Compare(b.kind, a.kind) })
	archive := &txtar.Archive{Comment: []byte("What clients get where there is no file, and what changes in a real-looking one. See TestMatrix.\n")}
	for _, each := range r.all {
		archive.Files = append(archive.Files, txtar.File{Name: each.kind + ": " + strings.Join(each.clients, ", "), Data: []byte(each.text)})
	}
	return string(txtar.Format(archive))
}
