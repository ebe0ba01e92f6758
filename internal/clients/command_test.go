package clients

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// fakeClaude is a program that does what "claude mcp add" and "remove" do, as far as the
// file goes.
const fakeClaude = `#!/bin/sh
echo "$@" >>"$HOME/called"
case "$2" in
add) shift 4; name=$1; printf '{"mcpServers":{"%s":{"type":"stdio","command":"%s","args":["%s"],"env":{}}}}' "$name" "$3" "$4" >"$HOME/.claude.json" ;;
remove) printf '{"mcpServers":{}}' >"$HOME/.claude.json" ;;
esac
`

func withClaude(t *testing.T, script string) Machine {
	t.Helper()
	if runtime.GOOS == windows {
		t.Skip("the program is a shell script")
	}
	m := newMachine(t, linux)
	program := newProgram(t, "claude", script)
	m.LookPath = func(file string) (string, error) {
		if file == "claude" {
			return program, nil
		}
		return "", errors.New("none")
	}
	return m
}

func TestCommand(t *testing.T) {
	server, c := newServer(t), find(t, "claude-code")
	t.Run("puts the entry in, and takes it out", func(t *testing.T) {
		m := withClaude(t, fakeClaude)
		file := filepath.Join(m.Home, ".claude.json")
		write(t, file, `{"numStartups": 1}`)
		p := install(t, m, c, server)
		if p.Way != ByCommand || p.After != nil || p.Diff() != "" || content(t, file+BackupSuffix) != `{"numStartups": 1}` {
			t.Errorf("%+v", p)
		}
		if s := m.Look(c); s.State != Configured {
			t.Fatalf("%v", s.State)
		}
		if again := install(t, m, c, server); !again.Unchanged {
			t.Errorf("%v", again.Command)
		}
		if out := remove(t, m, c); out.Way != ByCommand || m.Look(c).State != Present || there(file+BackupSuffix) {
			t.Errorf("%v %v", out.Command, m.Look(c).State)
		}
		want := "mcp add --scope user roam -- " + server.Command + " serve\nmcp remove --scope user roam\n"
		if got := content(t, filepath.Join(m.Home, "called")); got != want {
			t.Errorf("called were\n%s", got)
		}
	})
	t.Run("is left out where the file is to be edited", func(t *testing.T) {
		m := withClaude(t, fakeClaude)
		p, err := m.PlanInstall(c, server, Options{File: true})
		if err != nil || p.Way != ByFile {
			t.Errorf("%v %v", err, p.Way)
		}
	})
	t.Run("does not replace an entry, which the file's edit does", func(t *testing.T) {
		m := withClaude(t, fakeClaude)
		write(t, filepath.Join(m.Home, ".claude.json"), `{"mcpServers":{"roam":{"type":"stdio","command":"/gone/roam-mcp","args":["serve"],"env":{"KEPT":"1"}}}}`)
		p, err := m.PlanInstall(c, server, Options{})
		if err != nil || p.Way != ByFile || !strings.Contains(string(p.After), "KEPT") {
			t.Errorf("%v %v %s", err, p.Way, p.After)
		}
	})
	for name, tc := range map[string]struct{ script, want string }{
		"says what it said where it fails":         {"#!/bin/sh\necho starting\necho 'MCP servers are forbidden here' >&2\nexit 3\n", "MCP servers are forbidden here"},
		"is not believed":                          {"#!/bin/sh\nexit 0\n", `"roam" is not in`},
		"is not believed where it joins arguments": {"#!/bin/sh\nprintf '{\"mcpServers\":{\"roam\":{\"command\":\"%s serve\"}}}' \"$7\" >\"$HOME/.claude.json\"\n", "does not start what it should"},
	} {
		t.Run(name, func(t *testing.T) {
			m := withClaude(t, tc.script)
			p, err := m.PlanInstall(c, server, Options{})
			require.NoError(t, err)
			err = m.Apply(t.Context(), p)
			if problem.CodeOf(err) != CodeCommandFailed || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestThisMachineFindsProgramsBesidePath(t *testing.T) {
	if runtime.GOOS == windows {
		t.Skip("programs have other names")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", t.TempDir())
	m, err := ThisMachine()
	require.NoError(t, err)
	for _, folder := range []string{".local/bin", ".nvm/versions/node/v24.1.0/bin", ".bun/bin"} {
		program := filepath.Join(home, filepath.FromSlash(folder), "claude")
		if _, err := m.LookPath("claude"); err == nil {
			t.Error("found before it is there")
		}
		write(t, program, "")
		require.NoError(t, os.Chmod(program, 0o700))
		if got, err := m.LookPath("claude"); err != nil || got != program {
			t.Errorf("%s, %v", got, err)
		}
		require.NoError(t, os.Remove(program))
	}
}

func TestLastLineHasNothingThatMustNotBeShown(t *testing.T) {
	said := &files.Tail{Max: 4096}
	_, _ = said.Write([]byte("starting\nno \x1b[31msuch\u202e \u009bserver\xff \n\n"))
	if got := lastLine(said); got != "no [31msuch server" {
		t.Errorf("%q", got)
	}
}
