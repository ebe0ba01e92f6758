//go:build campaign

package clients

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// onlyOurs are keys of entries that add-mcp leaves out, and which are right: with them the
// client writes the entry itself, as its own command line has shown, or says what it is.
var onlyOurs = []string{"type", "description"}

// onlyTheirs are keys that add-mcp writes although they hold nothing.
var onlyTheirs = []string{"environment"}

// TestAddMCP has the npm package add-mcp configure every client it knows in a home of its
// own, and compares its files with ours. tools/clients/run gets the package.
func TestAddMCP(t *testing.T) {
	cache := os.Getenv("ROAM_MCP_ADDMCP")
	if cache == "" {
		t.Skip("run tools/clients/run, which gets the package")
	}
	theirs := t.TempDir()
	// A command in one word is split by add-mcp only for packages.
	command := exec.CommandContext(t.Context(), filepath.Join(cache, "node_modules", ".bin", "add-mcp"),
		"some-package", "--args", "serve", "--global", "--all", "--yes", "--name", "roam")
	command.Dir, command.Env = t.TempDir(), []string{"HOME=" + theirs, "PATH=" + os.Getenv("PATH")}
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	server := Server{Name: "roam", Command: "npx", Args: []string{"-y", "some-package", "serve"}}
	compared := 0
	require.NoError(t, filepath.WalkDir(theirs, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(theirs, file)
		if err != nil || filepath.Base(filepath.Dir(file)) == "add-mcp" { // its own settings
			return err
		}
		compared++
		t.Run(filepath.ToSlash(name), func(t *testing.T) { compareWithTheirs(t, file, name, server) })
		return nil
	}))
	if compared < 22 {
		t.Errorf("%d files were compared; add-mcp 2.4.0 knows 22 clients\n%s", compared, output)
	}
}

func compareWithTheirs(t *testing.T, file, name string, server Server) {
	m := newMachine(t, linux)
	require.NoError(t, os.MkdirAll(filepath.Join(m.Home, filepath.Dir(name)), 0o700))
	i := slices.IndexFunc(All(), func(c Client) bool { return m.file(c, false) == filepath.Join(m.Home, name) })
	if i < 0 {
		t.Fatal("no client of ours has this file")
	}
	c := All()[i]
	p, err := m.PlanInstall(c, server, Options{})
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	at := c.servers[0].at("")
	values := func(text []byte) map[string]any {
		list, err := listServers(text, at)
		if err != nil || len(list) != 1 || list[0].Name != "roam" {
			t.Fatalf("%v, %v at %v in\n%s", err, list, at.Path, text)
		}
		return list[0].Values
	}
	if c.paste {
		p.After = []byte(p.Text)
	}
	got, want := values(p.After), values(text)
	for _, key := range onlyOurs {
		if want[key] == nil || want[key] == "" {
			delete(got, key)
			delete(want, key)
		}
	}
	for _, key := range onlyTheirs {
		if got[key] == nil {
			delete(want, key)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: ours\n%v\ntheirs\n%v", c.ID, got, want)
	}
}
