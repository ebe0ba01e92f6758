// Package handoff knows how MCP clients are told about roam-mcp: what a person
// pastes, and into which file or command.
//
// It promises texts that work as they stand, with command and arguments kept
// apart and an absolute path, since desktop clients start with a bare PATH. It
// knows nothing of graphs and tokens: no secret ever goes into a client's file.
package handoff

import (
	"encoding/json"
	"slices"
	"strings"
)

// Server is how a client starts the MCP server.
type Server struct {
	Name    string // the server's name in the client, "roam"
	Command string // absolute path of the binary
	Args    []string
}

// For returns the server as a client starts it that is given a profile, and one graph
// alone. Its name ends in the profile, so that entries of several profiles can stand side
// by side. An empty profile is the one that is served where none is named, an empty
// nickname stands for every enabled graph.
func (server Server) For(profile, nickname string) Server {
	args := slices.Clone(server.Args)
	if profile != "" {
		server.Name += "-" + profile
		args = append(args, "--profile", profile)
	}
	if nickname != "" {
		args = append(args, "--graph", nickname)
	}
	server.Args = args
	return server
}

// Snippet is one way of telling a client about a server.
type Snippet struct {
	Client string // "Claude Code", or the clients that share the form
	Where  string // the file it goes into, or "" for a command to run
	Text   string // what to paste
}

// Snippets lists the ways for the clients that most people use, first the one
// that is a single command.
func Snippets(server Server) []Snippet {
	return []Snippet{
		{Client: "Claude Code", Text: server.commandLine("claude", "mcp", "add", "--scope", "user", server.Name, "--")},
		{Client: "Codex", Text: server.commandLine("codex", "mcp", "add", server.Name, "--")},
		{
			Client: "Claude Desktop, Cursor and most others",
			Where:  "claude_desktop_config.json, ~/.cursor/mcp.json and the like",
			Text:   jsonEntry("mcpServers", server, false),
		},
		{Client: "VS Code", Where: "mcp.json of your user profile", Text: jsonEntry("servers", server, true)},
	}
}

// HTTPSnippets lists the ways for a server that is reached over HTTP: its
// address, and the file that holds the token. The token itself is in no text and
// in no command's arguments, which every user of the machine can see: Claude Code
// has a shell read it whenever it connects; elsewhere a person puts it in.
func HTTPSnippets(name, url, tokenPath string) []Snippet {
	entry := struct {
		Type          string `json:"type"`
		URL           string `json:"url"`
		HeadersHelper string `json:"headersHelper"` // printf is the shell's own: no process has the token as an argument
	}{"http", url, `printf '{"Authorization":"Bearer %s"}' "$(cat ` + shellPath(tokenPath) + `)"`}
	return []Snippet{
		{Client: "Claude Code", Text: "claude mcp add-json --scope user " + shellQuote(name) + " " + shellQuote(asJSON(entry, ""))},
		{
			Client: "Cursor, VS Code and most others",
			Where:  "an entry among its servers, with the token for TOKEN",
			Text:   indented(map[string]any{name: map[string]any{"type": "http", "url": url, "headers": map[string]string{"Authorization": "Bearer TOKEN"}}}),
		},
		{Client: "The token", Text: "cat " + shellPath(tokenPath)},
	}
}

// shellPath quotes a path for a POSIX shell, which still expands a leading ~.
func shellPath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return "~/" + shellQuote(rest)
	}
	return shellQuote(path)
}

func jsonEntry(key string, server Server, typed bool) string {
	type entry struct {
		Type    string   `json:"type,omitempty"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	value := entry{Command: server.Command, Args: server.Args}
	if typed {
		value.Type = "stdio"
	}
	return indented(map[string]map[string]entry{key: {server.Name: value}})
}

func indented(value any) string { return asJSON(value, "  ") }

// asJSON encodes a value of nothing but strings, which can't fail.
func asJSON(value any, indent string) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	_ = encoder.Encode(value)
	return strings.TrimSuffix(text.String(), "\n")
}

// commandLine puts the server behind the words before it and joins all for a
// POSIX shell, quoted where they need it.
func (server Server) commandLine(before ...string) string {
	words := append(append(before, server.Command), server.Args...)
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellQuote(word)
	}
	return strings.Join(quoted, " ")
}

func shellQuote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,~", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
