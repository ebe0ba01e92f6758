//go:build campaign && linux

package history

import (
	"testing"

	"roam-mcp/internal/testutil/require"
)

// mostIdle is what an open journal that nobody uses may add to a server, in KiB
// (JOURNAL.md, Size and time).
const mostIdle = 4 << 10

func TestMemory(t *testing.T) {
	c := start(t, "weigh", newFolder(t))
	var kib []int
	for range 4 {
		kib = append(kib, atoi(c.line(t)))
	}
	require.NoError(t, c.Wait())
	t.Logf("KiB before %d; open and idle +%d, after 5,000 changes +%d, closed +%d", kib[0], kib[1]-kib[0], kib[2]-kib[0], kib[3]-kib[0])
	if kib[1]-kib[0] > mostIdle {
		t.Errorf("an idle journal takes %d KiB, more than %d", kib[1]-kib[0], mostIdle)
	}
}
