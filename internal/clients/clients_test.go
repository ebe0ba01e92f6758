package clients

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// newMachine returns a machine with an empty home, without programs and variables.
func newMachine(t *testing.T, goos string) Machine {
	t.Helper()
	return Machine{
		GOOS: goos, Home: t.TempDir(), Getenv: func(string) string { return "" },
		LookPath: func(file string) (string, error) { return "", errors.New(file + " is not found") },
	}
}

// newServer returns a server whose program is there.
func newServer(t *testing.T) Server {
	t.Helper()
	return Server{Name: "roam", Command: newProgram(t, "roam-mcp", ""), Args: []string{"serve"}}
}

func newProgram(t *testing.T, name, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(script), 0o700))
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// content returns what a file holds, "none" where there is none.
func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "none"
	}
	require.NoError(t, err)
	return string(text)
}

func find(t *testing.T, name string) Client {
	t.Helper()
	c, ok := Find(name)
	if !ok {
		t.Fatalf("there is no client %q", name)
	}
	return c
}

// install plans and applies.
func install(t *testing.T, m Machine, c Client, s Server) Plan {
	t.Helper()
	p, err := m.PlanInstall(c, s, Options{})
	require.NoError(t, err)
	require.NoError(t, m.Apply(t.Context(), p))
	return p
}

func remove(t *testing.T, m Machine, c Client) Plan {
	t.Helper()
	p, err := m.PlanRemove(c, "", Options{})
	require.NoError(t, err)
	require.NoError(t, m.Apply(t.Context(), p))
	return p
}

func TestTable(t *testing.T) {
	taken := map[string]string{}
	for _, c := range All() {
		for _, name := range append([]string{c.ID, c.Name}, c.Aliases...) {
			if other, twice := taken[strings.ToLower(name)]; twice && other != c.ID {
				t.Errorf("%q names %s and %s", name, other, c.ID)
			}
			taken[strings.ToLower(name)] = c.ID
		}
		if c.Ask == "" || len(c.Infos) == 0 || len(c.here) == 0 || len(c.servers) == 0 {
			t.Errorf("%s lacks what every client has", c.ID)
		}
		if c.ID != strings.ToLower(c.ID) || strings.ContainsAny(c.ID, " _") {
			t.Errorf("%s can't be typed easily", c.ID)
		}
		for _, sentence := range []string{c.AfterWrite, c.Ask} {
			if sentence != "" && !strings.ContainsAny(sentence[len(sentence)-1:], ".?t") {
				t.Errorf("%s: %q is no sentence", c.ID, sentence)
			}
		}
	}
	for _, name := range []string{
		"Claude Desktop", "Claude Code", "Cursor", "VS Code", "VS Code Insiders", "Visual Studio", "Copilot CLI", "windsurf", "devin", "Zed", "Codex", "Gemini CLI",
		"Antigravity", "Qwen Code", "opencode", "kilo", "Crush", "Goose", "Cline", "roo", "Continue", "LM Studio", "Kiro", "Amazon Q", "Warp", "Amp", "Junie", "Factory Droid",
		"Auggie", "kimi", "grok", "vibe", "Trae", "Jan", "5ire", "Witsy", "BoltAI", "Cherry Studio", "Raycast",
	} {
		find(t, name)
	}
}

func TestSuggest(t *testing.T) {
	for name, want := range map[string]string{
		"cluade": "claude-code", "curser": "cursor", "cursor": "cursor", "vscod": "vscode", "gemni": "gemini-cli", "zedd": "zed", "kubernetes": "", "": "", "x": "",
	} {
		if got := Suggest(name); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestWith(t *testing.T) {
	s := Server{Name: "roam-sandbox", Command: "/bin/roam-mcp", Args: []string{"--sandbox", "serve"}}
	for name, tc := range map[string]struct {
		choice         Choice
		entry, started string
	}{
		"is as it is for no choice":             {Choice{}, "roam-sandbox", "--sandbox serve"},
		"has the profile in its name":           {Choice{Profile: "notes"}, "roam-sandbox-notes", "--sandbox serve --profile notes"},
		"has each graph":                        {Choice{Graphs: []string{"My Work", "Home"}}, "roam-sandbox", "--sandbox serve --graph My Work --graph Home"},
		"may read alone, with a few toolsets":   {Choice{ReadOnly: true, Toolsets: []string{"pages", "search"}}, "roam-sandbox", "--sandbox serve --read-only --toolsets pages,search"},
		"has everything that is chosen at once": {Choice{Profile: "wiki", Graphs: []string{"A"}, ReadOnly: true}, "roam-sandbox-wiki", "--sandbox serve --profile wiki --graph A --read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.With(tc.choice)
			if got.Name != tc.entry || strings.Join(got.Args, " ") != tc.started || len(s.Args) != 2 {
				t.Errorf("%+v of %+v", got, s)
			}
		})
	}
}

// TestInstall puts an entry in and takes it out, in every client on every system.
func TestInstall(t *testing.T) {
	server := newServer(t)
	for _, goos := range []string{mac, linux, windows} {
		for _, c := range All() {
			m := newMachine(t, goos)
			file := m.file(c, false)
			if file == "" {
				continue
			}
			t.Run(goos+"/"+c.ID, func(t *testing.T) {
				if s := m.Look(c); s.State != Absent || s.File != file {
					t.Fatalf("in an empty home: %v, %s", s.State, s.File)
				}
				if first := m.paths(c.here)[0].at; first != file {
					require.NoError(t, os.MkdirAll(first, 0o700))
				}
				file = m.file(c, false)
				p, err := m.PlanInstall(c, server, Options{})
				require.NoError(t, err)
				if p.Way == ByText && c.paste && p.File == "" && p.Where == m.short(file) {
					p.After = []byte(p.Text) // which a person does
				} else if p.Way != ByFile || !p.New || p.Backup != "" || p.File != file || p.Text == "" {
					t.Errorf("the plan is %v %v %q %s %q", p.Way, p.New, p.Backup, p.File, p.Text)
				}
				write(t, file, string(p.After)) // Apply, which waits for the disk, has its own tests
				s := m.Look(c)
				if s.State != Configured || len(s.Entries) != 1 || s.Entries[0].Command != server.Command || !slices.Equal(s.Entries[0].Args, server.Args) || s.Entries[0].Disabled {
					t.Fatalf("%v %+v of\n%s", s.State, s.Entries, content(t, file))
				}
				if p.Text != string(p.After) && c.servers[0].new == "" && c.add == nil {
					t.Errorf("what is pasted differs:\n%s\n%s", p.Text, p.After)
				}
				if p, err := m.PlanInstall(c, server, Options{}); err != nil || !p.Unchanged {
					t.Errorf("the second time changes the file: %v\n%s", err, p.Diff())
				}
				if p, err := m.PlanRemove(c, "", Options{}); err != nil || p.Gone == c.paste || c.paste && p.Way != ByText {
					t.Errorf("%v, left is %s", err, p.After)
				}
			})
		}
	}
}

func TestLinksAndTexts(t *testing.T) {
	s := Server{Name: "roam", Command: "/opt/my tools/roam-mcp", Args: []string{"serve", "--graph", "A+B"}}
	for name, tc := range map[string]struct {
		client string
		way    Way
		link   string
		text   string
		where  string
	}{
		"Cursor":        {"cursor", ByFile, "cursor://anysphere.cursor-deeplink/mcp/install?name=roam&config=eyJjb21tYW5kIjoiL29wdC9teSB0b29scy9yb2FtLW1jcCIsImFyZ3MiOlsic2VydmUiLCItLWdyYXBoIiwiQStCIl19", `"mcpServers"`, "~/.cursor/mcp.json"},
		"VS Code":       {"vscode", ByFile, "vscode:mcp/install?%7B%22name%22%3A%22roam%22%2C%22type%22%3A%22stdio%22%2C%22command%22%3A%22%2Fopt%2Fmy%20tools%2Froam-mcp%22%2C%22args%22%3A%5B%22serve%22%2C%22--graph%22%2C%22A%2BB%22%5D%7D", `"servers"`, "~/.config/Code/User/mcp.json"},
		"Cherry Studio": {"cherry-studio", ByLink, "cherrystudio://mcp/install?servers=eyJtY3BTZXJ2ZXJzIjp7InJvYW0iOnsidHlwZSI6InN0ZGlvIiwiY29tbWFuZCI6Ii9vcHQvbXkgdG9vbHMvcm9hbS1tY3AiLCJhcmdzIjpbInNlcnZlIiwiLS1ncmFwaCIsIkErQiJdfX19", `"mcpServers"`, "Settings, MCP Servers, Import from JSON"},
		"JetBrains":     {"jetbrains", ByText, "", `"mcpServers"`, "Settings, Tools, AI Assistant, Model Context Protocol, Add, As JSON"},
		"Claude Code":   {"claude-code", ByFile, "", `claude mcp add --scope user roam -- '/opt/my tools/roam-mcp' serve --graph A+B`, ""},
		"OpenClaw":      {"openclaw", ByText, "", `openclaw mcp set roam '{"command":"/opt/my tools/roam-mcp","args":["serve","--graph","A+B"]}'`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, linux)
			p, err := m.PlanInstall(find(t, tc.client), s, Options{})
			require.NoError(t, err)
			if p.Way != tc.way || p.Link != tc.link || !strings.Contains(p.Text, tc.text) || filepath.ToSlash(p.Where) != tc.where {
				t.Errorf("%v %q %q %q", p.Way, p.Link, p.Text, p.Where)
			}
			if err := m.Apply(t.Context(), p); tc.way != ByFile && !errors.Is(err, ErrByHand) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("Crush with a script", func(t *testing.T) {
		m := newMachine(t, linux)
		write(t, filepath.Join(m.Home, ".config", "crush", "crushrc"), "")
		p, err := m.PlanInstall(find(t, "crush"), s, Options{})
		require.NoError(t, err)
		if p.Way != ByText || p.File != "" || p.Text != "mcp add roam --type stdio --command '/opt/my tools/roam-mcp' --args=serve --args=--graph --args=A+B" {
			t.Errorf("%v %s", p.Way, p.Text)
		}
		if out, err := m.PlanRemove(find(t, "crush"), "", Options{}); err != nil || out.Way != ByText || !strings.Contains(out.Text, "crushrc") {
			t.Errorf("%v %+v", err, out)
		}
	})
}
