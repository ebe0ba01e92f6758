package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Write is a change of a graph, of its files or by an extension, as a value. All
// that is needed to send it, and to look for it afterwards, is in its fields.
type Write interface {
	// Request returns the action and its positional arguments (LOCAL_API.md 2.3 to
	// 2.6).
	Request() (action string, args []any)
	// Footprint returns what it changes.
	Footprint() Footprint
	// Capture returns what a Recorder keeps of it.
	Capture() Capture
	// Done returns what it has done, as far as Roam's reply says.
	Done(reply json.RawMessage) Done
}

// visible is a Write that can be looked for in the graph.
type visible interface {
	Write
	// find finds out whether the write happened: Yes or No only where that is
	// known, with a sentence on how. since is when it was sent, in milliseconds of
	// this machine's clock, which is Roam's clock too.
	find(ctx context.Context, look verifier, since int64) (Applied, string)
}

// partial is a visible Write that Roam may end in the middle: a part of it is done then.
type partial interface {
	visible
	// report returns what would be Roam's report on the parts of a batch; false where
	// nothing of it was done, or nobody can tell.
	report(ctx context.Context, look verifier) (json.RawMessage, bool)
}

// Applied says whether a write whose reply was lost happened.
type Applied int

// The values of Applied. In JSON they are null, true and false.
const (
	Unknown Applied = iota
	Yes
	No
)

// MarshalJSON implements json.Marshaler.
func (a Applied) MarshalJSON() ([]byte, error) {
	switch a {
	case Yes:
		return []byte("true"), nil
	case No:
		return []byte("false"), nil
	case Unknown:
	}
	return []byte("null"), nil
}

// Recorder is told of every write, such as to keep a journal of them.
type Recorder interface {
	// Begin is called right before a write is sent. Its error refuses the write:
	// nothing is sent, and the error is what the caller gets.
	Begin(ctx context.Context, write Recorded) (Record, error)
	// Preview returns what the Record of a write would have as Before, and refuses it as Begin
	// does. Nothing is recorded.
	Preview(ctx context.Context, write Recorded) (*fact.State, error)
}

// Record is what a Recorder has of a write that was begun.
type Record interface {
	// Before returns the facts that the write was to change; nil if they were not read.
	Before() *fact.State
	// After reads what a write has left whose reply has come; nil where the Recorder does
	// not read it before the caller knows how the write ended.
	After(ctx context.Context) (*fact.State, error)
	// End is called once it is known how the write ended, before the caller knows.
	End(outcome Outcome)
}

// Unrecorded is the Record of a write that is not recorded: there is no Recorder, or it
// leaves the write out.
type Unrecorded struct{}

// Before implements Record.
func (Unrecorded) Before() *fact.State { return nil }

// After implements Record.
func (Unrecorded) After(context.Context) (*fact.State, error) { return nil, nil }

// End implements Record.
func (Unrecorded) End(Outcome) {}

// Recorded is a write that is about to be sent.
type Recorded struct {
	Graph  localapi.Graph
	Write  Write
	Action string
	Args   []any // as Roam takes them
	Caller Caller
	// Before is what a read right before showed of all that the write changes; nil:
	// nobody has read it.
	Before *fact.State
	// Check is to be called before the write is recorded, with what a look at all that it
	// changes has found; nil: nobody has looked. Its error refuses the write.
	Check func(ctx context.Context, before *fact.State) error
}

// Outcome is how a write ended.
type Outcome struct {
	Applied  Applied
	Evidence string          // how that is known, where Roam's reply did not tell
	Reply    json.RawMessage // Roam's, where it came and says that the write was done
	Err      error           // what the caller gets
}

// failureKind says how much a failed write leaves in doubt.
type failureKind int

const (
	refused       failureKind = iota // Roam's word that nothing was done
	refusedInText                    // a 5xx whose text reads as such a word
	crashed                          // Roam broke while it was at it, and is done with it
	unanswered                       // it may have been done, or may be still
)

// write sends a write, once, when its turn has come. Every write of every
// operation goes through here. Where the reply is lost the graph is looked at. What
// is known for certain to be done is answered as Roam would have, with the field
// Recovered; else the error says what was found.
func (g sender) write(ctx context.Context, w Write) (json.RawMessage, error) {
	return g.send(ctx, w, nil, nil)
}

// Apply sends a write as it is. It returns Roam's reply, nil where there is none.
func (g Edits) Apply(ctx context.Context, w Write) (json.RawMessage, error) { return g.write(ctx, w) }

// send sends a write as write does. before is what a read right before showed, see
// Recorded.Before. readMade, if it is not nil, reads back what the write made, see confirm.
func (g sender) send(ctx context.Context, w Write, before *fact.State, readMade readBack) (json.RawMessage, error) {
	action, args := w.Request()
	if err := checkMarks(args); err != nil {
		return nil, err
	}
	content := contentOf(g.graph, action, args)
	if outcome, done := g.attempts.repeated(ctx, g, content); done {
		g.noteDone(w, outcome)
		return outcome.Reply, outcome.Err
	}
	if err := g.awaitTurn(ctx); err != nil {
		return nil, err
	}
	reach := w.Footprint()
	if err := g.allow(ctx, reach); err != nil {
		return nil, err
	}
	record, err := g.record(ctx, Recorded{g.graph, w, action, args, g.caller, before, g.checkShown(w)})
	if errors.Is(err, errSameTitle) { // the page has the title: what else there is of the write is sent
		if w = withoutTitle(w); w == nil {
			return nil, nil
		}
		return g.write(ctx, w)
	}
	if err != nil {
		return nil, err
	}
	now := g.operations.options.Now
	flight := g.operations.inFlight.begin(content, now().UnixMilli())
	defer func() { flight.end(now().UnixMilli()) }()
	reply, err := g.caller.Send(ctx, action, args...)
	var outcome Outcome
	if err == nil {
		outcome = g.confirm(ctx, w, record, reply.Result, readMade, flight.began)
	} else {
		outcome = g.failed(ctx, w, flight, err)
	}
	record.End(outcome)
	g.attempts.note(attempt{content, w, flight.began, record, outcome})
	g.noteDone(w, outcome)
	g.noteImpact(w, outcome, before, record)
	if tell := g.operations.options.AfterWrite; tell != nil && outcome.Applied != No {
		tell(g.graph, reach.restructures())
	}
	return outcome.Reply, outcome.Err
}

// noteDone adds a write to what the call has done, where it is known to be done.
func (g sender) noteDone(w Write, outcome Outcome) {
	if outcome.Applied == Yes {
		g.done.note(w.Done(outcome.Reply))
	}
}

// noteImpact adds what a write has done besides, where it is known to be done. before is what a read
// right before showed.
func (g sender) noteImpact(w Write, outcome Outcome, before *fact.State, record Record) {
	if kept := record.Before(); outcome.Applied == Yes && cmp.Or(kept, before) != nil {
		g.done.affect(w, outcome.Reply, *cmp.Or(kept, before), kept != nil)
	}
}

// record tells the Recorder, if there is one, of a write.
func (g sender) record(ctx context.Context, write Recorded) (Record, error) {
	if g.recorder == nil {
		return Unrecorded{}, write.Check(ctx, nil)
	}
	return g.recorder.Begin(ctx, write)
}

// failed finds out what became of a write that ended with an error.
func (g sender) failed(ctx context.Context, w Write, flight *flight, err error) Outcome {
	call, isCall := problem.AsCall(err)
	if !isCall { // it never got to Roam
		return Outcome{Applied: No, Err: g.caller.Explain(ctx, err)}
	}
	kind := failureKindOf(call)
	parts, inParts := w.(partial)
	_, canBeSeen := w.(visible)
	if kind == refused || kind != unanswered && !canBeSeen {
		return Outcome{Applied: appliedAfter(kind), Err: g.caller.Explain(ctx, err)}
	}
	applied, evidence := g.investigate(ctx, w, flight.began, kind)
	if applied == Unknown && inParts {
		if reply, ok := g.partlyDone(ctx, parts); ok {
			return Outcome{Applied: Yes, Evidence: evidence, Reply: reply}
		}
	}
	if applied == Yes && flight.met() {
		applied, evidence = Unknown, "It is there, but the same write was sent by another call at the same time. "+evidence
	}
	if applied == Yes && (kind == unanswered || g.stepwise) {
		if reply, ok := g.recovered(ctx, w, flight.began); ok {
			return Outcome{Applied: Yes, Evidence: evidence, Reply: reply}
		}
	}
	switch {
	case kind == refusedInText && applied == No:
		return Outcome{Applied: No, Err: g.caller.Explain(ctx, err)}
	case kind == crashed && applied == No:
		return Outcome{Applied: No, Evidence: evidence, Err: g.caller.Explain(ctx, err)}
	}
	unknown := outcomeUnknown(call, kind, applied, evidence)
	if !canBeSeen {
		unknown.Hint = problem.Say("Sent again, it may be done twice: ask the user first.")
	}
	return Outcome{Applied: applied, Evidence: evidence, Err: unknown}
}

func appliedAfter(kind failureKind) Applied {
	if kind == refused {
		return No
	}
	return Unknown
}

func outcomeUnknown(call *problem.Error, kind failureKind, applied Applied, evidence string) *problem.Error {
	what := "The write was sent, but its reply was lost. "
	if kind != unanswered {
		what = "Roam failed while it was at the write. "
	}
	message := call.Message
	if message == "" {
		message = "The call failed."
	}
	unknown := &problem.Error{
		Code: CodeOutcomeUnknown, Message: what + message, Retry: problem.RetryNever, Call: call.Call, Err: call,
		Details: []problem.Detail{{Name: DetailApplied, Value: applied}, {Name: DetailEvidence, Value: evidence}},
	}
	switch applied {
	case Yes:
		unknown.Hint = problem.Say("It was done. Do not send it again.")
	case No, Unknown: // what is not there may come
		unknown.Hint = problem.Say("Read the place in the graph before sending it again.")
	}
	return unknown
}

// failureKindOf says what a failed call leaves open: whether it was sent, and whether
// what came back, if anything, is Roam's word on it.
func failureKindOf(call *problem.Error) failureKind {
	if !call.Sent() {
		return refused
	}
	switch call.Status() {
	case 0, 408, 502, 503, 504:
		return unanswered
	}
	switch call.Code {
	case localapi.CodeInvalidReply, localapi.CodeWindowClosed, localapi.CodeQueryTimeout:
		return unanswered
	case localapi.CodeInternal:
		return crashed
	}
	if call.Status() >= 500 { // its text is for people (LOCAL_API.md 6.3)
		return refusedInText
	}
	return refused
}

// investigate looks twice, unless it sees the write or nothing can be on its way any more.
// What is not there after that time may still come: it is Unknown.
func (g sender) investigate(ctx context.Context, w Write, since int64, kind failureKind) (Applied, string) {
	if ctx.Err() != nil {
		return Unknown, "The call was cancelled after it was sent, so nobody looked."
	}
	sought, canBeSeen := w.(visible)
	if !canBeSeen {
		return Unknown, "What it does can't be seen in the graph."
	}
	ctx, cancel := context.WithTimeout(ctx, g.operations.options.LookTimeout)
	defer cancel()
	look := verifier{graph: g.core}
	applied, evidence := sought.find(ctx, look, since)
	if applied == Yes || kind != unanswered {
		return applied, evidence
	}
	if !g.operations.options.Wait(ctx, lookAgain) {
		return Unknown, cantLook(ctx.Err())
	}
	if applied, evidence = sought.find(ctx, look, since); applied == No {
		return Unknown, evidence + " Roam may still do it."
	}
	return applied, evidence
}

// request is the object that an action takes, in Roam's own keys. What is left
// out is as Roam has it.
type request map[string]any

// withText adds a text that is not empty.
func (r request) withText(key, text string) request {
	if text != "" {
		r[key] = text
	}
	return r
}

// with adds a value that is not left out.
func with[T any](r request, key string, value *T) request {
	if value != nil {
		r[key] = *value
	}
	return r
}
