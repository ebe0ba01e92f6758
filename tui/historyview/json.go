package historyview

import (
	"fmt"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
)

// CallJSON is a call as --json prints it. The names stay as they are (JOURNAL.md, "JSON").
type CallJSON struct {
	Number    int64     `json:"number"`
	At        time.Time `json:"at"`
	TookMS    int64     `json:"tookMs"`
	Agent     string    `json:"agent"`
	Client    string    `json:"client,omitempty"`
	Session   string    `json:"session"`
	Graph     string    `json:"graph"` // the nickname, or the name where it has none
	GraphName string    `json:"graphName"`
	GraphType string    `json:"graphType"`
	Tool      string    `json:"tool"`
	Summary   string    `json:"summary"`
	State     string    `json:"state"` // open, done, failed, unknown, partly, stopped
	Result    string    `json:"result"`
	Code      string    `json:"code,omitempty"`
	Evidence  string    `json:"evidence,omitempty"`
	Changes   int       `json:"changes"`
	Blocks    int       `json:"blocks"`
	TextsKept bool      `json:"textsKept"`
	UndoneBy  int64     `json:"undoneBy,omitempty"`     // number of the call that has taken it back
	Partly    bool      `json:"partlyUndone,omitempty"` // that has left something of it
}

// SessionJSON is a session as --json prints it.
type SessionJSON struct {
	Session string    `json:"session"`
	Agent   string    `json:"agent"`
	Client  string    `json:"client,omitempty"`
	Version string    `json:"version,omitempty"`
	Opened  time.Time `json:"opened"`
	Last    time.Time `json:"last"`
	Calls   int       `json:"calls"`
	Alive   bool      `json:"alive"`
}

func (v *View) callJSON(c history.Call) CallJSON {
	return CallJSON{
		Number: c.ID, At: c.At, TookMS: c.Took.Milliseconds(), Agent: c.Agent, Client: c.Client, Session: sessionName(c.Session),
		Graph: v.Name(c.Graph), GraphName: c.Graph.Name, GraphType: c.Graph.Type, Tool: c.Tool, Summary: c.Summary,
		State: string(c.State), Result: review.ResultOf(c).Words, Code: c.Code, Evidence: c.Evidence,
		Changes: c.Changes, Blocks: c.Blocks, TextsKept: !c.TextsGone, UndoneBy: c.UndoneBy, Partly: c.PartlyUndone,
	}
}

func sessionName(id int64) string { return fmt.Sprintf("s%d", id) }

// ListJSON is a list of calls with their sessions, as --json prints it.
type ListJSON struct {
	Calls    []CallJSON    `json:"calls"`
	More     bool          `json:"more"`
	Sessions []SessionJSON `json:"sessions"`
}

// ListJSON returns a page of calls, and the sessions of these.
func (v *View) ListJSON(page history.Page, sessions []history.Session) ListJSON {
	out := ListJSON{[]CallJSON{}, page.More, []SessionJSON{}}
	for _, c := range page.Calls {
		out.Calls = append(out.Calls, v.callJSON(c))
	}
	for _, s := range sessions {
		out.Sessions = append(out.Sessions, SessionJSON{sessionName(s.ID), s.Agent, s.Client, s.Version, s.Opened, s.Last, s.Calls, s.Alive})
	}
	return out
}

// DiffJSON is what a call changed, as --json prints it.
type DiffJSON struct {
	CallJSON
	Reason   string        `json:"reason,omitempty"` // in the agent's words
	Parts    []PartJSON    `json:"parts"`
	Sections []SectionJSON `json:"sections"`
	Notes    []string      `json:"notes"` // what is not shown, and what can't be brought back
}

// PartJSON is a change of a call.
type PartJSON struct {
	Number   string `json:"number"` // 412.1
	Action   string `json:"action"`
	Class    string `json:"class"`
	State    string `json:"state"`
	Code     string `json:"code,omitempty"`
	Evidence string `json:"evidence,omitempty"`
}

// SectionJSON is what changed at a page or block.
type SectionJSON struct {
	Path  []string   `json:"path"`
	UID   string     `json:"uid,omitempty"`
	Lines []LineJSON `json:"lines"`
	Now   string     `json:"now,omitempty"`
}

// LineJSON is a line of what changed.
type LineJSON struct {
	Kind string `json:"kind"` // removed, added, note, context
	Text string `json:"text"`
}

// DiffJSON returns what a call changed, of which d is the diff.
func (v *View) DiffJSON(r history.Record, d review.Diff) DiffJSON {
	out := DiffJSON{CallJSON: v.callJSON(r.Call), Reason: d.Says, Parts: []PartJSON{}, Sections: []SectionJSON{}, Notes: append([]string{}, d.Foot...)}
	for _, c := range r.Changes {
		out.Parts = append(out.Parts, PartJSON{fmt.Sprintf("%d.%d", r.Call.ID, c.Seq), c.Action, string(c.Class), string(c.State), c.Code, c.Evidence})
	}
	for _, s := range d.Sections {
		section := SectionJSON{Path: append([]string{}, s.Path...), UID: s.UID, Lines: []LineJSON{}, Now: s.Now}
		for _, line := range s.Lines {
			section.Lines = append(section.Lines, LineJSON{line.Kind.String(), line.Text})
		}
		out.Sections = append(out.Sections, section)
	}
	return out
}
