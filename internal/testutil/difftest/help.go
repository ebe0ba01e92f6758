package difftest

import (
	"fmt"
	"io"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/graphtest"
)

// ReadDump reads the datoms of a DataScript dump, all as of one transaction.
// Values of the schema's reference attributes become references; collections
// stay EDN. Datoms that Roam's schema here has no room for are left out.
func ReadDump(r io.Reader) ([]graphdb.Datom, error) {
	d := edn.NewDecoder(r, edn.Limits{Bytes: 1 << 30})
	for range 2 { // the tag, the map
		if _, err := d.Enter(); err != nil {
			return nil, err
		}
	}
	schema := graphdb.RoamSchema()
	var out []graphdb.Datom
	for d.More() {
		key, err := d.Read()
		if err != nil {
			return nil, err
		}
		if key != edn.Keyword(":datoms") {
			if _, err := d.Read(); err != nil {
				return nil, err
			}
			continue
		}
		if _, err := d.Enter(); err != nil {
			return nil, err
		}
		for d.More() {
			v, err := d.Read()
			if err != nil {
				return nil, err
			}
			datom, err := dumped(schema, v)
			if err != nil {
				return nil, err
			}
			out = append(out, datom)
		}
		if err := d.Leave(); err != nil {
			return nil, err
		}
	}
	return out, d.Leave()
}

func dumped(schema *graphdb.Schema, x any) (graphdb.Datom, error) {
	v, ok := x.(edn.Vector)
	if !ok || len(v) < 3 {
		return graphdb.Datom{}, fmt.Errorf("%s is no datom", edn.Print(x))
	}
	e, isInt := v[0].(int64)
	a, isKeyword := v[1].(edn.Keyword)
	if !isInt || !isKeyword {
		return graphdb.Datom{}, fmt.Errorf("%s is no datom", edn.Print(x))
	}
	out := graphdb.Datom{E: graphdb.EID(e), A: graphdb.Attr(a), Tx: tx, Added: true}
	if to, isInt := v[2].(int64); isInt && schema.Def(out.A).Kind == graphdb.KindRef {
		out.V = graphdb.RefValue(graphdb.EID(to))
		return out, nil
	}
	value, err := graphtest.ValueOf(v[2])
	if err != nil {
		value = graphdb.OpaqueValue(graphdb.Opaque(edn.Print(v[2])))
	}
	out.V = value
	return out, nil
}
