package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
)

// Look finds out the state of a client, from files and folders alone.
func (m Machine) Look(c Client) Status {
	s := Status{Client: c, State: Absent}
	if m.isHere(c) {
		s.State = Present
	}
	project := m.Folder != ""
	if s.File = m.file(c, project); s.File == "" || m.script(c, project) != "" {
		return s
	}
	text, exists, err := m.read(s.File)
	s.Exists = exists
	if err == nil && exists {
		_, s.Entries, s.Beside, err = m.servers(c, text)
	}
	switch {
	case err != nil:
		s.State, s.Err = Unreadable, m.unreadable(c, s.File, err)
	case exists && !project:
		s.State = max(s.State, Present)
	}
	if state := m.standing(s.Entries); state != 0 {
		s.State, s.Gives = state, m.gives(s.Entries)
	}
	if err == nil && exists {
		if refused := m.refused(c, s.File, text); refused != nil {
			s.Refused = refused
			if len(s.Ours()) > 0 {
				s.State = Refused
			}
		}
	}
	return s
}

// standing returns the state that the entries of roam-mcp, and those under its names, make:
// that of the one that stands best; 0 where there are none.
func (m Machine) standing(entries []Entry) State {
	order := []State{OtherServer, Elsewhere, BinaryGone, SwitchedOff, NotServed, NoGraph, Configured}
	var best State
	for _, e := range entries {
		if state := m.stateOf(e); slices.Index(order, state) > slices.Index(order, best) {
			best = state
		}
	}
	return best
}

func (m Machine) stateOf(e Entry) State {
	switch {
	case !e.Ours:
		return OtherServer
	case e.Gone:
		return BinaryGone
	case !e.Here:
		return Elsewhere
	case e.Disabled:
		return SwitchedOff
	case e.URL != "" && !m.serves(e.URL):
		return NotServed
	case e.URL == "" && e.Gives.servesNone(m.World):
		return NoGraph
	}
	return Configured
}

// gives says what the entries of roam-mcp give.
func (m Machine) gives(entries []Entry) string {
	var all []string
	for _, e := range entries {
		words := ""
		switch {
		case !e.Ours || e.Gone:
		case e.URL != "":
			words = "what the server at " + e.URL + " serves"
		case !e.Here && e.Gives.Sandbox == m.World.Sandbox:
			words = "another configuration, " + m.short(e.Gives.Config)
		case !e.Here && m.World.Sandbox:
			words = "your own graphs, not the sandbox"
		default:
			words = e.Gives.In(m.World)
		}
		if words != "" && !slices.Contains(all, words) {
			all = append(all, words)
		}
	}
	return strings.Join(all, "; ")
}

// read returns the content of a client's file, and whether there is one.
func (m Machine) read(file string) (text []byte, exists bool, err error) {
	text, err = files.Read(file, maxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return text, true, err
}

// unreadable explains why a client's file is left alone.
func (m Machine) unreadable(c Client, file string, err error) error {
	hint := problem.Say("The file is left as it is. Mend it, or paste the entry yourself: %v", problem.Run("install", c.ID).With("--print"))
	if known, ok := problem.As(err); ok {
		explained := *known
		explained.Message = fmt.Sprintf("%s of %s can't be read: %s", m.short(file), c.Name, known.Message)
		explained.Hint = hint
		explained.Err = err
		if known.Place != nil {
			place := *known.Place
			place.Path = file
			explained.Place = &place
		}
		return &explained
	}
	return &problem.Error{Code: CodeUnreadable, Message: fmt.Sprintf("%s of %s can't be read: %v.", m.short(file), c.Name, err), Hint: hint, Err: err}
}

// refused returns why a client can't read its file, which edit can: nil where it can.
func (m Machine) refused(c Client, file string, text []byte) *problem.Error {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	if !c.strict || len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	var fault *json.SyntaxError
	if !errors.As(json.Unmarshal(text, new(json.RawMessage)), &fault) {
		return nil
	}
	line := 1 + bytes.Count(text[:min(int(fault.Offset), len(text))], []byte("\n"))
	return &problem.Error{
		Code:    CodeUnreadable,
		Message: fmt.Sprintf("%s starts no server as long as %s has a comment, or a comma before a closing bracket, as in line %d.", c.Name, m.short(file), line),
		Hint:    problem.Say("Take these out of the file."), Place: &problem.Place{Path: file, Line: line},
	}
}

// servers returns what a client's file holds: the place where servers stand, the entries
// of roam-mcp with those under its names, and the names of Roam's official server.
func (m Machine) servers(c Client, text []byte) (at place, entries []Entry, beside []string, err error) {
	at = c.servers[0]
	list, err := listServers(text, at.at(""))
	if err != nil {
		return at, nil, nil, err
	}
	for _, other := range c.servers[1:] {
		more, err := listServers(text, other.at(""))
		if err == nil && slices.ContainsFunc(more, looksLikeServer) && !slices.ContainsFunc(list, looksLikeServer) {
			at, list = other, more
		}
	}
	for _, raw := range list {
		found := m.entry(at, raw)
		official := isOfficial(found)
		if official {
			beside = append(beside, found.Name)
		}
		if found.Ours || isOurName(found.Name) {
			entries = append(entries, found)
		}
	}
	return at, entries, beside, nil
}

// looksLikeServer reports whether a value is a server rather than a holder of some: some
// clients have a newer place within the older one.
func looksLikeServer(f foundServer) bool {
	return f.Values["command"] != nil || f.Values["url"] != nil
}

// isOurName reports whether roam-mcp gives an entry that name by itself.
func isOurName(name string) bool { return name == "roam" || name == "roam-sandbox" }

// isOfficial reports whether an entry starts Roam's own server, which has the name of this
// one.
func isOfficial(f Entry) bool {
	line := append([]string{f.Command}, f.Args...)
	return !f.Ours && slices.ContainsFunc(line, func(word string) bool {
		return strings.Contains(word, "@roam-research/roam-mcp") || isNamedRoam(word)
	})
}

// isNamedRoam reports whether a path is that of a program called roam-mcp, on any system.
func isNamedRoam(path string) bool { return programOf(path) == "roam-mcp" }

// programOf returns what the program of a path is called, on any system.
func programOf(path string) string {
	return strings.TrimSuffix(strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:]), ".exe")
}

// canStart reports whether a command is a program, found as the person would find it.
func (m Machine) canStart(command string) bool {
	if strings.ContainsAny(command, `/\`) {
		_, ok := m.program(command)
		return ok
	}
	_, err := m.LookPath(command)
	return err == nil
}

// texts returns a list of strings; elements of other types are left out.
func texts(value any) []string {
	list, _ := value.([]any)
	var some []string
	for _, element := range list {
		if text, ok := element.(string); ok {
			some = append(some, text)
		}
	}
	return some
}

func mapOf(value any) map[string]any { values, _ := value.(map[string]any); return values }

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// LookAll looks at every client of the table, in its order.
func (m Machine) LookAll() []Status {
	all := All()
	states := make([]Status, len(all))
	for i, client := range all {
		states[i] = m.Look(client)
	}
	return states
}
