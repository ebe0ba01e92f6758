package graphdb

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// model is the graph as a plain set of datoms, against which the columns,
// sets and indexes are checked.
type model map[Datom]bool

func (m model) clone() model {
	c := make(model, len(m))
	for d := range m {
		c[d] = true
	}
	return c
}

func (m model) set(e EID, a Attr, v Value, many bool) {
	if !many {
		for d := range m {
			if d.E == e && d.A == a {
				delete(m, d)
			}
		}
	}
	m[Datom{E: e, A: a, V: v, Added: true}] = true
}

func sorted(ds []Datom) []Datom {
	slices.SortFunc(ds, func(x, y Datom) int {
		return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.E, y.E), cmp.Compare(x.V.bits, y.V.bits), cmp.Compare(x.V.text, y.V.text))
	})
	return ds
}

func (m model) list() []Datom {
	return sorted(slices.Collect(maps.Keys(m)))
}

func agree(t *testing.T, db *DB, m model, ids []EID) {
	t.Helper()
	if got, want := sorted(slices.Collect(db.All())), m.list(); !slices.Equal(got, want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
	for _, e := range ids {
		var pointers []EID
		for d := range m {
			if d.A == BlockRefs && d.V.Ref() == e {
				pointers = append(pointers, d.E)
			}
			if d.E == e && d.A == NodeTitle {
				if found, ok := db.Lookup(NodeTitle, d.V); !ok || found != e {
					t.Fatalf("%v is found as %d", d, found)
				}
			}
		}
		slices.Sort(pointers)
		if got := db.Reverse(BlockRefs, e); !slices.Equal(got, pointers) || db.ReverseCount(BlockRefs, e) != len(pointers) {
			t.Fatalf("reverse of %d: %v, want %v", e, got, pointers)
		}
	}
}

// TestRandomTransactions keeps old snapshots and checks at
// the end that none of them has moved.
func TestRandomTransactions(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ids := make([]EID, 120)
		for i := range ids {
			ids[i] = EID(1 + rng.IntN(200))
			if rng.IntN(10) == 0 {
				ids[i] = EID(1 + rng.Int64N(1<<40)) // far away: the tree must grow and stay sparse
			}
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		c, m := NewConn(RoamSchema()), model{}
		type kept struct {
			db *DB
			m  model
		}
		var history []kept
		for range 40 {
			next := m.clone()
			_, err := c.Transact(t.Context(), func(tx *Tx) error { return randomWrites(tx, rng, next, ids) })
			if err == nil {
				m = next
			}
			history = append(history, kept{c.DB(), m})
		}
		for _, k := range history {
			agree(t, k.db, k.m, ids)
		}
	}
}

func randomWrites(tx *Tx, rng *rand.Rand, m model, ids []EID) error {
	id := func() EID { return ids[rng.IntN(len(ids))] }
	for range 1 + rng.IntN(60) {
		e := id()
		switch rng.IntN(8) {
		case 0, 1, 2: // many of them towards a few, so that sets grow large
			to := ids[rng.IntN(len(ids))*rng.IntN(2)]
			m.set(e, BlockRefs, RefValue(to), true)
			if err := tx.Set(e, BlockRefs, RefValue(to)); err != nil {
				return err
			}
		case 3:
			v := StringValue(strconv.Itoa(rng.IntN(100)))
			m.set(e, NodeTitle, v, false)
			if err := tx.Set(e, NodeTitle, v); err != nil {
				return err // taken: the whole transaction goes
			}
		case 4:
			v := IntValue(int64(rng.IntN(3)))
			m.set(e, ":test/any", v, false)
			if err := tx.Set(e, ":test/any", v); err != nil {
				return err
			}
		case 5:
			to := ids[0]
			delete(m, Datom{E: e, A: BlockRefs, V: RefValue(to), Added: true})
			if err := tx.Retract(e, BlockRefs, RefValue(to)); err != nil {
				return err
			}
		case 6:
			v := StringValue("text")
			m.set(e, ":test/any", v, false)
			if err := tx.Set(e, ":test/any", v); err != nil {
				return err
			}
		default:
			if rng.IntN(3) > 0 {
				continue
			}
			for d := range m {
				if d.E == e || d.V.Ref() == e {
					delete(m, d)
				}
			}
			if err := tx.RetractEntity(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestRefSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var s refSet
	have := map[EID]bool{}
	for step := range 6000 {
		e := EID(1 + rng.IntN(90))
		if step/1000%2 == 1 { // shrink in every second thousand
			e = EID(1 + rng.IntN(6))
			for k := range have {
				e = k
				break
			}
		}
		switch {
		case s.has(e) != have[e]:
			t.Fatalf("step %d: has %d: %v", step, e, s.has(e))
		case have[e]:
			s = s.remove(uint64(step/7+1), e)
			delete(have, e)
		default:
			s = s.add(uint64(step/7+1), e)
			have[e] = true
		}
		list := s.list()
		if len(list) != len(have) || s.len() != len(have) || !slices.IsSorted(list) {
			t.Fatalf("step %d: %v, want %d members", step, list, len(have))
		}
	}
}

// TestIndexOfEqualHashes drives the index to its last level.
func TestIndexOfEqualHashes(t *testing.T) {
	var x index
	hashOf := func(EID) uint64 { return 42 }
	for e := EID(1); e <= 3; e++ {
		x.insert(1, 42, e, hashOf)
	}
	x.remove(2, 42, 2)
	for e, want := range map[EID]EID{1: 1, 2: 0, 3: 3} {
		if got := x.find(42, func(id EID) bool { return id == e }); got != want {
			t.Errorf("%d is found as %d", e, got)
		}
	}
}
