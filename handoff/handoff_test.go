package handoff

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSnippetsKeepCommandAndArgumentsApart(t *testing.T) {
	server := Server{Name: "roam", Command: "/opt/my tools/roam-mcp", Args: []string{"serve"}}
	for _, snippet := range Snippets(server) {
		if snippet.Where == "" {
			if !strings.HasSuffix(snippet.Text, "-- '/opt/my tools/roam-mcp' serve") {
				t.Errorf("%s: the path with a space is not quoted: %s", snippet.Client, snippet.Text)
			}
			continue
		}
		var file map[string]map[string]struct {
			Command string
			Args    []string
		}
		if err := json.Unmarshal([]byte(snippet.Text), &file); err != nil {
			t.Fatalf("%s: not JSON: %v\n%s", snippet.Client, err, snippet.Text)
		}
		for key, servers := range file {
			entry := servers["roam"]
			if entry.Command != server.Command || len(entry.Args) != 1 || entry.Args[0] != "serve" {
				t.Errorf("%s: %s.roam is %+v", snippet.Client, key, entry)
			}
		}
	}
}

func TestAQuoteInAPathSurvivesTheShell(t *testing.T) {
	for word, want := range map[string]string{
		"plain":   "plain",
		"":        "''",
		"it's":    `'it'\''s'`,
		"a$b":     `'a$b'`,
		"/usr/b:": "/usr/b:",
	} {
		if got := shellQuote(word); got != want {
			t.Errorf("shellQuote(%q) = %s, want %s", word, got, want)
		}
	}
}
