package main

import (
	"fmt"
	"time"

	"roam-mcp/history"
	"roam-mcp/history/review"
)

// listedCall is a call as --json prints it. The names stay as they are (README.md,
// "What agents have written").
type listedCall struct {
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
}

// listedSession is a session as --json prints it.
type listedSession struct {
	Session string    `json:"session"`
	Agent   string    `json:"agent"`
	Client  string    `json:"client,omitempty"`
	Version string    `json:"version,omitempty"`
	Opened  time.Time `json:"opened"`
	Last    time.Time `json:"last"`
	Calls   int       `json:"calls"`
	Alive   bool      `json:"alive"`
}

func (f *historyFace) listed(c history.Call) listedCall {
	return listedCall{
		Number: c.ID, At: c.At, TookMS: c.Took.Milliseconds(), Agent: c.Agent, Client: c.Client, Session: sessionName(c.Session),
		Graph: f.Name(c.Graph), GraphName: c.Graph.Name, GraphType: c.Graph.Type, Tool: c.Tool, Summary: c.Summary,
		State: string(c.State), Result: review.ResultOf(c).Words, Code: c.Code, Evidence: c.Evidence,
		Changes: c.Changes, Blocks: c.Blocks, TextsKept: !c.TextsGone,
	}
}

func sessionName(id int64) string { return fmt.Sprintf("s%d", id) }

func (a *app) printHistoryJSON(face *historyFace, page history.Page, sessions []history.Session) error {
	out := struct {
		Calls    []listedCall    `json:"calls"`
		More     bool            `json:"more"`
		Sessions []listedSession `json:"sessions"`
	}{[]listedCall{}, page.More, []listedSession{}}
	for _, c := range page.Calls {
		out.Calls = append(out.Calls, face.listed(c))
	}
	for _, s := range sessions {
		out.Sessions = append(out.Sessions, listedSession{sessionName(s.ID), s.Agent, s.Client, s.Version, s.Opened, s.Last, s.Calls, s.Alive})
	}
	return a.answerJSON(out)
}

// listedDiff is what a call changed, as --json prints it.
type listedDiff struct {
	listedCall
	Reason   string          `json:"reason,omitempty"` // in the agent's words
	Parts    []listedPart    `json:"parts"`
	Sections []listedSection `json:"sections"`
	Notes    []string        `json:"notes"` // what is not shown, and what can't be brought back
}

// listedPart is a change of a call.
type listedPart struct {
	Number   string `json:"number"` // 412.1
	Action   string `json:"action"`
	Class    string `json:"class"`
	State    string `json:"state"`
	Code     string `json:"code,omitempty"`
	Evidence string `json:"evidence,omitempty"`
}

// listedSection is what changed at a page or block.
type listedSection struct {
	Path  []string     `json:"path"`
	UID   string       `json:"uid,omitempty"`
	Lines []listedLine `json:"lines"`
	Now   string       `json:"now,omitempty"`
}

type listedLine struct {
	Kind string `json:"kind"` // removed, added, note, context
	Text string `json:"text"`
}

func (f *historyFace) listedDiff(r history.Record, d review.Diff) listedDiff {
	out := listedDiff{listedCall: f.listed(r.Call), Reason: d.Says, Parts: []listedPart{}, Sections: []listedSection{}, Notes: append([]string{}, d.Foot...)}
	for _, c := range r.Changes {
		out.Parts = append(out.Parts, listedPart{fmt.Sprintf("%d.%d", r.Call.ID, c.Seq), c.Action, string(c.Class), string(c.State), c.Code, c.Evidence})
	}
	for _, s := range d.Sections {
		section := listedSection{Path: append([]string{}, s.Path...), UID: s.UID, Lines: []listedLine{}, Now: s.Now}
		for _, line := range s.Lines {
			section.Lines = append(section.Lines, listedLine{line.Kind.String(), line.Text})
		}
		out.Sections = append(out.Sections, section)
	}
	return out
}
