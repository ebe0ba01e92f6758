// Package proof starts an MCP server exactly as a client would, from what stands in the
// client's file, and shows step by step that it serves: it starts, it answers initialize,
// it lists tools, and a harmless call on each graph comes back. One graph that answers is
// enough; what keeps another one from it is told of that graph.
//
// It promises that the process is ended however the proof ends, that all it reads of the
// process is bounded, and that no step says anything that looks like a token. It knows
// neither files of clients nor tools by name: both are handed to it.
package proof

import (
	"context"
	"slices"
	"time"

	"roam-mcp/clients"
	"roam-mcp/problem"
)

// StepID is a step of a proof.
type StepID uint8

// The steps, in their order. There is one Call for each graph.
const (
	Start      StepID = iota + 1 // the program is found and started
	Initialize                   // it answers initialize as roam-mcp does
	ListTools                    // it offers tools
	Call                         // a tool that only reads is called on a graph
)

// String returns the step in words: "initialize".
func (id StepID) String() string {
	switch id {
	case Start:
		return "start"
	case Initialize:
		return "initialize"
	case ListTools:
		return "list of tools"
	case Call:
		return "call"
	}
	return "unknown step"
}

// Step is how far a step is. It is reported when it begins, and when it has ended.
type Step struct {
	ID      StepID
	Graph   string // nickname, of a Call
	Running bool
	Failed  bool
	Took    time.Duration
	Found   string // what it has shown, in a few words: "24 tools"; empty before its end
	Err     error  // why it failed: a *problem.Error, with what a person can do
	Mend    Mend   // what would mend it
}

// Name returns the step with its graph: "call on Work".
func (s Step) Name() string {
	switch {
	case s.Graph != "":
		return s.ID.String() + " on " + s.Graph
	case s.ID == Call:
		return s.ID.String() + " on a graph"
	}
	return s.ID.String()
}

// Mend is what a person, or a key, can do about a step that failed.
type Mend uint8

// The mends.
const (
	NoMend         Mend = iota // nothing that this program can do
	WriteAnew                  // put the entry into the client's file again
	InstallProgram             // install roam-mcp where the entry would start it
	OpenRoam                   // open Roam Desktop
	Reauthorize                // ask for a new token of Step.Graph
	EnableAPI                  // switch the Local API on, in Roam
	ConnectGraph               // connect a graph, or enable one
	Agree                      // agree to start what is not this program
)

// Graph is a graph that the server should serve.
type Graph struct{ Nickname string }

// Result is what a proof has shown.
type Result struct {
	Tools int           // number of tools offered
	Call  string        // the tool that was called
	Took  time.Duration // from the start of the process to the last answer
	Steps []Step        // those that have ended, in their order
}

// Answered returns the nicknames of the graphs that answered.
func (r Result) Answered() []string {
	var nicknames []string
	for _, step := range r.Steps {
		if step.ID == Call && !step.Failed {
			nicknames = append(nicknames, step.Graph)
		}
	}
	return nicknames
}

// Silent returns the calls on graphs that failed.
func (r Result) Silent() []Step {
	return slices.DeleteFunc(slices.Clone(r.Steps), func(s Step) bool { return s.Graph == "" || !s.Failed })
}

// FailedAt returns the step that a proof failed at with that error. There is none where
// the error came before the first step, or is that of the context.
func (r Result) FailedAt(err error) (step Step, ok bool) {
	i := slices.IndexFunc(r.Steps, func(s Step) bool { return s.Failed && s.Err == err })
	if i < 0 {
		return Step{}, false
	}
	return r.Steps[i], true
}

// Limit is the longest that a proof takes.
const Limit = 20 * time.Second

// The codes of steps that fail before Roam is asked.
const (
	CodeProgramGone  problem.Code = "PROGRAM_GONE"  // the entry names a program that is not there
	CodeNotStarted   problem.Code = "NOT_STARTED"   // the program is there and can't be started
	CodeEndedEarly   problem.Code = "ENDED_EARLY"   // the process ended, or closed its output, before it answered
	CodeNotMCP       problem.Code = "NOT_MCP"       // what it printed is no MCP, or not what was asked for
	CodeOtherProgram problem.Code = "OTHER_PROGRAM" // it answers as another server
	CodeNoAnswer     problem.Code = "NO_ANSWER"     // Limit is over
	CodeNoGraph      problem.Code = "NO_GRAPH"      // no graph is connected and enabled
)

// Run proves a launch. It calls the first tool of probes that is offered, or else some
// tool that only reads, on each of the graphs, or on those alone that the launch
// names. Each step is given to report when it begins and when it
// has ended; report may be nil.
//
// A launch is proven where it starts, answers, lists tools, and one graph answers. The
// others are Result.Silent. The error is that of the step that failed the proof, of
// several graphs the first, or that of ctx.
func Run(ctx context.Context, launch clients.Launch, graphs []Graph, probes []string, report func(Step)) (Result, error) {
	return prove(ctx, launch, graphs, probes, usualLimits(), report)
}

// limits are how long a proof and its end take at most.
type limits struct {
	answer   time.Duration // from the start to the last answer
	farewell time.Duration // until the process has ended once its input is closed
}

func usualLimits() limits { return limits{answer: Limit, farewell: 2 * time.Second} }

func prove(ctx context.Context, launch clients.Launch, graphs []Graph, probes []string, limits limits, report func(Step)) (Result, error) {
	r := &run{launch: launch, probes: probes, limits: limits, report: report}
	limited, cancel := context.WithTimeout(ctx, limits.answer)
	defer cancel()
	err := r.all(limited, graphs)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return r.result, err
}
