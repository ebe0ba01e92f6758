package mirror

import (
	"testing"
	"time"

	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/localapi"
)

func TestKept(t *testing.T) {
	w := newWorld(t, demograph.JSON)
	k := w.keeper(Options{})
	made := 0
	keep := func() int {
		return w.view(k, Texts).Kept("number", func() any { made++; return made }).(int)
	}
	first := keep()
	w.clock.Advance(time.Minute)
	if again := keep(); first != 1 || again != 1 {
		t.Errorf("it was made again for another View: %d, %d", first, again)
	}
	k.Retain(func(localapi.Graph) bool { return false })
	if again := keep(); again != 2 {
		t.Errorf("it was not forgotten with the graph: %d", again)
	}
}
