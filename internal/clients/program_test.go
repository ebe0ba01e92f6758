package clients

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestOwnProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links take rights there")
	}
	running, err := os.Executable()
	require.NoError(t, err)
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	link := filepath.Join(folder, "roam-mcp")
	require.NoError(t, os.Symlink(running, link))
	other := filepath.Join(folder, "other")
	require.NoError(t, os.WriteFile(other, []byte("#!/bin/sh\n"), 0o755))
	tools := t.TempDir()
	installed := filepath.Join(tools, strings.TrimSuffix(filepath.Base(running), ".test"))
	t.Setenv("GOBIN", tools)
	t.Setenv("PATH", folder)
	t.Chdir(folder)
	temporary := os.TempDir()
	t.Setenv("TMPDIR", filepath.Join(folder, "tmp"))

	for name, test := range map[string]struct{ arg0, want string }{
		"is the link that the user called, and not what it leads to": {link, link},
		"is absolute where the user called it by a relative path":    {"./roam-mcp", link},
		"is found in PATH where the user called it by its name":      {"roam-mcp", link},
		"is where go install puts it, if go run has built it":        {running, installed},
		"is the one that runs, if arg0 names another program":        {other, installed},
		"is the one that runs, if arg0 names nothing":                {"gone", installed},
	} {
		t.Run(name, func(t *testing.T) {
			path, note := OwnProgram(test.arg0)
			if path != test.want {
				t.Errorf("%s, want %s", path, test.want)
			}
			if (note != "") != (test.want == installed) || note != "" && !strings.HasSuffix(note, goInstall) {
				t.Errorf("the note says %q", note)
			}
		})
	}
	t.Run("is put elsewhere first where its folder is going away", func(t *testing.T) {
		t.Setenv("TMPDIR", temporary)
		if path, note := OwnProgram(link); path != link || !strings.Contains(note, "a temporary folder") || !strings.Contains(note, link+" self install") {
			t.Errorf("%s, %q", path, note)
		}
	})
	t.Run("is not to be made first where it is installed", func(t *testing.T) {
		require.NoError(t, os.WriteFile(installed, nil, 0o755))
		if _, note := OwnProgram(running); note == "" || strings.Contains(note, goInstall) {
			t.Errorf("the note says %q", note)
		}
	})
}

func TestProgramsOfTheBuildCache(t *testing.T) {
	for name, test := range map[string]struct {
		path, cache string
		want        bool
	}{
		"the folder in which go run builds":     {"/tmp/go-build1234/b001/exe/roam-mcp", "", true},
		"the cache, which go run starts from":   {"/home/ada/.cache/go-build/ab/abcd-d/roam-mcp", "", true},
		"a cache at another place":              {"/srv/cache/ab/abcd-d/roam-mcp", "/srv/cache", true},
		"a program beside that cache":           {"/srv/bin/roam-mcp", "/srv/cache", false},
		"a folder that only has go-build in it": {"/home/ada/my-go-build/roam-mcp", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := inBuildCache(filepath.FromSlash(test.path), filepath.FromSlash(test.cache)); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestClientsAreLedToWhereGoInstallPutsTheProgram(t *testing.T) {
	tools, work, more := filepath.FromSlash("/opt/tools"), filepath.FromSlash("/home/ada/go"), filepath.FromSlash("/srv/go")
	for name, test := range map[string]struct{ gobin, gopath, want string }{
		"the workspace":              {"", work, filepath.Join(work, "bin")},
		"the first of several":       {"", work + string(filepath.ListSeparator) + more, filepath.Join(work, "bin")},
		"the folder that GOBIN says": {tools, work, tools},
	} {
		if got := installFolder(test.gobin, test.gopath); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
