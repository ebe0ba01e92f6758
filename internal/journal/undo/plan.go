package undo

import (
	"cmp"
	"maps"
	"slices"

	"roam-mcp/internal/graph/fact"
)

// Change is a recorded change that was done.
type Change struct {
	Number        string // as people see it, such as 412.1
	Class         fact.Class
	Before, After fact.State
	Touches       []fact.Touch
	// Kept says that its texts are kept, and Known that it is known to have been done.
	Kept, Known bool
	// Texts are the texts and titles that its request says.
	Texts map[string]bool
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
	// Held reports whether a text has the address of the file that the change uploaded.
	Held bool
	// Used are those of the holders that are in use: a page that Roam has just made for a mention,
	// and that has nothing on it, is not.
	Used map[string]bool
}

// Run describes all changes that are taken back together.
type Run struct {
	// Under is where blocks go that have lost what they were below; "": they stay away.
	Under string
	// Over are fields of blocks and pages that are set back whatever they are now.
	Over map[Overwritten]bool

	made  map[string]bool
	texts map[string][]string // texts and titles that they left, by uid
}

// Overwritten is a field of a block or page that somebody has changed since.
type Overwritten struct {
	UID   string
	Field fact.Field
}

// NewRun returns the Run of changes.
func NewRun(changes []Change) Run {
	run := Run{made: map[string]bool{}, texts: map[string][]string{}}
	for _, c := range changes {
		for _, touch := range c.Touches {
			if touch.Role == fact.RoleMade || touch.Role == fact.RoleImplied {
				run.made[touch.UID] = true
				left := c.After.Things[touch.UID]
				run.texts[touch.UID] = append(run.texts[touch.UID], left.Text+left.Title)
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
// it gets another one, or goes, when that is taken back.
func (r Run) resets(now fact.Fact) bool { return r.Left(now.UID, now.Text+now.Title) }

// Left reports whether one of the changes left a text, or title, of a thing.
func (r Run) Left(uid, text string) bool { return slices.Contains(r.texts[uid], text) }

// planning is a plan in the making.
type planning struct {
	Change
	now   Now
	run   Run
	roles map[string]fact.Role
	Steps
}

// Plan returns what takes a change back, with the others of a Run.
func Plan(now Now, c Change, run Run) Steps {
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
		p.file()
		return p.Steps
	case !c.Kept:
		p.leave("", "", NotKept)
		return p.Steps
	case !c.Known && len(c.After.Things) == 0 && c.After.Shortcuts == nil:
		p.leave("", "", InDoubt)
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

// file plans for a file that was uploaded. One that was deleted is kept nowhere.
func (p *planning) file() {
	switch {
	case p.After.File == "":
		p.leave("", "", FileGone)
	case p.now.Held:
		p.leave("", "", FileHeld)
	default:
		p.Files = append(p.Files, p.After.File)
	}
}

// leave notes that something stays as it is.
func (p *planning) leave(uid string, field fact.Field, why Reason) {
	was, left, is := p.Before.Things[uid], p.After.Things[uid], p.now.State.Things[uid]
	l := Left{Change: p.Number, UID: uid, Field: field, Why: why, Was: value(was, field), Left: value(left, field), Is: value(is, field)}
	if is.Edited > left.Edited {
		l.ChangedBy, l.Edited = cmp.Or(is.EditorName, is.Editor), is.Edited
	}
	p.Left = append(p.Left, l)
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
	changed := was.Differs(left)
	if len(changed) == 0 {
		return
	}
	now, read := p.now.State.Things[was.UID]
	if !read || now.Gone {
		p.leave(was.UID, changed[0], Gone)
		return
	}
	look := Look{Want: was}
	for _, field := range changed {
		if field == fact.Place {
			p.setPlace(was, left, now)
		}
		if amongOthers(field) {
			continue
		}
		switch {
		case same(now, was, field):
		case !same(now, left, field) && !p.run.Over[Overwritten{was.UID, field}]:
			p.leave(was.UID, field, Changed)
		case field == fact.Title:
			p.setTitle(was)
		default:
			look.Fields = append(look.Fields, field)
		}
	}
	if len(look.Fields) > 0 {
		p.Looks = append(p.Looks, look)
	}
}

// amongOthers reports whether a field is not of a thing alone, but of where it is among others.
func amongOthers(field fact.Field) bool {
	return slices.Contains([]fact.Field{fact.Existence, fact.Place, fact.Children, fact.Shortcut, fact.List}, field)
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
	case elsewhere(left, now) && !p.run.Over[Overwritten{was.UID, fact.Place}]:
		p.leave(was.UID, fact.Place, Moved)
	default:
		p.Places = append(p.Places, Place{UID: was.UID, Parent: was.Parent, Left: was.Left, Right: was.Right, Order: was.Order})
	}
}

// elsewhere reports whether a block has another place than it had.
func elsewhere(was, now fact.Fact) bool {
	return !same(was, now, fact.Place)
}

// same reports whether two facts have the same field.
func same(a, b fact.Fact, field fact.Field) bool {
	return !slices.Contains(a.Differs(b), field)
}
