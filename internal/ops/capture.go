package ops

import (
	"context"
	"slices"

	"roam-mcp/internal/graph/fact"
)

// Capture is what a Recorder keeps of a write (JOURNAL.md, Capture).
type Capture struct {
	Class fact.Class
	// BestEffort says that the write may go out where it can't be recorded, in a call that
	// only adds.
	BestEffort bool
	// Look reads what the write is about to change; nil: nothing, since what is there stays
	// as it is.
	Look func(ctx context.Context, ask fact.Ask) (fact.State, error)
	// Touches returns what the write changes, as far as that is known from the facts before,
	// which may be empty; nil: nothing that has a uid.
	Touches func(before fact.State) []fact.Touch
	// Below says that of what it makes nothing is above the blocks that its reply names, as a page or
	// a heading to put them under would be.
	Below bool
	// Titles are those of pages that the write may make, and whose names are in no text.
	Titles []string
	// Shortcuts returns the list of shortcuts after a change of the list before; nil: it
	// stays as it is.
	Shortcuts func(before []string) []string
	// Args returns the positional arguments as they are kept; nil: as they are sent.
	Args func() []any
}

// captureMade returns the Capture of what only adds: below a place, or on a page of a title,
// with a uid where the write chooses it.
func captureMade(place, title, uid string) Capture {
	c := Capture{Class: fact.ClassMake, BestEffort: true, Touches: func(fact.State) []fact.Touch {
		return fact.NewTouches(fact.State{}).Add(fact.RoleMade, uid).Add(fact.RolePlace, place).List()
	}}
	if title != "" {
		c.Titles = []string{title}
	}
	return c
}

// captureThings returns the Capture of what changes pages and blocks alone, of which all facts
// are read. touches are told the facts.
func captureThings(class fact.Class, uids []string, touches func(before fact.State) *fact.Touches) Capture {
	return Capture{
		Class:   class,
		Look:    func(ctx context.Context, ask fact.Ask) (fact.State, error) { return fact.Things(ctx, ask, uids) },
		Touches: func(before fact.State) []fact.Touch { return touches(before).List() },
	}
}

// captureTargets returns the Capture of what changes nothing but some pages and blocks.
func captureTargets(class fact.Class, uids ...string) Capture {
	return captureThings(class, uids, func(before fact.State) *fact.Touches {
		return fact.NewTouches(before).Add(fact.RoleTarget, uids...)
	})
}

// captureRemovals returns the Capture of what deletes pages and blocks, with all below them.
func captureRemovals(uids ...string) Capture {
	slices.Sort(uids)
	uids = slices.Compact(uids)
	return Capture{
		Class: fact.ClassGone,
		Look: func(ctx context.Context, ask fact.Ask) (fact.State, error) {
			state, _, err := fact.Trees(ctx, ask, uids)
			return state, err
		},
		Touches: func(before fact.State) []fact.Touch {
			touches := fact.NewTouches(before).Add(fact.RoleGone, uids...)
			for _, uid := range uids {
				touches.Add(fact.RoleGone, before.Below(uid)...)
			}
			touches.AddRest(fact.RoleReferrer)
			for _, uid := range uids {
				touches.Add(fact.RolePlace, before.Things[uid].Parent)
			}
			return touches.List()
		},
	}
}

// captureShortcut returns the Capture of a change of the list of shortcuts.
func captureShortcut(pageUID string, after func(before []string) []string) Capture {
	return Capture{
		Class: fact.ClassShortcut, Look: fact.Shortcuts, Shortcuts: after,
		Touches: func(before fact.State) []fact.Touch {
			return fact.NewTouches(before).Add(fact.RoleTarget, pageUID).List()
		},
	}
}
