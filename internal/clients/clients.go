// Package clients knows the MCP clients of this machine: where each keeps its servers,
// what an entry of roam-mcp looks like there, how it is put in and taken out, and how the
// client starts it.
//
// It promises that a client's file holds the old content or the new one at any moment,
// that everything in it but the entry of roam-mcp stays as it was, that a file it can't
// read is left alone, and that no secret is written anywhere. It never starts a client,
// except for its command line where a plan says so. It knows nothing of graphs and tokens,
// and does not start the server of an entry: it says how that is done (Launch).
package clients

import (
	"slices"
	"strings"

	"roam-mcp/internal/textsafe"
)

// Client is an MCP client. What is exported is for people; the rest of the table says
// where its files are, what an entry looks like, and how the client starts it.
type Client struct {
	ID         string   // what commands take: "claude-code"
	Aliases    []string // other names that commands take
	Name       string   // "Claude Code"
	Infos      []string // what it calls itself in clientInfo.name, as far as known
	AfterWrite string   // what a person does for an entry to take effect: "Restart Claude Desktop."; empty: nothing
	Ask        string   // the next thing to do: "Ask Claude: what is in my graph?"

	here     []path      // folders or files that are there where the client is
	programs []string    // programs of which one is found where the client is
	files    []path      // the user's files, of which the first one that is there is edited
	paste    bool        // none of them is edited: a person pastes the entry
	project  []string    // the files in a project folder, likewise, with slashes
	servers  []place     // where the servers stand in a file: the first place, unless a later one has some already
	add      []string    // its own command line that puts an entry in, as template; nil: its file is edited
	remove   []string    // the one that takes it out
	script   []path      // files of commands, where one is there a line is pasted into it and no file is edited
	line     []string    // that line, or a command for a client without a file, as template
	link     string      // address that asks the client to take the entry up, as template
	where    string      // where a text is pasted into a client without a file
	desktop  bool        // it is started by the desktop, and does not ask a shell for its environment
	env      environment // what of its environment it gives to servers
	strict   bool        // a comment or a trailing comma in its file makes it start no server, without a word
}

// All returns every client of the table, the most used first.
func All() []Client { return table() }

// HasProjectFile reports whether the client reads servers from a project folder.
func (c Client) HasProjectFile() bool { return len(c.project) > 0 }

// IsPasted reports whether the client's file is left to a person, who pastes the entry.
func (c Client) IsPasted() bool { return c.paste }

// Find returns the client with an ID, an alias or a name, without regard to case.
func Find(name string) (Client, bool) {
	for _, client := range All() {
		same := func(other string) bool { return strings.EqualFold(other, name) }
		if same(client.ID) || same(client.Name) || slices.ContainsFunc(client.Aliases, same) {
			return client, true
		}
	}
	return Client{}, false
}

// Suggest returns the ID of the client that a mistyped name most likely means, empty
// where none is near.
func Suggest(name string) string {
	var names []string
	for _, client := range All() {
		names = append(append(names, client.ID, client.Name), client.Aliases...)
	}
	meant, _ := Find(textsafe.Closest(name, names))
	return meant.ID
}

// Choice is what a client is to be given. The zero Choice is everything that is enabled,
// in the profile that is served where none is named.
type Choice struct {
	Profile  string   // empty: the default one
	Graphs   []string // nicknames of the graphs that are served alone; empty: every enabled one
	ReadOnly bool
	Toolsets []string // empty: those of the configuration
	// APIVersion is the version of the Local API that Roam has, where that is not the one
	// that this program is made for; empty: that one.
	APIVersion string
}

// Server is how a client starts roam-mcp.
type Server struct {
	Name    string // of the entry: "roam"
	Command string // absolute path of the program, as the user called it
	Args    []string
}

// With returns the server as it is started for a choice. Its name ends in the profile, so
// that entries of several profiles can stand side by side.
func (s Server) With(c Choice) Server {
	s.Args = slices.Clone(s.Args)
	if c.Profile != "" {
		s.Name += "-" + c.Profile
		s.Args = append(s.Args, "--profile", c.Profile)
	}
	for _, nickname := range c.Graphs {
		s.Args = append(s.Args, "--graph", nickname)
	}
	if c.ReadOnly {
		s.Args = append(s.Args, "--read-only")
	}
	if len(c.Toolsets) > 0 {
		s.Args = append(s.Args, "--toolsets", strings.Join(c.Toolsets, ","))
	}
	if c.APIVersion != "" {
		s.Args = append(s.Args, "--api-version", c.APIVersion)
	}
	return s
}
