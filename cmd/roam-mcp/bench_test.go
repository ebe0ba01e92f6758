package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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

// BenchmarkStartToInitialize measures from the start of the process to its
// answer to initialize, with Roam closed; beside it, as the floor that this
// machine sets, a process that only prints its version.
func BenchmarkStartToInitialize(b *testing.B) {
	program := buildProgram(b)
	environment := append(os.Environ(), "HOME="+b.TempDir())
	b.Run("initialize", func(b *testing.B) {
		for b.Loop() {
			command := exec.Command(program, "serve")
			command.Env = environment
			stdin, err := command.StdinPipe()
			if err != nil {
				b.Fatal(err)
			}
			stdout, err := command.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := command.Start(); err != nil {
				b.Fatal(err)
			}
			if _, err := io.WriteString(stdin, initializeLine); err != nil {
				b.Fatal(err)
			}
			line, err := bufio.NewReader(stdout).ReadString('\n')
			if err != nil || !strings.Contains(line, `"serverInfo"`) {
				b.Fatalf("%q, %v", line, err)
			}
			b.StopTimer()
			stdin.Close()
			if err := command.Wait(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command(program, "--version").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
