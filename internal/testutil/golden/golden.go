// Package golden compares what a test has made with files of the repository. With
// the flag -update the test writes the files instead:
//
//	go test ./tui ./mcpserve/... -update
//
// Lines of the files may end with \r\n. It does not know what they hold.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/await"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Updating reports whether files are written rather than compared.
func Updating() bool { return *update }

// File compares a text with a file.
func File(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		write(t, path, got)
		return
	}
	if read(t, path) != got {
		t.Errorf("%s differs; run the test with -update and look at the difference. It should be\n%s", path, got)
	}
}

// GrowingFile compares a text that may still be growing with a file, until they
// are the same.
func GrowingFile(t testing.TB, path string, got func() string) {
	t.Helper()
	if *update {
		before := "-"
		await.Condition(t, "an end of the text", func() bool { was := before; before = got(); return was == before })
		write(t, path, got())
		return
	}
	want := read(t, path)
	defer func() {
		if got() != want {
			File(t, path, got())
		}
	}()
	await.Condition(t, path, func() bool { return got() == want })
}

// Section compares a text with what stands between two markers in a file.
func Section(t testing.TB, path, begin, end, got string) {
	t.Helper()
	text := read(t, path)
	before, rest, opened := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s lacks %q or %q", path, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	if want := before + begin + got + end + after; want != text {
		File(t, path, want)
	}
}

// Only fails the test for each file of the folder that has the suffix and none of
// the names. Updating removes it.
func Only(t testing.TB, folder, suffix string, names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if slices.Contains(names, filepath.Base(path)) {
			continue
		}
		if !*update {
			t.Errorf("%s belongs to nothing; remove it, or run the test with -update", path)
		} else if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
