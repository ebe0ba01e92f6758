package files

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestTheFileIsMovedAwayBeforeItGrowsTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := OpenLog(path, 100, 2)
	check(t, err)
	for i := range 50 {
		_, err := fmt.Fprintf(f, "line %02d .......\n", i)
		check(t, err)
	}
	check(t, f.Close())
	var all []byte
	for _, name := range []string{path + ".2", path + ".1", path} {
		info, err := os.Stat(name)
		check(t, err)
		if info.Size() > 100 || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %d bytes and mode %v", name, info.Size(), info.Mode())
		}
		text, err := os.ReadFile(name)
		check(t, err)
		all = append(all, text...)
	}
	lines := strings.Split(strings.TrimSpace(string(all)), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "line 49") || !strings.HasPrefix(lines[0], fmt.Sprintf("line %02d", 50-len(lines))) {
		t.Errorf("lines are missing: %q", lines)
	}
	if _, err := os.Stat(path + ".3"); err == nil {
		t.Error("an old file too many is kept")
	}
	if _, err := f.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed file takes lines: %v", err)
	}
	check(t, f.Close())
}

func TestAFileThatOthersCouldReadIsClosedToThem(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file modes here")
	}
	path := filepath.Join(t.TempDir(), "log")
	for before, want := range map[os.FileMode]os.FileMode{0o644: 0o600, 0o666: 0o600, 0o200: 0o200, 0o600: 0o600} {
		check(t, errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, before)))
		f, err := OpenLog(path, 0, 0)
		check(t, err)
		check(t, f.Close())
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%03o became %v, %v", before, info.Mode(), err)
		}
		check(t, os.Remove(path))
	}
}

func TestSeveralProcessesShareTheFileWithoutLosingALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	const writers, each = 6, 200
	var group sync.WaitGroup
	for w := range writers { // each with a File of its own, as a process has
		group.Go(func() {
			f, err := OpenLog(path, 4096, 1000)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			for i := range each {
				if _, err := fmt.Fprintf(f, "%d-%d\n", w, i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	names, err := filepath.Glob(path + "*")
	check(t, err)
	seen := map[string]bool{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		check(t, err)
		for line := range bytes.Lines(text) {
			seen[string(line)] = true
		}
	}
	if len(seen) != writers*each {
		t.Errorf("%d of %d lines are there, in %d files", len(seen), writers*each, len(names))
	}
	if len(names) < 3 {
		t.Errorf("only %v", names)
	}
}

func TestAFolderThatIsMissingIsAnError(t *testing.T) {
	if _, err := OpenLog(filepath.Join(t.TempDir(), "missing", "log"), 0, 0); err == nil {
		t.Error("no error")
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	require.NoError(t, err)
}
