package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Entry is an entry in a client's file, as that client reads it: what it starts or where it
// connects, what it gives to agents, and every field beside that. What a client does not
// read counts for nothing here, and is among the Extras.
type Entry struct {
	Name     string
	Command  string // program that is started; empty where it connects to URL
	Args     []string
	Env      map[string]string // what the entry sets; may hold secrets of other servers
	Dir      string            // working folder that the entry sets; empty: none
	URL      string            // where it connects; empty where it starts a program
	Ours     bool              // it starts roam-mcp serve, or connects to one
	Here     bool              // ours, and of the world that was looked for: its sandbox and its configuration
	Gone     bool              // its program is not there
	Disabled bool              // switched off in the client
	Gives    Gives             // where Ours
	Served   []string          // of Gives.Graphs: those that agents can reach
	Missing  []string          // and the others
	Extras   []Extra           // fields that roam-mcp does not write, in the order of their names

	passed []string // names of further variables that the client passes on
}

// Extra is a field of an entry beside those that roam-mcp writes.
type Extra struct {
	Key   string
	Names []string // of the variables or headers that it sets, whose values may be secrets
	Value string   // as JSON, with the values of Names in it
}

// String returns the field without what may be secret: `cmd ["./x"]`, "env LD_PRELOAD".
func (x Extra) String() string {
	if x.Names != nil {
		return x.Key + " " + strings.Join(x.Names, ", ")
	}
	return x.Key + " " + x.Value
}

// Also says what an entry has beside what roam-mcp writes: `cmd ["./x"], env LD_PRELOAD`.
// Empty: nothing.
func (e Entry) Also() string {
	var all []string
	for _, x := range e.Extras {
		all = append(all, x.String())
	}
	return strings.Join(all, ", ")
}

// rule is what a client makes of a field of an entry.
type rule uint8

const (
	aProgram     rule = iota + 1 // the program, a text
	aLine                        // the program and its arguments, a list
	someArgs                     // the arguments, a list
	variables                    // variables of the environment, by their names
	passedNames                  // a list of names of variables that are passed on
	aFolder                      // the working folder
	anAddress                    // where the client connects
	switchedOff                  // true: the entry is not used
	switchedOn                   // false: the entry is not used
	aTransport                   // "http" and the like: it connects rather than starts
	ourOwnValues                 // a field that roam-mcp writes and no more is known of
)

// fields are the fields that a client reads, by their names.
type fields map[string]rule

// commonFields are those of most clients.
func commonFields() fields {
	return fields{"command": aProgram, "args": someArgs, "env": variables, "url": anAddress}
}

// rules returns what the client makes of the fields of an entry: the common ones, unless
// the place says otherwise, and those that roam-mcp writes.
func (p place) rules() fields {
	all := commonFields()
	maps.Copy(all, p.reads)
	for _, f := range p.entry {
		switch f.value {
		case theCommand:
			all[f.key] = aProgram
		case theLine:
			all[f.key] = aLine
		case theArgs:
			all[f.key] = someArgs
		default:
			if f.key == "type" || f.key == "transport" {
				all[f.key] = aTransport
			} else if all[f.key] == 0 {
				all[f.key] = ourOwnValues
			}
		}
	}
	maps.DeleteFunc(all, func(_ string, r rule) bool { return r == notRead })
	return all
}

// notRead takes a common field out of those that a client reads.
const notRead rule = 255

// entry reads an entry of a file by the rules of its client.
func (m Machine) entry(at place, raw foundServer) Entry {
	e := Entry{Name: raw.Name}
	rules := at.rules()
	connects := false
	for key, r := range rules {
		if text, ok := raw.Values[key].(string); ok && r == aTransport {
			connects = text != "stdio" && text != "local"
		}
	}
	for _, key := range slices.Sorted(maps.Keys(raw.Values)) {
		value := raw.Values[key]
		if !e.read(rules[key], value, connects) || isExtra(at.entry, key, rules[key], value) {
			e.Extras = append(e.Extras, extra(key, rules[key], value))
		}
	}
	for _, key := range raw.Twice {
		e.Extras = append(e.Extras, Extra{Key: key, Value: "twice"})
	}
	if e.Command != "" {
		e.URL = ""
	} else if e.URL != "" { // then its address and what is sent there are no extras
		e.Extras = slices.DeleteFunc(e.Extras, func(x Extra) bool { return rules[x.Key] == anAddress || x.Key == "headers" })
	}
	e.Gone = e.Command != "" && !m.canStart(e.Command)
	m.judge(&e)
	return e
}

// read takes one field over. It reports whether the client makes something of it.
func (e *Entry) read(r rule, value any, connects bool) bool {
	text, isText := value.(string)
	set, isBool := value.(bool)
	switch r {
	case aProgram:
		if isText && !connects {
			e.Command = text
			return true
		}
	case aLine:
		if line := texts(value); len(line) > 0 && !connects {
			e.Command, e.Args = line[0], line[1:]
			return true
		}
	case someArgs:
		e.Args = texts(value)
		_, isList := value.([]any)
		return isList
	case variables:
		for name, each := range mapOf(value) {
			if e.Env == nil {
				e.Env = map[string]string{}
			}
			e.Env[name] = fmt.Sprint(each)
		}
		return true
	case passedNames:
		e.passed = texts(value)
		return true
	case aFolder:
		e.Dir = text
		return isText
	case anAddress:
		e.URL = text
		return isText
	case switchedOff, switchedOn:
		e.Disabled = e.Disabled || isBool && set == (r == switchedOff)
		return isBool
	case aTransport, ourOwnValues:
		return true
	case notRead:
	}
	return false
}

// isExtra reports whether a field that the client reads is one that roam-mcp does not
// write, and that a person should know of.
func isExtra(written shape, key string, r rule, value any) bool {
	switch r {
	case variables:
		return len(mapOf(value)) > 0
	case switchedOff, switchedOn:
		return false // it is said of the entry
	case aProgram, aLine, someArgs, passedNames, aFolder, anAddress, aTransport, ourOwnValues, notRead:
	}
	return !slices.ContainsFunc(written, func(f field) bool { return f.key == key })
}

func extra(key string, r rule, value any) Extra {
	x := Extra{Key: key}
	if text, err := json.Marshal(value); err == nil {
		x.Value = string(text)
	}
	inner := mapOf(value)
	if inner != nil && (r == variables || strings.Contains(strings.ToLower(key), "env") || strings.Contains(strings.ToLower(key), "header")) {
		x.Names = slices.Sorted(maps.Keys(inner))
	}
	return x
}

// judge fills in whose an entry is and what it gives.
func (m Machine) judge(e *Entry) {
	if e.URL != "" {
		e.Ours = m.isOurAddress(e.URL)
		e.Here = e.Ours
		return
	}
	line := append([]string{e.Command}, e.Args...)
	if e.Gone { // some programs write command and arguments as one word, which can't be started
		line = append(strings.Fields(e.Command), e.Args...)
	}
	if len(line) == 0 {
		return
	}
	gives, serves := givenBy(line[1:])
	if !serves || !m.isThisProgram(e.Command) && !isNamedRoam(line[0]) && !e.isOfACopy(line[0], gives) {
		return
	}
	e.Ours, e.Gives = true, gives
	if e.Gives.Config == "" && !e.Gives.Sandbox {
		e.Gives.Config = e.Env["ROAM_MCP_CONFIG"]
	}
	e.Served, e.Missing = e.Gives.served(m.World)
	e.Here = m.isOfWorld(e.Gives)
}

// isOfACopy reports whether an entry that serves starts a copy of this program under another file
// name: one with a version in it, as roam-mcp-0.1, or any longer one, as roam-mcp-old, where the
// entry is as "roam-mcp install" writes it, name and all.
func (e *Entry) isOfACopy(path string, gives Gives) bool {
	rest, longer := strings.CutPrefix(programOf(path), "roam-mcp")
	if !longer || rest == "" {
		return false
	}
	if first := strings.TrimPrefix(strings.TrimLeft(rest, "-_."), "v"); first != "" && first[0] >= '0' && first[0] <= '9' {
		return true
	}
	usual := choose(gives.Sandbox, "roam-sandbox", "roam")
	if gives.Profile != "" {
		usual += "-" + gives.Profile
	}
	return e.Name == usual && len(gives.Other) == 0 && len(e.Extras) == 0
}

// isThisProgram reports whether a command is the program that clients are to start, or the
// one that runs, after links.
func (m Machine) isThisProgram(command string) bool {
	if command == "" {
		return false
	}
	if m.Program != "" && filepath.Clean(command) == filepath.Clean(m.Program) {
		return true
	}
	return m.isRunning(command)
}

// isOfWorld reports whether what is given is of the world of this machine.
func (m Machine) isOfWorld(g Gives) bool {
	if g.Sandbox || m.World.Sandbox {
		return g.Sandbox == m.World.Sandbox
	}
	usual := filepath.Join(m.Home, ".roam-mcp.json")
	ours, theirs := m.World.Config, g.Config
	if rest, ok := strings.CutPrefix(theirs, "~"); ok {
		theirs = m.Home + rest
	}
	if ours == "" {
		ours = usual
	}
	if theirs == "" {
		theirs = usual
	}
	return SameFile(ours, theirs)
}

// isOurAddress reports whether a server of this program is, or usually is, at an address:
// on this computer, at a port of a server that runs or at the usual one.
func (m Machine) isOurAddress(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" || parsed.Path != "/mcp" {
		return false
	}
	host := parsed.Hostname()
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return false
	}
	return isAt(address, m.World.HTTP) || m.serves(address)
}

// serves reports whether a server runs at the port of an address on this computer.
func (m Machine) serves(address string) bool {
	return slices.ContainsFunc(m.World.Serving, func(ours string) bool { return isAt(address, ours) })
}

// isAt reports whether two addresses on this computer have the same port.
func isAt(address, other string) bool {
	a, err := url.Parse(address)
	b, bad := url.Parse(other)
	return err == nil && bad == nil && other != "" && a.Port() == b.Port()
}
