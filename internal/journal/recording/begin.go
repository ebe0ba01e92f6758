package recording

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

const (
	// A write waits for others to the same blocks to end with so many tries, and so long.
	raceTries    = 50
	raceInterval = 100 * time.Millisecond
	racePatience = 5 * time.Second
	// flushPatience is how long a write that reads first waits for what earlier writes
	// of this server have left to be read.
	flushPatience = 5 * time.Second
)

// Recording records the writes of one call of a tool. It is safe for concurrent use.
type Recording struct {
	recorder *Recorder
	call     Call

	mu         sync.Mutex
	number     int64 // of the call; 0: nothing is recorded
	mark       int64 // before the first read of the call that could be one of Recorded.Before; 0: none was taken
	unrecorded bool
	parts      []review.Part     // of the changes that are done, for the summary
	pages      map[string]string // titles by uid
	undoes     int64             // Change.ID of the change that is taken back; 0: none is
}

var _ ops.Recorder = (*Recording)(nil)

// Reads tells that what an operation reads from now on may be given to Begin, as
// Recorded.Before, and be what a claim is about. It is to be called before the operation of
// a tool that edits.
func (r *Recording) Reads(ctx context.Context) {
	mark, err := r.recorder.options.Journal.Mark(ctx)
	if err != nil {
		return // Begin says so
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mark = mark
}

// Unrecorded reports whether a write of the call went out without being recorded, though
// it should have been. A nil Recording records nothing and should not.
func (r *Recording) Unrecorded() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unrecorded
}

// Number returns the number of the call in the journal; 0: nothing of it is recorded. That is so of
// a nil Recording.
func (r *Recording) Number() int64 {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.number
}

// Begin implements ops.Recorder.
func (r *Recording) Begin(ctx context.Context, w ops.Recorded) (ops.Record, error) {
	if r.Unrecorded() { // what follows belongs to it
		return ops.Unrecorded{}, nil
	}
	b := r.pending(ctx, w)
	if b.kind.Look != nil {
		r.recorder.Flush(ctx, w.Graph)
	}
	err := b.intend(ctx)
	if err != nil && b.kind.BestEffort && r.call.Adds && unwritable(err) {
		r.goUnrecorded(err)
		return ops.Unrecorded{}, nil
	}
	if err != nil {
		return nil, err
	}
	b.sent = r.recorder.now().UnixMilli()
	return b, nil
}

// pending returns the record of a write before anything is recorded.
func (r *Recording) pending(ctx context.Context, w ops.Recorded) *pendingRecord {
	b := &pendingRecord{recording: r, write: w, kind: w.Write.Capture(), keeps: r.call.Keeps}
	if b.keeps == Unsaid {
		b.keeps = b.unsaid(ctx)
	}
	if b.keeps == NoTexts {
		b.kind.Look = nil
	}
	return b
}

// Preview implements ops.Recorder. The journal is not touched.
func (r *Recording) Preview(ctx context.Context, w ops.Recorded) (*fact.State, error) {
	b := r.pending(ctx, w)
	if b.kind.Look != nil {
		if w.Before != nil {
			b.before = *w.Before
		} else if err := b.read(ctx); err != nil {
			return nil, err
		}
	}
	return b.Before(), b.check(ctx)
}

// unwritable reports whether an error says that the journal can't be written.
func unwritable(err error) bool {
	code := problem.CodeOf(err)
	return code == history.CodeUnavailable || code == history.CodeTooNew
}

// pendingRecord is a write that is about to be sent, or was; it is its ops.Record.
type pendingRecord struct {
	recording *Recording
	write     ops.Recorded
	kind      ops.Capture
	keeps     Keeping
	before    fact.State
	change    history.Change
	sent      int64       // ms
	replied   int64       // ms; 0: what it has left was not read yet
	left      *afterImage // what it has left; nil: it was not read yet
	// textsUnsaid is set where Roam was asked whether the graph is encrypted, and does not say.
	textsUnsaid bool
}

// unsaid returns what is kept of the write, of whose graph the user has not said it.
func (b *pendingRecord) unsaid(ctx context.Context) Keeping {
	encryption, err := b.recording.recorder.encryption(ctx, b.write.Graph, b.write.Caller)
	if encryption == localapi.NotEncrypted {
		return All
	}
	b.textsUnsaid = encryption == localapi.EncryptionUnsaid && err == nil
	return NoTexts
}

// intend records what is about to be sent: the facts are read, and read again while
// others write to the same blocks.
func (b *pendingRecord) intend(ctx context.Context) error {
	r := b.recording
	intent, err := b.intent()
	if err != nil {
		return err
	}
	began := time.Now()
	for try := 0; ; try++ {
		if b.kind.Look != nil {
			if intent.Mark, err = b.look(ctx, try == 0); err != nil {
				return err
			}
			intent.Before, intent.BeforeBy = b.before.JSON(), history.ByLook
		}
		if err = b.check(ctx); err != nil {
			return err
		}
		if b.kind.Touches != nil {
			intent.Touches = b.kind.Touches(b.before)
			intent.Lacks = lacks(b.before, intent.Touches)
		}
		if intent.Insist = time.Since(began) > racePatience/2; intent.Insist && b.kind.Class.Rewrites() {
			intent.Lacks = append(slices.Clone(intent.Lacks), mayMissTexts)
		}
		r.mu.Lock()
		intent.Call = r.number
		b.change, err = r.recorder.options.Journal.Intend(ctx, intent)
		if err == nil && r.number == 0 {
			r.number = b.change.Call
			if r.call.Noted != nil {
				r.call.Noted(r.number)
			}
		}
		r.mu.Unlock()
		if !errors.Is(err, history.ErrLookAgain) {
			return explainUnwritable(err)
		}
		switch {
		case try == raceTries, time.Since(began) > racePatience:
			return beingWritten()
		case try > 0 && !r.recorder.options.Wait(ctx, raceInterval):
			return ctx.Err()
		}
	}
}

// mayMissTexts is what a change lacks that was sent although others wrote texts since its look.
const mayMissTexts = "texts that others wrote at that moment may be missing"

// check asks whoever writes whether what is there is what the write is for.
func (b *pendingRecord) check(ctx context.Context) error {
	if b.write.Check == nil {
		return nil
	}
	if b.kind.Look == nil {
		return b.write.Check(ctx, nil)
	}
	return b.write.Check(ctx, &b.before)
}

// intent returns the intent, but for what a look finds.
func (b *pendingRecord) intent() (history.Intent, error) {
	call := b.recording.call
	intent := history.Intent{
		Who: call.Who, Graph: graphOf(b.write.Graph),
		Tool: call.Tool, Action: b.write.Action, Class: b.kind.Class, BeforeBy: history.ByNone,
		TextsUnsaid: b.textsUnsaid, Undoes: b.recording.takingBack(),
	}
	if b.keeps == NoTexts {
		return intent, nil
	}
	intent.Args = textsafe.KeepArguments(call.Args)
	args := b.write.Args
	if b.kind.Args != nil {
		args = b.kind.Args()
	}
	var err error
	intent.Request, err = json.Marshal(args)
	return intent, err
}

// look sets the facts before the write, and returns the mark that was taken before
// they were read. What the operation has read itself is not read again.
func (b *pendingRecord) look(ctx context.Context, first bool) (mark int64, err error) {
	r := b.recording
	r.mu.Lock()
	mark = r.mark
	r.mu.Unlock()
	if first && b.write.Before != nil && mark != 0 {
		b.before = *b.write.Before
		return mark, nil
	}
	if mark, err = r.recorder.options.Journal.Mark(ctx); err != nil {
		return 0, explainUnwritable(err)
	}
	return mark, b.read(ctx)
}

// read sets the facts before the write to what Roam says.
func (b *pendingRecord) read(ctx context.Context) (err error) {
	b.before, err = b.kind.Look(ctx, b.ask)
	if errors.Is(err, fact.ErrTooLarge) {
		return tooLarge()
	}
	return err
}

// ask is the fact.Ask of the look. Roam is opened where it is closed, as for the write.
func (b *pendingRecord) ask(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	reply, err := b.write.Caller.Send(ctx, action, args...)
	if err != nil {
		return nil, b.write.Caller.Explain(ctx, err)
	}
	return reply.Result, nil
}
