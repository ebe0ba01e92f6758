package rebuild

import (
	"fmt"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
)

// Lacks returns what an undo in Roam needs of a change that is done and its record does
// not have: whole facts of what is to be made again, places with neighbours, texts of
// what Roam rewrote, lists.
func Lacks(c history.ChangeRecord) []string {
	before, errBefore := fact.Parse(c.Before)
	after, errAfter := fact.Parse(c.After)
	if errBefore != nil || errAfter != nil {
		return []string{fmt.Sprint("facts: ", errBefore, errAfter)}
	}
	var lacks []string
	need := func(there bool, uid, what string) {
		if !there {
			lacks = append(lacks, fmt.Sprintf("change %d.%d (%s): %s lacks %s", c.Call, c.Seq, c.Class, uid, what))
		}
	}
	need(len(c.Request) > 0, "the change", "its request")
	if c.Class == fact.ClassShortcut {
		need(before.Shortcuts != nil && after.Shortcuts != nil, "the list", "a list before and after")
		return lacks
	}
	for _, touch := range c.Touches {
		was, hadBefore := before.Things[touch.UID]
		is, hasAfter := after.Things[touch.UID]
		switch touch.Role {
		case fact.RoleMade, fact.RoleImplied:
			need(hasAfter && (is.Gone || whole(is)), touch.UID, "what was made")
		case fact.RoleGone:
			need(hadBefore && (was.Gone || whole(was)), touch.UID, "what it was")
			need(hasAfter, touch.UID, "that it is gone")
			need(was.Shortcut == nil || before.Shortcuts != nil, touch.UID, "the list of shortcuts")
			if f, known := before.Things[was.Parent]; known && len(f.Children) > 1 || c.Class == fact.ClassGone && was.Order > 0 {
				need(was.IsPage() || was.Left != "" || was.Right != "", touch.UID, "its neighbours")
			}
		case fact.RoleReferrer:
			need(hadBefore && hasAfter, touch.UID, "its text before and after")
		case fact.RoleTarget:
			if c.Class == fact.ClassPlace && !hadBefore { // of another order
				continue
			}
			need(hasAfter, touch.UID, "what it became")
			if c.Class == fact.ClassPlace {
				need(was.Order == 0 || was.Left != "", touch.UID, "its neighbours")
			}
		case fact.RolePlace:
		}
	}
	return lacks
}

// whole reports whether a fact has all that it takes to make the thing again.
func whole(f fact.Fact) bool {
	return f.Page != "" && f.Children != nil && (f.IsPage() || f.Parent != "")
}
