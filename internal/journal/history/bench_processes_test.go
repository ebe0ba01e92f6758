package history

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

// BenchmarkFlush reports what the disk takes for what an intent waits for: to write and
// to flush a few pages.
func BenchmarkFlush(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "file"))
	require.NoError(b, err)
	defer file.Close()
	var took []time.Duration
	pages := make([]byte, 8*4096)
	for b.Loop() {
		started := time.Now()
		_, err := file.WriteAt(pages, 0)
		require.NoError(b, err)
		require.NoError(b, file.Sync())
		took = append(took, time.Since(started))
	}
	report(b, "flush", took)
}
