package install

import (
	"context"
	"slices"
	"time"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/problem"
)

// ProofStepID is a step of a proof.
type ProofStepID uint8

// The steps, in their order. There is one StepCall for each graph.
const (
	StepStart      ProofStepID = iota + 1 // the program is found and started
	StepInitialize                        // it answers initialize as roam-mcp does
	StepListTools                         // it offers tools
	StepCall                              // a tool that only reads is called on a graph
)

// String returns the step in words: "initialize".
func (id ProofStepID) String() string {
	return [...]string{"unknown step", StepStart: "start", StepInitialize: "initialize", StepListTools: "list of tools", StepCall: "call"}[id]
}

// ProofStep is how far a step is. It is reported when it begins, and when it has ended.
type ProofStep struct {
	ID      ProofStepID
	Graph   string // nickname, of a Call
	Running bool
	Failed  bool
	Took    time.Duration
	Found   string // what it has shown, in a few words: "24 tools"; empty before its end
	Err     error  // why it failed: a *problem.Error, with what a person can do
	Mend    Mend   // what would mend it
}

// Name returns the step with its graph: "call on Work".
func (s ProofStep) Name() string {
	switch {
	case s.Graph != "":
		return s.ID.String() + " on " + s.Graph
	case s.ID == StepCall:
		return s.ID.String() + " on a graph"
	}
	return s.ID.String()
}

// Mend is what a person, or a key, can do about a step that failed.
type Mend uint8

// The mends.
const (
	MendNone           Mend = iota // nothing that this program can do
	MendWriteAnew                  // put the entry into the client's file again
	MendInstallProgram             // install roam-mcp where the entry would start it
	MendOpenRoam                   // open Roam Desktop
	MendReauthorize                // ask for a new token of Step.Graph
	MendEnableAPI                  // switch the Local API on, in Roam
	MendConnectGraph               // connect a graph, or enable one
	MendAgree                      // agree to start what is not this program
)

// Graph is a graph that the server should serve.
type Graph struct{ Nickname string }

// Proof is what a proof has shown.
type Proof struct {
	Tools int           // number of tools offered
	Call  string        // the tool that was called
	Took  time.Duration // from the start of the process to the last answer
	Steps []ProofStep   // those that have ended, in their order
}

// Answered returns the nicknames of the graphs that answered.
func (r Proof) Answered() []string {
	var nicknames []string
	for _, step := range r.Steps {
		if step.ID == StepCall && !step.Failed {
			nicknames = append(nicknames, step.Graph)
		}
	}
	return nicknames
}

// Silent returns the calls on graphs that failed.
func (r Proof) Silent() []ProofStep {
	return slices.DeleteFunc(slices.Clone(r.Steps), func(s ProofStep) bool { return s.Graph == "" || !s.Failed })
}

// FailedAt returns the step that a proof failed at with that error. There is none where
// the error came before the first step, or is that of the context.
func (r Proof) FailedAt(err error) (step ProofStep, ok bool) {
	i := slices.IndexFunc(r.Steps, func(s ProofStep) bool { return s.Failed && s.Err == err })
	if i < 0 {
		return ProofStep{}, false
	}
	return r.Steps[i], true
}

// proofLimit is the longest that a proof takes.
const proofLimit = 20 * time.Second

// The codes of steps that fail before Roam is asked.
const (
	CodeProgramGone problem.Code = "PROGRAM_GONE"  // the entry names a program that is not there
	CodeNotStarted  problem.Code = "NOT_STARTED"   // the program is there and can't be started
	CodeEndedEarly  problem.Code = "ENDED_EARLY"   // the process ended, or closed its output, before it answered
	CodeNotMCP      problem.Code = "NOT_MCP"       // what it printed is no MCP, or not what was asked for
	CodeOtherServer problem.Code = "OTHER_PROGRAM" // it answers as another server
	CodeNoAnswer    problem.Code = "NO_ANSWER"     // proofLimit is over
	CodeNoGraph     problem.Code = "NO_GRAPH"      // no graph is connected and enabled
)

// limits are how long a proof and its end take at most.
type limits struct {
	answer   time.Duration // from the start to the last answer
	farewell time.Duration // until the process has ended once its input is closed
}

func usualLimits() limits { return limits{answer: proofLimit, farewell: 2 * time.Second} }

// prove proves a launch. It calls the first tool of probes that is offered, or else some
// tool that only reads, on each of the graphs, or on those alone that the launch
// names. Each step is given to report when it begins and when it
// has ended; report may be nil.
//
// A launch is proven where it starts, answers, lists tools, and one graph answers. The
// others are Proof.Silent. The error is that of the step that failed the proof, of
// several graphs the first, or that of ctx.
func prove(ctx context.Context, launch clients.Launch, graphs []Graph, probes []string, limits limits, report func(ProofStep)) (Proof, error) {
	r := &run{launch: launch, probes: probes, limits: limits, report: report}
	limited, cancel := context.WithTimeout(ctx, limits.answer)
	defer cancel()
	err := r.all(limited, graphs)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return r.result, err
}
