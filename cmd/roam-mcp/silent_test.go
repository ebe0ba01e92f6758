package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

// Something else may have taken the port that the file names.
func TestAPortThatAcceptsAndSaysNothingIsNoRoam(t *testing.T) {
	t.Parallel() // it waits for what never comes
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	home := t.TempDir()
	port := fmt.Sprintf(`{"port": %d}`, listener.Addr().(*net.TCPAddr).Port)
	require.NoError(t, os.WriteFile(filepath.Join(home, localapi.PortFileName), []byte(port), 0o600))
	for _, args := range [][]string{{"connect", "notes"}, {"graphs"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			command := exec.Command("roam-mcp", args...)
			command.Env = []string{"HOME=" + home}
			out, _ := command.CombinedOutput()
			if code := command.ProcessState.ExitCode(); code != exitUnreachable || !strings.Contains(string(out), "it does not answer.\nRestart Roam") {
				t.Errorf("exit code %d:\n%s", code, out)
			}
		})
	}
}
