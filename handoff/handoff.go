// Package handoff knows how MCP clients are told about roam-mcp: what a person
// pastes, and into which file or command.
//
// It promises texts that work as they stand, with command and arguments kept
// apart and an absolute path, since desktop clients start with a bare PATH. It
// knows nothing of graphs and tokens: no secret ever goes into a client's file.
package handoff

import (
	"encoding/json"
	"strings"
)

// Server is how a client starts the MCP server.
type Server struct {
	Name    string // the server's name in the client, "roam"
	Command string // absolute path of the binary
	Args    []string
}

// Snippet is one way of telling a client about a server.
type Snippet struct {
	Client string // "Claude Code", or the clients that share the form
	Where  string // the file it goes into, or "" for a command to run
	Text   string // what to paste
}

// Snippets lists the ways for the clients that most people use, first the one
// that is a single command. CLIENTS.md section 5 has the facts.
func Snippets(server Server) []Snippet {
	return []Snippet{
		{Client: "Claude Code", Text: server.commandLine("claude", "mcp", "add", "--scope", "user", server.Name, "--")},
		{Client: "Codex", Text: server.commandLine("codex", "mcp", "add", server.Name, "--")},
		{
			Client: "Claude Desktop, Cursor and most others",
			Where:  "claude_desktop_config.json, ~/.cursor/mcp.json, …",
			Text:   jsonEntry("mcpServers", server, false),
		},
		{Client: "VS Code", Where: "mcp.json of your user profile", Text: jsonEntry("servers", server, true)},
	}
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
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	// Strings only: this can't fail.
	_ = encoder.Encode(map[string]map[string]entry{key: {server.Name: value}})
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
