package outline

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// trees makes outlines of few words, so that texts are often equal or alike.
type trees struct {
	*rand.Rand
	uids int
}

func (r *trees) uid() string {
	r.uids++
	return fmt.Sprintf("uid%06d", r.uids)
}

func (r *trees) text() string {
	words := []string{"tea", "milk", "bread", "{{[[TODO]]}}", "the engine", "[[Ada]]", "月面", "—"}
	var text []string
	for range r.IntN(5) {
		text = append(text, words[r.IntN(len(words))])
	}
	return strings.Join(text, " ")
}

func (r *trees) block() Block {
	b := Block{String: r.text(), UID: r.uid()}
	if r.IntN(6) == 0 {
		b.Heading = r.IntN(4)
	}
	if r.IntN(6) == 0 {
		b.ChildrenViewType = []string{"bullet", "numbered", "document"}[r.IntN(3)]
	}
	return b
}

// outline makes some blocks, of depth levels at most.
func (r *trees) outline(most, depth int) []Block {
	var list []Block
	for range r.IntN(most + 1) {
		b := r.block()
		if depth > 1 && r.IntN(2) == 0 {
			b.Children = r.outline(most, depth-1)
		}
		list = append(list, b)
	}
	return list
}

// walk calls visit for each block, until one changes the list that it stands in.
func walk(list *[]Block, visit func(list *[]Block, at int) (done bool)) bool {
	for at := range *list {
		if visit(list, at) || walk(&(*list)[at].Children, visit) {
			return true
		}
	}
	return false
}

func count(blocks []Block) (n int) {
	walk(&blocks, func(*[]Block, int) bool { n++; return false })
	return n
}

// edit changes an outline as people do, and returns how.
func (r *trees) edit(list *[]Block) string {
	n := count(*list)
	if n == 0 {
		*list = append(*list, r.block())
		return "added the first"
	}
	at := func(n int, do func(list *[]Block, i int)) {
		walk(list, func(list *[]Block, i int) bool {
			if n--; n >= 0 {
				return false
			}
			do(list, i)
			return true
		})
	}
	var cut Block
	remove := func(list *[]Block, i int) {
		cut = (*list)[i]
		*list = slices.Delete(*list, i, i+1)
	}
	add := func(list *[]Block, i int) {
		if r.IntN(3) == 0 {
			list, i = &(*list)[i].Children, 0
		}
		*list = slices.Insert(*list, i, cut)
	}
	which := r.IntN(n)
	switch r.IntN(6) {
	case 0:
		at(which, func(list *[]Block, i int) { (*list)[i].String += " tea" })
		return "changed a text"
	case 1:
		at(which, func(list *[]Block, i int) { (*list)[i].Heading = r.IntN(4) })
		return "changed a heading"
	case 2:
		at(which, remove)
		return "removed a block"
	case 3:
		cut = r.block()
		at(which, add)
		return "added a block"
	case 4:
		at(which, func(list *[]Block, i int) {
			cut = Block{String: r.text(), Children: []Block{(*list)[i]}}
			(*list)[i] = cut
		})
		return "put a block below a new one"
	}
	at(which, remove)
	if n = count(*list); n == 0 {
		*list = append(*list, cut)
	} else {
		at(r.IntN(n), add)
	}
	return "moved a block"
}

func clone(blocks []Block) []Block {
	out := slices.Clone(blocks)
	for i := range out {
		out[i].Children = clone(out[i].Children)
	}
	return out
}

func withoutUIDs(blocks []Block) []Block {
	out := slices.Clone(blocks)
	for i := range out {
		out[i].UID, out[i].Children = "", withoutUIDs(out[i].Children)
	}
	return out
}

// pair makes two outlines: any two, or one and what edits make of it.
func (r *trees) pair() (old, new []Block) {
	old = r.outline(5, 4)
	if r.IntN(4) == 0 {
		return old, withoutUIDs(r.outline(5, 4))
	}
	new = clone(old)
	for range r.IntN(6) {
		r.edit(&new)
	}
	if r.IntN(4) > 0 {
		new = withoutUIDs(new)
	}
	return old, new
}

// some returns a test for some of the blocks of an outline.
func (r *trees) some(blocks []Block) func(uid string) bool {
	if r.IntN(2) == 0 {
		return nil
	}
	chosen := map[string]bool{}
	walk(&blocks, func(list *[]Block, at int) bool {
		chosen[(*list)[at].UID] = r.IntN(8) == 0
		return false
	})
	return func(uid string) bool { return chosen[uid] }
}

// checkPair holds a plan against what Plan promises.
func checkPair(old, new []Block, fixed func(uid string) bool) error {
	ops := Plan(old, new, fixed)
	if again := Plan(clone(old), clone(new), fixed); !reflect.DeepEqual(ops, again) {
		return fmt.Errorf("another plan the second time: %+v", again)
	}
	made, err := apply(old, ops)
	if err != nil {
		return fmt.Errorf("%w: %+v", err, ops)
	}
	if fixed == nil {
		fixed = func(string) bool { return false }
	}
	visible := without(made, fixed)
	if err := equal(visible, new, "page"); err != nil {
		return fmt.Errorf("%w: %+v", err, ops)
	}
	all := map[string]bool{}
	walk(&made, func(list *[]Block, at int) bool { all[(*list)[at].UID] = true; return false })
	before, after := map[string][]Block{}, map[string][]Block{}
	holders(before, all, "", old, fixed)
	holders(after, all, "", made, fixed)
	if !reflect.DeepEqual(before, after) {
		return fmt.Errorf("fixed blocks are %v, were %v: %+v", after, before, ops)
	}
	if err := touchesOnce(ops); err != nil {
		return err
	}
	if again := Plan(made, new, fixed); !again.IsEmpty() {
		return fmt.Errorf("the second plan is not empty: %+v after %+v", again, ops)
	}
	if walk(&new, func(list *[]Block, at int) bool { return (*list)[at].UID != "" }) {
		return nil // which block is which is said, even of equal ones
	}
	if visibleOld := without(old, fixed); equal(visibleOld, new, "page") == nil && !ops.IsEmpty() {
		return fmt.Errorf("the plan for equal outlines is not empty: %+v", ops)
	}
	if err := noGap("", childrenByUID(without(old, fixed)), childrenByUID(visible)); err != nil {
		return fmt.Errorf("%w: %+v", err, ops)
	}
	return samePlaces(without(old, fixed), visible, new)
}

// childrenByUID returns lists of uids of children by that of the block above, "" at the top;
// noParent is for all that have none.
func childrenByUID(blocks []Block) map[string][]string {
	lists := map[string][]string{}
	var add func(parent string, blocks []Block)
	add = func(parent string, blocks []Block) {
		for _, b := range blocks {
			lists[parent] = append(lists[parent], b.UID)
			add(cmp.Or(b.UID, noParent), b.Children)
		}
	}
	add("", blocks)
	return lists
}

// noGap reports a place below a parent, between two children that stay or at an end, where
// as many blocks went as came. Children that change their order leave no such place.
func noGap(parent string, old, made map[string][]string) error {
	has := func(all map[string][]string, uid string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(all)), func(list []string) bool { return slices.Contains(list, uid) })
	}
	// gaps returns how many of a list are new or gone, in front of each that stays and at the end.
	gaps := func(list, other []string, others map[string][]string) (stay []string, counts []int) {
		counts = []int{0}
		for _, uid := range list {
			switch {
			case slices.Contains(other, uid) && uid != "":
				stay, counts = append(stay, uid), append(counts, 0)
			case uid == "" || !has(others, uid):
				counts[len(counts)-1]++
			}
		}
		return stay, counts
	}
	stay, gone := gaps(old[parent], made[parent], made)
	inOrder, came := gaps(made[parent], old[parent], old)
	if slices.Equal(stay, inOrder) {
		for i := range gone {
			if gone[i] == came[i] && gone[i] > 0 {
				return fmt.Errorf("below %q, at gap %d, %d blocks lost their uids", parent, i, gone[i])
			}
		}
	}
	for _, uid := range stay {
		if err := noGap(uid, old, made); err != nil {
			return err
		}
	}
	return nil
}

// without returns an outline without fixed blocks.
func without(blocks []Block, fixed func(uid string) bool) (rest []Block) {
	for _, b := range blocks {
		if !fixed(b.UID) {
			b.Children = without(b.Children, fixed)
			rest = append(rest, b)
		}
	}
	return rest
}

// holders puts fixed blocks into lists, by the uid of the block above them that is
// still there at the end.
func holders(lists map[string][]Block, there map[string]bool, above string, blocks []Block, fixed func(uid string) bool) {
	for _, b := range blocks {
		switch {
		case fixed(b.UID):
			lists[above] = append(lists[above], b)
		case there[b.UID]:
			holders(lists, there, b.UID, b.Children, fixed)
		default:
			holders(lists, there, above, b.Children, fixed)
		}
	}
}

// equal compares what new says.
func equal(made, new []Block, where string) error {
	if len(made) != len(new) {
		return fmt.Errorf("%s has %d blocks, want %d", where, len(made), len(new))
	}
	for i, b := range made {
		want := new[i]
		view := cmp.Or(b.ChildrenViewType, "bullet")
		if b.String != want.String || b.Heading != want.Heading || want.ChildrenViewType != "" && view != want.ChildrenViewType {
			return fmt.Errorf("%s has at %d %+v, want %+v", where, i, b, want)
		}
		if err := equal(b.Children, want.Children, where+"/"+b.String); err != nil {
			return err
		}
	}
	return nil
}

// touchesOnce reports a block that one kind of operation comes to twice.
func touchesOnce(ops Ops) error {
	seen := map[string]bool{}
	once := func(kind, uid string) error {
		if seen[kind+uid] {
			return fmt.Errorf("%s %s twice: %+v", kind, uid, ops)
		}
		seen[kind+uid] = true
		return nil
	}
	var errs []error
	for _, each := range ops.Updates {
		errs = append(errs, once("update", each.UID))
	}
	for _, each := range ops.Orders {
		errs = append(errs, once("order", each.Parent))
		for _, move := range each.Moves {
			errs = append(errs, once("move", move.UID))
		}
	}
	for _, each := range ops.Moves {
		errs = append(errs, once("move", each.UID))
	}
	for _, each := range ops.Deletes {
		errs = append(errs, once("delete", each))
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// samePlaces reports a block that did not keep its uid though it is equal, with all
// below it, to the one at the same place, and so are all before it, or all behind it. How
// children are listed is not counted: blocks are matched by text and heading.
func samePlaces(old, made, new []Block) error {
	least := min(len(old), len(new))
	before := 0
	for before < least && alike(old[before], new[before]) {
		before++
	}
	for i := range before {
		if old[i].UID != made[i].UID {
			return fmt.Errorf("%q at %d lost its uid", old[i].String, i)
		}
	}
	for i := 1; i <= least-before; i++ {
		o, n := len(old)-i, len(new)-i
		if !alike(old[o], new[n]) {
			break
		}
		if old[o].UID != made[n].UID {
			return fmt.Errorf("%q at %d from the end lost its uid", old[o].String, i)
		}
	}
	return nil
}

// alike reports whether two blocks have the same texts and headings, with all below them.
func alike(a, b Block) bool {
	return a.String == b.String && a.Heading == b.Heading && slices.EqualFunc(a.Children, b.Children, alike)
}

// asGiven returns an outline with the looks spelled out that a block has by itself.
func asGiven(blocks []Block) []Block {
	out := slices.Clone(blocks)
	for i := range out {
		out[i].ChildrenViewType = cmp.Or(out[i].ChildrenViewType, "bullet")
		out[i].TextAlign = cmp.Or(out[i].TextAlign, "left")
		out[i].Children = asGiven(out[i].Children)
	}
	return out
}

// checkByUID holds a plan against what PlanByUID promises: the blocks that are not fixed
// are those of new, uids included, but for those that have the uid of a fixed one.
func checkByUID(old, new []Block, fixed func(uid string) bool) error {
	ops := PlanByUID(old, new, fixed)
	made, err := apply(old, ops)
	if err != nil {
		return fmt.Errorf("%w: %+v", err, ops)
	}
	want := asGiven(new)
	if fixed != nil {
		made = without(made, fixed)
		taken := map[string]bool{}
		walk(&old, func(list *[]Block, at int) bool {
			if b := (*list)[at]; fixed(b.UID) {
				taken[b.UID] = true
				walk(&b.Children, func(list *[]Block, at int) bool { taken[(*list)[at].UID] = true; return false })
			}
			return false
		})
		walk(&want, func(list *[]Block, at int) bool {
			if b := &(*list)[at]; taken[b.UID] {
				b.UID = ""
			}
			return false
		})
		walk(&made, func(list *[]Block, at int) bool {
			if b := &(*list)[at]; Placeholder(b.UID) {
				b.UID = ""
			}
			return false
		})
	}
	if got := asGiven(made); fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("it makes\n%+v\nwant\n%+v\nby %+v", got, want, ops)
	}
	return touchesOnce(ops)
}

func TestPlanByUID_ofRandomPairs(t *testing.T) {
	for seed := range 1000 {
		r := &trees{Rand: rand.New(rand.NewPCG(uint64(seed), 12))}
		old := r.outline(5, 4)
		new := clone(old)
		for range r.IntN(12) {
			r.edit(&new)
		}
		walk(&new, func(list *[]Block, at int) bool {
			b := &(*list)[at]
			if b.UID == "" {
				b.UID = r.uid()
			}
			b.Collapsed, b.TextAlign = r.IntN(6) == 0, []string{"", "", "center", "right"}[r.IntN(4)]
			return false
		})
		if seed%2 == 0 {
			old, new = new, old
		}
		if err := checkByUID(old, new, r.some(old)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func testPairs(t *testing.T, pairs int) {
	for seed := range pairs {
		r := &trees{Rand: rand.New(rand.NewPCG(uint64(seed), 11))}
		old, new := r.pair()
		if err := checkPair(old, new, r.some(old)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func TestPlan_ofRandomPairs(t *testing.T) { testPairs(t, 1000) }
