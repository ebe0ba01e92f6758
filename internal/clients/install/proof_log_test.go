package install

import (
	"path/filepath"
	"testing"
	"time"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/testutil/require"
)

func TestLog(t *testing.T) {
	log := ProofLog{Path: filepath.Join(t.TempDir(), "state", "proofs.json")}
	at := time.Date(2026, time.November, 21, 14, 30, 0, 0, time.UTC)
	entry := clients.Entry{Name: "roam", Command: "roam-mcp", Args: []string{"serve"}}
	if got := log.Read().Of("cursor", entry); !got.IsZero() {
		t.Errorf("without a file it was proven at %v", got)
	}
	require.NoError(t, log.Remember("cursor", entry, at))
	if got := log.Read().Of("cursor", entry); !got.Equal(at) {
		t.Errorf("it was proven at %v", got)
	}
	changed := entry
	changed.Args = []string{"serve", "--read-only"}
	if got := log.Read().Of("cursor", changed); !got.IsZero() {
		t.Errorf("a changed entry was proven at %v", got)
	}
	require.NoError(t, log.Remember("cursor", entry, time.Time{}))
	if got := log.Read().Of("cursor", entry); !got.IsZero() {
		t.Errorf("after a proof that failed it was proven at %v", got)
	}
}
