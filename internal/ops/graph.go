// Package ops does things to a graph of Roam: it reads, searches and writes, on
// values that say what is meant.
//
// It promises that every write goes out once, through one function where what is
// protected is kept from it and a Recorder sees it, and that a write whose reply was lost, or does not
// tell what was done, is looked for in the graph with the same values, also by another
// program that has only its record.
// It does not know who asks, under which name, or how an answer is said: its errors are of
// package problem, and name tasks.
//
// Files that an agent names are read within bounds: from a web address, from a data address, or
// from the folder that the user named, and nowhere else.
package ops

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// The codes of this package's own errors (TOOLS.md, "Errors of our own").
const (
	CodeOutcomeUnknown  problem.Code = "OUTCOME_UNKNOWN"  // the reply of a write was lost, or is not what the graph shows
	CodeTruncatedSource problem.Code = "TRUNCATED_SOURCE" // a text that was cut when it was read
	CodeBatchFailed     problem.Code = "BATCH_FAILED"     // nothing of a batch was done, for several reasons
	CodeNotSent         problem.Code = "NOT_SENT"         // a part of a batch that was not tried
	CodeQueryInvalid    problem.Code = "QUERY_INVALID"    // a query that Roam can't run as it is written
)

// The details of this package's errors, by name.
const (
	DetailApplied   = "applied"   // an Applied
	DetailEvidence  = "evidence"  // how that is known, a sentence
	DetailUID       = "uid"       // what the error is about
	DetailSucceeded = "succeeded" // number of parts of a batch
	DetailFailed    = "failed"    // number of parts of a batch
	DetailResults   = "results"   // JSON list, one object for each part of a batch
	DetailPayload   = "payload"   // JSON that could not be understood
	DetailPosition  = "position"  // where in a query the fault is: line, column and near

	DetailRetryAfter = "retry_after_seconds" // number, until the same call can succeed
)

// Caller is the way to one graph of Roam, with the token for it.
type Caller interface {
	// Send runs an action once. Where Roam is closed it may be opened first.
	Send(ctx context.Context, action string, args ...any) (localapi.Reply, error)
	// Look runs a read that finds out what became of a write, as Roam is now.
	Look(ctx context.Context, action string, args ...any) (localapi.Reply, error)
	// Explain adds to an error of Send what is known of the graph and its token.
	// It may ask Roam about the token.
	Explain(ctx context.Context, err error) error
	// Waiting tells whoever uses the caller what is waited for, until stop is
	// called.
	Waiting(ctx context.Context, what string) (stop func())
}

// NoUser implements the methods of a Caller that concern its user, for a Caller that has
// none. It is meant to be embedded.
type NoUser struct{}

// Explain implements Caller.
func (NoUser) Explain(_ context.Context, err error) error { return err }

// Waiting implements Caller.
func (NoUser) Waiting(context.Context, string) (stop func()) { return func() {} }

// Options of Operations. All may be left out.
type Options struct {
	Now     func() time.Time // nil: time.Now
	Protect Protection       // what writes may not change
	// AfterWrite is called after each write that was done, or may have been, before its
	// caller knows. restructured: pages or blocks may be gone, or in other places. nil:
	// nobody is told.
	AfterWrite func(graph localapi.Graph, restructured bool)
	// FromWeb fetches files to upload; nil: from public addresses only.
	FromWeb *Web
	// Folders are those that files to upload are read from; nil: none.
	Folders *Folders

	// LookTimeout is how long a write is looked for whose reply was lost. 0: 5 s.
	LookTimeout time.Duration
	// HoldPatience is how long a call waits for the pages that it changes. 0: 20 s.
	HoldPatience time.Duration
	// Wait waits between two looks, and between two tries of a read; false where
	// ctx ends first. nil: it waits for that time.
	Wait func(ctx context.Context, d time.Duration) bool
}

// Operations are those on all graphs that one program serves. They remember
// which writes are in flight, how many went out lately, and which graphs have a
// Roam without batches.
type Operations struct {
	options   Options
	inFlight  *writesInFlight
	turns     *writeLimiter
	holds     *blockLocks
	noBatches *missingActions
	searches  *searches
}

// New makes Operations.
func New(options Options) *Operations {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.FromWeb == nil {
		options.FromWeb = NewWeb(Public)
	}
	if options.LookTimeout == 0 {
		options.LookTimeout = lookTimeout
	}
	if options.HoldPatience == 0 {
		options.HoldPatience = holdPatience
	}
	if options.Wait == nil {
		options.Wait = Wait
	}
	return &Operations{options: options, inFlight: newWritesInFlight(), turns: newWriteLimiter(), holds: newBlockLocks(), noBatches: newMissingActions(), searches: newSearches(options.Now)}
}

// Wait waits for a time; false where ctx ends first.
func Wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// Graph is one graph, and a way to it: what can be done with it, in families.
type Graph struct {
	*core
	sender
	Reads
	Finds
	Desktop
	Creates
	Edits
	Rewrites
}

// The families.
type (
	// Reads are pages, blocks and texts as they are, and what refers to them.
	Reads struct{ *core }
	// Finds are pages and blocks by what they are called, say or mean.
	Finds struct{ *core }
	// Desktop is what the desktop app shows, and its extensions.
	Desktop struct{ sender }
	// Creates makes pages, blocks, comments and files.
	Creates struct{ sender }
	// Edits changes, moves and deletes pages, blocks and files.
	Edits struct{ sender }
	// Rewrites makes one outline of another, with as few writes as there can be.
	Rewrites struct{ sender }
	// sender sends one write, and finds out what became of it.
	sender struct{ *core }
)

// core is what the operations on a graph share.
type core struct {
	operations *Operations
	graph      localapi.Graph
	caller     Caller
	recorder   Recorder // nil: writes are not recorded
	agent      string   // who calls
	claims     Claims   // nil: no other server is kept out
	began      uint64   // when the call did; see holds
	allowed    bool     // as parts of a write that was allowed as a whole
	stepwise   bool
	done       *done
	attempts   *attempts
	read       *lastRead
}

// asGraph returns the operations of all families on the graph.
func (c *core) asGraph() *Graph {
	s := sender{c}
	return &Graph{c, s, Reads{c}, Finds{c}, Desktop{s}, Creates{s}, Edits{s}, Rewrites{s}}
}

func (c *core) reads() Reads  { return Reads{c} }
func (c *core) finds() Finds  { return Finds{c} }
func (s sender) edits() Edits { return Edits{s} }

// On returns the operations on one graph, for one call of a tool.
func (o *Operations) On(graph localapi.Graph, caller Caller) *Graph {
	c := core{operations: o, graph: graph, caller: caller, began: o.holds.now(), done: &done{uids: map[string][]string{}}, attempts: &attempts{}, read: &lastRead{}}
	return c.asGraph()
}

// RecordedBy returns the operations with a Recorder for their writes.
func (g *core) RecordedBy(r Recorder) *Graph {
	recorded := *g
	recorded.recorder = r
	return recorded.asGraph()
}

// ask runs a read.
func (g *core) ask(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	reply, err := g.caller.Send(ctx, action, args...)
	if err != nil {
		return nil, g.caller.Explain(ctx, err)
	}
	return reply.Result, nil
}

// askObject runs a read that is answered with an object; nil for any other answer.
func (g *core) askObject(ctx context.Context, action string, args ...any) (rawjson.Object, error) {
	result, err := g.ask(ctx, action, args...)
	return rawjson.Parse(result), err
}

// LacksAction reports whether Roam does not have the action that was called.
func LacksAction(err error) bool {
	failed, ok := problem.AsCall(err)
	return ok && (failed.Code == localapi.CodeUnknownAction || failed.Code == "ACTION_NOT_AVAILABLE")
}

// IsUnsupported reports whether Roam lacks a function, or what else a call needs.
func IsUnsupported(err error) bool {
	return LacksAction(err) || problem.CodeOf(err) == localapi.CodeUnsupportedRoam
}

// Explained returns the problem in an error's tree, or else the one that the
// error stands for: what nobody has explained is an internal error, with a line of
// its text.
func Explained(err error) *problem.Error {
	if failed, ok := problem.As(err); ok {
		return failed
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &problem.Error{Code: localapi.CodeCancelled, Message: "The call was cancelled.", Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &problem.Error{Code: localapi.CodeTimeout, Message: "No answer came in time.", Retry: problem.RetryLater, Err: err}
	}
	return &problem.Error{Code: localapi.CodeInternal, Message: "roam-mcp failed: " + textsafe.Redact(textsafe.Line(err.Error(), 300)), Err: err}
}

// notRetryable returns a problem that says that the same call can't succeed later.
func notRetryable(p problem.Error) *problem.Error {
	p.Retry = problem.RetryNever
	return &p
}
