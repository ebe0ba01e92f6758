package mcpserve

import "testing"

func TestSoftLimit(t *testing.T) {
	for name, tc := range map[string]struct {
		process MemoryFor
		want    int64
	}{
		"over streams":           {MemoryFor{Journal: true}, memoryForOne + memoryForJournal},
		"over HTTP":              {MemoryFor{HTTP: true, Journal: true}, memoryForMany + memoryForJournal},
		"without a journal":      {MemoryFor{}, memoryForOne},
		"HTTP without a journal": {MemoryFor{HTTP: true}, memoryForMany},
		"with graphs":            {MemoryFor{Profile: "notes", MirrorLimit: 1 << 30}, memoryForOne + 2<<30},
	} {
		if got := tc.process.softLimit(); got != tc.want {
			t.Errorf("%s: memory %d", name, got)
		}
	}
}
