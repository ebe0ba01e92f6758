package ops

import (
	"context"
	"slices"
	"strings"

	"roam-mcp/internal/localapi"
)

// Guard decides whether a write may be sent.
type Guard interface {
	// Check is called before a write is recorded and sent. Its error refuses the
	// write: nothing is sent, and the error is what the caller gets.
	Check(ctx context.Context, attempt Attempt) error
}

// Attempt is a write that is to be sent.
type Attempt struct {
	Graph     localapi.Graph
	Footprint Footprint
	Caller    Caller

	on *Graph
}

// Footprint is what a write is known to change before it is sent. What Roam
// changes besides, such as pages that a text mentions and that it makes, is not
// in it.
type Footprint struct {
	// Titles are the titles of pages that it writes to by title, makes, or gives
	// that title to.
	Titles []string
	// Places are the uids of pages and blocks that it changes, or changes something
	// directly below.
	Places []string
	// Texts are those of Places whose text or title it changes: both are shown, and
	// rewritten, wherever they are referred to.
	Texts []string
	// Removed are those of Places that it removes with all below them. References
	// to them are rewritten.
	Removed []string
	// Moved are those of Places that it moves with all below them.
	Moved []string
	// Retitled are those of Places that are pages which it renames, merges or removes.
	Retitled []string
	// Restructures says that it may put pages or blocks in other places besides.
	Restructures bool
	// Made are the uids that it gives to new pages and blocks.
	Made []string
	// Inner is the text of a block, a child of Places or of Titles, that it may write below
	// without naming it; empty: it may be any. nil: there is none.
	Inner *string
	// Mentions are texts that may name pages and blocks which it changes, where
	// nothing else is known of it.
	Mentions []string
	// Changes returns what a person is told of all that it does.
	Changes func() []Change
}

// restructures reports whether a write may take pages or blocks away, or to other places, which
// the times of edits do not show.
func (f Footprint) restructures() bool {
	return f.Restructures || len(f.Removed) > 0 || len(f.Moved) > 0
}

// joined returns the footprint of several writes of one kind.
func joined(parts []Footprint) Footprint {
	var all Footprint
	for _, part := range parts {
		all.Titles = append(all.Titles, part.Titles...)
		all.Places = append(all.Places, part.Places...)
		all.Texts = append(all.Texts, part.Texts...)
		all.Removed = append(all.Removed, part.Removed...)
		all.Moved = append(all.Moved, part.Moved...)
		all.Retitled = append(all.Retitled, part.Retitled...)
		all.Restructures = all.Restructures || part.Restructures
		all.Made = append(all.Made, part.Made...)
		all.Mentions = append(all.Mentions, part.Mentions...)
	}
	all.Changes = func() (changes []Change) {
		for _, part := range parts {
			changes = append(changes, part.Changes()...)
		}
		return changes
	}
	return all
}

// allow asks the guards about a write, or several together.
func (g sender) allow(ctx context.Context, reach Footprint) error {
	if g.allowed {
		return nil
	}
	for _, guard := range g.operations.options.Guards {
		if err := guard.Check(ctx, Attempt{g.graph, reach, g.caller, g.asGraph()}); err != nil {
			return err
		}
	}
	return nil
}

// forParts returns the operations for the parts of a batch that the guards have
// allowed as a whole: they are not asked about each part again.
func (g sender) forParts() *Graph {
	parts := *g.core
	parts.allowed = true
	return parts.asGraph()
}

// containsAny reports whether one of the uids is in a list, with or without space
// around it.
func containsAny(list, uids []string) bool {
	return slices.ContainsFunc(uids, func(each string) bool { return slices.Contains(list, strings.TrimSpace(each)) })
}
