package clients

import (
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
)

// FuzzPlan plans in files that hold any text: what can't be read is left alone, and what
// can has an entry of ours afterwards.
func FuzzPlan(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"mcpServers": {"a": {"command": "x", "env": {"K": "v"}}}} // why`, "[mcp_servers.a]\ncommand = 'x'\nargs = [\"a\", 'b,']\n",
		`{"mcp": {"a": {"command": ["x", 1, null], "enabled": false}}}`, `{"mcpServers": {"roam": 1, "x": {"command": {}, "args": "y", "env": []}}}`,
	} {
		f.Add(text)
	}
	server := Server{Name: "roam", Command: "/usr/local/bin/roam-mcp", Args: []string{"serve"}}
	f.Fuzz(func(t *testing.T, text string) {
		m := newMachine(t, linux)
		for _, name := range []string{"cursor", "codex", "opencode", "warp"} {
			c := find(t, name)
			at, _, _, err := m.servers(c, []byte(text))
			if err != nil {
				continue
			}
			after, err := m.put([]byte(text), at, server, false)
			if err != nil {
				continue
			}
			if _, entries, _, err := m.servers(c, after); err != nil || len(entries) == 0 {
				t.Fatalf("%s: %v, %v of %q", name, err, entries, after)
			}
		}
	})
}

// FuzzDiff puts a secret into files as the value of another server, and looks for it in
// what is shown.
func FuzzDiff(f *testing.F) {
	for _, secret := range []string{"s3cret", "two words", "4711-4712", `quoted " and \ and '`, "a: b", "x = y", "[a, b]", "# none", "// none", "ünï\ncode", "- x", "---", "{1234}"} {
		f.Add(secret)
	}
	forms := map[string][]string{
		"cursor": {`{"mcpServers": {"a": {"command": SECRET}}}`, "{\n \"mcpServers\": {\n  \"a\": {\n   \"args\": [\n    \"x\", SECRET,\n    SECRET\n   ]\n  }\n }\n}"},
		"codex":  {"[mcp_servers.a]\nargs = [SECRET, \"x\", SECRET]\n", "[mcp_servers.a]\nenv = {K = SECRET}\ncommand = SECRET # why"},
	}
	f.Fuzz(func(t *testing.T, secret string) {
		quoted := string(rawjson.Encode(secret))
		inner := quoted[1 : len(quoted)-1]
		if len(strings.Trim(inner, " \t[]{},:=#/\\-.\"'_")) < 4 {
			return
		}
		m := newMachine(t, linux)
		for name, texts := range forms {
			c := find(t, name)
			for _, form := range texts {
				got, ok := shown(t, m, c, strings.ReplaceAll(form, "SECRET", quoted))
				without, _ := shown(t, m, c, strings.ReplaceAll(form, "SECRET", `"-"`)) // has what is shown of any file
				if ok && strings.Contains(got, inner) && !strings.Contains(without, inner) {
					t.Fatalf("%s: %q is shown in\n%s", name, inner, got)
				}
			}
		}
	})
}

// shown returns the diff that puts an entry of ours into a file, false where it can't be
// read.
func shown(t *testing.T, m Machine, c Client, text string) (string, bool) {
	t.Helper()
	server, at := Server{Name: "roam", Command: "/usr/local/bin/roam-mcp", Args: []string{"serve"}}, c.servers[0]
	after, err := m.put([]byte(text), at, server, false)
	p := Plan{Client: c, Way: ByFile, File: filepath.Join(m.Home, "file"), Before: []byte(text), After: after, home: m.Home, shown: append(textsOf(at.entry.of(server)), server.Name)}
	return p.Diff(), err == nil
}
