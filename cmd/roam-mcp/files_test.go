package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/tui"
)

func TestEveryFileIsNamedWithItsPlace(t *testing.T) {
	home := t.TempDir()
	w := dirs{home: home, config: filepath.Join(home, configName)}
	require.NoError(t, os.WriteFile(w.config, []byte("{}"), 0o600))
	files := w.files(filepath.Join(home, "a.log"))
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
	if without := w.files(""); len(without) != len(files)-1 {
		t.Error("a log is named though there is none")
	}
}
