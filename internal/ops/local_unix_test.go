//go:build unix

package ops

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

// Opening a pipe without a writer waits for one, so these must come back.
func TestPipesDevicesAndSocketsAreRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	pipe, link, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "s")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	require.NoError(t, os.Symlink(pipe, link))
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	defer listener.Close()
	for _, path := range []string{pipe, link, socket, "/dev/null", "/dev/zero", "/dev/tty"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		done := make(chan error, 1)
		go func() { _, err := pathBelow(t, filepath.Dir(path)).Read(path, Given{}); done <- err }()
		wantCode(t, await.Value(t, "a refusal of "+path, done), CodeNotAllowed)
	}
}

// What is a file when it is looked at may be a pipe when it is opened.
func TestAPipeThatTookAFilesPlaceIsRefused(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	done := make(chan error, 1)
	go func() {
		file, err := os.OpenFile(pipe, os.O_RDONLY|openFlags, 0)
		if err == nil {
			_, err = readOpened(file, MaxBytes)
			_ = file.Close()
		}
		done <- err
	}()
	wantCode(t, await.Value(t, "a refusal of the pipe", done), CodeNotAllowed)
}

// The files of /proc tell no size.
func TestAFileThatTellsNoSizeIsBoundedToo(t *testing.T) {
	const path = "/proc/self/status"
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	_, err = readOpened(file, 10)
	wantCode(t, err, CodeTooLarge)
}
