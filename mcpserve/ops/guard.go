package ops

import (
	"context"
	"slices"
	"strings"

	"roam-mcp/localapi"
)

// Guard decides whether a write may be sent.
type Guard interface {
	// Check is called before a write is recorded and sent. Its error refuses the
	// write: nothing is sent, and the error is what the caller gets.
	Check(ctx context.Context, attempt Attempt) error
}

// Attempt is a write that is to be sent.
type Attempt struct {
	Graph  localapi.Graph
	Write  Write
	Caller Caller
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
	// Mentions are texts that may name pages and blocks which it changes, where
	// nothing else is known of it.
	Mentions []string
	// Does says to a person what it does, as "rename a page" or "add blocks"; Text
	// is the text that it writes, empty for none.
	Does, Text string
}

// joined returns the footprint of several writes of one kind.
func joined(parts []Footprint) Footprint {
	var all Footprint
	for i, part := range parts {
		all.Titles = append(all.Titles, part.Titles...)
		all.Places = append(all.Places, part.Places...)
		all.Texts = append(all.Texts, part.Texts...)
		all.Removed = append(all.Removed, part.Removed...)
		all.Mentions = append(all.Mentions, part.Mentions...)
		all.Does = part.Does
		if i > 0 && part.Text != "" {
			all.Text += "\n"
		}
		all.Text += part.Text
	}
	return all
}

// allow asks the guards about a write.
func (g *Graph) allow(ctx context.Context, w Write) error {
	if g.allowed {
		return nil
	}
	for _, guard := range g.operations.options.Guards {
		if err := guard.Check(ctx, Attempt{g.graph, w, g.caller}); err != nil {
			return err
		}
	}
	return nil
}

// forParts returns the operations for the parts of a batch that the guards have
// allowed as a whole: they are not asked about each part again.
func (g *Graph) forParts() *Graph {
	parts := *g
	parts.allowed = true
	return &parts
}

// containsAny reports whether one of the uids is in a list, with or without space
// around it.
func containsAny(list, uids []string) bool {
	return slices.ContainsFunc(uids, func(each string) bool { return slices.Contains(list, strings.TrimSpace(each)) })
}
