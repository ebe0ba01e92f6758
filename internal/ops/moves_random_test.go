package ops

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/require"
)

func TestMoveBlocksEqualAModel(t *testing.T) { testRandomMoves(t, 120, 12) }

// testRandomMoves makes so many random moves, of which every one in faulty is broken half way.
func testRandomMoves(t *testing.T, moves, faulty int) {
	var m *movesModel
	broken := 0
	for n := range moves {
		if n%60 == 0 { // Roam takes 1,500 writes a minute
			m = newMovesModel(t, uint64(n))
		}
		if err := m.step(n%faulty == faulty-1); err != nil {
			t.Fatalf("move %d: %v", n, err)
		}
		if n%faulty == faulty-1 {
			broken++
		}
	}
	t.Logf("%d calls, %d of them broken half way", moves, broken)
}

// tree has the uids of the children of pages and blocks.
type tree map[string][]string

// movesModel is a graph, and what it has to be.
type movesModel struct {
	*rand.Rand
	b      *box
	blocks []string
	pages  []string
}

func newMovesModel(t *testing.T, seed uint64) *movesModel {
	m := &movesModel{Rand: rand.New(rand.NewPCG(seed, 28)), b: newBox(t)}
	for _, title := range []string{"One", "Two", "Three"} {
		m.pages = append(m.pages, m.b.page(title, "- a\n  - b\n    - c\n  - d\n- e\n- f\n  - g\n- h\n"))
	}
	for _, children := range m.tree() {
		m.blocks = append(m.blocks, children...)
	}
	slices.Sort(m.blocks)
	return m
}

func (m *movesModel) tree() tree {
	rows, err := m.b.graph().rows(m.b.t.Context(), `[:find ?p ?o ?u :where [?e :block/children ?c] [?e :block/uid ?p] [?c :block/uid ?u] [?c :block/order ?o]]`)
	require.NoError(m.b.t, err)
	byParent := map[string][][]any{}
	for _, row := range rows {
		parent, _ := row[0].(string)
		byParent[parent] = append(byParent[parent], row[1:])
	}
	found := tree{}
	for parent, rows := range byParent {
		found[parent] = inPlace(rows)
	}
	return found
}

// above returns what is above a block.
func (t tree) above(uid string) (all []string) {
	for parent, children := range t {
		if slices.Contains(children, uid) {
			return append(t.above(parent), parent)
		}
	}
	return nil
}

// moved returns the tree after a move; false where it is below one of the blocks.
func (t tree) moved(move BlockMoves, there []string) (tree, bool) {
	way := append(t.above(move.ParentUID), move.ParentUID)
	if slices.ContainsFunc(move.UIDs, func(uid string) bool { return slices.Contains(way, uid) }) {
		return nil, false
	}
	tops := slices.DeleteFunc(slices.Clone(move.UIDs), func(uid string) bool {
		return !slices.Contains(there, uid) || slices.ContainsFunc(t.above(uid), func(a string) bool { return slices.Contains(move.UIDs, a) && slices.Contains(there, a) })
	})
	after := maps.Clone(t)
	for parent, children := range after {
		rest := slices.DeleteFunc(slices.Clone(children), func(uid string) bool { return slices.Contains(tops, uid) })
		if after[parent] = rest; len(rest) == 0 {
			delete(after, parent)
		}
	}
	at := len(after[move.ParentUID])
	switch {
	case move.Order.Index != nil:
		at = min(at, *move.Order.Index)
	case move.Order.First:
		at = 0
	}
	if after[move.ParentUID] = slices.Insert(after[move.ParentUID], at, tops...); len(tops) == 0 && len(t[move.ParentUID]) == 0 {
		delete(after, move.ParentUID)
	}
	return after, true
}

// choose returns a random move.
func (m *movesModel) choose(now tree) BlockMoves {
	places := append(slices.Clone(m.blocks), m.pages...)
	move := BlockMoves{ParentUID: places[m.IntN(len(places))]}
	if m.IntN(3) > 0 {
		move.ParentUID = m.pages[m.IntN(len(m.pages))]
	}
	from := m.blocks
	if below := now[move.ParentUID]; m.IntN(3) == 0 && len(below) > 1 {
		from = below
	}
	for _, at := range m.Perm(len(from))[:min(len(from), 1+m.IntN(5))] {
		move.UIDs = append(move.UIDs, from[at])
	}
	switch m.IntN(8) {
	case 0:
		move.UIDs = slices.Insert(move.UIDs, m.IntN(len(move.UIDs)+1), "notthere1")
	case 1:
		if page := m.pages[m.IntN(len(m.pages))]; page != move.ParentUID {
			move.UIDs = append(move.UIDs, page)
		}
	}
	switch at := m.IntN(6); m.IntN(3) {
	case 0:
		move.Order.First = true
	case 1:
		move.Order.Index = &at
	}
	return move
}

// step makes a move, and says what is not as in the model.
func (m *movesModel) step(faulty bool) error {
	before := m.tree()
	move := m.choose(before)
	want, possible := before.moved(move, m.blocks)
	if faulty && possible {
		kind := []faultproxy.Kind{faultproxy.ResetBefore, faultproxy.ResetAfter, faultproxy.Fail, faultproxy.FailAfter, faultproxy.Half}[m.IntN(5)]
		nth := 1 + m.IntN(len(move.UIDs))
		m.b.counted(func() {
			m.b.fault = func(action string, n int) faultproxy.Fault {
				if action == "data.block.move" && n == nth || action == "data.block.reorderBlocks" {
					return faultproxy.Fault{Kind: kind, Status: 500, Text: "Unexpected failure"}
				}
				return faultproxy.Fault{}
			}
			told, err := m.b.graph().MoveBlocks(m.b.t.Context(), move)
			if m.b.fault = nil; err == nil {
				below := m.tree()
				for _, uid := range told.UIDs {
					if !slices.Contains(below.above(uid), move.ParentUID) {
						m.b.t.Errorf("%s is told as moved: %+v", uid, below)
					}
				}
			}
		})
	}
	told, err := m.b.graph().MoveBlocks(m.b.t.Context(), move) // the same call makes it whole
	after := m.tree()
	var cycle *CycleError
	switch {
	case !possible && !errors.As(err, &cycle):
		return fmt.Errorf("%+v: a cycle is %w", move, err)
	case !possible:
		want = before
	case err != nil && problem.CodeOf(err) != localapi.CodeNotFound, err == nil && len(told.UIDs)+len(told.NotMoved) != len(move.UIDs):
		return fmt.Errorf("%+v told %+v: %w", move, told, err)
	}
	if !reflect.DeepEqual(after, want) {
		return fmt.Errorf("%+v (%+v) of\n%v\nmade\n%v\nwant\n%v", move, move.Order, before, after, want)
	}
	for _, each := range told.NotMoved {
		if uid, _ := each.Text("uid"); slices.Contains(m.blocks, uid) {
			return fmt.Errorf("%s is told as not moved: %s", uid, each.JSON())
		}
	}
	return nil
}
