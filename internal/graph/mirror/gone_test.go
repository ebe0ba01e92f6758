package mirror

import (
	"runtime"
	"sync/atomic"
	"testing"

	"roam-mcp/internal/testutil/await"
)

// gone reports whether what a Keeper holds of a graph has been freed.
func (r *memory) gone(k *Cache) *atomic.Bool {
	freed := new(atomic.Bool)
	k.mu.Lock()
	defer k.mu.Unlock()
	runtime.AddCleanup(k.mirrors[r.source().Graph].live, func(freed *atomic.Bool) { freed.Store(true) }, freed)
	return freed
}

func awaitGone(t *testing.T, freed *atomic.Bool) {
	t.Helper()
	await.Condition(t, "the graph is freed", func() bool {
		runtime.GC()
		return freed.Load()
	})
}
