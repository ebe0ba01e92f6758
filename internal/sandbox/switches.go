package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// The switches, as in "--switch NAME=VALUE".
const (
	latency      = "latency"
	disabled     = "disabled"
	signedOut    = "signed-out"
	windowClosed = "window-closed"
	apiVersion   = "api-version"
	build        = "build"
	exchangeEnd  = "exchange"
	tokens       = "tokens"
	demoted      = "demoted"
	public       = "public"
	encrypted    = "encrypted"
	locked       = "locked"
	slowQueries  = "slow-queries"
	newIDs       = "new-ids"
	noMoveStamp  = "no-move-stamp"
)

// Values of exchange beside the levels "read-only" and "read-append".
const (
	exchangeAllow   = "allow"
	exchangeDeny    = "deny"
	exchangeNever   = "never"
	exchangeTimeout = "timeout"
	exchangeBusy    = "busy"
	exchangeCancel  = "cancelled"
	exchangeNoToken = "no-token"
	exchangeError   = "error"
)

// Values of tokens.
const (
	tokensRevoked   = "revoked"
	tokensWrongType = "wrong-type"
	tokensWrong     = "wrong-graph"
	tokensCloud     = "cloud"
	tokensCorrupt   = "corrupt-file"
)

// buildAPI009 is the value of build: the Roam that the API's first reference describes.
const buildAPI009 = "api-0.0.9"

// Switch describes a switch, which makes the sandbox slow, broken or old while it runs
// (LOCAL_API.md 9.10).
type Switch struct {
	Name    string
	Group   string   // of those that are listed together
	Does    string   // one sentence
	Value   string   // placeholder for its value in a usage line; empty: it takes none
	Choices []string // the only values; nil: others
	Default string   // the value if none is given; empty: it needs one, or takes none

	wrong func(value string) string // what is wrong with a value; empty: nothing
}

// Usage returns the switch as it is written: "latency=DURATION".
func (s Switch) Usage() string {
	switch {
	case s.Value == "":
		return s.Name
	case s.Default != "":
		return s.Name + "[=" + s.Value + "]"
	}
	return s.Name + "=" + s.Value
}

// Switches lists all switches, group by group.
func Switches() []Switch {
	const roam, token, graph = "Roam", "Tokens", "Graphs"
	return []Switch{
		{Group: roam, Name: latency, Value: "DURATION", wrong: wrongDuration, Does: "Every call of the API takes this much longer."},
		{Group: roam, Name: disabled, Does: "The Local API is switched off in Roam's settings."},
		{Group: roam, Name: signedOut, Does: "Nobody is signed in: no graph is available, and only offline ones are open."},
		{Group: roam, Name: windowClosed, Does: "The graph's window closes while an action waits for it: 500, Promise error."},
		{Group: roam, Name: apiVersion, Value: "VERSION", wrong: wrongVersion, Does: "The API has this version, such as 1.2.0 or 1.0.9."},
		choice(roam, build, "Roam as the API's first reference describes it: older names and forms, and fewer actions.", buildAPI009).with(buildAPI009),

		choice(token, exchangeEnd, "How token requests end, whatever the approval policy.",
			exchangeAllow, string(localapi.ReadAppend), string(localapi.ReadOnly), exchangeDeny, exchangeNever, exchangeTimeout,
			exchangeBusy, exchangeCancel, exchangeNoToken, exchangeError),
		choice(token, tokens, "What is wrong with every token.",
			tokensRevoked, tokensWrongType, tokensWrong, tokensCloud, tokensCorrupt),
		{Group: token, Name: demoted, Does: "The signed-in user may only read, whatever the token grants."},

		{Group: graph, Name: public, Value: "GRAPH,…", wrong: wrongGraphs, Does: "Somebody else's public graphs: never listed as available, and only to be read."},
		{Group: graph, Name: encrypted, Value: "GRAPH,…", wrong: wrongGraphs, Does: "Graphs that count as encrypted."},
		{Group: graph, Name: locked, Value: "DURATION", Default: "30m", wrong: wrongDuration, Does: "Calls wait for the password of an encrypted graph; 504 after this long."},
		{Group: graph, Name: slowQueries, Value: "DURATION", wrong: wrongDuration,
			Does: "A query or pull takes this long for every 100,000 entities that it is given, or that the graph has if it is given none, and no other call of the graph is answered meanwhile."},
		{Group: graph, Name: newIDs, Does: "The graphs are loaded anew, and every entity has another id then; uids stay."},
		{Group: graph, Name: noMoveStamp, Does: "A block that is moved keeps its times, and so do the blocks and pages that it leaves and comes to."},
	}
}

func choice(group, name, does string, choices ...string) Switch {
	return Switch{Group: group, Name: name, Does: does, Choices: choices, Value: strings.Join(choices, "|"), wrong: func(value string) string {
		if !slices.Contains(choices, value) {
			return "is one of " + strings.Join(choices, ", ")
		}
		return ""
	}}
}

func (s Switch) with(fallback string) Switch {
	s.Default = fallback
	return s
}

func findSwitch(name string) (Switch, bool) {
	all := Switches()
	at := slices.IndexFunc(all, func(s Switch) bool { return s.Name == name })
	if at < 0 {
		return Switch{}, false
	}
	return all[at], true
}

const (
	on  = "on"
	off = "off"

	maxDelay       = time.Hour
	maxSwitchValue = 500
)

// Setting is a switch with a value that is valid for it.
type Setting struct {
	Name  string
	Value string // "on" for a switch that takes none; "off" turns it off
}

// String returns the setting as it is written on a command line.
func (s Setting) String() string {
	if s.Value == on {
		return s.Name
	}
	return s.Name + "=" + s.Value
}

// CodeInvalidSwitch is the code of an invalid setting.
const CodeInvalidSwitch problem.Code = "INVALID_SWITCH"

// ParseSettings reads "name", "name=value" and "name=off". It returns the first error, a
// *problem.Error with CodeInvalidSwitch.
func ParseSettings(texts []string) ([]Setting, error) {
	settings := make([]Setting, 0, len(texts))
	for _, text := range texts {
		setting, err := parseSetting(text)
		if err != nil {
			return nil, err
		}
		settings = append(settings, setting)
	}
	return settings, nil
}

func parseSetting(text string) (Setting, error) {
	name, value, given := strings.Cut(strings.TrimSpace(text), "=")
	found, ok := findSwitch(name)
	if !ok {
		var names []string
		for _, s := range Switches() {
			names = append(names, s.Name)
		}
		return Setting{}, &problem.Error{
			Code:    CodeInvalidSwitch,
			Message: fmt.Sprintf("There is no switch %.40q.", name),
			Hint:    problem.Say("Switches are: %s.", strings.Join(names, ", ")),
		}
	}
	value = strings.TrimSpace(value)
	switch {
	case value == off:
		return Setting{name, off}, nil
	case !given && found.Value != "":
		value = found.Default
	case !given:
		value = on
	}
	why := ""
	switch {
	case len(value) > maxSwitchValue || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }):
		why = "is too long, or not on one line"
	case found.wrong != nil:
		why = found.wrong(value)
	case value != on:
		why = "is nothing but on or off"
	}
	if why != "" {
		return Setting{}, &problem.Error{
			Code:    CodeInvalidSwitch,
			Message: fmt.Sprintf("The value of the switch %s %s.", name, why),
			Hint:    problem.Say("It is written %s.", found.Usage()),
		}
	}
	return Setting{name, value}, nil
}

func wrongDuration(value string) string {
	if d, err := time.ParseDuration(value); err != nil || d <= 0 || d > maxDelay {
		return "is a time above 0 and up to 1h, such as 200ms"
	}
	return ""
}

var versionOfThree = lazyregexp.New(`^\d{1,5}\.\d{1,5}\.\d{1,5}$`)

func wrongVersion(value string) string {
	if !versionOfThree.MatchString(value) {
		return "is a version of three numbers, such as 1.2.0"
	}
	return ""
}

func wrongGraphs(value string) string {
	if slices.ContainsFunc(strings.Split(value, ","), func(name string) bool { return !localapi.ValidGraphName(name) }) {
		return "is one name of a graph or several, with commas between"
	}
	return ""
}
