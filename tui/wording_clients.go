package tui

import (
	"strings"
	"time"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

// AboutClients is the heading of the list of clients.
const AboutClients = "Where should agents find your graphs?"

// ClientLine says how a client stands. proven is when what stands in its file was last
// proven, zero where it is not.
func ClientLine(status clients.Status, proven, now time.Time) Line {
	switch status.State {
	case clients.Absent:
		return Line{SignNone, status.State.String()}
	case clients.Present:
		return Line{SignOff, status.State.String()}
	case clients.Configured:
		if proven.IsZero() {
			return Line{SignOff, "configured, not proven yet"}
		}
		return Line{SignDone, "configured, proven " + kit.Ago(now.Sub(proven))}
	case clients.Elsewhere:
		return Line{SignOff, status.Gives}
	case clients.SwitchedOff:
		return Line{SignOff, status.State.String()}
	case clients.OtherServer, clients.BinaryGone, clients.NotServed, clients.NoGraph:
		return Line{SignWarning, status.State.String()}
	case clients.Unreadable, clients.Refused:
		return Line{SignFailed, status.State.String()}
	}
	return Line{SignNone, status.State.String()}
}

// ProofFailedLine is the state of a client whose proof has just failed.
func ProofFailedLine() Line { return Line{SignFailed, "configured, its proof failed"} }

// LastCallText says when a client last called: "last call by Claude Code 3 s ago". "" means that
// it has not.
func LastCallText(client clients.Client, called, now time.Time) string {
	if called.IsZero() {
		return ""
	}
	return "last call by " + client.Name + " " + kit.Ago(now.Sub(called))
}

// FirstCallText says when a client called for the first time.
func FirstCallText(client clients.Client, called, now time.Time) string {
	return "first real call by " + client.ID + ", " + kit.Ago(now.Sub(called))
}

// ChoiceText says what clients are given: "profile roam, every enabled graph, read and write".
func ChoiceText(choice clients.Choice, profile string) string {
	parts := []string{"profile " + profile, "every enabled graph", "read and write"}
	if len(choice.Graphs) > 0 {
		parts[1] = "the graph " + strings.Join(choice.Graphs, ", ") + " alone"
	}
	if choice.ReadOnly {
		parts[2] = "read only"
	}
	if len(choice.Toolsets) > 0 {
		parts = append(parts, "the tools "+strings.Join(choice.Toolsets, ", "))
	}
	return strings.Join(parts, ", ")
}

// Step says what a step of a proof does, or what it has shown, with its sign.
func (w Wording) Step(s install.ProofStep) Line {
	line := Line{SignDone, ""}
	switch s.ID {
	case install.StepStart:
		line.Text = "started " + w.Path(kit.Sanitize(s.Found))
	case install.StepInitialize:
		line.Text = "answered initialize as " + kit.Sanitize(s.Found)
	case install.StepListTools:
		line.Text = kit.Sanitize(s.Found)
	case install.StepCall:
		line.Text = kit.Sanitize(s.Found) + " on " + s.Graph + ", " + kit.ShortDuration(s.Took)
	}
	if !s.Running && !s.Failed {
		return line
	}
	line = Line{SignBusy, map[install.ProofStepID]string{
		install.StepStart: "start the program", install.StepInitialize: "initialize", install.StepListTools: "list the tools", install.StepCall: "call " + s.Graph,
	}[s.ID]}
	if s.ID == install.StepCall && s.Graph == "" {
		line.Text = "call a graph"
	}
	if s.Failed {
		line.Sign = SignFailed
	}
	return line
}

// ProvenText says what a proof has shown: "answered initialize, 24 tools,
// get_graph_guidelines on Work in 112 ms".
func ProvenText(result install.Proof) string {
	return "answered initialize, " + kit.Plural(result.Tools, "tool") + ", " + kit.Sanitize(result.Call) + " on " + problem.List(result.Answered()) + " in " + kit.ShortDuration(result.Took)
}

// MendLabel returns what the key that mends a failed step does, as the label of that key; ""
// where no key can.
func MendLabel(step install.ProofStep) string {
	switch step.Mend {
	case install.MendWriteAnew:
		return "write it anew"
	case install.MendOpenRoam:
		return "open Roam"
	case install.MendReauthorize:
		return "re-authorize " + step.Graph
	case install.MendConnectGraph:
		if step.Graph == "" {
			return "connect a graph"
		}
		return "your graphs"
	case install.MendAgree:
		return "start it"
	case install.MendNone, install.MendEnableAPI, install.MendInstallProgram:
	}
	return ""
}

// NextAfterProofText says what a person does next with a client that works.
func NextAfterProofText(client clients.Client) string {
	return strings.TrimSpace(client.AfterWrite + " " + client.Ask)
}

// Entry says what an entry in a client's file starts.
func (w Wording) Entry(entry clients.Entry) string {
	command := w.World.Shell.Join(append([]string{w.Path(entry.Command)}, entry.Args...)...)
	text := entry.Name + " starts " + command
	switch {
	case entry.URL != "":
		text = entry.Name + " connects to " + entry.URL
	case entry.Command == "":
		text = entry.Name + " starts nothing that this program knows"
	case entry.Gone:
		text += ", which is not there"
	case entry.Disabled:
		text += ", and is switched off in the client"
	}
	if also := entry.Also(); also != "" {
		text += ". This entry also has: " + also
	}
	return kit.Sanitize(text) + "."
}
