package clients

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/require"
)

func TestLook(t *testing.T) {
	server := newServer(t)
	quoted := string(rawjson.Encode(server.Command))
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
		"finds a copy with a version in its name":      {`{"mcpServers":{"graph":{"command":"/gone/roam-mcp-0.1","args":["serve"]}}}`, BinaryGone, []bool{true}, ""},
		"finds a copy with a system in its name":       {`{"mcpServers":{"graph":{"command":"C:\\gone\\roam-mcp_1.2.3_windows.exe","args":["serve"]}}}`, BinaryGone, []bool{true}, ""},
		"finds a copy by an entry as it is written":    {`{"mcpServers":{"roam-notes":{"command":"/gone/roam-mcp-old","args":["serve","--profile","notes"]}}}`, BinaryGone, []bool{true}, ""},
		"takes none for a copy by its file alone":      {`{"mcpServers":{"roam":{"command":"/gone/roam-mcp-proxy","args":["serve","--port","1"]}}}`, OtherServer, []bool{false}, ""},
		"takes none for a copy that does not serve":    {`{"mcpServers":{"roam":{"command":"/gone/roam-mcp-0.1"}}}`, OtherServer, []bool{false}, ""},
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

func TestAFileThatTheClientItselfRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		client, text string
		refused      bool
	}{
		"a trailing comma":                  {"claude-desktop", `{"mcpServers": {"other": {"command": "x"},}}`, true},
		"a comment":                         {"claude-desktop", "// mine\n{}", true},
		"a byte order mark is none of that": {"claude-desktop", "\xEF\xBB\xBF{}", false},
		"nor is an empty file":              {"claude-desktop", "", false},
		"nor does every client refuse it":   {"cursor", `{"mcpServers": {},}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, linux)
			c, _ := Find(tc.client)
			write(t, m.Look(c).File, tc.text)
			if got := m.Look(c).Refused; (got != nil) != tc.refused {
				t.Errorf("Look says %v", got)
			}
			p, err := m.PlanInstall(c, newServer(t), Options{})
			if e, ok := problem.As(err); tc.refused && (!ok || e.Place.Line != 1 || p.After != nil || p.Text == "") || !tc.refused && err != nil {
				t.Errorf("the plan is %+v, %v", p, err)
			}
		})
	}
}
