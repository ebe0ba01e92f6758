package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

const (
	// MaxBatch is how many parts a batch may have (LOCAL_API.md 2.3).
	MaxBatch = 25
	// absentFor is how long it is remembered that the Roam of a graph has no batches: it may
	// be updated while this program runs.
	absentFor = 10 * time.Minute
)

// missingActions remembers the graphs whose Roam has no batches, as that of API version 0.0.9.
type missingActions struct {
	mu    sync.Mutex
	known map[localapi.Graph]time.Time
}

func newMissingActions() *missingActions {
	return &missingActions{known: map[localapi.Graph]time.Time{}}
}

func (a *missingActions) has(graph localapi.Graph, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, ok := a.known[graph]
	return ok && now.Sub(at) < absentFor
}

func (a *missingActions) note(graph localapi.Graph, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known[graph] = now
}

// BlockUpdates are changes of several blocks at once, each of another one.
type BlockUpdates []BlockUpdate

// Request implements Write.
func (u BlockUpdates) Request() (action string, args []any) {
	blocks := make([]map[string]any, len(u))
	for i, each := range u {
		blocks[i] = each.block()
	}
	return "data.block.updateBlocks", []any{map[string]any{"updates": blocks}}
}

// Footprint implements Write.
func (u BlockUpdates) Footprint() Footprint {
	parts := make([]Footprint, len(u))
	for i, each := range u {
		parts[i] = each.Footprint()
	}
	return joined(parts)
}

// Capture implements Write.
func (u BlockUpdates) Capture() Capture {
	class := fact.ClassLook
	if slices.ContainsFunc(u, func(each BlockUpdate) bool { return each.String != nil }) {
		class = fact.ClassText
	}
	return captureTargets(class, u.uids()...)
}

// Done implements Write.
func (u BlockUpdates) Done(reply json.RawMessage) Done {
	done := partsDone(u, reply)
	return doneOf(doneUpdated, done, Counts{Changed: len(done)})
}

func parseBlockUpdates(s sentWrite) (Write, error) {
	updates := make(BlockUpdates, len(s.Updates))
	for i, each := range s.Updates {
		updates[i] = each.update()
	}
	return updates, nil
}

func (u BlockUpdates) recovered(context.Context, verifier, int64) (rawjson.Object, bool) {
	return recoveredParts(u), true
}

func (u BlockUpdates) uids() []string {
	uids := make([]string, len(u))
	for i, each := range u {
		uids[i] = each.UID
	}
	return uids
}

func (u BlockUpdates) part(at int) visible { return u[at] }

func (BlockUpdates) reported() bool { return true }

func (u BlockUpdates) find(ctx context.Context, look verifier, since int64) (Applied, string) {
	return findParts(ctx, u, look, since)
}

// Removals are deletions of several blocks at once. One may be there twice.
type Removals []Removal

// Request implements Write.
func (r Removals) Request() (action string, args []any) {
	return "data.block.deleteBlocks", []any{map[string]any{"uids": r.uids()}}
}

// Footprint implements Write.
func (r Removals) Footprint() Footprint {
	parts := make([]Footprint, len(r))
	for i, each := range r {
		parts[i] = each.Footprint()
	}
	return joined(parts)
}

// Capture implements Write.
func (r Removals) Capture() Capture { return captureRemovals(r.uids()...) }

// Done implements Write.
func (r Removals) Done(reply json.RawMessage) Done {
	return doneOf(doneDeleted, partsDone(r, reply), Counts{})
}

func parseRemovals(s sentWrite) (Write, error) {
	removals := make(Removals, len(s.UIDs))
	for i, uid := range s.UIDs {
		removals[i] = removalOf(Block, uid, s.before)
	}
	return removals, nil
}

func (r Removals) recovered(context.Context, verifier, int64) (rawjson.Object, bool) {
	return recoveredParts(r), true
}

func (r Removals) uids() []string {
	uids := make([]string, len(r))
	for i, each := range r {
		uids[i] = each.UID
	}
	return uids
}

func (r Removals) part(at int) visible { return r[at] }

func (Removals) reported() bool { return true }

func (r Removals) find(ctx context.Context, look verifier, since int64) (Applied, string) {
	return findParts(ctx, r, look, since)
}

// batch is a Write of several blocks.
type batch interface {
	visible
	uids() []string
	// part returns the Write that does the work of one block.
	part(at int) visible
	// reported reports whether Roam says of each part whether it was done.
	reported() bool
}

// recoveredParts returns the report on a batch that was lost and of which all was done.
func recoveredParts(b batch) rawjson.Object {
	var parts []json.RawMessage
	for _, uid := range b.uids() {
		parts = append(parts, rawjson.With("uid", uid).With("ok", true).With(Recovered, true).JSON())
	}
	return rawjson.With("results", rawjson.Array(parts))
}

// UpdateBlocks changes up to MaxBatch blocks. Where none was changed it is an
// error whose details have the report.
func (g Edits) UpdateBlocks(ctx context.Context, updates BlockUpdates) (BatchReport, error) {
	singly := g.forParts()
	parts, err := g.runBatch(ctx, updates, nil, func(ctx context.Context, at int) (rawjson.Object, error) {
		result, err := singly.write(ctx, updates[at])
		return rawjson.Parse(result), err
	})
	if err != nil {
		return BatchReport{}, err
	}
	return reportOf(updates, parts)
}

// RemoveBlocks deletes up to MaxBatch blocks, with all below them, and tells for
// each what that hit. Where none was deleted it is an error whose details have
// the report.
func (g Edits) RemoveBlocks(ctx context.Context, uids []string) (BatchReport, error) {
	removals, affected, before, err := g.reads().readRemovals(ctx, Block, uids)
	if err != nil {
		return BatchReport{}, err
	}
	parts, err := g.runBatch(ctx, removals, before, g.forParts().removeSingly(removals, affected))
	if err != nil {
		return BatchReport{}, err
	}
	gone := map[string]bool{}
	for i, part := range parts {
		if !isOK(part) {
			continue
		}
		parts[i] = part.Append(affected[uids[i]].Counts())
		for _, uid := range append([]string{uids[i]}, affected[uids[i]].Descendants...) {
			gone[uid] = true
		}
	}
	g.done.removed(len(gone))
	return reportOf(removals, parts)
}

// Counts returns the numbers of what is affected, by the names that reports give
// them; nothing where they are not known.
func (a Affected) Counts() rawjson.Object {
	if !a.Known {
		return nil
	}
	told := rawjson.With("descendants", len(a.Descendants)).With("references", a.References).With("was", a.Was)
	if len(a.ReferredBy) > 0 {
		told = told.With("referredBy", a.ReferredBy)
	}
	return told
}

// removeSingly does what a Roam without batch actions does not: a block that has
// gone with one above it, or is listed twice, counts as deleted.
func (g Edits) removeSingly(removals Removals, affected map[string]Affected) func(context.Context, int) (rawjson.Object, error) {
	gone := map[string]string{} // by uid, the uid that took it along
	return func(ctx context.Context, at int) (rawjson.Object, error) {
		uid := removals[at].UID
		if with, ok := gone[uid]; ok {
			return rawjson.With("deleted", true).With("note", "deleted with "+textsafe.Quote(with)), nil
		}
		report, err := g.remove(ctx, removals[at], nil) // what went before it may have changed what it replaces
		if err != nil {
			return nil, err
		}
		gone[uid] = uid
		for _, each := range affected[uid].Descendants {
			gone[each] = uid
		}
		return report, nil
	}
}

func isOK(part rawjson.Object) bool { return string(part.Get("ok")) == "true" }

// runBatch sends a batch and returns Roam's word on each part, in their order.
// Where Roam has no batches, one does the work of each part. before is for
// Recorded.Before of the batch.
func (g sender) runBatch(ctx context.Context, b batch, before *fact.State, one func(ctx context.Context, at int) (rawjson.Object, error)) ([]rawjson.Object, error) {
	known, now := g.operations.noBatches, g.operations.options.Now
	if known.has(g.graph, now()) {
		if err := g.allow(ctx, b.Footprint()); err != nil {
			return nil, err
		}
		return runSingly(ctx, b.uids(), one)
	}
	result, err := g.send(ctx, b, before, nil)
	switch {
	case err == nil:
		return readReport(b, result)
	case LacksAction(err):
		known.note(g.graph, now())
		return runSingly(ctx, b.uids(), one)
	}
	return nil, err
}

// runSingly does one part after the other. After a call that nobody answered the
// rest is not tried, since each would wait and fail alike.
func runSingly(ctx context.Context, uids []string, one func(ctx context.Context, at int) (rawjson.Object, error)) ([]rawjson.Object, error) {
	parts := make([]rawjson.Object, 0, len(uids))
	ended := false
	for i, uid := range uids {
		part := rawjson.With("uid", uid)
		if ended {
			parts = append(parts, part.Append(notOK(CodeNotSent, "Not tried, since a call before it failed.")))
			continue
		}
		report, err := one(ctx, i)
		if err == nil {
			parts = append(parts, part.With("ok", true).Append(report))
			continue
		}
		failed := Explained(err)
		if endsBatch(failed) {
			ended = true
			applied, told := failed.Detail(DetailApplied).(Applied)
			if i == 0 && (!told || applied == No || len(uids) == 1) {
				return nil, err // what is true of the one is true of the whole call
			}
		}
		parts = append(parts, part.Append(failedPart(failed)))
	}
	return parts, nil
}

// endsBatch reports whether an error is not about the one part, but about the
// connection, the graph, the token or the caller.
func endsBatch(failed *problem.Error) bool {
	switch failed.Code {
	case CodeOutcomeUnknown, localapi.CodeConnectionFailed, localapi.CodeCancelled, localapi.CodeTimeout,
		localapi.CodeRateLimited, localapi.CodeInvalidReply, localapi.CodeWindowClosed, localapi.CodeVersionMismatch,
		localapi.CodeGraphNotFound:
		return true
	}
	return failed.Status() == 401 || failed.Status() == 403
}

// findParts looks for the parts of a batch one by one. It claims to know only
// where all have gone the same way; else its sentence says which have.
func findParts(ctx context.Context, b batch, look verifier, since int64) (Applied, string) {
	outcomes := map[Applied][]string{}
	all := len(b.uids())
	for i, uid := range b.uids() {
		applied, _ := b.part(i).find(ctx, look, since)
		outcomes[applied] = append(outcomes[applied], textsafe.Quote(uid))
	}
	switch all {
	case len(outcomes[Yes]):
		return Yes, fmt.Sprintf("All %d were done.", all)
	case len(outcomes[No]):
		return No, fmt.Sprintf("None of the %d was done.", all)
	}
	var sentences []string
	for _, part := range []struct {
		said    string
		applied Applied
	}{{"Done: ", Yes}, {"Not done: ", No}, {"Can't be told: ", Unknown}} {
		if uids := outcomes[part.applied]; len(uids) > 0 {
			sentences = append(sentences, part.said+strings.Join(uids, ", ")+".")
		}
	}
	return Unknown, strings.Join(sentences, " ")
}
