// Package plan says what takes a recorded change of a graph back: from the facts before it,
// what it left, and what the graph is now (docs/HISTORY.md, Undo).
//
// It promises that nothing is planned over what somebody has written since: a field is set
// back where it is what the change left, and stays as it is otherwise. It asks nobody and
// sends nothing; facts and titles are all it knows.
package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roam-mcp/history/fact"
)

// Change is a recorded change that was done.
type Change struct {
	Number        string // as people see it, such as 412.1
	Class         fact.Class
	Before, After fact.State
	Touches       []fact.Touch
	// Late says that what it left was read by another program, some time after it.
	Late bool
	// Replied is when Roam's reply came, in ms; 0: not known.
	Replied int64
}

// Now is what a graph has at what a change touches.
type Now struct {
	State     fact.State
	Referrers fact.Referrers    // of what the change made
	Holders   map[string]string // uids of the pages that have a title which a page is to get back
	// Used are those of the holders that are in use: a page that Roam has just made for a mention,
	// and that has nothing on it, is not.
	Used map[string]bool
}

// Run is what is known of all the changes that are taken back together.
type Run struct {
	// Under is where blocks go that have lost what they were below; "": they stay away.
	Under string

	made  map[string]bool
	texts map[string][]string // texts and titles that they left, by uid
}

// NewRun returns the Run of changes.
func NewRun(changes []Change) Run {
	run := Run{made: map[string]bool{}, texts: map[string][]string{}}
	for _, c := range changes {
		for _, touch := range c.Touches {
			if touch.Role == fact.RoleMade || touch.Role == fact.RoleImplied {
				run.made[touch.UID] = true
			}
		}
		for _, d := range fact.Diff(c.Before, c.After) {
			if d.Field == fact.Text || d.Field == fact.Title {
				run.texts[d.UID] = append(run.texts[d.UID], d.After.Text+d.After.Title)
			}
		}
	}
	return run
}

// resets reports whether one of the changes left the text or title that a thing has now, so that
// it gets another one when that is taken back.
func (r Run) resets(now fact.Fact) bool { return slices.Contains(r.texts[now.UID], now.Text+now.Title) }

// Reason says why something is left as it is.
type Reason string

// The reasons.
const (
	NotKept    Reason = "its texts are not kept"
	NotRead    Reason = "what it left is not known"
	ByOthers   Reason = "it is not known what an extension did"
	FileGone   Reason = "files are not kept"
	Changed    Reason = "it was changed since"
	Moved      Reason = "it was moved since"
	Gone       Reason = "it is gone"
	ParentGone Reason = "what it was below is gone"
	TitleTaken Reason = "another page has the title"
	UIDTaken   Reason = "something else has the uid"
	InUse      Reason = "something that was written since is below it"
	Referred   Reason = "something that was written since refers to it"
)

// Left is something that a plan leaves as it is.
type Left struct {
	Change string     `json:"change"`
	UID    string     `json:"uid,omitempty"`
	Field  fact.Field `json:"field,omitempty"`
	Was    string     `json:"was,omitempty"`  // before the change
	Left   string     `json:"left,omitempty"` // by the change
	Is     string     `json:"is,omitempty"`
	Why    Reason     `json:"why"`
	// ChangedBy names who edited it last, as Roam says.
	ChangedBy string `json:"changedBy,omitempty"`
}

// Title is a title that a page is to get back.
type Title struct {
	UID, Title string
	// Holder is the uid of another page that has the title; empty: none.
	Holder string
}

// Place is a place that a block is to come to.
type Place struct {
	UID, Parent, Left, Right string
	Order                    int
}

// Steps are what takes a change back, in the order of the fields.
type Steps struct {
	Pages  []fact.Fact // to be made, the shortest title first
	Titles []Title     // the shortest first
	Blocks []fact.Fact // to be made, parents first, and from left to right
	Places []Place     // from left to right
	Orders map[string][]string
	Away   []string // topmost blocks to be removed
	// Looks are what blocks and pages are to be: texts and all else of their own, of the fields
	// named.
	Looks       []Look
	UnusedPages []string // to be removed if they are unused by then
	// List is what the shortcuts are to be, as far as the pages of it are there; nil: as they are.
	List []string

	Left []Left
}

// Look is what some fields of a thing are to be.
type Look struct {
	Want   fact.Fact
	Fields []fact.Field
}

// IsEmpty reports whether nothing is to be done.
func (s *Steps) IsEmpty() bool { return s.Count() == 0 && len(s.UnusedPages) == 0 }

// Count returns how many pages and blocks are changed, made and removed, as far as they are
// known.
func (s *Steps) Count() int {
	n := len(s.Pages) + len(s.Titles) + len(s.Blocks) + len(s.Places) + len(s.Orders) + len(s.Away) + len(s.Looks)
	if s.List != nil {
		n++
	}
	return n
}

// planning is a plan in the making.
type planning struct {
	Change
	now   Now
	run   Run
	roles map[string]fact.Role
	Steps
}

// Make returns what takes a change back, with the others of a Run.
func Make(now Now, c Change, run Run) Steps {
	p := &planning{Change: c, now: now, run: run, roles: map[string]fact.Role{}}
	p.Orders = map[string][]string{}
	for _, touch := range c.Touches {
		if _, known := p.roles[touch.UID]; !known {
			p.roles[touch.UID] = touch.Role
		}
	}
	switch {
	case c.Class == fact.ClassOpaque:
		p.leave("", "", ByOthers)
		return p.Steps
	case c.Class == fact.ClassFile:
		p.leave("", "", FileGone)
		return p.Steps
	case len(c.Before.Things) == 0 && len(c.After.Things) == 0 && c.Before.Shortcuts == nil:
		p.leave("", "", NotKept)
		return p.Steps
	case len(c.After.Things) == 0 && c.After.Shortcuts == nil:
		p.leave("", "", NotRead)
		return p.Steps
	}
	for _, uid := range slices.Sorted(maps.Keys(p.roles)) {
		p.thing(uid)
	}
	p.removals()
	p.orders()
	p.shortcuts()
	p.sort()
	return p.Steps
}

// leave notes that something stays as it is.
func (p *planning) leave(uid string, field fact.Field, why Reason) {
	was, left, is := p.Before.Things[uid], p.After.Things[uid], p.now.State.Things[uid]
	l := Left{Change: p.Number, UID: uid, Field: field, Why: why, Was: value(was, field), Left: value(left, field), Is: value(is, field)}
	if is.Edited > left.Edited {
		l.ChangedBy = cmp.Or(is.EditorName, is.Editor)
	}
	p.Left = append(p.Left, l)
}

// value returns a field as people read it.
func value(f fact.Fact, field fact.Field) string {
	switch field {
	case fact.Title:
		return f.Title
	case fact.Text:
		return f.Text
	case fact.Existence:
		return cmp.Or(f.Title, f.Text)
	case fact.Place:
		return f.Parent
	case fact.Heading:
		return fmt.Sprint(f.Heading)
	case fact.Open:
		return fmt.Sprint(f.IsOpen())
	case fact.Align:
		return f.Align
	case fact.ChildrenView:
		return f.ChildrenView
	case fact.BlockView:
		return f.BlockView
	case fact.Props:
		return string(f.Props)
	case fact.Children:
		return strings.Join(f.Children, " ")
	case fact.Shortcut, fact.List:
	}
	return ""
}

// thing plans for one page or block.
func (p *planning) thing(uid string) {
	was, had := p.Before.Things[uid]
	left, has := p.After.Things[uid]
	switch role := p.roles[uid]; {
	case role == fact.RoleMade || role == fact.RoleImplied || role == fact.RolePlace:
		return // see removals
	case had && has && !was.Gone && left.Gone:
		p.bringBack(was)
	case had && has && !was.Gone && !left.Gone:
		p.setBack(was, left)
	}
}

// bringBack plans for what the change removed.
func (p *planning) bringBack(was fact.Fact) {
	now, read := p.now.State.Things[was.UID]
	switch {
	case !read || now.Gone:
	case now.IsPage() == was.IsPage() && now.Title == was.Title && (was.IsPage() || now.Text == was.Text):
		p.takeBack(was)
		return // it is back
	default:
		p.leave(was.UID, fact.Existence, UIDTaken)
		return
	}
	if was.IsPage() {
		if p.taken(was) {
			p.leave(was.UID, fact.Title, TitleTaken)
			return
		}
		p.Pages = append(p.Pages, was)
	} else if p.parentGone(was) && p.run.Under == "" {
		p.leave(was.UID, fact.Existence, ParentGone)
		return
	} else {
		p.Blocks = append(p.Blocks, was)
	}
	p.takeBack(was)
}

// parentGone reports whether what a block was below is gone, and does not come back with it.
func (p *planning) parentGone(was fact.Fact) bool {
	now := p.now.State.Things[was.Parent]
	if !now.Gone {
		return false
	}
	above, had := p.Before.Things[was.Parent]
	back := had && !above.Gone && p.After.Things[was.Parent].Gone
	return !back || !above.IsPage() && p.parentGone(above)
}

// own reports whether the change made a page, or had Roam make it.
func (p *planning) own(uid string) bool {
	role := p.roles[uid]
	return role == fact.RoleMade || role == fact.RoleImplied
}

// taken reports whether another page has the title of one, and is in use.
func (p *planning) taken(was fact.Fact) bool {
	holder := p.now.Holders[was.Title]
	return holder != "" && holder != was.UID && !p.run.made[holder] && p.now.Used[holder]
}

// takeBack plans for the children of a page that became part of another one.
func (p *planning) takeBack(page fact.Fact) {
	for i, uid := range page.Children {
		if _, known := p.Before.Things[uid]; known {
			continue
		}
		left, has := p.After.Things[uid]
		now := p.now.State.Things[uid]
		switch {
		case !has || left.Gone || now.Parent == page.UID:
		case now.Gone || now.UID == "":
			p.leave(uid, fact.Place, Gone)
		case now.Parent != left.Parent:
			p.leave(uid, fact.Place, Moved)
		default:
			place := Place{UID: uid, Parent: page.UID, Order: i}
			if i > 0 {
				place.Left = page.Children[i-1]
			}
			p.Places = append(p.Places, place)
		}
	}
}

// setBack plans for the fields of what is still there.
func (p *planning) setBack(was, left fact.Fact) {
	changed := fact.Diff(single(was), single(left))
	if len(changed) == 0 {
		return
	}
	now, read := p.now.State.Things[was.UID]
	if !read || now.Gone {
		p.leave(was.UID, changed[0].Field, Gone)
		return
	}
	look := Look{Want: was}
	for _, d := range changed {
		if d.Field == fact.Place {
			p.setPlace(was, left, now)
		}
		if !own(d.Field) {
			continue
		}
		switch {
		case same(now, was, d.Field):
		case !same(now, left, d.Field):
			p.leave(was.UID, d.Field, Changed)
		case d.Field == fact.Title:
			p.setTitle(was)
		default:
			look.Fields = append(look.Fields, d.Field)
		}
	}
	if len(look.Fields) > 0 {
		p.Looks = append(p.Looks, look)
	}
}

// own reports whether a field is of a thing alone, and not of where it is among others.
func own(field fact.Field) bool {
	return !slices.Contains([]fact.Field{fact.Existence, fact.Place, fact.Children, fact.Shortcut, fact.List}, field)
}

func (p *planning) setTitle(was fact.Fact) {
	holder := p.now.Holders[was.Title]
	if holder == was.UID {
		holder = ""
	}
	if p.taken(was) && !p.own(holder) {
		p.leave(was.UID, fact.Title, TitleTaken)
		return
	}
	p.Titles = append(p.Titles, Title{UID: was.UID, Title: was.Title, Holder: holder})
}

// setPlace plans for a block that the change moved.
func (p *planning) setPlace(was, left, now fact.Fact) {
	switch {
	case !elsewhere(was, now):
	case elsewhere(left, now):
		p.leave(was.UID, fact.Place, Moved)
	default:
		p.Places = append(p.Places, Place{UID: was.UID, Parent: was.Parent, Left: was.Left, Right: was.Right, Order: was.Order})
	}
}

// elsewhere reports whether a block has another place than it had.
func elsewhere(was, now fact.Fact) bool {
	return slices.ContainsFunc(fact.Diff(single(was), single(now)), func(d fact.Difference) bool { return d.Field == fact.Place })
}

// same reports whether two facts have the same field.
func same(a, b fact.Fact, field fact.Field) bool {
	return !slices.ContainsFunc(fact.Diff(single(a), single(b)), func(d fact.Difference) bool { return d.Field == field })
}

func single(f fact.Fact) fact.State {
	f.UID = ""
	return fact.State{Things: map[string]fact.Fact{"": f}}
}

// orders plans for lists of children of which nothing but their order was changed.
func (p *planning) orders() {
	for uid, was := range p.Before.Things {
		left := p.After.Things[uid]
		now := p.now.State.Things[uid]
		if _, touched := p.roles[uid]; !touched {
			continue
		}
		if was.Children == nil || left.Children == nil || slices.Equal(was.Children, left.Children) || !sameSet(was.Children, left.Children) {
			continue
		}
		p.Places = slices.DeleteFunc(p.Places, func(each Place) bool { return slices.Contains(was.Children, each.UID) && each.Parent == uid })
		still := within(now.Children, left.Children)
		switch {
		case slices.Equal(still, within(was.Children, now.Children)):
		case !slices.Equal(still, within(left.Children, now.Children)):
			p.leave(uid, fact.Children, Moved)
		default:
			p.Orders[uid] = reordered(now.Children, within(was.Children, now.Children))
		}
	}
}

// within returns what of a list is in another one.
func within(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(uid string) bool { return !slices.Contains(other, uid) })
}

// reordered returns a list in which some of it have another order, in the places that they
// have together.
func reordered(list, some []string) []string {
	next := 0
	out := slices.Clone(list)
	for i, uid := range out {
		if slices.Contains(some, uid) {
			out[i] = some[next]
			next++
		}
	}
	return out
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// sort brings the steps into their order.
func (p *planning) sort() {
	byTitle := func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
	slices.SortFunc(p.Pages, func(a, b fact.Fact) int { return byTitle(a.Title, b.Title) })
	slices.SortFunc(p.Titles, func(a, b Title) int { return byTitle(a.Title, b.Title) })
	depth := func(f fact.Fact) (n int) {
		for f.Parent != "" && n <= len(p.Before.Things) {
			f = p.Before.Things[f.Parent]
			n++
		}
		return n
	}
	slices.SortStableFunc(p.Blocks, func(a, b fact.Fact) int {
		return cmp.Or(cmp.Compare(depth(a), depth(b)), cmp.Compare(a.Order, b.Order), cmp.Compare(a.UID, b.UID))
	})
	slices.SortStableFunc(p.Places, func(a, b Place) int { return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.UID, b.UID)) })
}

// Set gives a fact the fields of the Look.
func (l Look) Set(f *fact.Fact) {
	for _, field := range l.Fields {
		switch field {
		case fact.Text:
			f.Text = l.Want.Text
		case fact.Heading:
			f.Heading = l.Want.Heading
		case fact.Open:
			f.Open = l.Want.Open
		case fact.Align:
			f.Align = l.Want.Align
		case fact.ChildrenView:
			f.ChildrenView = l.Want.ChildrenView
		case fact.BlockView:
			f.BlockView = l.Want.BlockView
		case fact.Props:
			f.Props = l.Want.Props
		case fact.Existence, fact.Title, fact.Place, fact.Children, fact.Shortcut, fact.List:
		}
	}
}
