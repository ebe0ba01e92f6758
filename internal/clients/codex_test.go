package clients

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/txtar"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
)

// fakeCodexHow names the variable with which the test binary is "codex", and says how it keeps the
// file: "appending", or "anew" as Codex 0.171 keeps it, which drops comments and turns CRLF into LF.
const fakeCodexHow = "CLIENTS_TEST_CODEX"

// TestFakeCodex is run as "codex mcp add NAME -- COMMAND ARG…" and "codex mcp remove NAME".
func TestFakeCodex(t *testing.T) {
	how := os.Getenv(fakeCodexHow)
	if how == "" {
		t.Skip("it is for a child of TestCodexFiles")
	}
	file := filepath.Join(os.Getenv("CODEX_HOME"), "config.toml")
	text, err := os.ReadFile(file)
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(t, err)
	}
	args := os.Args[slices.Index(os.Args, "mcp"):]
	at := codexTable()[0].at(args[2])
	if how == "appending" && args[1] == "add" {
		text = append(bytes.TrimRight(text, "\r\n"), "\n\n"+tomlTable(at, entryFields{{"command", args[4]}, {"args", args[5:]}})...)
	} else if how == "appending" {
		text = []byte(cutTOML(string(text), at))
	} else {
		var root map[string]any
		require.NoError(t, toml.Unmarshal(text, &root))
		servers := maps.Clone(mapOf(root["mcp_servers"]))
		if servers == nil {
			servers = map[string]any{}
		}
		if delete(servers, args[2]); args[1] == "add" {
			servers[args[2]] = map[string]any{"command": args[4], "args": args[5:]}
		}
		if root == nil {
			root = map[string]any{}
		}
		root["mcp_servers"] = servers
		text, err = toml.Marshal(root)
		require.NoError(t, err)
	}
	require.NoError(t, os.WriteFile(file, text, 0o600))
}

// isRealCodex reports whether the command is a real one, which may have its table elsewhere.
func isRealCodex() bool { return os.Getenv("ROAM_MCP_CODEX") != "" }

// withCodex returns a machine with a file of Codex, and with "codex": the one of ROAM_MCP_CODEX,
// which is a real one, or the fake. Without how there is none.
func withCodex(t *testing.T, text, how string) (Machine, string) {
	t.Helper()
	m := newMachine(t, linux)
	m.Program = "/opt/roam-mcp"
	folder := filepath.Join(m.Home, ".codex")
	m.Getenv = func(name string) string { return map[string]string{"CODEX_HOME": folder}[name] }
	program := os.Getenv("ROAM_MCP_CODEX")
	if how != "" && program == "" {
		own, err := os.Executable()
		require.NoError(t, err)
		program = newProgram(t, "codex", fmt.Sprintf("#!/bin/sh\n%s=%s exec '%s' -test.run '^TestFakeCodex$' \"$@\"\n", fakeCodexHow, how, own))
	}
	m.LookPath = func(file string) (string, error) {
		if file == "codex" && how != "" {
			return program, nil
		}
		return "", errors.New("none")
	}
	write(t, filepath.Join(folder, "config.toml"), text)
	return m, filepath.Join(folder, "config.toml")
}

// TestCodexFiles puts an entry into each file of testdata, by the lines of its table and by Codex's
// own command, and takes it out. A section "NAME: put" holds what comes of the file, "NAME: removed"
// what is left where that is not the file, "NAME: refused" the error with what is offered for
// pasting, which must be valid where it goes. The same must come of the file with CRLF.
func TestCodexFiles(t *testing.T) {
	if runtime.GOOS == windows {
		t.Skip("the program is a shell script")
	}
	path := filepath.Join("testdata", "codex.txtar")
	archive, err := txtar.ParseFile(path)
	require.NoError(t, err)
	made := &txtar.Archive{Comment: archive.Comment}
	edited := 0
	for _, f := range archive.Files {
		if strings.Contains(f.Name, ": ") {
			continue
		}
		made.Files = append(made.Files, f)
		var sections []txtar.File
		t.Run(f.Name, func(t *testing.T) {
			sections = codexFile(t, f.Name, string(f.Data), "")
			if strings.HasSuffix(sections[0].Name, "put") {
				edited++
			}
			for _, how := range []string{"appending", "anew"} {
				t.Run("by a command that keeps it "+how, func(t *testing.T) {
					got := codexFile(t, f.Name, string(f.Data), how)
					if !isRealCodex() && !reflect.DeepEqual(got, sections) {
						t.Errorf("got\n%s", txtar.Format(&txtar.Archive{Files: got}))
					}
				})
			}
			for _, how := range []string{"", "anew"} {
				t.Run("with CRLF "+how, func(t *testing.T) {
					got := codexFile(t, f.Name, strings.ReplaceAll(string(f.Data), "\n", "\r\n"), how)
					for i := range got {
						if strings.HasSuffix(got[i].Name, "refused") || string(got[i].Data) == "(the same)\n" || len(got[i].Data) == 0 {
							continue
						}
						if bytes.Count(got[i].Data, []byte("\n")) != bytes.Count(got[i].Data, []byte("\r\n")) {
							t.Errorf("some lines end with LF:\n%q", got[i].Data)
						}
						got[i].Data = bytes.ReplaceAll(got[i].Data, []byte("\r\n"), []byte("\n"))
					}
					if !reflect.DeepEqual(got, sections) {
						t.Errorf("got\n%s", txtar.Format(&txtar.Archive{Files: got}))
					}
				})
			}
		})
		made.Files = append(made.Files, sections...)
	}
	golden.File(t, path, string(txtar.Format(made)))
	if edited < 20 || len(archive.Files) < 30 {
		t.Errorf("%d of %d files are edited", edited, len(archive.Files))
	}
}

// codexFile installs and uninstalls, and returns the sections of a file.
func codexFile(t *testing.T, name, text, how string) []txtar.File {
	t.Helper()
	if name == "no line end at the end" {
		text = strings.TrimRight(text, "\r\n")
	}
	m, file := withCodex(t, text, how)
	c, server := find(t, "codex"), Server{Name: "roam", Command: m.Program, Args: []string{"serve"}}
	_, entries, _, _ := m.servers(c, []byte(text))
	had := slices.ContainsFunc(entries, func(e Entry) bool { return e.Name == "roam" })
	p, err := m.PlanInstall(c, server, Options{})
	if err != nil {
		if content(t, file) != text || p.Way != ByText || problem.CodeOf(err) != CodeUnreadable {
			t.Errorf("%v %v", p.Way, err)
		}
		checkPasted(t, name, text, p)
		return []txtar.File{{Name: name + ": refused", Data: []byte(strings.ReplaceAll(err.Error(), m.Home, "~") + "\n--\n" + p.Where + "\n" + p.Text)}}
	}
	if byCommand := how != "" && !had; (p.Way == ByCommand) != byCommand {
		t.Errorf("it is configured by %v", p.Way)
	}
	require.NoError(t, m.Apply(t.Context(), p))
	put := content(t, file)
	checkOnlyOurs(t, text, put)
	newline := newlineOf(text)
	if added := newline + newline + strings.TrimSpace(strings.ReplaceAll(p.Text, "\n", newline)); !had && !isRealCodex() && strings.Replace(put, added, "", 1) != text {
		t.Errorf("beside %q it is\n%q, was\n%q", added, put, text)
	}
	again, err := m.PlanInstall(c, server, Options{})
	if err != nil || !again.Unchanged {
		t.Errorf("once more: %v\n%s", err, again.Diff())
	}
	sections := []txtar.File{{Name: name + ": put", Data: []byte(put)}}
	if put == text {
		sections[0].Data = []byte("(the same)\n")
	}
	out, err := m.PlanRemove(c, "roam", Options{})
	require.NoError(t, err)
	require.NoError(t, m.Apply(t.Context(), out))
	removed := content(t, file)
	if !had && removed != text {
		t.Errorf("after the removal it is\n%q, was\n%q", removed, text)
	}
	if removed != text {
		sections = append(sections, txtar.File{Name: name + ": removed", Data: []byte(removed)})
	}
	return sections
}

// checkOnlyOurs compares two files: what they say beside the entry, and, as far as both have them,
// their lines, but those of the entry's own fields.
func checkOnlyOurs(t *testing.T, before, after string) {
	t.Helper()
	if a, b := besideOurs(t, before), besideOurs(t, after); !reflect.DeepEqual(a, b) {
		t.Errorf("beside the entry it says\n%v, said\n%v", b, a)
	}
	lines := slices.Collect(strings.Lines(before))
	for line := range strings.Lines(after) {
		if ofEntry.MatchString(line) {
			continue
		}
		i := slices.Index(lines, line)
		if i < 0 {
			t.Fatalf("the line %q is new in\n%s", line, after)
		}
		lines = lines[i+1:]
	}
}

var ofEntry = regexp.MustCompile(`^(\s*|\[mcp_servers\.roam\]|command = .*|args = .*)(\r?\n)?$`)

// besideOurs returns what a file says beside the entry.
func besideOurs(t *testing.T, text string) map[string]any {
	t.Helper()
	var root map[string]any
	require.NoError(t, toml.Unmarshal([]byte(text), &root))
	servers := mapOf(root["mcp_servers"])
	if delete(servers, "roam"); len(servers) == 0 {
		delete(root, "mcp_servers")
	}
	return root
}

// checkPasted pastes what is offered where it is to go, and reads the file.
func checkPasted(t *testing.T, name, text string, p Plan) {
	t.Helper()
	if name == "not TOML" || name == "a list of servers" { // in which nothing is valid
		return
	}
	_, where, _ := strings.Cut(p.Where, ", ")
	paste, pasted := strings.TrimRight(p.Text, "\n"), ""
	switch {
	case where == "behind the { of mcp_servers":
		i := strings.Index(text, "mcp_servers = {") + len("mcp_servers = {")
		pasted = text[:i] + " " + paste + text[i:]
	case where == "in place of the entry roam":
		i := regexp.MustCompile(`(?m)(^|[ {])roam = \{`).FindStringIndex(text)
		end, depth := i[1], 1
		for ; depth > 0; end++ {
			depth += strings.Count(text[end:end+1], "{") - strings.Count(text[end:end+1], "}")
		}
		pasted = text[:i[1]-len("roam = {")] + paste + text[end:]
	default:
		t.Fatalf("it goes into %s", p.Where)
	}
	var root map[string]any
	if err := toml.Unmarshal([]byte(pasted), &root); err != nil {
		t.Fatalf("%v in\n%s", err, pasted)
	}
	want := map[string]any{"command": p.Server.Command, "args": []any{"serve"}}
	if got := mapOf(root["mcp_servers"])["roam"]; !reflect.DeepEqual(got, want) {
		t.Errorf("it says %v", got)
	}
	if a, b := besideOurs(t, text), besideOurs(t, pasted); !reflect.DeepEqual(a, b) {
		t.Errorf("beside the entry it says\n%v, said\n%v", b, a)
	}
}
