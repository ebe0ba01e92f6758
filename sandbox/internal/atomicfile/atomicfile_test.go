package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWriteReplacesTheWholeFileAndLeavesNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	for _, content := range []string{"a longer first content", "short", ""} {
		if err := Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != content {
			t.Fatalf("%q, %v; want %q", got, err, content)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestWriteSaysWhichFileCouldNotBeReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no-such-folder", "tokens.json")
	if err := Write(path, nil); err == nil {
		t.Error("writing into a folder that is not there succeeded")
	}
}
