package clients

import (
	"bytes"
	"encoding/json"
	"strings"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// Snippet is one way of telling a client about a server by hand.
type Snippet struct {
	Client string // "Claude Code", or the clients that share the form
	Where  string // the file it goes into; empty: a command to run
	Text   string // what to paste
}

// HTTPSnippets lists the ways for a server that is reached over HTTP: its address, and
// the file that holds the token. The token itself is in no text and in no command's
// arguments, which every user of the machine can see: Claude Code has a shell read it
// whenever it connects; elsewhere a person puts it in.
func HTTPSnippets(name, url, tokenPath string) []Snippet {
	entry := entryFields{
		{Key: "type", Value: "http"}, {Key: "url", Value: url},
		// printf is the shell's own: no process has the token as an argument.
		{Key: "headersHelper", Value: `printf '{"Authorization":"Bearer %s"}' "$(cat ` + shellPath(tokenPath) + `)"`},
	}
	others := map[string]any{name: map[string]any{"type": "http", "url": url, "headers": map[string]string{"Authorization": "Bearer TOKEN"}}}
	var shown bytes.Buffer
	_ = json.Indent(&shown, rawjson.Encode(others), "", "  ") // it is JSON
	return []Snippet{
		{Client: "Claude Code", Text: problem.POSIX.Join("claude", "mcp", "add-json", "--scope", "user", name, entryJSON(entry))},
		{Client: "Cursor, VS Code and most others", Where: "an entry among its servers, with the token for TOKEN", Text: shown.String()},
		{Client: "The token", Text: "cat " + shellPath(tokenPath)},
	}
}

// shellPath quotes a path for a POSIX shell, which still expands a leading ~.
func shellPath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return "~/" + problem.POSIX.Quote(rest)
	}
	return problem.POSIX.Quote(path)
}
