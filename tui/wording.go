package tui

import (
	"strings"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/tui/kit"
)

// Wording is what sentences depend on beside the values that they are about.
type Wording struct {
	World   problem.World // where the commands are typed that are advised
	Sandbox bool          // the Roam of this run is the embedded one
	Desk    bool          // its approval desk is part of this program
	Version string        // of the program
	Config  func() string // path of the configuration
	Home    string        // the home folder; "" where it is not known
	// HistoryFolder is where the journal of writes is; "" where there is none.
	HistoryFolder string
}

// Sign is the sign of state beside a sentence.
type Sign uint8

// The signs of state.
const (
	SignNone    Sign = iota // nothing to say about it
	SignOff                 // not done yet
	SignDone                // good
	SignWarning             // less than good
	SignFailed
	SignBusy    // under way
	SignStalled // under way, and held up
)

// Line is a sentence with its sign.
type Line struct {
	Sign Sign
	Text string
}

// Explain returns the two sentences of an error: what happened and what to do.
func (w Wording) Explain(err error) (what, todo string) {
	if known, ok := problem.As(err); ok {
		return kit.Sanitize(known.Message), w.Todo(known.Hint)
	}
	if err == nil {
		return "", ""
	}
	return problem.Sentence(kit.Sanitize(err.Error())), ""
}

// Todo returns what to do, with each command where it gets a line of its own.
func (w Wording) Todo(hint problem.Hint) string { return kit.Advice(w.World.Lines(hint)) }

// Error returns what happened and what to do as one text, "" for nil.
func (w Wording) Error(err error) string {
	what, todo := w.Explain(err)
	return strings.TrimSpace(what + " " + todo)
}

// Path writes a path with ~ for the home folder.
func (w Wording) Path(path string) string { return textsafe.ShortPath(w.Home, path) }

// ConfigPath is the Path of the configuration.
func (w Wording) ConfigPath() string { return w.Path(w.Config()) }

// Purpose says what the program is for, to somebody who starts it for the first time.
func (w Wording) Purpose() string {
	if w.Sandbox {
		return "A sandbox: a Roam inside this program, with sample graphs to try things on."
	}
	return "roam-mcp lets AI agents use your Roam graphs, as far as you allow it."
}

// Arrived says in which world the program was started again.
func (w Wording) Arrived() string {
	if w.Sandbox {
		return "You are in the sandbox now. b leads back to your own Roam."
	}
	return "You are out of the sandbox: this is your own Roam again."
}

// Roam returns what the Roam of this run is called.
func (w Wording) Roam() string {
	if w.Sandbox {
		return "Roam (sandbox)"
	}
	return "Roam Desktop"
}
