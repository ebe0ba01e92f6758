package files

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestState(t *testing.T) {
	long, recent := time.Now().Add(-time.Hour), time.Now().Add(-coarsestClock/2)
	for name, tc := range map[string]struct {
		modified time.Time
		change   func(path string) error
		same     bool
	}{
		"is that of a file that was not changed":               {long, func(string) error { return nil }, true},
		"is that of no file that could be changed in one tick": {recent, func(string) error { return nil }, false},
		"is that of no file of the future":                     {time.Now().Add(time.Hour), func(string) error { return nil }, false},
		"is not that of one modified later":                    {long, func(path string) error { return os.Chtimes(path, time.Time{}, long.Add(time.Millisecond)) }, false},
		"is not that of one with another mode":                 {long, func(path string) error { return os.Chmod(path, 0o400) }, false},
		"is not that of a missing one":                         {long, os.Remove, false},
		"is not that of one of another size": {long, func(path string) error {
			return writeAt(path, "other content", long)
		}, false},
		"is not that of one in its place": {long, func(path string) error {
			if err := writeAt(path+".new", "CONTENT", long); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			require.NoError(t, writeAt(path, "content", tc.modified))
			file, err := Open(path)
			require.NoError(t, err)
			state, err := StateOf(file)
			require.NoError(t, err)
			require.NoError(t, file.Close())
			require.NoError(t, tc.change(path))
			if got := state.IsOf(path); got != tc.same {
				t.Errorf("it is: %v", got)
			}
		})
	}
	if (State{}).IsOf(t.TempDir()) {
		t.Error("the zero state is that of something")
	}
}

// writeAt writes a file that was modified at a time.
func writeAt(path, content string, modified time.Time) error {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return err
	}
	return os.Chtimes(path, time.Time{}, modified)
}
