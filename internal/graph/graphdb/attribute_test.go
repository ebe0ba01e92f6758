package graphdb

import (
	"errors"
	"slices"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestAttribute(t *testing.T) {
	c := NewConn(RoamSchema())
	_, err := c.Transact(t.Context(), func(tx *Tx) error {
		for e := EID(1); e <= 40; e++ {
			if err := tx.SetAll(e, map[Attr]Value{BlockUID: StringValue(string(rune('a' + e))), BlockPage: RefValue(1)}); err != nil {
				return err
			}
			if err := tx.Set(e, BlockRefs, RefValue(e%4+1)); err != nil {
				return err
			}
			if err := tx.Set(e, BlockRefs, RefValue(50)); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	db := c.DB()
	for _, name := range []Attr{BlockUID, BlockPage, BlockRefs, NodeTitle} {
		a := db.Attribute(name)
		if a.Name() != name || a.Def() != db.Schema().Def(name) || a.Count() != db.Count(name) {
			t.Errorf("%s: %v, %v, %d datoms", name, a.Name(), a.Def(), a.Count())
		}
		all := 0
		for e, v := range a.All() {
			all++
			if got, ok := a.Get(e); !ok || !db.HasDatom(e, name, got) || !slices.Contains(slices.Collect(a.Values(e)), v) {
				t.Errorf("%s of %d: %v", name, e, got)
			}
			if a.HasRef(e, v.Ref()) != (v.Ref() != 0) || a.HasRef(e, 77) {
				t.Errorf("%s of %d: HasRef is wrong", name, e)
			}
			if v.Ref() == 0 && a.Lookup(v) != e {
				t.Errorf("Lookup(%v): %d", v, a.Lookup(v))
			}
		}
		if all != a.Count() {
			t.Errorf("%s: %d datoms listed of %d", name, all, a.Count())
		}
		for _, to := range []EID{1, 2, 50, 77} {
			if got := slices.Collect(a.Reverse(to)); !slices.Equal(got, db.Reverse(name, to)) || a.ReverseCount(to) != len(got) {
				t.Errorf("%s to %d: %v", name, to, got)
			}
		}
	}
	if forward, reverse := db.Attribute(BlockRefs).Fan(); forward != 2 || reverse != 16 {
		t.Errorf("the fan of references: %v, %v", forward, reverse)
	}
	if forward, reverse := db.Attribute(NodeTitle).Fan(); forward != 1 || reverse != 1 {
		t.Errorf("the fan of what is no reference: %v, %v", forward, reverse)
	}
	for range db.Attribute(BlockRefs).Values(1) {
		break
	}
}

// A graph that shares attributes of another has them under its own names, and neither
// sees what is written to the other.
func TestSharedAttributes(t *testing.T) {
	c := NewConn(RoamSchema())
	var garden, dig EID
	transact(t, c, func(tx *Tx) (err error) {
		garden, err = page(tx, "Garden", "dig", "sow")
		dig = tx.Refs(garden, BlockChildren)[0]
		return err
	})
	before := c.DB()
	schema := NewSchema(map[Attr]AttrDef{":name": before.Schema().Def(NodeTitle), ":text": before.Schema().Def(BlockString), ":on": before.Schema().Def(BlockPage)})
	length := func(yield func(Datom, error) bool) {
		_ = yield(Datom{E: dig, A: ":length", V: IntValue(3), Added: true}, nil) && yield(Datom{E: dig + 100, A: ":text", V: StringValue("new"), Added: true}, nil)
	}
	shared, err := Load(t.Context(), schema, length, WithAttributes(before, map[Attr]Attr{NodeTitle: ":name", BlockString: ":text", BlockPage: ":on"}))
	require.NoError(t, err)
	transact(t, shared, func(tx *Tx) error {
		return errors.Join(tx.RetractEntity(dig), tx.Set(garden, ":name", StringValue("Gate")))
	})
	transact(t, c, func(tx *Tx) error { return tx.Set(dig, BlockString, StringValue("weed")) })

	db := shared.DB()
	if e, ok := db.Lookup(":name", StringValue("Gate")); !ok || e != garden || db.Has(garden, NodeTitle) || db.Count(":text") != 2 || db.ReverseCount(":on", garden) != 1 {
		t.Errorf("the new graph holds %v", slices.Collect(db.All()))
	}
	if e, ok := before.Lookup(NodeTitle, StringValue("Garden")); !ok || e != garden || before.String(dig, BlockString) != "dig" || before.Count(BlockString) != 2 || before.ReverseCount(BlockPage, garden) != 2 {
		t.Errorf("the snapshot holds %v", slices.Collect(before.All()))
	}
	if got := c.DB().String(dig, BlockString); got != "weed" {
		t.Errorf("the graph has %q", got)
	}
}
