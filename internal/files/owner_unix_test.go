//go:build unix

package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestAFileOfAnotherUserIsNotOurOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("content"), 0o600))
	if err := os.Chown(path, 65534, -1); err != nil {
		t.Skipf("no file can be given away: %v", err)
	}
	for way, open := range map[string]func() error{
		"ReadOwn": func() error { _, err := ReadOwn(path, 100); return err },
		"Append":  func() error { _, err := Append(path); return err },
		"Lock":    func() error { _, err := Lock(path); return err },
		"Write":   func() error { return Overwrite(path, nil) },
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), "it belongs to another user") {
			t.Errorf("%s: %v", way, err)
		}
	}
	if text, err := Read(path, 100); err != nil || string(text) != "content" {
		t.Errorf("a file of the user is %q, %v", text, err)
	}
}
