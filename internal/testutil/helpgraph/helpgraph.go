// Package helpgraph finds the exports of Roam's public help graph, which lie
// beside the repository in ../shared/data and on many machines nowhere.
package helpgraph

import (
	"os"
	"path/filepath"
	"testing"
)

// Find returns the absolute path of an export, such as "help.json", and reports
// whether it is there: beside the module of the test, or of one that holds it.
func Find(name string) (path string, there bool) {
	folder, err := os.Getwd()
	for ; err == nil; folder = filepath.Dir(folder) {
		if _, missing := os.Stat(filepath.Join(folder, "go.mod")); missing == nil {
			path = filepath.Join(folder, "..", "shared", "data", "roam-help-2021", name)
			if _, missing := os.Stat(path); missing == nil {
				return path, true
			}
		}
		if folder == filepath.Dir(folder) {
			break
		}
	}
	return path, false
}

// Path returns what Find does, and skips the test where it is not there.
func Path(t testing.TB, name string) string {
	t.Helper()
	path, there := Find(name)
	if !there {
		t.Skipf("the help graph is not here: %s is missing", path)
	}
	return path
}

// Read returns the text of an export, and skips the test where it is not there.
func Read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Export returns help.json, or the export of the help graph of another day that
// ROAM_MCP_TEST_HELP names.
func Export(t testing.TB) string {
	t.Helper()
	path := os.Getenv("ROAM_MCP_TEST_HELP")
	if path == "" {
		return Read(t, "help.json")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
