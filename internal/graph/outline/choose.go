package outline

import (
	"slices"
)

// choose decides which ones go of equal blocks below one parent where nobody can tell
// which were meant: those that have gone already go first, then those that nobody has
// touched. What stays keeps its order.
func (m *merging) choose() {
	chosen := map[string]bool{} // uids of parents
	for _, uid := range slices.Clone(m.edits.removed) {
		if parent := m.edits.was[uid].parent; !chosen[parent] {
			chosen[parent] = true
			m.chooseBelow(parent)
		}
	}
}

// chooseBelow decides which ones of equal blocks below a parent go, if each goes or stays
// with all below it.
func (m *merging) chooseBelow(parent string) {
	var all, kept []string // in the order of the view, without those that move
	worth := map[string]int{}
	matters := false
	for _, uid := range m.edits.shownBelow(parent) {
		switch {
		case m.goesWhole(uid):
			worth[uid] = m.worth(uid)
			matters = matters || worth[uid] != untouched
		case m.removed[uid] || m.edits.moved[uid]:
			continue
		default:
			worth[uid] = m.worth(uid)
			kept = append(kept, uid)
		}
		all = append(all, uid)
	}
	if matters = matters || slices.ContainsFunc(kept, func(uid string) bool { return worth[uid] == gone }); !matters || len(kept) == 0 || len(all) > maxCells/len(kept) {
		return
	}
	alike := func(a, b string) bool { // the one may stand for the other
		return m.edits.was[a].shape == m.edits.was[b].shape && m.staysWhole(a) && (m.goesWhole(b) || m.staysWhole(b))
	}
	pairs := best(len(all), len(kept), func(i, j int) int {
		switch {
		case all[i] == kept[j]:
			return 1<<32 + 2*worth[all[i]] + 1
		case alike(kept[j], all[i]):
			return 1<<32 + 2*worth[all[i]]
		}
		return 0
	})
	m.stay(all, kept, pairs)
}

// stay gives the blocks that stay the names of those that they are paired with, and those
// that go the names that are left over.
func (m *merging) stay(all, kept []string, pairs [][2]int) {
	instead, taken := map[string]string{}, map[string]bool{}
	for _, pair := range pairs {
		taken[all[pair[0]]] = true
		m.pair(instead, kept[pair[1]], all[pair[0]])
	}
	if len(pairs) < len(kept) {
		return // never: each can be paired with itself
	}
	free := map[int][]string{} // blocks that nothing stands for, by shape
	for _, uid := range all {
		if shape := m.edits.was[uid].shape; !taken[uid] {
			free[shape] = append(free[shape], uid)
		}
	}
	for _, uid := range all {
		if shape := m.edits.was[uid].shape; m.removed[uid] {
			m.pair(instead, uid, free[shape][0])
			free[shape] = free[shape][1:]
		}
	}
	m.swap(instead)
}

// shownBelow returns the uids of the children of a block that were shown.
func (e Edits) shownBelow(parent string) []string {
	kids := e.tops
	if parent != "" {
		kids = e.was[parent].kids
	}
	return slices.DeleteFunc(slices.Clone(kids), func(uid string) bool { return e.was[uid].hidden })
}

// goesWhole reports whether a block goes, and all below it that was shown.
func (m *merging) goesWhole(uid string) bool {
	return m.removed[uid] && !slices.ContainsFunc(m.edits.shownBelow(uid), func(kid string) bool { return !m.goesWhole(kid) })
}

// staysWhole reports whether a block stays as it was shown, with all below it.
func (m *merging) staysWhole(uid string) bool {
	if m.removed[uid] || m.edits.changed[uid] || m.edits.moved[uid] {
		return false
	}
	return !slices.ContainsFunc(m.edits.shownBelow(uid), func(kid string) bool { return !m.staysWhole(kid) })
}

// How much would be lost with a block.
const (
	gone      = iota // nothing, it is not there
	untouched        // what was shown
	touched          // what somebody else has changed, or written below it
)

// worth returns how much is lost with a block, and with what was shown below it.
func (m *merging) worth(uid string) int {
	if m.all[uid] == nil {
		return gone
	}
	worth := untouched
	if _, other := m.touched(uid); other {
		worth = touched
	}
	for _, kid := range m.edits.shownBelow(uid) {
		worth = max(worth, m.worth(kid))
	}
	return worth
}

// pair notes that a block, with all below it, stands for another one.
func (m *merging) pair(instead map[string]string, before, after string) {
	instead[before] = after
	kids, others := m.edits.shownBelow(before), m.edits.shownBelow(after)
	for i := range kids {
		m.pair(instead, kids[i], others[i])
	}
}

// swap puts blocks in the place of others.
func (m *merging) swap(instead map[string]string) {
	for i, uid := range m.edits.removed {
		if other, ok := instead[uid]; ok {
			delete(m.removed, uid)
			m.edits.removed[i] = other
		}
	}
	for _, uid := range m.edits.removed {
		m.removed[uid] = true
	}
	var rename func(blocks []Block)
	rename = func(blocks []Block) {
		for i := range blocks {
			if other, ok := instead[blocks[i].UID]; ok {
				blocks[i].UID = other
			}
			rename(blocks[i].Children)
		}
	}
	rename(m.edits.sent)
}
