package clients

// Snippet is one way of telling a client about a server by hand.
type Snippet struct {
	Client string // "Claude Code", or the clients that share the form
	Where  string // the file it goes into; empty: a command to run
	Text   string // what to paste
}

// Snippets lists the ways for the clients that most people use, first the one that is a
// single command.
func Snippets(s Server) []Snippet { return nil }

// HTTPSnippets lists the ways for a server that is reached over HTTP: its address, and
// the file that holds the token. The token itself is in no text and in no command's
// arguments, which every user of the machine can see: Claude Code has a shell read it
// whenever it connects; elsewhere a person puts it in.
func HTTPSnippets(name, url, tokenPath string) []Snippet { return nil }
