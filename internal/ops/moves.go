package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// BlockMoves is the move of blocks, with all below them, to one place, where they stand in
// this order. What is below another one of them goes with it.
type BlockMoves struct {
	UIDs      []string // none twice
	ParentUID string   // a block or a page
	Order     Order    // of the first one, among the children that are not moved
}

// Moved says what became of BlockMoves, of which something was done.
type Moved struct {
	UIDs     []string         // of those that are where they were to go
	NotMoved []rawjson.Object // of each other one uid, code and message
	Parent   Thing            // what they were moved to

	Recovered bool // a reply was lost, and the graph shows that it was done
}

// CycleError reports that a block was to move below itself.
type CycleError struct{ UID, ParentUID string }

func (e *CycleError) Error() string {
	if e.UID == e.ParentUID {
		return fmt.Sprintf("the block %s can't be moved below itself; nothing was changed", textsafe.Quote(e.UID))
	}
	return fmt.Sprintf("%s is below the block %s, which can't be moved below itself; nothing was changed", textsafe.Quote(e.ParentUID), textsafe.Quote(e.UID))
}

// DetailNotMoved is the detail of an error that says why no block was moved.
const DetailNotMoved = "notMoved"

// MoveBlocks moves up to MaxBatch blocks one by one, or with one write where they only get
// another order. It keeps others from the pages meanwhile. A move that fails leaves those
// before and behind it; where none was done, it is an error. Its other errors are a
// *CycleError and, if there is no such parent, NOT_FOUND: nothing was sent then.
func (g Edits) MoveBlocks(ctx context.Context, moves BlockMoves) (Moved, error) {
	m := moving{BlockMoves: moves, graph: g}
	err := m.read(ctx)
	if err != nil {
		return Moved{}, err
	}
	release := func() {}
	if len(moves.UIDs) > 1 {
		release, err = g.Hold(ctx, m.pages, func() ([]string, error) { err := m.read(ctx); return m.pages, err })
	}
	if err != nil {
		return Moved{}, err
	}
	defer release()
	if err := g.allow(ctx, m.footprint()); err != nil {
		return Moved{}, err
	}
	m.graph = g.forParts().Edits
	parts, err := m.run(ctx)
	if err != nil {
		return Moved{}, err
	}
	return m.report(parts)
}

// moving is what MoveBlocks knows of the blocks and their new parent.
type moving struct {
	BlockMoves
	graph    Edits
	above    map[string][]fact.Fact // see fact.Lineages
	children []string               // of the parent, as they are by now
	pages    []string               // uids of those that the call changes
	last     string                 // uid of the block that was put to its place last
	failed   *problem.Error         // of the first one that was not; nil: there is none
}

// read reads where the blocks and their new parent are.
func (m *moving) read(ctx context.Context) error {
	above, err := fact.Lineages(ctx, m.graph.ask, append(slices.Clone(m.UIDs), m.ParentUID))
	switch {
	case err != nil:
		return err
	case above[m.ParentUID] == nil:
		return m.noParent()
	}
	for _, uid := range m.UIDs {
		if uid == m.ParentUID || slices.ContainsFunc(above[m.ParentUID], func(f fact.Fact) bool { return f.UID == uid }) {
			return &CycleError{uid, m.ParentUID}
		}
	}
	rows, err := m.graph.rows(ctx, childrenQuery, m.ParentUID)
	if err != nil {
		return err
	}
	m.above, m.children, m.pages = above, inPlace(rows), []string{pageOf(m.ParentUID, above)}
	for _, uid := range m.UIDs {
		if page := pageOf(uid, above); above[uid] != nil && !slices.Contains(m.pages, page) {
			m.pages = append(m.pages, page)
		}
	}
	return nil
}

// pageOf returns the uid of the page that something is, or is on.
func pageOf(uid string, above map[string][]fact.Fact) string {
	if lineage := above[uid]; len(lineage) > 0 {
		return lineage[0].UID
	}
	return uid
}

func (m *moving) noParent() *problem.Error {
	return notRetryable(problem.Error{
		Code: localapi.CodeNotFound, Details: []problem.Detail{{Name: DetailUID, Value: m.ParentUID}},
		Message: fmt.Sprintf("There is no page or block %s, so nothing was moved.", textsafe.Quote(m.ParentUID)),
		Hint:    problem.Say("Find it with %s; of a day that is not written yet, %s makes the page.", problem.Search, problem.AppendToDay).Or("Find it with %s.", problem.Search),
	})
}

// parent returns what the new parent is.
func (m *moving) parent() Thing {
	if len(m.above[m.ParentUID]) == 0 {
		return Page
	}
	return Block
}

// topOf returns the uid of the listed block that takes one along; empty where none does.
func (m *moving) topOf(uid string) string {
	for _, above := range m.above[uid] {
		if above.Title == "" && slices.Contains(m.UIDs, above.UID) {
			return above.UID
		}
	}
	return ""
}

// footprint returns all that is changed, for the guards.
func (m *moving) footprint() Footprint {
	var parts []Footprint
	for _, uid := range m.UIDs {
		parts = append(parts, BlockMove{UID: uid, ParentUID: m.ParentUID, Order: m.Order}.Footprint())
	}
	return joined(parts)
}

// run moves the blocks, and returns what became of each.
func (m *moving) run(ctx context.Context) ([]rawjson.Object, error) {
	if done, result, err := m.reorder(ctx); done || err != nil {
		parts := make([]rawjson.Object, len(m.UIDs))
		for i := range parts {
			parts[i] = rawjson.With("ok", true).Append(rawjson.Parse(result))
		}
		return parts, err
	}
	start := m.start()
	return runSingly(ctx, m.UIDs, func(ctx context.Context, at int) (rawjson.Object, error) {
		result, err := m.one(ctx, m.UIDs[at], start)
		if err != nil && m.failed == nil {
			m.failed = Explained(err)
		}
		return rawjson.Parse(result), err
	})
}

// one moves a block, unless it goes with another one.
func (m *moving) one(ctx context.Context, uid, start string) (json.RawMessage, error) {
	switch above := m.above[uid]; {
	case above == nil:
		return nil, noSuchBlock(uid)
	case len(above) == 0:
		return nil, notRetryable(problem.Error{Code: localapi.CodeNotFound, Message: fmt.Sprintf("%s is a page, and no block, so it was not moved.", textsafe.Quote(uid))})
	case m.topOf(uid) != "":
		return nil, nil
	}
	return m.move(ctx, uid, start)
}

// reorder puts blocks that are below the parent already into their order, with one write. It
// reports false where they are not.
func (m *moving) reorder(ctx context.Context) (done bool, result json.RawMessage, err error) {
	if len(m.UIDs) < 2 || slices.ContainsFunc(m.UIDs, func(uid string) bool { return !slices.Contains(m.children, uid) }) {
		return false, nil, nil
	}
	rest := m.rest()
	order := slices.Insert(rest, m.place(len(rest)), m.UIDs...)
	result, err = m.graph.write(ctx, Reordering{m.ParentUID, order, m.children})
	return err == nil, result, err
}

// rest returns the children that are not moved.
func (m *moving) rest() []string {
	return slices.DeleteFunc(slices.Clone(m.children), func(uid string) bool { return slices.Contains(m.UIDs, uid) })
}

// place returns the place of the first block among n children.
func (m *moving) place(n int) int {
	switch {
	case m.Order.Index != nil:
		return min(*m.Order.Index, n)
	case m.Order.First:
		return 0
	}
	return n
}

// start returns the child behind which the first block is to stand; empty where it comes first.
func (m *moving) start() string {
	rest := m.rest()
	if at := m.place(len(rest)); at > 0 {
		return rest[at-1]
	}
	return ""
}

// move puts a block behind the one that was moved before it, or behind start. It is sent also
// where the block is there already, so that the same call made again is known.
func (m *moving) move(ctx context.Context, uid, start string) (json.RawMessage, error) {
	move := BlockMove{UID: uid, ParentUID: m.ParentUID}
	now := slices.DeleteFunc(slices.Clone(m.children), func(each string) bool { return each == uid })
	at := len(now)
	if m.Order != (Order{}) { // else behind whatever comes to stand there meanwhile
		at = slices.Index(now, cmp.Or(m.last, start)) + 1
		move.Order = placeAt(at)
	}
	result, err := m.graph.MoveBlock(ctx, move)
	if err == nil {
		m.children, m.last = slices.Insert(now, at, uid), uid
	}
	return result, err
}

func placeAt(at int) Order {
	if at == 0 {
		return Order{First: true}
	}
	return Order{Index: &at}
}

// report tells what became of the blocks by the parts of them.
func (m *moving) report(parts []rawjson.Object) (Moved, error) {
	told := Moved{Parent: m.parent()}
	codes := map[string]bool{}
	for i, uid := range m.UIDs {
		part := parts[i]
		if top := m.topOf(uid); top != "" {
			part = parts[slices.Index(m.UIDs, top)]
		}
		told.Recovered = told.Recovered || part.Get(Recovered) != nil
		if isOK(part) {
			told.UIDs = append(told.UIDs, uid)
			continue
		}
		if code, _ := part.Text("code"); code != string(CodeNotSent) {
			codes[code] = true
		}
		told.NotMoved = append(told.NotMoved, rawjson.With("uid", uid).Append(part.Without("uid", "ok", "reason")))
	}
	if len(told.UIDs) > 0 {
		return told, nil
	}
	return told, m.noneMoved(told.NotMoved, len(codes) > 1)
}

// noneMoved is the error of a call that moved nothing.
func (m *moving) noneMoved(parts []rawjson.Object, mixed bool) *problem.Error {
	failed := *m.failed
	if len(parts) == 1 {
		return &failed
	}
	if mixed {
		failed = *notRetryable(problem.Error{Code: CodeBatchFailed, Hint: problem.Say("Find them with %s.", problem.Search)})
	}
	failed.Message = fmt.Sprintf("None of %d blocks was moved. %s", len(parts), failed.Message)
	failed.Details = append(slices.Clone(failed.Details), problem.Detail{Name: DetailNotMoved, Value: parts})
	return &failed
}
