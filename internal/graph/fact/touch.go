package fact

import (
	"maps"
	"slices"
)

// Class is what kind of thing a change does (JOURNAL.md, Capture).
type Class string

// The classes of changes.
const (
	ClassMake     Class = "make"     // blocks and pages are made
	ClassText     Class = "text"     // texts and other fields of blocks change
	ClassLook     Class = "look"     // how a block or page is shown changes
	ClassPlace    Class = "place"    // blocks move
	ClassGone     Class = "gone"     // blocks and pages are deleted
	ClassRename   Class = "rename"   // a page gets another title
	ClassMerge    Class = "merge"    // a page goes into another
	ClassShortcut Class = "shortcut" // the list of shortcuts changes
	ClassComment  Class = "comment"  // a comment is made
	ClassFile     Class = "file"     // a file is uploaded or deleted
	ClassOpaque   Class = "opaque"   // nobody knows what it changes
)

// Makes reports whether changes of the class only add.
func (c Class) Makes() bool { return c == ClassMake || c == ClassComment }

// WritesTexts reports whether changes of the class write texts that agents have chosen.
func (c Class) WritesTexts() bool { return c.Makes() || c == ClassText }

// Rewrites reports whether changes of the class rewrite texts all over the graph.
func (c Class) Rewrites() bool { return c == ClassGone || c == ClassRename || c == ClassMerge }

// Role is the part that a page or block has in a change. The numbers are stored.
type Role uint8

// The roles.
const (
	RoleTarget   Role = iota + 1 // is changed by itself
	RoleMade                     // is made
	RoleGone                     // is deleted
	RolePlace                    // is an old or new parent
	RoleReferrer                 // refers to what changes, and is rewritten by Roam
	RoleImplied                  // is a page that Roam made because a text mentions it
)

// Touch is a page or block that a change touches.
type Touch struct {
	UID  string
	Role Role
	Page string // uid of the page it is on; empty: unknown
}

// Touches collects what a change touches, each uid once, by the first role that it is given.
type Touches struct {
	state State
	known map[string]bool
	list  []Touch
}

// NewTouches returns Touches that take the page of each from a state.
func NewTouches(state State) *Touches { return &Touches{state: state, known: map[string]bool{}} }

// List returns what was added, in that order.
func (t *Touches) List() []Touch { return t.list }

// Add adds uids, but those that are empty, known already, or of nothing that exists.
func (t *Touches) Add(role Role, uids ...string) *Touches {
	for _, uid := range uids {
		f, read := t.state.Things[uid]
		if uid == "" || t.known[uid] || read && f.Gone && role != RoleGone {
			continue
		}
		t.known[uid] = true
		t.list = append(t.list, Touch{UID: uid, Role: role, Page: f.Page})
	}
	return t
}

// AddKnown adds a Touch as it is, but for the page, where the state knows it.
func (t *Touches) AddKnown(touch Touch) {
	if now := t.state.Things[touch.UID].Page; now != "" {
		touch.Page = now
	}
	t.known[touch.UID], t.list = true, append(t.list, touch)
}

// AddRest adds all else that is in the state.
func (t *Touches) AddRest(role Role) *Touches {
	return t.Add(role, slices.Sorted(maps.Keys(t.state.Things))...)
}

// Below returns the uids of all that the state has below a page or block.
func (s State) Below(uid string) []string {
	var all []string
	seen := map[string]bool{uid: true}
	for rest := []string{uid}; len(rest) > 0; rest = rest[1:] {
		for _, child := range s.Things[rest[0]].Children {
			if _, known := s.Things[child]; known && !seen[child] {
				seen[child] = true
				all, rest = append(all, child), append(rest, child)
			}
		}
	}
	return all
}
