package journaltest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/testutil/require"
)

func TestAJournalLeavesTheFillerAsItIs(t *testing.T) {
	folder := Folder(t, filepath.Join(t.TempDir(), "history"))
	journal := history.New(history.Options{Folder: folder, Kind: history.KindCLI})
	_, err := journal.Intend(t.Context(), history.Intent{Graph: history.Graph{Name: "work", Type: "hosted"}, Action: "data.block.create", Class: fact.ClassMake})
	require.NoError(t, err)
	require.NoError(t, journal.Close(t.Context()))
	filler, err := os.ReadFile(filepath.Join(folder, "filler"))
	require.NoError(t, err)
	if !bytes.Equal(filler, make([]byte, fillerSize)) {
		t.Error("the journal has written a filler of its own")
	}
}
