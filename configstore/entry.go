package configstore

import (
	"fmt"

	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// Version is the file format that this build reads and writes.
const Version = 1

// storable reports whether the status may stand in the file; that nobody knows
// it is said by leaving it out.
func storable(s localapi.TokenStatus) bool {
	return s == localapi.TokenActive || s == localapi.TokenRevoked
}

// Entry is one graph of the file, checked: the name is a canonical graph name,
// the type hosted or offline, the token has the form of a Local API token, the
// nickname is what NormalizeNickname returns. AccessLevel is what Roam granted,
// for showing only; it and LastKnownTokenStatus are empty where they are absent
// or unknown to this build.
type Entry struct {
	Name                 string               `json:"name"`
	Type                 localapi.GraphType   `json:"type"`
	Token                localapi.Token       `json:"token"`
	Nickname             string               `json:"nickname"`
	AccessLevel          localapi.AccessLevel `json:"accessLevel,omitempty"`
	LastKnownTokenStatus localapi.TokenStatus `json:"lastKnownTokenStatus,omitempty"`
	Disabled             bool                 `json:"disabled,omitempty"`
}

// Graph is the entry's graph as Roam names it; an empty type means hosted.
func (e Entry) Graph() localapi.Graph {
	if e.Type == "" {
		return localapi.Graph{Name: e.Name, Type: localapi.Hosted}
	}
	return localapi.Graph{Name: e.Name, Type: e.Type}
}

// Config is the file at one moment. Where the file is missing, Exists is false,
// Version is the current one and the lists are empty.
type Config struct {
	Version  int       `json:"version"`
	Exists   bool      `json:"exists"`
	Entries  []Entry   `json:"graphs"`             // the usable entries, in file order
	Problems []Problem `json:"problems,omitempty"` // in file order; those of the file as a whole come last
}

// Problem is something in the file that a person should mend but that keeps no
// other entry from working.
type Problem struct {
	Code     problem.Code `json:"code"`
	Message  string       `json:"message"` // what is the matter
	Advice   string       `json:"advice"`  // what to do
	Index    int          `json:"index"`   // place in the list of graphs, from 0; -1: the file as a whole
	Line     int          `json:"line,omitempty"`
	Graph    string       `json:"graph,omitempty"`    // the entry's name, where it can be read
	Nickname string       `json:"nickname,omitempty"` // the entry's nickname, where it can be read
}

// Enabled lists the entries that are not disabled, in file order.
func (c Config) Enabled() []Entry {
	var enabled []Entry
	for _, e := range c.Entries {
		if !e.Disabled {
			enabled = append(enabled, e)
		}
	}
	return enabled
}

// Find looks for a nickname without regard to case, and where there is none for
// a graph's exact name. Disabled entries are found too.
func (c Config) Find(nicknameOrName string) (Entry, bool) {
	if i := indexOf(c.Entries, nicknameOrName); i >= 0 {
		return c.Entries[i], true
	}
	return Entry{}, false
}

// FindGraph looks for the entry of a graph.
func (c Config) FindGraph(g localapi.Graph) (Entry, bool) {
	for _, e := range c.Entries {
		if e.Graph() == g {
			return e, true
		}
	}
	return Entry{}, false
}

// CheckNickname tells beforehand whether Save would accept the nickname for the
// graph: its error has code NICKNAME_INVALID or NICKNAME_TAKEN.
func (c Config) CheckNickname(g localapi.Graph, nickname string) error {
	normal, err := NormalizeNickname(nickname)
	if err != nil {
		return err
	}
	for _, e := range c.Entries {
		if e.Graph() != g && SameNickname(e.Nickname, normal) {
			return &Error{
				Code:    CodeNicknameTaken,
				Message: fmt.Sprintf("The nickname %s belongs to the graph %s (%s).", quoted(normal), quoted(e.Name), e.Type),
				Advice:  "Choose another nickname, or rename that graph first.",
			}
		}
	}
	return nil
}

// UniqueNickname returns the proposal, or where another entry has it already the
// first free one of "proposal 2", "proposal 3" and so on.
func (c Config) UniqueNickname(proposal string) string {
	nickname := proposal
	for n := 2; ; n++ {
		if !c.hasNickname(nickname) {
			return nickname
		}
		nickname = numbered(proposal, n)
	}
}

func (c Config) hasNickname(nickname string) bool {
	for _, e := range c.Entries {
		if SameNickname(e.Nickname, nickname) {
			return true
		}
	}
	return false
}

// indexOf is Find over a list: nickname first, then exact name; -1 for neither.
func indexOf(entries []Entry, nicknameOrName string) int {
	for i, e := range entries {
		if SameNickname(e.Nickname, nicknameOrName) {
			return i
		}
	}
	for i, e := range entries {
		if e.Name == nicknameOrName {
			return i
		}
	}
	return -1
}
