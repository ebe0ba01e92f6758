//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func TestEditor(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	for _, name := range []string{"vim", "code", "nano", "my editor", "pad"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), 0o700))
	}
	for name, tc := range map[string]struct {
		visual, editor string
		line           int
		want           string
	}{
		"VISUAL comes first":                  {"vim", "nano", 3, "vim +3 FILE"},
		"EDITOR comes next":                   {"", "nano", 3, "nano +3 FILE"},
		"flags are kept":                      {"code --wait", "", 3, "code --wait --goto FILE:3"},
		"a path with a space is one program":  {filepath.Join(folder, "my editor"), "", 3, "my editor FILE"},
		"an unknown editor is given no line":  {"pad", "", 3, "pad FILE"},
		"no line is none":                     {"vim", "", 0, "vim FILE"},
		"without either there is a usual one": {"", "", 7, "nano +7 FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			command, err := editorCommand("linux", func(v string) string { return map[string]string{"VISUAL": tc.visual, "EDITOR": tc.editor}[v] }, "FILE", tc.line)
			require.NoError(t, err)
			if got := strings.TrimPrefix(strings.Join(command.Args, " "), folder+"/"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	if _, err := editorCommand("linux", func(string) string { return "gone" }, "FILE", 1); !strings.Contains(problem.FromError(err).Message, "gone is not there") {
		t.Errorf("got %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := editorCommand("linux", func(string) string { return "" }, "FILE", 1); !strings.Contains(problem.FromError(err).Message, "no editor here") {
		t.Errorf("got %v", err)
	}
}
