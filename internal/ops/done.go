package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/problem"
)

// DetailDone is the detail of an error of several writes that says what those before it
// have done: lists of uids, by what was done.
const DetailDone = "done"

// Done is what a write has done, as far as the reply to it says.
type Done struct {
	What string   // a name of DetailDone's lists; empty: nothing, or nothing to pages and blocks
	UIDs []string // of that; of old builds some are not known
	Made []string // the topmost blocks and pages that it made
	File string   // the address of the file that it uploaded
	// Told says that the reply names what was done, so that nobody has to look for it.
	Told bool
	// Missing says that there was nothing to delete.
	Missing bool
	// Counts has neither what was removed, which is counted where it is known what was below
	// it, nor what Markdown makes.
	Counts   Counts
	Markdown string
}

// Names of what several kinds of writes do.
const (
	doneInserted  = "inserted"
	doneUpdated   = "updated"
	doneDeleted   = "deleted"
	doneShortcuts = "shortcuts"
)

// Counts are how many blocks the writes of a call have changed, added, moved and removed.
// What is below a block that was removed was removed, too.
type Counts struct {
	Changed int `json:"changed"`
	Added   int `json:"added"`
	Moved   int `json:"moved"`
	Removed int `json:"removed"`
}

// Counts returns what the writes through the Graph have done to blocks.
func (g *core) Counts() Counts {
	g.done.mu.Lock()
	defer g.done.mu.Unlock()
	return g.done.counts
}

// removed counts blocks that were removed.
func (d *done) removed(blocks int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts.Removed += blocks
}

// made corrects the number of blocks that were added by a creation from markdown.
func (d *done) made(more int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts.Added += more
}

// done collects what the writes through one Graph have done.
type done struct {
	mu   sync.Mutex
	some bool                // something was done
	told bool                // the error of the call says what
	uids map[string][]string // by what was done; of old builds some are not known

	counts  Counts
	impacts impacts
	notes   []string // what is to be said beside the reply
	edited  edited
}

// note adds a write of pages or blocks that was done.
func (d *done) note(write Done) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if write.What == "" {
		return
	}
	d.some = true
	for _, uid := range write.UIDs {
		if uid != "" {
			d.uids[write.What] = append(d.uids[write.What], uid)
		}
	}
	d.counts.Changed += write.Counts.Changed
	d.counts.Added += write.Counts.Added + number(markdown.Importer(write.Markdown))
	d.counts.Moved += write.Counts.Moved
}

// doneOf returns the Done of a batch of which the parts of these uids were done.
func doneOf(what string, uids []string, counts Counts) Done {
	if len(uids) == 0 {
		return Done{}
	}
	return Done{What: what, UIDs: uids, Counts: counts}
}

// partsDone returns the uids of the parts of a batch that were done; none where the
// report can't be read.
func partsDone(b batch, reply json.RawMessage) []string {
	parts, err := readReport(b, reply)
	if err != nil {
		return nil
	}
	var uids []string
	for i, part := range parts {
		if isOK(part) {
			uids = append(uids, b.uids()[i])
		}
	}
	return uids
}

// AllowPartial returns the operations for calls that may make several writes, one after the
// other: a write at which Roam failed, and that is seen to be done, is no error, so that
// the next one follows.
func (g *core) AllowPartial() *Graph {
	steps := *g
	steps.stepwise = true
	return steps.asGraph()
}

// PartialFailure returns the error with which a call ends that writes stepwise and has written
// something before: it says what, by the detail DetailDone. Where nothing was written it
// returns err.
func (g *core) PartialFailure(err error) error {
	g.done.mu.Lock()
	defer g.done.mu.Unlock()
	if err == nil || !g.stepwise || !g.done.some || g.done.told {
		return err
	}
	failed := Explained(err)
	applied, told := failed.Detail(DetailApplied).(Applied)
	var counts []string
	for _, what := range slices.Sorted(maps.Keys(g.done.uids)) {
		counts = append(counts, fmt.Sprintf("%d %s", len(g.done.uids[what]), what))
	}
	part := failed.With(DetailDone, maps.Clone(g.done.uids))
	if told && applied != Unknown { // of the last write, and not of the call
		part.Details = slices.DeleteFunc(part.Details, func(d problem.Detail) bool { return d.Name == DetailApplied || d.Name == DetailEvidence })
	}
	part.Message = fmt.Sprintf("Only a part was written (%s). What followed failed: %s", strings.Join(counts, ", "), failed.Message)
	part.Hint = problem.Say("What was written stays. Read it again before anything else.")
	part.Retry = problem.RetryNever
	return part
}

// RetryRead runs reads that follow a write, and runs them again where they fail.
func (g *core) RetryRead(ctx context.Context, read func() error) error {
	for try := 1; ; try++ {
		err := read()
		if err == nil || try == readTries || !canSucceedLater(err) || !g.operations.options.Wait(ctx, readAgain<<(try-1)) {
			return err
		}
	}
}
