package files

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// temporaryNames lists what a folder holds.
func temporaryNames(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var list []string
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return strings.Join(list, " ")
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	for _, content := range []string{"a longer first content", "short", ""} {
		require.NoError(t, ReplaceAtomically(path, []byte(content)))
		got, err := os.ReadFile(path)
		if err != nil || string(got) != content {
			t.Fatalf("%q, %v; want %q", got, err, content)
		}
	}
	if got := temporaryNames(t, filepath.Dir(path)); got != "tokens.json" {
		t.Errorf("the folder holds %s", got)
	}
	if info, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	missing := filepath.Join(t.TempDir(), "no-such-folder", "tokens.json")
	if err := ReplaceAtomically(missing, nil); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("writing into a folder that is not there: %v", err)
	}
}

func TestDiscardLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.json")
	for committed, want := range map[bool]string{false: "", true: "graph.json"} {
		f, err := StartReplacement(path, nil)
		require.NoError(t, err)
		if _, err := f.Write([]byte("new")); err != nil {
			t.Fatal(err)
		}
		if committed {
			err = f.Commit()
		}
		if err := errors.Join(err, f.Discard()); err != nil {
			t.Error(err)
		}
		if got := temporaryNames(t, filepath.Dir(path)); got != want {
			t.Errorf("committed %v: the folder holds %q", committed, got)
		}
		_ = os.Remove(path)
	}
}

func TestWriteNewTakesANameOfItsOwn(t *testing.T) {
	folder := t.TempDir()
	var paths []string
	for range 3 {
		path, err := WriteNew(folder, "report-*.txt", []byte("x"))
		if err != nil || slices.Contains(paths, path) || filepath.Ext(path) != ".txt" {
			t.Fatalf("%s after %s, %v", path, paths, err)
		}
		paths = append(paths, path)
	}
	if _, err := WriteNew(filepath.Join(folder, "none"), "x-*", nil); err == nil {
		t.Error("writing into a folder that is not there succeeded")
	}
}

func TestResolveGivesUpOnALoop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.Symlink(path, path); err != nil {
		t.Skip(err)
	}
	if _, err := ResolveLinks(path); !errors.Is(err, ErrTooManyLinks) {
		t.Error(err)
	}
}
