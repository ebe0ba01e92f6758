package localapi

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestAPortFileIsReadAgainWhereItMayHaveChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), PortFileName)
	for name, file := range map[string]PortFile{"strict": {path, true}, "with the default port": {path, false}} {
		t.Run(name, func(t *testing.T) {
			cached := &cachedPort{file: file}
			for step, change := range []func(){
				func() { writePort(t, path, 4001) },
				func() { require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour))) },
				func() {},
				func() { writePort(t, path, 4002) },
				func() { writePort(t, path, 4003) }, // of the same size, maybe in the same tick
				func() { require.NoError(t, os.WriteFile(path, []byte("{"), 0o600)) },
				func() { require.NoError(t, os.Remove(path)) },
			} {
				change()
				got, failed := cached.read()
				want, err := file.Read()
				if got != want || (failed == nil) != (err == nil) || err != nil && failed.Error() != err.Error() {
					t.Errorf("step %d: %d, %v; want %d, %v", step, got, failed, want, err)
				}
			}
		})
	}
}

func BenchmarkPort(b *testing.B) {
	path := filepath.Join(b.TempDir(), PortFileName)
	writePort(b, path, 4001)
	require.NoError(b, os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour)))
	client := New(Options{PortFile: PortFile{Path: path}})
	for b.Loop() {
		if client.Address() != "127.0.0.1:4001" {
			b.Fatal(client.Address())
		}
	}
}
