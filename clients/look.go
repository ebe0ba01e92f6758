package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"roam-mcp/clients/edit"
	"roam-mcp/internal/regularfile"
	"roam-mcp/problem"
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
	if err == nil && exists {
		if refused := m.refused(c, s.File, text); refused != nil {
			s.Refused = refused
		}
	}
	switch {
	case err != nil:
		s.State, s.Err = Unreadable, m.unreadable(c, s.File, err)
	case exists && !project:
		s.State = max(s.State, Present)
	}
	if state := stateOf(s.Entries); state != 0 {
		s.State = state
	}
	return s
}

// stateOf returns the state that the entries of roam-mcp, and those under its names, make;
// 0 where there are none.
func stateOf(entries []Found) State {
	var state State
	for _, e := range entries {
		switch {
		case e.Ours && !e.Gone:
			return Configured
		case e.Ours:
			state = BinaryGone
		case state == 0:
			state = OtherServer
		}
	}
	return state
}

// read returns the content of a client's file, and whether there is one.
func (m Machine) read(file string) (text []byte, exists bool, err error) {
	text, err = regularfile.Read(file, edit.MaxSize)
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
	return &problem.Error{Code: edit.CodeUnreadable, Message: fmt.Sprintf("%s of %s can't be read: %v.", m.short(file), c.Name, err), Hint: hint, Err: err}
}

// refused returns why a client can't read its file, which edit can: nil where it can.
func (m Machine) refused(c Client, file string, text []byte) *problem.Error {
	if text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")); !c.strict || len(bytes.TrimSpace(text)) == 0 || json.Valid(text) {
		return nil
	}
	return &problem.Error{
		Code:    edit.CodeUnreadable,
		Message: fmt.Sprintf("%s starts no server as long as %s has a comment, or a comma before a closing bracket.", c.Name, m.short(file)),
		Hint:    problem.Say("Take these out of the file."),
	}
}

// servers returns what a client's file holds: the place where servers stand, the entries
// of roam-mcp with those under its names, and the names of Roam's official server.
func (m Machine) servers(c Client, text []byte) (at place, entries []Found, beside []string, err error) {
	at = c.servers[0]
	list, err := edit.List(text, at.at(""))
	if err != nil {
		return at, nil, nil, err
	}
	for _, other := range c.servers[1:] {
		more, err := edit.List(text, other.at(""))
		if err == nil && slices.ContainsFunc(more, looksLikeServer) && !slices.ContainsFunc(list, looksLikeServer) {
			at, list = other, more
		}
	}
	for _, raw := range list {
		found := m.found(raw)
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

func looksLikeServer(f edit.Found) bool {
	return f.Values["command"] != nil || f.Values["cmd"] != nil || f.Values["url"] != nil
}

// isOurName reports whether roam-mcp gives an entry that name by itself.
func isOurName(name string) bool { return name == "roam" || name == "roam-sandbox" }

// found reads an entry, whatever its shape.
func (m Machine) found(raw edit.Found) Found {
	f := Found{Name: raw.Name, Args: texts(raw.Values["args"])}
	for _, key := range []string{"command", "cmd"} {
		switch value := raw.Values[key].(type) {
		case string:
			f.Command = value
		case []any:
			if line := texts(value); len(line) > 0 {
				f.Command, f.Args = line[0], append(line[1:], f.Args...)
			}
		}
	}
	for _, key := range []string{"env", "envs", "environment"} {
		for name, value := range mapOf(raw.Values[key]) {
			if f.Env == nil {
				f.Env = map[string]string{}
			}
			f.Env[name] = fmt.Sprint(value)
		}
	}
	for _, key := range []string{"cwd", "working_directory", "workingDirectory"} {
		if folder, ok := raw.Values[key].(string); ok {
			f.Dir = folder
		}
	}
	f.passed = texts(raw.Values["env_vars"])
	is := func(key string, value bool) bool { set, ok := raw.Values[key].(bool); return ok && set == value }
	f.Disabled = is("disabled", true) || is("enabled", false) || is("active", false) || is("isActive", false)
	f.Gone = f.Command != "" && !m.canStart(f.Command)
	f.Ours = m.isOurs(f)
	return f
}

// isOurs reports whether an entry starts this program, or one of its name that serves. A
// program of that name that does not serve is Roam's official server, installed by npm.
func (m Machine) isOurs(f Found) bool {
	if m.Program != "" && filepath.Clean(f.Command) == filepath.Clean(m.Program) {
		return true
	}
	line := append([]string{f.Command}, f.Args...)
	if f.Gone { // some programs write command and arguments as one word, which can't be started
		line = append(strings.Fields(f.Command), f.Args...)
	}
	return len(line) > 0 && isNamedRoam(line[0]) && slices.Contains(line[1:], "serve") ||
		isNamedRoam(f.Command) && slices.Contains(f.Args, "serve")
}

// isOfficial reports whether an entry starts Roam's own server, which has the name of this
// one.
func isOfficial(f Found) bool {
	line := append([]string{f.Command}, f.Args...)
	return !f.Ours && slices.ContainsFunc(line, func(word string) bool {
		return strings.Contains(word, "@roam-research/roam-mcp") || isNamedRoam(word)
	})
}

// isNamedRoam reports whether a path is that of a program called roam-mcp, on any system.
func isNamedRoam(path string) bool {
	name := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	return strings.TrimSuffix(name, ".exe") == "roam-mcp"
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
