//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestTheClipboardToolFitsTheSystem(t *testing.T) {
	for name, test := range map[string]struct {
		system string
		set    []string
		want   string
	}{
		"macOS":                      {"darwin", nil, "pbcopy"},
		"Windows":                    {"windows", nil, "clip.exe"},
		"Wayland":                    {"linux", []string{"WAYLAND_DISPLAY"}, "wl-copy clip.exe"},
		"X":                          {"linux", []string{"DISPLAY"}, "xclip xsel clip.exe"},
		"Wayland with X beside it":   {"linux", []string{"WAYLAND_DISPLAY", "DISPLAY"}, "wl-copy xclip xsel clip.exe"},
		"a Linux in Windows, or ssh": {"linux", nil, "clip.exe"},
		"Termux":                     {"linux", []string{"TERMUX_VERSION"}, "termux-clipboard-set clip.exe"},
	} {
		t.Run(name, func(t *testing.T) {
			var names []string
			for _, tool := range clipboardTools(test.system, func(name string) string {
				if slices.Contains(test.set, name) {
					return ":0"
				}
				return ""
			}) {
				names = append(names, tool[0])
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("tools are %q, want %q", got, test.want)
			}
		})
	}
}

func TestWindowsGetsUTF16BeyondASCII(t *testing.T) {
	for _, test := range []struct{ tool, text, want string }{
		{"clip.exe", "C:\\x", "C:\\x"},
		{"clip.exe", "é", "\xe9\x00"},
		{"xclip", "é", "é"},
	} {
		if got := forTool(test.tool, test.text); got != test.want {
			t.Errorf("%s gets %q for %q, want %q", test.tool, got, test.text, test.want)
		}
	}
}

func TestAFailingClipboardToolGivesWayToTheNext(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("macOS has one tool alone")
	}
	dir := t.TempDir()
	tool := func(name, script string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", ":0")
	tool("xclip", "exit 1")
	tool("xsel", `cat > "`+filepath.Join(dir, "copied")+`"`)
	require.NoError(t, copyText(t.Context(), "some text\nin lines"))
	if got, err := os.ReadFile(filepath.Join(dir, "copied")); err != nil || string(got) != "some text\nin lines" {
		t.Errorf("copied is %q, %v", got, err)
	}
	tool("xsel", "exit 1")
	tool("clip.exe", "exit 1")
	if err := copyText(t.Context(), "text"); err == nil {
		t.Error("a failure of all tools is not told")
	}
	tool("xclip", "exec sleep 600")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := copyText(ctx, "text"); err == nil {
		t.Error("a tool that hangs is waited for")
	}
}
