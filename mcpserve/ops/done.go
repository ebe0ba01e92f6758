package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"roam-mcp/graphdb/outline"
	"roam-mcp/internal/rawjson"
	"roam-mcp/problem"
)

// DetailDone is the detail of an error of several writes that says what those before it
// have done: lists of uids, by what was done.
const DetailDone = "done"

// Counts are how many blocks the writes of a call have changed, added, moved and removed.
// What is below a block that was removed was removed, too.
type Counts struct {
	Changed int `json:"changed"`
	Added   int `json:"added"`
	Moved   int `json:"moved"`
	Removed int `json:"removed"`
}

// Counts returns what the writes through the Graph have done to blocks.
func (g *Graph) Counts() Counts {
	g.done.mu.Lock()
	defer g.done.mu.Unlock()
	return g.done.counts
}

// Wrote reports whether a write through the Graph was done.
func (g *Graph) Wrote() bool {
	g.done.mu.Lock()
	defer g.done.mu.Unlock()
	return g.done.some
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

	counts Counts
	notes  []string // what is to be said beside the reply
}

// note adds a write of pages or blocks that was done.
func (d *done) note(w Write, reply json.RawMessage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	add := func(what string, uids ...string) {
		for _, uid := range uids {
			if uid != "" {
				d.some, d.uids[what] = true, append(d.uids[what], uid)
			}
		}
	}
	d.count(w, reply)
	switch w := w.(type) {
	case NewBlock:
		add("inserted", w.Made(reply))
	case BlockCreations:
		add("inserted", w.Made(reply)...)
	case NewPage:
		if uid, _ := rawjson.Parse(reply).Text("uid"); uid != "" {
			w.UID = uid
		}
		add("inserted", w.UID)
	case NewBlocks, NewComment:
		d.some = true
		add("inserted", uidsIn(rawjson.Parse(reply))...)
	case BlockUpdate:
		add("updated", w.UID)
	case BlockUpdates:
		add("updated", partsDone(w, reply)...)
	case PageUpdate:
		what := "updated"
		if w.Title != "" {
			what = "renamed"
		}
		add(what, w.UID)
	case BlockMove:
		add("moved", w.UID)
	case Reordering:
		add("reordered", w.ParentUID)
	case Removal:
		if string(rawjson.Parse(reply).Get("deleted")) != "false" {
			add("deleted", w.UID)
		}
	case Removals:
		add("deleted", partsDone(w, reply)...)
	case NewShortcut:
		add("shortcuts", w.PageUID)
	case ShortcutRemoval:
		add("shortcuts", w.PageUID)
	}
}

// count counts the blocks of a write that was done, but for those that it removed, which are
// counted where it is known what was below them.
func (d *done) count(w Write, reply json.RawMessage) {
	switch w := w.(type) {
	case NewBlock:
		d.counts.Added++
	case BlockCreations:
		d.counts.Added += len(w.Made(reply))
	case NewPage:
		d.counts.Added += number(outline.ParseMarkdown(w.Markdown))
	case NewBlocks:
		d.counts.Added += number(outline.ParseMarkdown(w.Markdown))
	case NewComment:
		d.counts.Added += max(1, number(outline.ParseMarkdown(w.Markdown)))
	case BlockUpdate:
		d.counts.Changed++
	case BlockUpdates:
		d.counts.Changed += len(partsDone(w, reply))
	case BlockMove:
		d.counts.Moved++
	case Reordering:
		for i, uid := range w.UIDs {
			if i >= len(w.Before) || w.Before[i] != uid {
				d.counts.Moved++
			}
		}
	}
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

// Stepwise returns the operations for calls that may make several writes, one after the
// other: a write at which Roam failed, and that is seen to be done, is no error, so that
// the next one follows.
func (g *Graph) Stepwise() *Graph {
	steps := *g
	steps.stepwise = true
	return &steps
}

// Halfway returns the error with which a call ends that writes stepwise and has written
// something before: it says what, by the detail DetailDone. Where nothing was written it
// returns err.
func (g *Graph) Halfway(err error) error {
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

// Again runs reads that follow a write, and runs them again where they fail.
func (g *Graph) Again(ctx context.Context, read func() error) error {
	for try := 1; ; try++ {
		err := read()
		if err == nil || try == readTries || !canSucceedLater(err) || !g.operations.options.Wait(ctx, readAgain<<(try-1)) {
			return err
		}
	}
}
