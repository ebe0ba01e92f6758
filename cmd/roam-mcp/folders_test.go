package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFolders(t *testing.T) {
	const local = "/Users/Ada/AppData/Local"
	linux := folders{goos: "linux", home: "/home/ada", data: "/home/ada/.local/share", state: "/home/ada/.local/state"}
	mac := folders{goos: "darwin", home: "/Users/ada", data: "/Users/ada/Library/Application Support", state: "/Users/ada/Library/Application Support"}
	windows := folders{goos: "windows", home: "/Users/Ada", data: local, state: local}
	for name, tc := range map[string]struct {
		folders folders
		there   []string // files that exist
		want    [6]string
	}{
		"are those of XDG on Linux": {linux, nil, [6]string{
			"/home/ada/.local/share/roam-mcp/sandbox", "/home/ada/.local/state/roam-mcp/http-token", "/home/ada/.local/state/roam-mcp/rescued",
			"/home/ada/.local/state/roam-mcp/reports", "/home/ada/.local/state/roam-mcp/history", "/home/ada/.local/share/roam-mcp/sandbox/history"}},
		"are in Application Support on a Mac": {mac, nil, [6]string{
			"/Users/ada/Library/Application Support/roam-mcp/sandbox", "/Users/ada/Library/Application Support/roam-mcp/http-token", "/Users/ada/Library/Application Support/roam-mcp/rescued",
			"/Users/ada/Library/Application Support/roam-mcp/reports", "/Users/ada/Library/Application Support/roam-mcp/history", "/Users/ada/Library/Application Support/roam-mcp/sandbox/history"}},
		"are in the home folder on Windows": {windows, nil, [6]string{
			"/Users/Ada/.roam-mcp/sandbox", "/Users/Ada/.roam-mcp/http-token", "/Users/Ada/.roam-mcp/rescued",
			"/Users/Ada/.roam-mcp/reports", "/Users/Ada/.roam-mcp/history", "/Users/Ada/.roam-mcp/sandbox/history"}},
		"are below AppData where an older build has made them, but for the journal": {windows, []string{local + "/roam-mcp/sandbox", local + "/roam-mcp/http-token", local + "/roam-mcp/rescued"}, [6]string{
			local + "/roam-mcp/sandbox", local + "/roam-mcp/http-token", "/Users/Ada/.roam-mcp/rescued",
			"/Users/Ada/.roam-mcp/reports", "/Users/Ada/.roam-mcp/history", "/Users/Ada/.roam-mcp/sandbox/history"}},
		"are the new ones where there are both": {windows, []string{local + "/roam-mcp/http-token", "/Users/Ada/.roam-mcp/http-token"}, [6]string{
			"/Users/Ada/.roam-mcp/sandbox", "/Users/Ada/.roam-mcp/http-token", "/Users/Ada/.roam-mcp/rescued",
			"/Users/Ada/.roam-mcp/reports", "/Users/Ada/.roam-mcp/history", "/Users/Ada/.roam-mcp/sandbox/history"}},
	} {
		t.Run(name, func(t *testing.T) {
			exists := func(path string) bool { return slices.Contains(tc.there, filepath.ToSlash(path)) }
			f := tc.folders
			got := [6]string{f.sandboxHome(exists), f.httpToken(exists), f.rescued(), f.reports(), f.history(), f.sandboxHistory(f.sandboxHome(exists))}
			for i := range got {
				if got[i] = filepath.ToSlash(got[i]); got[i] != tc.want[i] {
					t.Errorf("got %s, want %s", got[i], tc.want[i])
				}
			}
			for _, journal := range got[4:] {
				if strings.Contains(journal, "AppData") {
					t.Errorf("the journal is in %s", journal)
				}
			}
		})
	}
	none := func(string) bool { return false }
	for name, path := range map[string]string{
		"the sandbox": windows.sandboxHome(none), "the HTTP token": windows.httpToken(none), "rescued tokens": windows.rescued(),
		"reports": windows.reports(), "proofs": windows.proofs(), "the sorting": windows.sorting(), "the activity": windows.activity(), "the journal": windows.history(),
	} {
		if path = filepath.ToSlash(path); strings.Contains(path, "AppData") || !strings.HasPrefix(path, windows.home) {
			t.Errorf("a client of the Microsoft Store would have %s for itself, in its own copy of %s", name, path)
		}
	}
	if got := filepath.ToSlash(windows.sandboxHistory("/tmp/a")); got != "/tmp/a/history" {
		t.Errorf("a sandbox elsewhere has its journal in %s", got)
	}
}
