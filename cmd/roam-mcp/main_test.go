package main

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"roam-mcp/internal/testutil/require"
)

// transcriptVariable names a file into which the program under test copies all
// that it prints, so that the tests can look for tokens in it.
const transcriptVariable = "ROAM_MCP_TEST_TRANSCRIPT"

// releaseVariable has the program under test be of another release.
const releaseVariable = "ROAM_MCP_TEST_RELEASE"

// testsAtOnce is how many tests run at once that are parallel: they wait for programs, each for
// what a person would wait for.
const testsAtOnce = "4"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", testsAtOnce); err != nil { // -parallel goes before it
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"roam-mcp":        func() { os.Exit(runWithTranscript()) },
		"roam-mcp-faulty": func() { os.Exit(runFaulty()) },
		"bench-sandbox": func() {
			if err := runBenchSandbox(os.Args[1], os.Args[2]); err != nil {
				panic(err)
			}
		},
		"bench-roam": func() {
			if err := runBenchRoam(os.Args[1], os.Args[2]); err != nil {
				panic(err)
			}
		},
	})
}

// runWithTranscript is run, with its output copied on the way. A terminal is
// left alone: what it shows is read from the terminal's other side.
func runWithTranscript() int {
	release = os.Getenv(releaseVariable)
	path := os.Getenv(transcriptVariable)
	if path == "" || isTerminal(os.Stdout) {
		return run()
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	stdout, stdoutDone := tee(os.Stdout, file)
	stderr, stderrDone := tee(os.Stderr, file)
	os.Stdout, os.Stderr = stdout, stderr
	code := run()
	stdout.Close()
	stderr.Close()
	<-stdoutDone
	<-stderrDone
	return code
}

func tee(original, transcript io.Writer) (*os.File, <-chan struct{}) {
	reader, writer, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.MultiWriter(transcript, original), reader) // a reader that went away is the test's doing
	}()
	return writer, done
}

// programPath is where testscript has put a program of TestMain.
func programPath(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err)
	return path
}
