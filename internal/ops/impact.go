package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/note"
)

// Impact is what deletions, renames and merges do to a graph: what goes, and what Roam rewrites.
// It has numbers of what is hidden, and nothing else of it.
type Impact struct {
	BlocksGone     int      `json:"blocksGone,omitempty"` // visible ones
	HiddenGone     int      `json:"hiddenGone,omitempty"`
	Rewritten      int      `json:"rewritten,omitempty"`      // blocks that stay, with another text
	PagesRewritten int      `json:"pagesRewritten,omitempty"` // other pages, which get another title
	Shortcut       bool     `json:"shortcut,omitempty"`       // one goes
	Lacks          []string `json:"lacks,omitempty"`          // what can't be brought back, in words
	Undoable       Undoable `json:"undoable"`
}

// Undoable says how much of something can be taken back.
type Undoable string

// The values of Undoable.
const (
	UndoableWhole  Undoable = "yes"
	UndoableMostly Undoable = "mostly" // all but what Impact.Lacks names
	NotUndoable    Undoable = "no"     // what was there is not kept
)

// impacts collects what the writes of a call do.
type impacts struct {
	gone     map[string]fact.Fact // by uid
	hidden   map[string]bool      // blocks among those
	others   map[string]bool      // whether a page is what gets another text or title, by uid
	unkept   bool                 // what was there before one of them is not kept
	shortcut bool
}

// sum returns the Impact of all; nil where there was none.
func (i impacts) sum() *Impact {
	if i.gone == nil {
		return nil
	}
	all := Impact{HiddenGone: len(i.hidden), Shortcut: i.shortcut, Lacks: fact.Lacks(slices.Collect(maps.Values(i.gone))), Undoable: UndoableWhole}
	for uid, f := range i.gone {
		if !f.IsPage() && !i.hidden[uid] {
			all.BlocksGone++
		}
	}
	for uid, isPage := range i.others {
		switch _, gone := i.gone[uid]; {
		case gone:
		case isPage:
			all.PagesRewritten++
		default:
			all.Rewritten++
		}
	}
	switch {
	case i.unkept:
		all.Undoable = NotUndoable
	case len(all.Lacks) > 0:
		all.Undoable = UndoableMostly
	}
	return &all
}

// add adds what a write does of which the reply says what was done, by the facts before it.
// Other writes than deletions, renames and merges do nothing of this kind.
func (i *impacts) add(w Write, done []string, before fact.State, kept bool) {
	if !w.Capture().Class.Rewrites() || len(done) == 0 {
		return
	}
	if i.gone == nil {
		i.gone, i.hidden, i.others = map[string]fact.Fact{}, map[string]bool{}, map[string]bool{}
	}
	i.unkept = i.unkept || !kept
	renamed := ""
	switch w := w.(type) {
	case Removal:
		i.remove(Removals{w}, done, before)
	case Removals:
		i.remove(w, done, before)
	case PageUpdate:
		page := before.Things[w.UID]
		if !page.IsPage() || w.isTitleOf(page) {
			return
		}
		renamed = page.Title
		if w.Merge && w.other(before) != "" {
			i.goes(page)
		}
	}
	titles := i.titles()
	if renamed != "" {
		titles[renamed] = true
	}
	i.rewrite(titles, before)
}

// remove adds what goes with blocks and pages, which is all below them, and pages that become
// a part of one that goes.
func (i *impacts) remove(removals Removals, done []string, before fact.State) {
	for _, each := range removals {
		if slices.Contains(done, each.UID) {
			i.tree(each.UID, each.hidden, before)
		}
	}
	for again := true; again; {
		again = false
		titles := i.titles()
		for uid, f := range before.Things {
			if _, gone := i.gone[uid]; !gone && slices.ContainsFunc(fact.Namesakes(f.Title), func(of string) bool { return titles[of] }) {
				i.tree(uid, false, before)
				again = true
			}
		}
	}
}

// titles returns those of the pages that go.
func (i *impacts) titles() map[string]bool {
	titles := map[string]bool{}
	for _, f := range i.gone {
		if f.IsPage() {
			titles[f.Title] = true
		}
	}
	return titles
}

// tree adds a page or block that goes, with all below it. hidden: something above it hides it.
func (i *impacts) tree(uid string, hidden bool, before fact.State) {
	f, read := before.Things[uid]
	if _, known := i.gone[uid]; known || !read || f.Gone {
		return
	}
	i.goes(f)
	hidden = hidden || !f.IsPage() && note.HidesItself(f.Text)
	if hidden && !f.IsPage() {
		i.hidden[uid] = true
	}
	for _, child := range f.Children {
		i.tree(child, hidden, before)
	}
}

func (i *impacts) goes(f fact.Fact) {
	i.gone[f.UID] = f
	i.shortcut = i.shortcut || f.Shortcut != nil
}

// rewrite adds what mentions something that goes, or a page that gets another title. Titles that do are
// rewritten themselves.
func (i *impacts) rewrite(titles map[string]bool, before fact.State) {
	mentions := func(text string) bool {
		return slices.ContainsFunc(note.Mentions(text), func(m note.Mention) bool {
			_, gone := i.gone[m.UID]
			return titles[m.Title] || gone
		})
	}
	for again := true; again; {
		again = false
		for uid, f := range before.Things {
			if _, known := i.others[uid]; known || !mentions(f.Text+f.Title) {
				continue
			}
			i.others[uid] = f.IsPage()
			if f.IsPage() {
				titles[f.Title], again = true, true
			}
		}
	}
}

// Preview is what a write would do that was not sent.
type Preview struct {
	Impact Impact
	Was    string // what is there now, as far as it is visible: the first blocks, or the title
}

// previewOf returns what a write would do. What would refuse it does so, but nothing
// is sent, and nothing is recorded. before is for Recorded.Before.
func previewOf(ctx context.Context, g Edits, w Write, done []string, before *fact.State) (Impact, fact.State, error) {
	if err := g.allow(ctx, w.Footprint()); err != nil {
		return Impact{}, fact.State{}, err
	}
	action, args := w.Request()
	recorded := Recorded{g.graph, w, action, args, g.caller, before, g.checkShown(w)}
	var kept *fact.State
	var err error
	if g.recorder != nil {
		kept, err = g.recorder.Preview(ctx, recorded)
	} else {
		err = recorded.Check(ctx, nil)
	}
	if err != nil {
		return Impact{}, fact.State{}, err
	}
	now := cmp.Or(kept, before)
	if now == nil {
		read, err := w.Capture().Look(ctx, g.ask)
		if err != nil {
			return Impact{}, fact.State{}, err
		}
		now = &read
	}
	all := impacts{}
	all.add(w, done, *now, kept != nil)
	if sum := all.sum(); sum != nil {
		return *sum, *now, nil
	}
	none := Impact{Undoable: UndoableWhole}
	if kept == nil {
		none.Undoable = NotUndoable
	}
	return none, *now, nil
}

// Impact returns what the deletions, renames and merges through the Graph have done; nil where there
// were none, or where nobody has read what was there.
func (g *core) Impact() *Impact {
	g.done.mu.Lock()
	defer g.done.mu.Unlock()
	return g.done.impacts.sum()
}

// affect notes what a write that was done does besides, by the facts before it. kept says that these are
// recorded.
func (d *done) affect(w Write, reply json.RawMessage, before fact.State, kept bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.impacts.add(w, w.Done(reply).UIDs, before, kept)
}
