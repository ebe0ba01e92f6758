package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestNewer(t *testing.T) {
	for name, tc := range map[string]struct {
		version, than string
		want          bool
	}{
		"a later number":             {"1.10.0", "1.9.9", true},
		"an earlier one":             {"1.9.9", "1.10.0", false},
		"the same":                   {"v1.2.3", "1.2.3", false},
		"a release after its trials": {"1.2.3", "1.2.3-rc.1", true},
		"a trial before its release": {"1.2.3-rc.1", "1.2.3", false},
		"a later commit":             {"v0.0.0-20261128000000-abc", "v0.0.0-20261127000000-def+dirty", true},
		"a release after a commit":   {"0.1.0", "v0.0.0-20261128000000-abc", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Newer(tc.version, tc.than); got != tc.want {
				t.Errorf("%v", got)
			}
		})
	}
}

func TestVersionOf(t *testing.T) {
	running, err := os.Executable()
	require.NoError(t, err)
	data, err := os.ReadFile(running)
	require.NoError(t, err)
	said := fmt.Sprintf("%s1.2.3-rc.1/0123abc/2026-11-28T20:00:00Z/", releaseMark) // in no constant, which this program would have
	for name, tc := range map[string]struct {
		data        []byte
		version     string
		ours, known bool
	}{
		"of a release":          {append(slices.Clone(data), said...), "1.2.3-rc.1", true, true},
		"of a program of tests": {data, "", true, false},
		"of a script":           {[]byte("#!/bin/sh\n" + said), "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "roam-mcp")
			require.NoError(t, os.WriteFile(path, tc.data, 0o700))
			if version, ours, known := VersionOf(path); version != tc.version || ours != tc.ours || known != tc.known {
				t.Errorf("%q %v %v", version, ours, known)
			}
		})
	}
	if got := ParseRelease(said); got != (Release{"1.2.3-rc.1", "0123abc", "2026-11-28T20:00:00Z"}) {
		t.Errorf("%+v", got)
	}
}

func TestPlan(t *testing.T) {
	folder := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(name), 0o600))
		return path
	}
	write("own/log/a.jsonl")
	write("own/log/b.jsonl.123.tmp") // a killed process has left it
	mine := write("own/log/mine.txt")
	stray := write("own/stray")
	skill, edited := write("skills/a/SKILL.md"), write("skills/b/SKILL.md")
	held := write("own/held")
	require.NoError(t, os.Symlink(mine, filepath.Join(folder, "own", "link")))
	r := Plan(Scope{
		Folders: []string{filepath.Join(folder, "own")}, Serving: true, Files: []File{
			{Name: "log", Path: filepath.Join(folder, "own", "log"), Part: State, Holds: []string{"*.jsonl"}},
			{Name: "skill", Path: skill, Part: Skills, Sum: SumOf(skill), Made: filepath.Join(folder, "skills", "a")},
			{Name: "edited", Path: edited, Part: Skills, Sum: "other"},
			{Name: "held", Path: held, Part: State, Served: true},
			{Name: "link", Path: filepath.Join(folder, "own", "link"), Part: State},
			{Name: "none", Path: filepath.Join(folder, "own", "none"), Part: History},
		},
	})
	var stays []string
	for _, s := range r.Stays {
		stays = append(stays, s.Path)
	}
	slices.Sort(stays)
	want := []string{filepath.Join(folder, "own", "link"), mine, stray, edited}
	slices.Sort(want)
	if !slices.Equal(stays, want) || len(r.Busy) != 1 || len(r.Goes) != 2 || r.Goes[0].Name != "skill" {
		t.Fatalf("%+v", r)
	}
	require.NoError(t, r.Do())
	for path, there := range map[string]bool{mine: true, stray: true, edited: true, held: true, skill: false, filepath.Dir(skill): false, filepath.Join(folder, "own", "log", "a.jsonl"): false} {
		if isThere(path) != there {
			t.Errorf("%s is there: %v", path, !there)
		}
	}
}

func TestPathLine(t *testing.T) {
	unix := Folders{GOOS: "linux", Home: "/home/me", Data: "/home/me/.local/share"}
	for shell, want := range map[string]string{
		"bash": `~/.bashrc: export PATH="$HOME/.local/bin:$PATH"`,
		"dash": `~/.profile: export PATH="$HOME/.local/bin:$PATH"`,
		"zsh":  `~/.zshrc: export PATH="$HOME/.local/bin:$PATH"; fpath+=("/home/me/.local/share/zsh/site-functions")`,
		"fish": `~/.config/fish/config.fish: fish_add_path "$HOME/.local/bin"`,
	} {
		if file, line := unix.PathLine(shell, filepath.FromSlash("/home/me/.local/bin")); file+": "+line != filepath.FromSlash(want) {
			t.Errorf("%s: %s", file, line)
		}
	}
}
