package clients

import (
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestDiff(t *testing.T) {
	server := Server{Name: "roam", Command: "/usr/local/bin/roam-mcp", Args: []string{"serve"}}
	for name, tc := range map[string]struct{ client, file, text, want string }{
		"shows a new file whole": {"cursor", ".cursor/mcp.json", "none", `--- /dev/null
+++ ~/.cursor/mcp.json
@@ -0,0 +1,8 @@
+{
+  "mcpServers": {
+    "roam": {
+      "command": "/usr/local/bin/roam-mcp",
+      "args": ["serve"]
+    }
+  }
+}
`},
		"masks what other servers have, and comments": {"cursor", ".cursor/mcp.json", `{
  "mcpServers": {
    "github": {
      "command": "npx", // s3cret
      "args": ["--token", "s3cret", 12345],
      "env": {"TOKEN": "s3cret\"s3cret"}
    }
  }
}
`, `"env": {"TOKEN": "…"}`},
		"masks a file of one line": {"cursor", ".cursor/mcp.json", `{"mcpServers":{"github":{"command":"npx","env":{"TOKEN":"s3cret"},"on":true}}}`, `-{"mcpServers":{"github":{"command":"…","env":{"TOKEN":"…"},"on":true}}}`},
		"masks TOML": {"codex", ".codex/config.toml", `model = "s3cret" # s3cret
[mcp_servers.github]
command = "npx"
args = ["-y", "s3cret"]
env = { TOKEN = "s3cret" }
n = 4711
`, " args = [\"…\", \"…\"]\n env = { … … \"…\" }\n n = …\n"},
		"masks the lines of a text in TOML": {"codex", ".codex/config.toml", "a = \"\"\"\ns3cret\n\"\"\"\n", " a = \"\"\"\n …\n \"\"\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			m, c := newMachine(t, linux), find(t, tc.client)
			file := filepath.Join(m.Home, filepath.FromSlash(tc.file))
			if tc.text != "none" {
				write(t, file, tc.text)
			}
			p, err := m.PlanInstall(c, server, Options{})
			require.NoError(t, err)
			got := filepath.ToSlash(p.Diff())
			leaked := strings.Contains(strings.ReplaceAll(got, "s3cret: ", ""), "s3cret") || strings.Contains(got, "4711") || strings.Contains(got, "12345")
			if !strings.Contains(got, tc.want) || leaked || !strings.Contains(got, server.Command) {
				t.Errorf("got\n%s\nwhich should have\n%s", got, tc.want)
			}
			if tc.text == "none" {
				return
			}
			write(t, file, string(p.After))
			out, err := m.PlanRemove(c, "", Options{})
			require.NoError(t, err)
			got = out.Diff()
			if strings.Contains(strings.ReplaceAll(got, "s3cret: ", ""), "s3cret") || !strings.Contains(got, server.Command) || strings.Contains(got, "4711") {
				t.Errorf("taken out:\n%s", got)
			}
		})
	}
}
