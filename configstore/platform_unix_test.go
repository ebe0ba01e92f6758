//go:build unix

package configstore

import (
	"os"
	"syscall"
	"testing"
)

func TestARunAsRootKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	s := storeWith(t, strange)
	must(t, os.Chown(s.Path(), 12345, 12345))
	must(t, s.Rename(t.Context(), "Work", "Job"))
	info, err := os.Stat(s.Path())
	must(t, err)
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner != 12345 {
		t.Fatalf("the file belongs to %d", owner)
	}
}

func TestANamedPipeIsNotWaitedFor(t *testing.T) {
	s := storeWith(t, "")
	must(t, os.Remove(s.Path()))
	must(t, syscall.Mkfifo(s.Path(), 0o600))
	_, err := s.Load(t.Context())
	wantCode(t, err, CodeConfigUnreadable)
	wantCode(t, s.Save(t.Context(), entry(t, "a", "A")), CodeConfigUnreadable)
}
