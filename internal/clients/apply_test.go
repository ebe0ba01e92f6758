package clients

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

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

// A copy that is not known as ours was replaced as another server, with a backup that has it.
func TestUninstallBringsNoEntryOfOursBack(t *testing.T) {
	m, c := newMachine(t, linux), find(t, "cursor")
	file := filepath.Join(m.Home, ".cursor", "mcp.json")
	install(t, m, c, newServer(t))
	write(t, file+BackupSuffix, `{"mcpServers": {"roam": {"command": "/old/roam-mcp-0.1", "args": ["serve"]}}}`)
	remove(t, m, c)
	if s := m.Look(c); s.State == OtherServer || len(s.Entries) > 0 || there(file+BackupSuffix) {
		t.Errorf("%v %+v", s.State, s.Entries)
	}
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
