// Package journaltest makes folders for the journals of tests.
package journaltest

import (
	"os"
	"path/filepath"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// fillerSize is that of the file with which a journal keeps room on the disk.
const fillerSize = 4 << 20

// Folder makes a folder for a journal, with the file in it by which a journal keeps room for
// outcomes on a full disk. This one has a size and takes no room: to write such a file costs
// more than most of what a test has recorded. It returns the folder.
func Folder(t testing.TB, folder string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o700))
	filler, err := os.OpenFile(filepath.Join(folder, "filler"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	require.NoError(t, filler.Truncate(fillerSize))
	require.NoError(t, filler.Close())
	return folder
}
