package undo

import (
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
)

// removals plans for what the change made: a block goes with all below it if nothing else is there,
// and nothing else refers to it. Pages go if they are unused by then.
func (p *planning) removals() {
	going := map[string]bool{} // blocks
	var made []string
	for _, uid := range slices.Sorted(maps.Keys(p.roles)) {
		now, read := p.now.State.Things[uid]
		if !p.own(uid) || !read || now.Gone {
			continue
		}
		if now.IsPage() {
			p.unusedPage(now)
			continue
		}
		made = append(made, uid)
		if p.untouched(uid) || p.run.Over[Overwritten{uid, fact.Text}] {
			going[uid] = true
		}
	}
	why := p.holdBack(going)
	for _, uid := range made {
		switch {
		case !going[uid] && why[uid] == "":
			p.leave(uid, fact.Text, Changed)
		case !going[uid]:
			p.leave(uid, fact.Existence, why[uid])
		case !going[p.now.State.Things[uid].Parent]:
			p.Away = append(p.Away, uid)
		}
	}
}

// holdBack takes out of what is to go what has something else below it, or that something else
// refers to, and returns why.
func (p *planning) holdBack(going map[string]bool) map[string]Reason {
	why := map[string]Reason{}
	for again := true; again; {
		again = false
		hold := func(uid string, reason Reason) {
			if going[uid] {
				delete(going, uid)
				why[uid], again = reason, true
			}
		}
		for uid := range maps.Clone(going) {
			for _, child := range p.now.State.Things[uid].Children {
				if !going[child] && !p.now.State.Things[child].Gone {
					hold(uid, InUse)
				}
			}
		}
		for _, referrer := range p.now.Referrers {
			now := p.now.State.Things[referrer.UID]
			if going[referrer.UID] || now.Gone || p.run.resets(now) {
				continue
			}
			for _, uid := range referrer.To {
				hold(uid, Referred)
			}
		}
	}
	return why
}

// untouched reports whether a block that the change made is as it left it. That is not known of
// one that was edited before it was read, and has a text that the request does not say.
func (p *planning) untouched(uid string) bool {
	now, left := p.now.State.Things[uid], p.After.Things[uid]
	if left.UID == "" || left.Gone || p.editedBeforeRead(left) {
		return false
	}
	for _, field := range []fact.Field{fact.Text, fact.Heading, fact.Props, fact.Align} {
		if !same(now, left, field) {
			return false
		}
	}
	return true
}

// editedBeforeRead reports whether somebody may have edited a thing after it was made and before
// it was read, so that it is not known what the change left. A text of the request is known.
func (p *planning) editedBeforeRead(left fact.Fact) bool {
	if p.Texts[strings.TrimSpace(left.Text+left.Title)] {
		return false
	}
	if p.Late {
		return left.Edited > left.Created
	}
	return p.Replied > 0 && left.Edited > p.Replied
}

// unusedPage plans for a page that the change made, or had Roam make.
func (p *planning) unusedPage(now fact.Fact) {
	left := p.After.Things[now.UID]
	if now.Daily || now.Title != left.Title || p.editedBeforeRead(left) {
		return
	}
	p.UnusedPages = append(p.UnusedPages, now.UID)
}

// shortcuts plans for the list of shortcuts: the pages that the change put in, took out or moved
// get their places again, and the others stay in their order.
func (p *planning) shortcuts() {
	was, left, now := p.Before.Shortcuts, p.After.Shortcuts, p.now.State.Shortcuts
	if was == nil || left == nil || now == nil || slices.Equal(was, left) {
		return
	}
	var moved []string
	for _, uid := range slices.Concat(was, left) {
		same := slices.Contains(was, uid) == slices.Contains(left, uid)
		if _, touched := p.roles[uid]; !touched || slices.Contains(moved, uid) || same && (p.Class != fact.ClassShortcut || p.roles[uid] != fact.RoleTarget) {
			continue // others got other neighbours alone
		}
		moved = append(moved, uid)
	}
	list := slices.Clone(now)
	for _, uid := range moved {
		inWas, inLeft, inNow := slices.Index(was, uid), slices.Contains(left, uid), slices.Contains(now, uid)
		if inNow != inLeft {
			if inNow != (inWas >= 0) {
				p.leave(uid, fact.Shortcut, Changed)
			}
			continue
		}
		list = slices.DeleteFunc(list, func(each string) bool { return each == uid })
		if inWas >= 0 {
			list = slices.Insert(list, indexOf(list, was, inWas), uid)
		}
	}
	if !slices.Equal(list, now) {
		p.List = list
	}
}

// indexOf returns where in a list something belongs that was at a place of another one: behind
// the nearest before it that is there, else before the nearest behind it.
func indexOf(list, was []string, at int) int {
	for i := at - 1; i >= 0; i-- {
		if found := slices.Index(list, was[i]); found >= 0 {
			return found + 1
		}
	}
	for _, after := range was[at+1:] {
		if found := slices.Index(list, after); found >= 0 {
			return found
		}
	}
	return len(list)
}
