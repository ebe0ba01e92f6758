//go:build unix

package configstore

import (
	"os"
	"syscall"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestARunAsRootKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	s := storeWith(t, strange)
	require.NoError(t, os.Chown(s.Path(), 12345, 12345))
	require.NoError(t, s.Rename(t.Context(), "Work", "Job"))
	info, err := os.Stat(s.Path())
	require.NoError(t, err)
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner != 12345 {
		t.Fatalf("the file belongs to %d", owner)
	}
}

func TestANamedPipeIsNotWaitedFor(t *testing.T) {
	s := storeWith(t, "")
	require.NoError(t, os.Remove(s.Path()))
	require.NoError(t, syscall.Mkfifo(s.Path(), 0o600))
	_, err := s.Load(t.Context())
	wantCode(t, err, CodeConfigUnreadable)
	wantCode(t, s.Save(t.Context(), entry(t, "a", "A")), CodeConfigUnreadable)
}
