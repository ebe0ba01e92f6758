package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/tui"
)

func TestEveryFileIsNamedWithItsPlace(t *testing.T) {
	home := t.TempDir()
	w := dirs{home: home, config: filepath.Join(home, configName)}
	require.NoError(t, os.WriteFile(w.config, []byte("{}"), 0o600))
	installer, err := w.installer()
	require.NoError(t, err)
	installer.Machine.Home = home
	files := w.files(t.Context(), installer, filepath.Join(home, "a.log"))
	there := func(path string) bool {
		return slices.ContainsFunc(files, func(f tui.File) bool { return f.Path == path && f.There })
	}
	if !there(w.config) || there(w.config+".lock") {
		t.Errorf("what is there is told wrong: %+v", files)
	}
	var paths []string
	for _, f := range files {
		if f.Name == "" || !strings.HasSuffix(f.Note, ".") || !filepath.IsAbs(f.Path) {
			t.Errorf("%+v lacks something", f)
		}
		paths = append(paths, f.Path)
	}
	for _, want := range []string{w.config, w.httpToken(), rescueFolder(), reportFolder(), sandboxHome(), w.historyFolder(), filepath.Join(home, "a.log"), filepath.Join(home, officialName)} {
		if !slices.Contains(paths, want) {
			t.Errorf("%s is not named", want)
		}
	}
	if without := w.files(t.Context(), installer, ""); len(without) != len(files)-1 {
		t.Error("a log is named though there is none")
	}
}

// TestTheFilesPage compares the table of docs/FILES.md with the list of files, with the
// names of folders in place of those of this computer; -update writes it anew.
func TestTheFilesPage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("folders have other names here")
	}
	at := systemFolders()
	named := strings.NewReplacer(at.own(at.data), "$XDG_DATA_HOME/roam-mcp", at.own(at.state), "$XDG_STATE_HOME/roam-mcp", at.home, "~")
	var table strings.Builder
	table.WriteString("| file | where | secret | what it is for |\n|---|---|---|---|\n")
	w := dirs{home: at.home, config: filepath.Join(at.home, configName)}
	for _, file := range w.paths("") {
		secret := ""
		if file.Secret {
			secret = "yes"
		}
		fmt.Fprintf(&table, "| %s | `%s` | %s | %s |\n", file.Name, named.Replace(file.Path), secret, inCell(file.Note))
	}
	golden.Section(t, "../../docs/FILES.md", "<!-- files -->\n", "<!-- /files -->", table.String())
}
