package undo

import (
	"cmp"
	"slices"

	"roam-mcp/internal/graph/fact"
)

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
