package configstore

import (
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Version is the file format that this build reads and writes.
const Version = 1

// storable reports whether the status may be in the file, which leaves out an unknown
// one.
func storable(s localapi.TokenStatus) bool {
	return s == localapi.TokenActive || s == localapi.TokenRevoked
}

// Entry is a valid graph of the file: the name is a canonical graph name, the type
// hosted or offline, the token has the form of a Local API token, the nickname is one
// that NormalizeNickname returns. AccessLevel is what Roam granted, for display. It
// and LastKnownTokenStatus are empty if they are absent or unknown to this build.
type Entry struct {
	Name                 string               `json:"name"`
	Type                 localapi.GraphType   `json:"type"`
	Token                localapi.Token       `json:"token"`
	Nickname             string               `json:"nickname"`
	AccessLevel          localapi.AccessLevel `json:"accessLevel,omitempty"`
	LastKnownTokenStatus localapi.TokenStatus `json:"lastKnownTokenStatus,omitempty"`
	Disabled             bool                 `json:"disabled,omitempty"`
	// APIVersion is the version of the Local API that Roam is expected to have for this
	// graph, or localapi.AnyVersion; empty: that of this program.
	APIVersion string `json:"apiVersion,omitempty"`
	// History is whether the journal may hold texts of the graph; empty: if Roam says that
	// the graph is not encrypted. Config.TextsOf says what counts.
	History Switch `json:"history,omitempty"`
}

// Graph returns the entry's graph; an empty type means hosted.
func (e Entry) Graph() localapi.Graph {
	if e.Type == "" {
		return localapi.Graph{Name: e.Name, Type: localapi.Hosted}
	}
	return localapi.Graph{Name: e.Name, Type: e.Type}
}

// Config is the content of the file. If the file is missing, Exists is false, Version
// is the current one and the lists are empty.
type Config struct {
	Version int     `json:"version"`
	Exists  bool    `json:"exists"`
	Entries []Entry `json:"graphs"` // the usable entries, in file order
	// WithoutToken are the entries that would be usable with a token, in file order.
	// No other entry has one's graph, name or nickname. Each is among Problems, too.
	WithoutToken []Entry   `json:"withoutToken,omitempty"`
	History      History   `json:"history,omitzero"`
	Problems     []Problem `json:"problems,omitempty"` // in file order; those of the file as a whole come last
}

// Problem is something in the file that a person should correct. Other entries work
// nevertheless.
type Problem struct {
	Code     problem.Code `json:"code"`
	Message  string       `json:"message"` // what is wrong
	Hint     problem.Hint `json:"-"`       // what to do
	Index    int          `json:"index"`   // place in the list of graphs, from 0; -1: the file as a whole
	Line     int          `json:"line,omitempty"`
	Graph    string       `json:"graph,omitempty"`    // the entry's name, if it can be read
	Nickname string       `json:"nickname,omitempty"` // the entry's nickname, if it can be read
}

// WithModeOf returns c with the problem CONFIG_MODE_OPEN where other has it, and only
// there.
func (c Config) WithModeOf(other Config) Config {
	c.Problems = slices.DeleteFunc(slices.Clone(c.Problems), Problem.isOfMode)
	if p, open := other.ModeProblem(); open {
		c.Problems = append(c.Problems, p)
	}
	return c
}

// ModeProblem returns the problem CONFIG_MODE_OPEN, and whether c has it: other users of
// the machine can read the file.
func (c Config) ModeProblem() (p Problem, open bool) {
	if at := slices.IndexFunc(c.Problems, Problem.isOfMode); at >= 0 {
		return c.Problems[at], true
	}
	return Problem{}, false
}

func (p Problem) isOfMode() bool { return p.Code == CodeConfigModeOpen }

// OthersCanRead reports whether other users of the machine can read the file.
func (c Config) OthersCanRead() bool {
	_, open := c.ModeProblem()
	return open
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

// Find finds an entry by its nickname without regard to case, or else by the graph's
// exact name or address. It finds disabled entries too.
func (c Config) Find(nicknameOrName string) (Entry, bool) {
	if i := indexOf(c.Entries, nicknameOrName); i >= 0 {
		return c.Entries[i], true
	}
	return Entry{}, false
}

// Reaches reports whether Find finds an entry that is not disabled.
func (c Config) Reaches(nicknameOrName string) bool {
	entry, found := c.Find(nicknameOrName)
	return found && !entry.Disabled
}

// FindWithoutToken is Find among the entries without a token.
func (c Config) FindWithoutToken(nicknameOrName string) (Entry, bool) {
	return Config{Entries: c.WithoutToken}.Find(nicknameOrName)
}

// FindAny is Find among the entries with a token, and then among those without.
func (c Config) FindAny(nicknameOrName string) (Entry, bool) {
	if entry, found := c.Find(nicknameOrName); found {
		return entry, true
	}
	return c.FindWithoutToken(nicknameOrName)
}

// all returns the entries with and without a token.
func (c Config) all() []Entry { return slices.Concat(c.Entries, c.WithoutToken) }

// FindGraph finds the entry of a graph.
func (c Config) FindGraph(g localapi.Graph) (Entry, bool) {
	if i := slices.IndexFunc(c.Entries, func(e Entry) bool { return e.Graph() == g }); i >= 0 {
		return c.Entries[i], true
	}
	return Entry{}, false
}

// CheckNewNickname is CheckNickname for a nickname that is chosen now: one that is not
// Plain is refused, too, unless the graph has it already.
func (c Config) CheckNewNickname(g localapi.Graph, nickname string) error {
	if err := c.CheckNickname(g, nickname); err != nil {
		return err
	}
	normal := strings.TrimSpace(nickname)
	if slices.ContainsFunc(c.all(), func(e Entry) bool { return e.Graph() == g && e.Nickname == normal }) {
		return nil
	}
	return checkPlain(normal)
}

// CheckNickname returns the error with which Save would refuse the nickname for the
// graph. Its code is NICKNAME_INVALID or NICKNAME_TAKEN.
func (c Config) CheckNickname(g localapi.Graph, nickname string) error {
	normal, err := NormalizeNickname(nickname)
	if err != nil {
		return err
	}
	for _, e := range c.all() {
		if e.Graph() != g && SameNickname(e.Nickname, normal) {
			return &problem.Error{
				Code:    CodeNicknameTaken,
				Message: fmt.Sprintf("The nickname %s belongs to the graph %s (%s).", quoted(normal), quoted(e.Name), e.Type),
				Hint:    problem.Say("Choose another nickname, or rename that graph first."),
			}
		}
	}
	return nil
}

// UniqueNickname returns the proposal or, if an entry has it, the first free one of
// "proposal 2", "proposal 3" and so on.
func (c Config) UniqueNickname(proposal string) string {
	nickname := proposal
	for n := 2; slices.ContainsFunc(c.all(), func(e Entry) bool { return SameNickname(e.Nickname, nickname) }); n++ {
		nickname = numbered(proposal, n)
	}
	return nickname
}

// indexOf is Find in a list of entries; it returns -1 for none.
func indexOf(entries []Entry, nicknameOrName string) int {
	if i := slices.IndexFunc(entries, func(e Entry) bool { return SameNickname(e.Nickname, nicknameOrName) }); i >= 0 {
		return i
	}
	graph, err := localapi.ParseGraphName(nicknameOrName)
	if err != nil {
		return -1
	}
	return slices.IndexFunc(entries, func(e Entry) bool {
		return e.Name == graph.Name && (graph.Type == "" || e.Type == graph.Type)
	})
}
