package clients

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/problem"
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
				if p.Way != ByFile || !p.New || p.Backup != "" || p.File != file || p.Text == "" {
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
				if p, err := m.PlanRemove(c, "", Options{}); err != nil || !p.Gone {
					t.Errorf("%v, left is %s", err, p.After)
				}
			})
		}
	}
}

func TestUninstallGivesBackTheBytes(t *testing.T) {
	server := newServer(t)
	for name, before := range map[string]string{
		"of an empty file":                    "",
		"of an empty object":                  "{ }\r\n",
		"of a file with empty servers":        "{\n  // none yet\n  \"mcpServers\": { }\n}",
		"of one with other servers":           "{\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"npx\"},\n\t},\n}\n",
		"of one whose name another one has":   "{\"mcpServers\": {\"roam\": {\"command\": \"npx\", \"args\": [\"-y\", \"@roam-research/roam-mcp\"], \"env\": {\"A\": \"b\"}}}}",
		"of one whose name an address has":    `{"mcpServers": {"roam": {"url": "http://127.0.0.1:3939/mcp"}, "z": {}}}`,
		"of one with the text of two entries": "\ufeff{\"mcpServers\":{\"a\":{\"command\":\"x\"},\"b\":{\"command\":\"y\"}},\"k\":[1,2]}",
	} {
		t.Run(name, func(t *testing.T) {
			m, c := newMachine(t, linux), find(t, "cursor")
			file := filepath.Join(m.Home, ".cursor", "mcp.json")
			write(t, file, before)
			p := install(t, m, c, server)
			if p.Backup != file+BackupSuffix || content(t, p.Backup) != before {
				t.Errorf("the backup %s holds %q", p.Backup, content(t, p.Backup))
			}
			if s := m.Look(c); s.State != Configured || len(s.Entries) != 1 || s.Entries[0].Env != nil {
				t.Fatalf("%v %+v", s.State, s.Entries)
			}
			notes := server.With(Choice{Profile: "notes"})
			if p := install(t, m, c, notes); p.Backup != "" {
				t.Error("the second entry makes another backup")
			}
			out, err := m.PlanRemove(c, notes.Name, Options{})
			require.NoError(t, err)
			require.NoError(t, m.Apply(t.Context(), out))
			if s := m.Look(c); len(s.Entries) != 1 || s.Entries[0].Name != "roam" {
				t.Fatalf("left are %+v", s.Entries)
			}
			remove(t, m, c)
			if got := content(t, file); got != before || there(file+BackupSuffix) {
				t.Errorf("it holds %q instead of %q", got, before)
			}
		})
	}
	t.Run("of one that changed since, but for the change", func(t *testing.T) {
		m, c := newMachine(t, linux), find(t, "cursor")
		file := filepath.Join(m.Home, ".cursor", "mcp.json")
		write(t, file, "{\"mcpServers\": {\"other\": {\"command\": \"npx\"}}}\n")
		install(t, m, c, server)
		write(t, file, strings.Replace(content(t, file), "npx", "uvx", 1))
		remove(t, m, c)
		if got := content(t, file); got != "{\"mcpServers\": {\"other\": {\"command\": \"uvx\"}}}\n" || !there(file+BackupSuffix) {
			t.Errorf("it holds %q", got)
		}
	})
}

func TestLook(t *testing.T) {
	server := newServer(t)
	quoted := asJSON(server.Command, "")
	for name, tc := range map[string]struct {
		text   string
		state  State
		ours   []bool
		beside string
	}{
		"finds nothing in an empty file":               {"", Present, nil, ""},
		"finds an entry of ours under any name":        {`{"mcpServers":{"graph":{"command":` + quoted + `,"args":["serve"]}}}`, Configured, []bool{true}, ""},
		"finds a program that is gone":                 {`{"mcpServers":{"roam":{"command":"/gone/roam-mcp","args":["serve"]}}}`, BinaryGone, []bool{true}, ""},
		"finds a command and arguments in one":         {`{"mcpServers":{"roam":{"command":"/gone/roam-mcp serve","args":[]}}}`, BinaryGone, []bool{true}, ""},
		"finds one that works beside one that is gone": {`{"mcpServers":{"roam":{"command":"/gone/roam-mcp","args":["serve"]},"b":{"command":` + quoted + `,"args":["serve"]}}}`, Configured, []bool{true, true}, ""},
		"finds another program under our name":         {`{"mcpServers":{"roam":{"command":"other"}}}`, OtherServer, []bool{false}, ""},
		"tells the official server from ours":          {`{"mcpServers":{"roam-official":{"command":"npx","args":["-y","@roam-research/roam-mcp"]}}}`, Present, nil, "roam-official"},
		"tells the official server by its file":        {`{"mcpServers":{"r":{"command":"/usr/bin/roam-mcp"},"n":{"command":"node","args":["/x/roam-mcp"]}}}`, Present, nil, "r n"},
		"finds the official server under our name":     {`{"mcpServers":{"roam":{"command":"npx","args":["@roam-research/roam-mcp@1"]}}}`, OtherServer, []bool{false}, "roam"},
		"leaves a broken file alone":                   {`{"mcpServers":{`, Unreadable, nil, ""},
		"leaves a file of another form alone":          {`[1]`, Unreadable, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, c := newMachine(t, linux), find(t, "cursor")
			write(t, filepath.Join(m.Home, ".cursor", "mcp.json"), tc.text)
			s := m.Look(c)
			var ours []bool
			for _, e := range s.Entries {
				ours = append(ours, e.Ours)
			}
			if s.State != tc.state || !slices.Equal(ours, tc.ours) || strings.Join(s.Beside, " ") != tc.beside || (s.Err != nil) != (tc.state == Unreadable) {
				t.Errorf("%v %+v %v %v", s.State, s.Entries, s.Beside, s.Err)
			}
			if e, ok := problem.As(s.Err); s.Err != nil && (!ok || !strings.Contains(e.Message, filepath.Join("~", ".cursor", "mcp.json")) || e.Hint.IsZero()) {
				t.Errorf("the error is %v", s.Err)
			}
		})
	}
	t.Run("finds this program whatever it is called", func(t *testing.T) {
		m, c := newMachine(t, linux), find(t, "cursor")
		m.Program = newProgram(t, "my-roam", "")
		install(t, m, c, Server{Name: "x", Command: m.Program, Args: []string{"serve"}})
		if s := m.Look(c); s.State != Configured {
			t.Errorf("%v", s.State)
		}
	})
	t.Run("finds a client by its program alone", func(t *testing.T) {
		m := newMachine(t, linux)
		m.LookPath = func(file string) (string, error) {
			if file == "codex" {
				return "/usr/bin/codex", nil
			}
			return "", errors.New("none")
		}
		here := 0
		for _, s := range m.LookAll() {
			if s.State != Absent {
				here++
			}
		}
		if m.Look(find(t, "codex")).State != Present || here != 1 {
			t.Errorf("%d clients are here", here)
		}
	})
	t.Run("reads entries in a project folder", func(t *testing.T) {
		m, c := newMachine(t, linux), find(t, "claude-code")
		m.Folder = t.TempDir()
		p, err := m.PlanInstall(c, server, Options{Project: true})
		require.NoError(t, err)
		require.NoError(t, m.Apply(t.Context(), p))
		if s := m.Look(c); s.State != Configured || s.File != filepath.Join(m.Folder, ".mcp.json") || p.File != s.File {
			t.Errorf("%v in %s", s.State, s.File)
		}
		if _, err := m.PlanInstall(find(t, "claude-desktop"), server, Options{Project: true}); problem.CodeOf(err) != CodeNoProjectFile {
			t.Errorf("%v", err)
		}
	})
}

func TestWhichFileIsEdited(t *testing.T) {
	for name, tc := range map[string]struct {
		goos, client string
		present      []string // ending in / for a folder
		env          map[string]string
		want         string
	}{
		"a newer file before an older one":                 {linux, "opencode", []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}, nil, ".config/opencode/opencode.jsonc"},
		"an older one that is there":                       {linux, "opencode", []string{".config/opencode/opencode.json"}, nil, ".config/opencode/opencode.json"},
		"one whose folder is there":                        {linux, "windsurf", []string{".codeium/windsurf/"}, nil, ".codeium/windsurf/mcp_config.json"},
		"the folder of a variable":                         {linux, "codex", []string{".codex/"}, map[string]string{"CODEX_HOME": "/elsewhere"}, "/elsewhere/config.toml"},
		"the folders of XDG":                               {linux, "goose", nil, map[string]string{"XDG_CONFIG_HOME": "/cfg"}, "/cfg/goose/config.yaml"},
		"the variable within a variable":                   {linux, "amp", nil, map[string]string{"XDG_CONFIG_HOME": "/cfg"}, "/cfg/amp/settings.json"},
		"Zed's own on macOS":                               {mac, "zed", []string{"Library/Application Support/Zed/"}, nil, ".config/zed/settings.json"},
		"the other one of Zed if it alone is there":        {mac, "zed", []string{"Library/Application Support/Zed/settings.json"}, nil, "Library/Application Support/Zed/settings.json"},
		"the Store's copy of Claude Desktop's":             {windows, "claude-desktop", []string{"AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/"}, nil, "AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json"},
		"what the Store's Claude Desktop reads until then": {windows, "claude-desktop", []string{"AppData/Local/Packages/Claude_pzs8sxrjxfjjc/", "AppData/Roaming/Claude/claude_desktop_config.json"}, nil, "AppData/Roaming/Claude/claude_desktop_config.json"},
		"a file of its own beside Continue's old one":      {linux, "continue", []string{".continue/config.json"}, nil, ".continue/mcpServers/roam-mcp.yaml"},
		"Continue's configuration":                         {linux, "continue", []string{".continue/config.yaml"}, nil, ".continue/config.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, tc.goos)
			m.Getenv = func(name string) string { return tc.env[name] }
			for _, p := range tc.present {
				if strings.HasSuffix(p, "/") {
					require.NoError(t, os.MkdirAll(filepath.Join(m.Home, p), 0o700))
				} else {
					write(t, filepath.Join(m.Home, p), "")
				}
			}
			want := filepath.FromSlash(tc.want)
			if !strings.HasPrefix(tc.want, "/") {
				want = filepath.Join(m.Home, want)
			}
			if got := m.Look(find(t, tc.client)).File; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

func TestNewerPlacesOfServers(t *testing.T) {
	server := newServer(t)
	for name, tc := range map[string]struct{ client, file, text, want string }{
		"opencode's older map":                     {"opencode", ".config/opencode/opencode.json", `{"mcp": {"a": {"type": "local", "command": ["x"]}}}`, `"enabled": true`},
		"opencode's newer map, without a switch":   {"opencode", ".config/opencode/opencode.json", `{"mcp": {"servers": {"a": {"type": "local", "command": ["x"]}}}}`, `{"mcp": {"servers": {"a"`},
		"Warp's servers without a key around them": {"warp", ".warp/.mcp.json", `{"a": {"command": "x"}}`, `{"a": {"command": "x"}, "roam"`},
	} {
		t.Run(name, func(t *testing.T) {
			m, c := newMachine(t, linux), find(t, tc.client)
			file := filepath.Join(m.Home, filepath.FromSlash(tc.file))
			write(t, file, tc.text)
			install(t, m, c, server)
			if got := content(t, file); !strings.Contains(got, tc.want) || strings.Contains(tc.text, "servers") && strings.Contains(got, "enabled") || m.Look(c).State != Configured {
				t.Errorf("%v %s", m.Look(c).State, got)
			}
			if remove(t, m, c); content(t, file) != tc.text {
				t.Errorf("%s", content(t, file))
			}
		})
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

func TestAFileThatDoesNotParseIsLeftAlone(t *testing.T) {
	m, c := newMachine(t, linux), find(t, "zed")
	file := filepath.Join(m.Home, ".config", "zed", "settings.json")
	write(t, file, "{\n  \"theme\": \n}")
	p, err := m.PlanInstall(c, newServer(t), Options{})
	if e, ok := problem.As(err); !ok || e.Place == nil || e.Place.Path != file || e.Place.Line == 0 {
		t.Errorf("%v", err)
	}
	if p.Way != ByText || p.File != "" || !strings.Contains(p.Text, "context_servers") {
		t.Errorf("%+v", p)
	}
	if err := m.Apply(t.Context(), p); !errors.Is(err, ErrByHand) {
		t.Errorf("%v", err)
	}
	if _, err := m.PlanRemove(c, "", Options{}); err == nil {
		t.Error("it is planned to take something out")
	}
	if got := content(t, file); got != "{\n  \"theme\": \n}" {
		t.Errorf("it holds %q", got)
	}
}

func TestRemovalLeavesWhatIsNotOurs(t *testing.T) {
	m, c := newMachine(t, linux), find(t, "cursor")
	file := filepath.Join(m.Home, ".cursor", "mcp.json")
	write(t, file, `{"mcpServers":{"roam":{"command":"npx","args":["secret-argument"]}}}`)
	_, err := m.PlanRemove(c, "roam", Options{})
	if problem.CodeOf(err) != CodeNotOurs || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"", "none"} {
		if p, err := m.PlanRemove(c, name, Options{}); err != nil || !p.Unchanged {
			t.Errorf("%v %+v", err, p)
		}
	}
	p, err := m.PlanInstall(c, newServer(t), Options{})
	if err != nil || !strings.Contains(p.Note, "npx") || strings.Contains(p.Note, "secret") {
		t.Errorf("%v %q", err, p.Note)
	}
}

func TestApply(t *testing.T) {
	server := newServer(t)
	t.Run("refuses a file that has changed since", func(t *testing.T) {
		m, c := newMachine(t, linux), find(t, "cursor")
		file := filepath.Join(m.Home, ".cursor", "mcp.json")
		for _, before := range []string{"none", "{}"} {
			if before != "none" {
				write(t, file, before)
			}
			p, err := m.PlanInstall(c, server, Options{})
			require.NoError(t, err)
			write(t, file, `{"a": 1}`)
			if err := m.Apply(t.Context(), p); !errors.Is(err, ErrChanged) || problem.CodeOf(err) != CodeFileChanged {
				t.Errorf("%v", err)
			}
			if got := content(t, file); got != `{"a": 1}` || there(file+BackupSuffix) {
				t.Errorf("it holds %s", got)
			}
		}
	})
	t.Run("keeps the mode and the links of a file", func(t *testing.T) {
		if runtime.GOOS == windows {
			t.Skip("links and modes are those of Unix")
		}
		m, c := newMachine(t, linux), find(t, "cursor")
		file, real := filepath.Join(m.Home, ".cursor", "mcp.json"), filepath.Join(t.TempDir(), "dotfiles.json")
		write(t, real, `{"a": "b"}`)
		require.NoError(t, os.Chmod(real, 0o644))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.Symlink(real, file))
		p := install(t, m, c, server)
		info, err := os.Lstat(file)
		require.NoError(t, err)
		target, err := os.Stat(real)
		require.NoError(t, err)
		backup, err := os.Stat(p.Backup)
		require.NoError(t, err)
		if info.Mode()&os.ModeSymlink == 0 || target.Mode().Perm() != 0o644 || backup.Mode().Perm() != 0o644 || !bytes.Equal(p.After, []byte(content(t, real))) {
			t.Errorf("%v %v %v", info.Mode(), target.Mode(), backup.Mode())
		}
		remove(t, m, c)
		if content(t, real) != `{"a": "b"}` {
			t.Errorf("%s", content(t, real))
		}
		require.NoError(t, os.Chmod(real, 0o444))
		p, err = m.PlanInstall(c, server, Options{})
		require.NoError(t, err)
		if err := m.Apply(t.Context(), p); problem.CodeOf(err) != CodeFileNotKept {
			t.Errorf("a read-only file: %v", err)
		}
	})
	t.Run("takes away what it made at the end of a link", func(t *testing.T) {
		if runtime.GOOS == windows {
			t.Skip("links are those of Unix")
		}
		m, c := newMachine(t, linux), find(t, "cursor")
		link, real := filepath.Join(m.Home, ".cursor", "mcp.json"), filepath.Join(t.TempDir(), "later.json")
		require.NoError(t, os.MkdirAll(filepath.Dir(link), 0o700))
		require.NoError(t, os.Symlink(real, link))
		install(t, m, c, server)
		if m.Look(c).State != Configured || !there(real) {
			t.Fatalf("%v", m.Look(c).State)
		}
		remove(t, m, c)
		if _, err := os.Lstat(link); err != nil || there(real) {
			t.Errorf("%v", err)
		}
	})
	t.Run("leaves no file behind but those it should", func(t *testing.T) {
		m, c := newMachine(t, linux), find(t, "cursor")
		write(t, filepath.Join(m.Home, ".cursor", "mcp.json"), "{}")
		write(t, filepath.Join(m.Home, ".cursor", "mcp.json.123.tmp"), "what a killed program left")
		install(t, m, c, server)
		remove(t, m, c)
		entries, err := os.ReadDir(filepath.Join(m.Home, ".cursor"))
		if err != nil || len(entries) != 1 {
			t.Errorf("%v %v", err, entries)
		}
	})
}
