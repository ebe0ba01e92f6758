package clients

import (
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
)

// World is the world of a configuration: what entries are compared with.
type World struct {
	Sandbox bool
	Config  string   // path of the configuration; empty: the usual one
	NoGraph bool     // none is connected and enabled
	HTTP    string   // address at which this program usually serves over HTTP
	Serving []string // addresses at which it does now
	// Reaches reports whether agents can reach the graph that a server finds by a word of
	// --graph; nil: not known.
	Reaches func(graph string) bool
}

// Gives is what an entry of roam-mcp gives to agents.
type Gives struct {
	Sandbox    bool
	Config     string   // as it stands there; empty: the usual one
	Graphs     []string // nicknames; empty: every enabled graph
	Profile    string   // empty: the default one
	ReadOnly   bool
	Toolsets   []string
	APIVersion string
	Other      []string // further words, which "roam-mcp install" does not write
	doubtful   bool     // Other has what does more than serving otherwise
}

// isHarmless reports whether a flag only says how agents are served. Others write a file,
// listen on a port or open a program as soon as the server starts, or are not known.
func isHarmless(flag string) bool {
	return slices.Contains([]string{
		"--log-level", "--max-reply", "--mirror-limit", "--memory", "--agent", "--files-from", "--edit-guidelines", "--edit-code", "--overwrite-unread", "--no-journal", "--no-color",
	}, flag)
}

// takesValue are the flags of "roam-mcp serve" and of all commands that take a value.
func takesValue(flag string) bool {
	return slices.Contains([]string{
		"--config", "--log-level", "--log-file", "--graph", "--profile", "--toolsets", "--api-version", "--files-from", "--agent",
		"--max-reply", "--mirror-limit", "--memory", "--http", "--allow-host", "--allow-origin",
	}, flag)
}

// givenBy returns what the arguments of roam-mcp give; false where they do not serve.
func givenBy(args []string) (g Gives, serves bool) {
	for i := 0; i < len(args); i++ {
		word := args[i]
		flag, value, joined := strings.Cut(word, "=")
		if !strings.HasPrefix(word, "--") {
			if !serves && word == "serve" {
				serves = true
				continue
			}
			if !serves {
				return Gives{}, false // another command
			}
			g.Other, g.doubtful = append(g.Other, word), true
			continue
		}
		if !joined && takesValue(flag) && i+1 < len(args) {
			i++
			value = args[i]
		}
		if !g.take(flag, value, joined) {
			g.Other = append(g.Other, word)
			g.doubtful = g.doubtful || !isHarmless(flag)
			if !joined && takesValue(flag) && value != "" {
				g.Other = append(g.Other, value)
			}
		}
	}
	return g, serves
}

// take takes a flag over. It reports whether it is one that "roam-mcp install" writes.
func (g *Gives) take(flag, value string, joined bool) bool {
	switch flag {
	case "--sandbox", "--read-only":
		on := !joined || value == "true"
		if flag == "--sandbox" {
			g.Sandbox = on
		} else {
			g.ReadOnly = on
		}
	case "--config":
		g.Config = value
	case "--graph":
		g.Graphs = append(g.Graphs, strings.Split(value, ",")...)
	case "--profile":
		g.Profile = value
	case "--toolsets":
		g.Toolsets = append(g.Toolsets, strings.Split(value, ",")...)
	case "--api-version":
		g.APIVersion = value
	default:
		return false
	}
	return true
}

// In says what an entry gives in a world, in a few words: "sandbox only", "Work and
// Personal", `graph "Old" is gone`, "every enabled graph, writes off".
func (g Gives) In(w World) string {
	var words []string
	switch {
	case g.Sandbox && !w.Sandbox:
		words = append(words, "sandbox only")
	case len(g.Graphs) == 0:
		words = append(words, "every enabled graph")
	default:
		served, missing := g.served(w)
		if len(served) > 0 {
			words = append(words, problem.List(served))
		}
		for _, name := range missing {
			words = append(words, fmt.Sprintf("graph %q is gone", name))
		}
	}
	if g.Profile != "" {
		words = append(words, "profile "+g.Profile)
	}
	if g.ReadOnly {
		words = append(words, "writes off")
	}
	return strings.Join(words, ", ")
}

// served parts the graphs that an entry names into those that are enabled in a world, and
// those that are not there or disabled.
func (g Gives) served(w World) (served, missing []string) {
	for _, name := range g.Graphs {
		if w.Reaches == nil || w.Reaches(name) {
			served = append(served, name)
		} else {
			missing = append(missing, name)
		}
	}
	return served, missing
}

// servesNone reports whether nothing that an entry names can be served in a world.
func (g Gives) servesNone(w World) bool {
	if len(g.Graphs) == 0 {
		return w.NoGraph
	}
	served, _ := g.served(w)
	return len(served) == 0
}
