package recording

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

const (
	// afterTries is how often what a change left is tried to be read; what can't be read
	// is left to the next server.
	afterTries = 5
	// afterAgain is the time after the first try, which doubles with each.
	afterAgain = 250 * time.Millisecond
	// afterTimeout bounds one try.
	afterTimeout = 30 * time.Second
	// mostQueued is how many changes of a graph may wait to be read.
	mostQueued = 256
)

// afterRead is what is read of a change after it.
type afterRead struct {
	change       history.Change
	class        fact.Class
	write        ops.Write // nil: its request can't be read
	by           history.By
	before       fact.State
	touches      []fact.Touch // as the intent has them
	tops, titles []string     // of what makes
	shortcuts    []string     // of a change of them, the list after it
	since, until int64        // when it was sent, and when its reply came; ms
	ask          fact.Ask
	found        *afterImage // what it left, where it was read already
	// told is given what is learned, and returns the summary of the call; nil: there is
	// none.
	told func(after fact.State, touches []fact.Touch, pages map[string]string) string
}

// readAfter has what a change left read in the background, and recorded.
func (r *Recorder) readAfter(b *pendingRecord, part int, tops []string) {
	if b.replied == 0 {
		b.replied = r.now().UnixMilli()
	}
	f := b.footprint(tops)
	f.found = b.left
	f.told = func(after fact.State, touches []fact.Touch, pages map[string]string) string {
		return b.recording.tallyAfter(part, after, touches, pages)
	}
	r.on(b.write.Graph).after.add(f)
}

// afterRead returns what is read of the change whose reply has come; tops are of what it made.
func (b *pendingRecord) footprint(tops []string) afterRead {
	f := afterRead{
		change: b.change, class: b.kind.Class, write: b.write.Write, by: history.BySoon, before: b.before, tops: tops, titles: b.kind.Titles,
		since: b.sent, until: b.replied, ask: asking(b.recording.call.Later),
	}
	if b.kind.Shortcuts != nil {
		f.shortcuts = b.kind.Shortcuts(b.before.Shortcuts)
	}
	if b.kind.Touches != nil {
		f.touches = b.kind.Touches(b.before)
	}
	return f
}

// asking returns the fact.Ask of reads in the background.
func asking(caller ops.Caller) fact.Ask {
	return func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
		reply, err := caller.Look(ctx, action, args...)
		return reply.Result, err
	}
}

// Flush waits up to 5 seconds until what earlier writes of this server to a graph have
// left is read.
func (r *Recorder) Flush(ctx context.Context, graph localapi.Graph) {
	ctx, cancel := context.WithTimeout(ctx, flushPatience)
	defer cancel()
	r.on(graph).after.flush(ctx)
}

// queue reads what the changes of a graph have left, one after the other.
type queue struct {
	recorder *Recorder

	mu      sync.Mutex
	waiting []afterRead
	busy    bool
	idle    chan struct{} // closed once nothing waits and nothing is read; nil: nobody wants to know
	hurry   chan struct{} // a try is not to wait any longer
}

func newQueue(r *Recorder) *queue { return &queue{recorder: r, hurry: make(chan struct{}, 1)} }

// add adds a change. Where too many wait it is left to the next server.
func (q *queue) add(f afterRead) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= mostQueued {
		return
	}
	q.waiting = append(q.waiting, f)
	if !q.busy {
		q.busy = q.recorder.background("reading what a write has left", q.run)
	}
}

// flush waits until all that waits now is read, or ctx ends.
func (q *queue) flush(ctx context.Context) {
	q.mu.Lock()
	if !q.busy {
		q.mu.Unlock()
		return
	}
	if q.idle == nil {
		q.idle = make(chan struct{})
	}
	idle := q.idle
	select {
	case q.hurry <- struct{}{}:
	default:
	}
	q.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// run reads until nothing waits.
func (q *queue) run(ctx context.Context) {
	defer q.rest()
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 || ctx.Err() != nil {
			q.busy = false
			q.mu.Unlock()
			return
		}
		n := takeTogether(q.waiting)
		next := slices.Clone(q.waiting[:n])
		q.waiting = q.waiting[n:]
		q.mu.Unlock()
		if n > 1 && q.recorder.readAll(ctx, next) {
			continue
		}
		for _, f := range next {
			q.read(ctx, f)
		}
	}
}

// rest tells those who wait that the queue is empty, also after a panic.
func (q *queue) rest() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = false
	if q.idle != nil {
		close(q.idle)
		q.idle = nil
	}
}

// read reads what a change left, and records it. What fails is tried again.
func (q *queue) read(ctx context.Context, f afterRead) {
	r := q.recorder
	defer r.recover("reading what a write has left")
	for try := 1; ; try++ {
		err := r.readOnce(ctx, f, try > 1)
		if err == nil || ctx.Err() != nil {
			return
		}
		if try == afterTries {
			r.log.Warn("what a write has left could not be read", "code", problem.CodeOf(err), "class", f.class)
			return
		}
		select {
		case <-q.hurry:
		case <-time.After(afterAgain << (try - 1)):
		case <-ctx.Done():
			return
		}
	}
}

// readAll reads what several creations left at once, and reports whether all of it is
// recorded.
func (r *Recorder) readAll(ctx context.Context, all []afterRead) (ok bool) {
	defer r.recover("reading what writes have left")
	ctx, cancel := context.WithTimeout(ctx, afterTimeout)
	defer cancel()
	parts, err := readTogether(ctx, all)
	if err != nil {
		return false
	}
	for i, f := range all {
		if r.keep(ctx, f, parts[i]) != nil {
			return false // those that are recorded are recorded once more, as they are
		}
	}
	return true
}

// readOnce reads what a change left, and records it; that it can't be read, if that is
// final. A reply that is not understood is final the second time.
func (r *Recorder) readOnce(ctx context.Context, f afterRead, again bool) error {
	ctx, cancel := context.WithTimeout(ctx, afterTimeout)
	defer cancel()
	if f.found != nil {
		return r.keep(ctx, f, *f.found)
	}
	found, err := f.read(ctx)
	switch {
	case errors.Is(err, fact.ErrTooLarge), again && problem.CodeOf(err) == localapi.CodeUnsupportedRoam:
		return r.options.Journal.After(ctx, f.change, history.Aftermath{By: history.ByNone, Lacks: []string{"what it left could not be read"}})
	case err != nil:
		return err
	}
	return r.keep(ctx, f, found)
}

// MetAnotherEdit is what a change lacks whose text was another one when it was read.
const MetAnotherEdit = "it met another edit"

// keep records what a change left.
func (r *Recorder) keep(ctx context.Context, f afterRead, found afterImage) error {
	pages := pagesIn(f.before, found.after)
	seen := history.Aftermath{By: f.by, Touches: found.touches, Pages: pages}
	if f.write != nil { // what it left is what it says, whatever came in between
		var others []string
		if found.after, others = ops.Stated(f.write, f.before, found.after); len(others) > 0 {
			seen.Lacks = []string{MetAnotherEdit}
		}
	}
	seen.Facts = found.after.JSON()
	if f.told != nil {
		seen.Summary = f.told(found.after, found.touches, pages)
	}
	return r.options.Journal.After(ctx, f.change, seen)
}

// afterImage is what a change left, and all that it touched.
type afterImage struct {
	after   fact.State
	touches []fact.Touch
}

// read reads what the change left.
func (f afterRead) read(ctx context.Context) (afterImage, error) {
	var after fact.State
	var made, implied []string
	var err error
	switch f.class {
	case fact.ClassMake, fact.ClassComment:
		after, made, implied, err = fact.Made(ctx, f.ask, f.tops, f.titles, f.since, f.until)
		if f.below() {
			below := setOf(f.tops)
			for _, top := range f.tops {
				maps.Copy(below, setOf(after.Below(top)))
			}
			made = slices.DeleteFunc(made, func(uid string) bool { return !below[uid] })
		}
	case fact.ClassShortcut:
		after, err = f.readShortcut(ctx)
	case fact.ClassFile:
		return afterImage{touches: f.touches}, nil
	case fact.ClassOpaque:
		return f.readOpaque(ctx)
	case fact.ClassText, fact.ClassLook, fact.ClassPlace, fact.ClassGone, fact.ClassRename, fact.ClassMerge:
		after, implied, err = fact.Again(ctx, f.ask, f.before, f.since, f.until)
	}
	if err != nil {
		return afterImage{}, err
	}
	return f.leftBy(after, made, implied), nil
}

// below reports whether nothing above what its reply names was made with it.
func (f afterRead) below() bool { return f.write != nil && f.write.Capture().Below }

// leftBy returns what the change left: the facts, what it made, and the pages that its
// texts have made.
func (f afterRead) leftBy(after fact.State, made, implied []string) afterImage {
	touches := fact.NewTouches(after)
	for _, known := range f.touches {
		touches.AddKnown(known)
	}
	touches.Add(fact.RoleMade, made...).Add(fact.RoleImplied, implied...)
	if made == nil { // what moved with a page whose rewritten title made it a part of another
		touches.AddRest(fact.RoleTarget)
	}
	if len(made) > 0 {
		for _, uid := range f.tops {
			touches.Add(fact.RolePlace, after.Things[uid].Parent)
		}
	}
	return afterImage{after, touches.List()}
}

// readShortcut reads the page, for its title. The list of shortcuts is that before with
// the change made to it, so that nobody else's is taken for it.
func (f afterRead) readShortcut(ctx context.Context) (fact.State, error) {
	var uids []string
	for _, touch := range f.touches {
		uids = append(uids, touch.UID)
	}
	after, err := fact.Things(ctx, f.ask, uids)
	after.Shortcuts = f.shortcuts
	return after, err
}

// pagesIn returns the titles of the pages in states, by uid; the last one counts.
func pagesIn(states ...fact.State) map[string]string {
	titles := map[string]string{}
	for _, state := range states {
		for uid, each := range state.Things {
			if each.PageTitle != "" {
				titles[each.Page] = each.PageTitle
			}
			if each.Title != "" {
				titles[uid] = each.Title
			}
		}
	}
	return titles
}
