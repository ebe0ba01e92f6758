package recording

import (
	"context"
	"slices"

	"roam-mcp/history"
	"roam-mcp/history/fact"
	"roam-mcp/mcpserve/ops"
)

// kind is what is recorded of a write (HISTORY.md, Capture).
type kind struct {
	class history.Class
	// bestEffort: the write may go out where it can't be recorded, in a call that only adds.
	bestEffort bool
	// look reads what the write is about to change; nil: nothing, since what is there
	// stays as it is.
	look func(ctx context.Context, ask fact.Ask) (fact.State, error)
	// touches returns what the write changes, as far as that is known from the facts
	// before; these may be empty.
	touches func(before fact.State) []history.Touch
	// titles are those of pages that the write may make, and whose names are in no text.
	titles []string
}

// kindOf returns what is recorded of a write.
func kindOf(w ops.Write) kind {
	switch w := w.(type) {
	case ops.NewBlocks:
		return kindOfMake(w.Location.ParentUID, w.Location.PageTitle, "")
	case ops.NewPage:
		return kindOfMake("", w.Title, w.UID)
	case ops.NewBlock:
		return kindOfMake(w.ParentUID, "", w.UID)
	case ops.BlockCreations:
		return kindOfCreations(w)
	case ops.NewComment:
		k := kindOfMake(w.BlockUID, "", "")
		k.class = history.ClassComment
		return k
	case ops.BlockUpdate:
		return kindOfUpdates(ops.BlockUpdates{w})
	case ops.BlockUpdates:
		return kindOfUpdates(w)
	case ops.PageUpdate:
		return kindOfPageUpdate(w)
	case ops.BlockMove:
		return kindOfMove(w)
	case ops.Reordering:
		return kindOfReordering(w)
	case ops.Removal:
		return kindOfRemovals(w.UID)
	case ops.Removals:
		var uids []string
		for _, each := range w {
			uids = append(uids, each.UID)
		}
		return kindOfRemovals(uids...)
	case ops.NewShortcut:
		return kindOfShortcut(w.PageUID)
	case ops.ShortcutRemoval:
		return kindOfShortcut(w.PageUID)
	case ops.FileUpload:
		return kind{class: history.ClassFile, bestEffort: true}
	case ops.FileRemoval:
		return kind{class: history.ClassFile}
	}
	return kind{class: history.ClassOpaque} // an extension does what it wants
}

// kindOfMake is that of what only adds: below a place, or on a page of a title, with a
// uid where the write chooses it.
func kindOfMake(place, title, uid string) kind {
	k := kind{class: history.ClassMake, bestEffort: true, touches: func(fact.State) []history.Touch {
		return newTouches(fact.State{}).add(history.Made, uid).add(history.Place, place).list
	}}
	if title != "" {
		k.titles = []string{title}
	}
	return k
}

// kindOfCreations is that of new blocks in one request, of which some may not be made:
// those that are, its outcome names.
func kindOfCreations(blocks ops.BlockCreations) kind {
	own := map[string]bool{}
	for _, each := range blocks {
		own[each.UID] = true
	}
	k := kindOfMake("", "", "")
	k.touches = func(fact.State) []history.Touch {
		touches := newTouches(fact.State{})
		for _, each := range blocks {
			if !own[each.ParentUID] {
				touches.add(history.Place, each.ParentUID)
			}
		}
		return touches.list
	}
	return k
}

func kindOfUpdates(updates ops.BlockUpdates) kind {
	k := kind{class: history.ClassLook}
	var uids []string
	for _, each := range updates {
		uids = append(uids, each.UID)
		if each.String != nil {
			k.class = history.ClassText
		}
	}
	return k.overThings(uids, func(before fact.State) []history.Touch {
		return newTouches(before).add(history.Target, uids...).list
	})
}

// overThings returns k for a write that changes things alone.
func (k kind) overThings(uids []string, touches func(fact.State) []history.Touch) kind {
	k.look = func(ctx context.Context, ask fact.Ask) (fact.State, error) { return fact.Things(ctx, ask, uids) }
	k.touches = touches
	return k
}

func kindOfPageUpdate(update ops.PageUpdate) kind {
	switch {
	case update.Merge && update.Title != "":
		return kindOfMerge(update)
	case update.Title == "":
		return kind{class: history.ClassLook}.overThings([]string{update.UID}, func(before fact.State) []history.Touch {
			return newTouches(before).add(history.Target, update.UID).list
		})
	}
	return kind{
		class: history.ClassRename, titles: []string{update.Title},
		look: func(ctx context.Context, ask fact.Ask) (fact.State, error) {
			state, _, err := fact.Pages(ctx, ask, []string{update.UID})
			return state, err
		},
		touches: func(before fact.State) []history.Touch {
			return newTouches(before).add(history.Target, update.UID).addRest(history.Referrer).list
		},
	}
}

// kindOfMerge is that of the merge of a page into the one that has a title: the page
// goes, the blocks below it get another place, and texts that mention it are rewritten.
func kindOfMerge(update ops.PageUpdate) kind {
	return kind{
		class: history.ClassMerge, titles: []string{update.Title},
		look: func(ctx context.Context, ask fact.Ask) (fact.State, error) {
			state, _, err := fact.Merging(ctx, ask, update.UID, update.Title)
			return state, err
		},
		touches: func(before fact.State) []history.Touch {
			into := ""
			for uid, each := range before.Things {
				if each.Title == update.Title && uid != update.UID {
					into = uid
				}
			}
			role := history.Gone
			if into == "" { // there is none, so it is a new title
				role = history.Target
			}
			touches := newTouches(before).add(role, update.UID).add(history.Target, into)
			if into != "" {
				touches.add(history.Target, before.Things[update.UID].Children...)
			}
			return touches.addRest(history.Referrer).list
		},
	}
}

func kindOfMove(move ops.BlockMove) kind {
	return kind{class: history.ClassPlace}.overThings([]string{move.UID, move.ParentUID}, func(before fact.State) []history.Touch {
		return newTouches(before).add(history.Target, move.UID).add(history.Place, before.Things[move.UID].Parent, move.ParentUID).list
	})
}

// kindOfReordering is that of an order of children: the facts are those of what they
// are below, and the touched are the children that get another place.
func kindOfReordering(w ops.Reordering) kind {
	return kind{class: history.ClassPlace}.overThings([]string{w.ParentUID}, func(before fact.State) []history.Touch {
		touches := newTouches(before)
		was := before.Things[w.ParentUID].Children
		for i, uid := range w.UIDs {
			if i >= len(was) || was[i] != uid {
				touches.add(history.Target, uid)
			}
		}
		return touches.add(history.Place, w.ParentUID).list
	})
}

func kindOfRemovals(uids ...string) kind {
	slices.Sort(uids)
	uids = slices.Compact(uids)
	return kind{
		class: history.ClassGone,
		look: func(ctx context.Context, ask fact.Ask) (fact.State, error) {
			state, _, err := fact.Trees(ctx, ask, uids)
			return state, err
		},
		touches: func(before fact.State) []history.Touch {
			touches := newTouches(before).add(history.Gone, uids...)
			for _, uid := range uids {
				touches.add(history.Gone, below(before, uid)...)
			}
			touches.addRest(history.Referrer)
			for _, uid := range uids {
				touches.add(history.Place, before.Things[uid].Parent)
			}
			return touches.list
		},
	}
}

func kindOfShortcut(pageUID string) kind {
	return kind{
		class: history.ClassShortcut, look: fact.Shortcuts,
		touches: func(before fact.State) []history.Touch {
			return newTouches(before).add(history.Target, pageUID).list
		},
	}
}

// shortcutsAfter returns the list of shortcuts after a change of it; nil of other
// writes.
func shortcutsAfter(w ops.Write, before []string) []string {
	without := func(uid string) []string {
		return slices.DeleteFunc(append([]string{}, before...), func(each string) bool { return each == uid })
	}
	switch w := w.(type) {
	case ops.NewShortcut:
		list := without(w.PageUID)
		at := len(list)
		if w.Index != nil {
			at = max(0, min(*w.Index, at))
		}
		return slices.Insert(list, at, w.PageUID)
	case ops.ShortcutRemoval:
		return without(w.PageUID)
	}
	return nil
}

// below returns the uids of all that a state has below a page or block.
func below(state fact.State, uid string) []string {
	var all []string
	seen := map[string]bool{uid: true}
	for rest := []string{uid}; len(rest) > 0; rest = rest[1:] {
		for _, child := range state.Things[rest[0]].Children {
			if _, known := state.Things[child]; known && !seen[child] {
				seen[child] = true
				all, rest = append(all, child), append(rest, child)
			}
		}
	}
	return all
}

// touches collects what a write touches, each uid once, by the first role that it is
// given.
type touches struct {
	state fact.State
	known map[string]bool
	list  []history.Touch
}

func newTouches(state fact.State) *touches { return &touches{state: state, known: map[string]bool{}} }

// add adds uids, but those that are empty, known already, or of nothing that exists.
func (t *touches) add(role history.Role, uids ...string) *touches {
	for _, uid := range uids {
		f, read := t.state.Things[uid]
		if uid == "" || t.known[uid] || read && f.Gone && role != history.Gone {
			continue
		}
		t.known[uid] = true
		t.list = append(t.list, history.Touch{UID: uid, Role: role, Page: f.Page})
	}
	return t
}

// addRest adds all else that is in the state.
func (t *touches) addRest(role history.Role) *touches {
	var rest []string
	for uid := range t.state.Things {
		rest = append(rest, uid)
	}
	slices.Sort(rest)
	return t.add(role, rest...)
}
