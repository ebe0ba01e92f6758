package store

import (
	"testing"

	"roam-mcp/internal/graph/graphdb"
)

// What a damaged file holds is read to its end or refused, and never panics.
func FuzzUnpack(f *testing.F) {
	names := map[int64]graphdb.Attr{1: graphdb.BlockString, 2: graphdb.BlockRefs, 3: ":test/float"}
	var entity, changes []byte
	for i, v := range []graphdb.Value{
		graphdb.StringValue("text"), graphdb.RefValue(7), graphdb.FloatValue(0.5), graphdb.IntValue(-3), graphdb.BoolValue(true),
		graphdb.KeywordValue(":k"), graphdb.OpaqueValue("{}"),
	} {
		entity = packFact(entity, int64(i%3+1), v)
		changes = packChange(changes, int64(i%3+1), graphdb.Datom{E: graphdb.EID(i + 1), V: v, Added: i%2 == 0})
	}
	f.Add(entity)
	f.Add(changes)
	f.Add(entity[:len(entity)-1])
	f.Fuzz(func(t *testing.T, packed []byte) {
		for u := (unpacker{rest: packed, names: names}); u.more(); {
			before := len(u.rest)
			if _, _, err := u.fact(); err != nil {
				break
			} else if len(u.rest) >= before {
				t.Fatal("it does not go on")
			}
		}
		var again []byte
		u := unpacker{rest: packed, names: names}
		for u.more() {
			d, err := u.change(5)
			if err != nil {
				return
			}
			number := int64(0)
			for n, name := range names {
				if name == d.A {
					number = n
				}
			}
			again = packChange(again[:0], number, d)
			once := unpacker{rest: again, names: names}
			if back, err := once.change(5); err != nil || back != d || once.more() {
				t.Fatalf("%v came back as %v, %v", d, back, err)
			}
		}
	})
}
