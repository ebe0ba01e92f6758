package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

const initializeLine = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// buildProgram builds the program as a user gets it: a test binary starts slower.
func buildProgram(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "roam-mcp")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		tb.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

const listLine = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"

// BenchmarkStart measures from the start of the process to its answer to
// initialize, and to tools/list, with Roam closed; beside it, as the floor that
// this machine sets, a process that only prints its version.
func BenchmarkStart(b *testing.B) {
	program := buildProgram(b)
	environment := append(os.Environ(), "HOME="+b.TempDir())
	for name, lines := range map[string][]string{"initialize": {initializeLine}, "tools-list": {initializeLine, listLine}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				end := greet(b, program, environment, lines)
				b.StopTimer()
				end()
				b.StartTimer()
			}
		})
	}
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, exec.Command(program, "--version").Run())
		}
	})
}

// greet starts a server and sends lines, each after the answer to the one
// before.
func greet(b *testing.B, program string, environment, lines []string) (end func()) {
	command := exec.Command(program, "serve")
	command.Env = environment
	stdin, err := command.StdinPipe()
	require.NoError(b, err)
	stdout, err := command.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, command.Start())
	reader := bufio.NewReader(stdout)
	for _, line := range lines {
		if _, err := io.WriteString(stdin, line); err != nil {
			b.Fatal(err)
		}
		if answer, err := reader.ReadString('\n'); err != nil || !strings.Contains(answer, `"result"`) {
			b.Fatalf("%q, %v", answer, err)
		}
	}
	return func() {
		stdin.Close()
		require.NoError(b, command.Wait())
	}
}
