package clients

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
)

// TestPasting looks at what is offered for each file of testdata, whose section "NAME: offered" has
// it, pastes it where it is to go, and looks whether the entry is there then, once.
func TestPasting(t *testing.T) {
	path := filepath.Join("testdata", "paste.txtar")
	archive, err := txtar.ParseFile(path)
	require.NoError(t, err)
	made := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ": offered") {
			continue
		}
		made.Files = append(made.Files, f)
		t.Run(f.Name, func(t *testing.T) {
			m := newMachine(t, linux)
			m.Program = "/opt/roam-mcp"
			id, _, _ := strings.Cut(f.Name, ":")
			c, server := find(t, id), Server{Name: "roam", Command: m.Program, Args: []string{"serve"}}
			file := m.file(c, false)
			if id == "continue" {
				file = m.paths(c.files)[0].at
			}
			write(t, file, string(f.Data))
			p, planErr := m.PlanInstall(c, server, Options{})
			if p.Way != ByText || p.File != "" || p.After != nil {
				t.Errorf("%+v", p)
			}
			where := strings.TrimPrefix(p.Where, m.short(file))
			made.Files = append(made.Files, txtar.File{Name: f.Name + ": offered", Data: []byte(strings.TrimPrefix(where, ", ") + "\n--\n" + p.Text)})
			if planErr != nil || strings.Contains(where, "in place of") {
				return
			}
			write(t, file, paste(t, string(f.Data), where, p.Text))
			p, err := m.PlanInstall(c, server, Options{})
			if s := m.Look(c); err != nil || !p.Unchanged || len(s.Ours()) != 1 {
				t.Errorf("%v %v %v of\n%s", err, s.Err, s.Entries, content(t, file))
			}
			if out, err := m.PlanRemove(c, "", Options{}); err != nil || out.Way != ByText || out.Unchanged || !strings.Contains(out.Text, m.short(file)) {
				t.Errorf("%v %+v", err, out)
			}
		})
	}
	golden.File(t, path, string(txtar.Format(made)))
}

// paste returns a file with a text where it is to go.
func paste(t *testing.T, file, where, text string) string {
	t.Helper()
	behind := func(what string) string {
		i := strings.Index(file, what)
		if i < 0 {
			t.Fatalf("%q is not in the file", what)
		}
		return file[:i+len(what)] + text + file[i+len(what):]
	}
	switch where {
	case ", at its end":
		return file + text
	case `, below "extensions"`:
		return behind("extensions:\n")
	case `, below "mcpServers"`:
		return behind("mcpServers:\n")
	case `, behind the { of "extensions"`:
		return behind("extensions: {")
	case `, behind the [ of "mcpServers"`:
		return behind("mcpServers: [")
	case `, behind the { of mcp_servers`:
		text = strings.TrimSpace(text)
		return behind("mcp_servers = {")
	}
	t.Fatalf("it goes %q", where)
	return ""
}
