package rebuild

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
)

// Undo takes a graph from what it was after a change back to what it was before.
func (g *Graph) Undo(c history.ChangeRecord) error {
	switch c.State {
	case history.StateDone:
	case history.StateOpen:
		return errors.New("it is open")
	case history.StateRefused, history.StateNotDone, history.StateUnknown: // where no reply was lost, what is unknown was refused
		return nil
	}
	before, err := fact.Parse(c.Before)
	if err != nil {
		return err
	}
	after, err := fact.Parse(c.After)
	if err != nil {
		return err
	}
	if c.AfterBy != history.BySoon && c.AfterBy != history.ByLate && c.Class != fact.ClassFile {
		return errors.New("what it left was not read")
	}
	u := undoing{graph: g, class: c.Class, before: before, after: after, touched: map[string]bool{}}
	for _, touch := range c.Touches {
		u.touched[touch.UID] = true
	}
	u.removeNew(c)
	u.restore()
	u.putBack()
	u.reorder()
	u.list()
	return u.err
}

// undoing is one change that is taken back.
type undoing struct {
	graph         *Graph
	class         fact.Class
	before, after fact.State
	touched       map[string]bool
	homeless      []fact.Fact // as they were before, to be put where they were
	err           error
}

func (u *undoing) fail(format string, args ...any) {
	u.err = errors.Join(u.err, fmt.Errorf(format, args...))
}

// removeNew removes what the change made, or had Roam make. What was made with a block
// and deleted before anybody read it, is known from the facts of its deletion.
func (u *undoing) removeNew(c history.ChangeRecord) {
	for _, touch := range c.Touches {
		if touch.Role != fact.RoleMade && touch.Role != fact.RoleImplied {
			continue
		}
		if was, known := u.before.Things[touch.UID]; known && !was.Gone {
			u.fail("%s was made, and was there before", touch.UID)
			continue
		}
		if u.graph.Nodes[touch.UID] == nil {
			continue // a later change of the same moment made it, too
		}
		u.graph.removeMade(touch.UID, c.Sent.UnixMilli(), c.Done.UnixMilli())
	}
}

// restore gives all that was changed its fields, and brings back what is gone.
func (u *undoing) restore() {
	for _, uid := range slices.Sorted(maps.Keys(u.before.Things)) {
		was := u.before.Things[uid]
		is, known := u.after.Things[uid]
		n := u.graph.Nodes[uid]
		switch {
		case was.Gone || !known || !u.touched[uid]:
			continue
		case is.Gone:
			if n != nil {
				u.fail("%s is gone, and is there", uid)
				continue
			}
			u.graph.Nodes[uid] = &Node{Attrs: attrsOf(was), created: was.Created}
			u.homeless = append(u.homeless, was)
			u.takeBack(was)
			continue
		case n == nil:
			u.fail("%s was changed, and is not there", uid)
			continue
		}
		a, b := attrsOf(is), attrsOf(was)
		for name := range maps.Keys(union(a, b)) {
			switch {
			case a[name] == b[name]:
			case b[name] == "":
				delete(n.Attrs, name)
			default:
				n.Attrs[name] = b[name]
			}
		}
		if slices.ContainsFunc(fact.Diff(single(was), single(is)), func(d fact.Difference) bool { return d.Field == fact.Place }) {
			u.graph.detach(uid)
			u.homeless = append(u.homeless, was)
		}
	}
}

func single(f fact.Fact) fact.State { return fact.State{Things: map[string]fact.Fact{f.UID: f}} }

// takeBack puts the children of a page that became part of another one below it again.
func (u *undoing) takeBack(page fact.Fact) {
	for i, uid := range page.Children {
		if _, known := u.before.Things[uid]; known || u.graph.Nodes[uid] == nil {
			continue
		}
		if !u.touched[uid] {
			u.fail("%s went from %s to another page, and is not touched", uid, page.UID)
		}
		u.graph.detach(uid)
		child := fact.Fact{UID: uid, Parent: page.UID, Order: i}
		if i > 0 {
			child.Left = page.Children[i-1]
		}
		u.homeless = append(u.homeless, child)
	}
}

// putBack puts what moved, or came back, where it was.
func (u *undoing) putBack() {
	slices.SortStableFunc(u.homeless, func(a, b fact.Fact) int { return cmp.Compare(a.Order, b.Order) })
	for _, was := range u.homeless {
		if was.Parent == "" {
			continue
		}
		parent := u.graph.Nodes[was.Parent]
		if parent == nil {
			u.fail("%s was below %s, which is not there", was.UID, was.Parent)
			continue
		}
		at := min(was.Order, len(parent.Children))
		if left := slices.Index(parent.Children, was.Left); left >= 0 {
			at = left + 1
		} else if right := slices.Index(parent.Children, was.Right); right >= 0 {
			at = right
		}
		parent.Children = slices.Insert(parent.Children, at, was.UID)
		u.graph.Nodes[was.UID].Parent = was.Parent
	}
}

// reorder gives children the order that they had.
func (u *undoing) reorder() {
	for uid, was := range u.before.Things {
		is := u.after.Things[uid]
		n := u.graph.Nodes[uid]
		if n == nil || was.Children == nil || is.Children == nil || slices.Equal(was.Children, is.Children) {
			continue
		}
		if len(n.Children) == len(was.Children) && subset(n.Children, was.Children) {
			n.Children = slices.Clone(was.Children)
		}
	}
}

// list gives the shortcuts the order that they had. Pages of which another change says
// that it made them, too, are not there any more.
func (u *undoing) list() {
	if u.before.Shortcuts == nil || slices.Equal(u.before.Shortcuts, u.after.Shortcuts) {
		return
	}
	there := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(uid string) bool { return u.graph.Nodes[uid] == nil })
	}
	if left := there(u.after.Shortcuts); u.class == fact.ClassShortcut && !slices.Equal(u.graph.Shortcuts, left) {
		u.fail("the shortcuts are %v, and were left as %v", u.graph.Shortcuts, left)
	}
	u.graph.Shortcuts = there(u.before.Shortcuts)
}

// attrsOf returns the values of a fact as a Node has them.
func attrsOf(f fact.Fact) map[string]string {
	attrs := map[string]string{}
	set := func(name string, value any) {
		text, _ := json.Marshal(value)
		attrs[name] = plain(text)
	}
	if f.IsPage() {
		set(":node/title", f.Title)
	} else {
		set(":block/string", f.Text)
	}
	if f.Heading != 0 {
		set(":block/heading", f.Heading)
	}
	if f.Open != nil {
		set(":block/open", *f.Open)
	}
	for name, value := range map[string]string{":block/text-align": f.Align, ":children/view-type": f.ChildrenView, ":block/view-type": f.BlockView} {
		if value != "" {
			set(name, value)
		}
	}
	if f.Props != nil {
		attrs[":block/props"] = plain(f.Props)
	}
	if f.Daily {
		set(":log/id", true)
	}
	return attrs
}

// removeMade removes a node, and of what is below it what was made in [since, until].
func (g *Graph) removeMade(uid string, since, until int64) {
	for _, child := range slices.Clone(g.Nodes[uid].Children) {
		if at := g.Nodes[child].created; since <= at && at <= until {
			g.removeMade(child, since, until)
		}
	}
	g.detach(uid)
	delete(g.Nodes, uid)
	g.Shortcuts = without(g.Shortcuts, uid)
}

// detach takes a node from its parent.
func (g *Graph) detach(uid string) {
	n := g.Nodes[uid]
	if parent := g.Nodes[n.Parent]; parent != nil {
		parent.Children = without(parent.Children, uid)
	}
	n.Parent = ""
}

func without(list []string, uid string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(each string) bool { return each == uid })
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func subset(list, of []string) bool {
	return !slices.ContainsFunc(list, func(each string) bool { return !slices.Contains(of, each) })
}
