package clients

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func TestLaunch(t *testing.T) {
	environ := []string{
		"HOME=/home/ada", "PATH=/opt/bin:/usr/bin", "USER=ada", "TERM=xterm", "LANG=de_DE.UTF-8", "XDG_STATE_HOME=/state", "GITHUB_TOKEN=x", "TMPDIR=/tmp", "PROXY=p",
		"BASH_FUNC=() { :; }", "SHELL=() { :; }",
	}
	for name, tc := range map[string]struct {
		goos, client string
		found        Entry
		want, dir    string // names and values that were not there before
	}{
		"gives what the SDK gives":              {linux, "cursor", Entry{}, "HOME PATH TERM USER", ""},
		"gives what Codex gives, and its list":  {linux, "codex", Entry{passed: []string{"PROXY"}}, "HOME LANG PATH PROXY TERM TMPDIR USER", ""},
		"gives everything":                      {linux, "claude-code", Entry{}, "BASH_FUNC GITHUB_TOKEN HOME LANG PATH PROXY SHELL TERM TMPDIR USER XDG_STATE_HOME", ""},
		"gives no secrets":                      {linux, "gemini-cli", Entry{}, "BASH_FUNC HOME LANG PATH PROXY SHELL TERM TMPDIR USER XDG_STATE_HOME", ""},
		"gives what the entry sets":             {linux, "cursor", Entry{Env: map[string]string{"A": "b", "PATH": "/x"}}, "A=b HOME PATH=/x TERM USER", ""},
		"has launchd's PATH on macOS":           {mac, "claude-desktop", Entry{}, "HOME PATH=/usr/bin:/bin:/usr/sbin:/sbin USER", "/"},
		"has a shell's PATH in an editor there": {mac, "vscode", Entry{}, "BASH_FUNC GITHUB_TOKEN HOME LANG PATH PROXY SHELL TERM TMPDIR USER XDG_STATE_HOME", ""},
		"has the folder that the entry sets":    {linux, "cursor", Entry{Dir: "/srv"}, "HOME PATH TERM USER", "/srv"},
		"knows no case of variables on Windows": {windows, "cursor", Entry{Env: map[string]string{"Path": `C:\x`}}, `PATH=C:\x`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, tc.goos)
			tc.found.Command, tc.found.Args = "/bin/roam-mcp", []string{"serve"}
			l, err := m.Launch(find(t, tc.client), tc.found, environ)
			require.NoError(t, err)
			var got []string
			for _, variable := range l.Env {
				name, value, _ := strings.Cut(variable, "=")
				if tc.goos == windows {
					variable = strings.ToUpper(name) + "=" + value
				}
				got = append(got, choose(slices.Contains(environ, variable), name, variable))
			}
			slices.Sort(got)
			if tc.dir == "" {
				tc.dir = m.Home
			}
			if strings.Join(got, " ") != tc.want || filepath.ToSlash(l.Dir) != filepath.ToSlash(tc.dir) || l.Command != "/bin/roam-mcp" || l.Args[0] != "serve" {
				t.Errorf("%+v\n%s", l, strings.Join(got, " "))
			}
		})
	}
	t.Run("looks in the PATH that the client gives alone", func(t *testing.T) {
		if runtime.GOOS == windows {
			t.Skip("programs have other names")
		}
		m, program := newMachine(t, linux), newProgram(t, "roam-mcp", "")
		l, err := m.Launch(find(t, "cursor"), Entry{Command: "roam-mcp"}, []string{"PATH=" + t.TempDir() + string(os.PathListSeparator) + filepath.Dir(program)})
		if err != nil || l.Command != program {
			t.Errorf("%+v, %v", l, err)
		}
		if l, err := m.Launch(find(t, "cursor"), Entry{Command: "sh"}, nil); err != nil || l.Command != "sh" {
			t.Errorf("%+v, %v", l, err)
		}
	})
	t.Run("starts nothing for an address", func(t *testing.T) {
		if _, err := newMachine(t, linux).Launch(find(t, "cursor"), Entry{Name: "roam"}, nil); problem.CodeOf(err) != CodeNotStarted {
			t.Errorf("%v", err)
		}
	})
}
