//go:build campaign && unix

package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// The process takes the 13 seconds that a client is given at the end, so this is a campaign. That
// serving ends is tested in transport, with shorter times.
func TestAClientThatStopsReadingDoesNotKeepTheProcess(t *testing.T) {
	s := serveProcess(t, strings.Repeat("A page that is longer than a pipe. ", 20000))
	close(s.release)
	s.send(initializeLine)
	for i := range 20 {
		s.send(fmt.Sprintf(pageCall, i+10))
	}
	s.awaitCalls(20)
	require.NoError(t, s.process.Process.Signal(syscall.SIGTERM))
	if code := s.ended(); code != exitFailed {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	if !strings.Contains(s.stderr.String(), "stopped reading") {
		t.Errorf("standard error: %s", s.stderr.String())
	}
}
