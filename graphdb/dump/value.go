package dump

import (
	"errors"
	"fmt"
	"math"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/edn"
)

// value converts a value to the kind that the schema requires. Collections and numbers
// that are too large become EDN text.
func (im *importer) value(def graphdb.AttrDef, x any) (graphdb.Value, error) {
	if def.Kind == graphdb.KindRef {
		to, err := im.entity(x)
		return graphdb.RefValue(to), err
	}
	if f, ok := x.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		x = int64(f) // JavaScript has one kind of number; times are printed either way
	}
	var v graphdb.Value
	switch x := x.(type) {
	case nil:
		return v, errors.New("nil is no value")
	case string:
		v = graphdb.StringValue(x)
	case int64:
		v = graphdb.IntValue(x)
	case float64:
		v = graphdb.FloatValue(x)
	case bool:
		v = graphdb.BoolValue(x)
	case edn.Keyword:
		v = graphdb.KeywordValue(x)
	default:
		v = graphdb.OpaqueValue(graphdb.Opaque(edn.Print(x)))
	}
	if def.Kind != graphdb.KindNone && v.Kind() != def.Kind {
		return v, fmt.Errorf("%.80s is no %s", edn.Print(x), def.Kind)
	}
	return v, nil
}

// count counts the imported entities. It finds the blocks on pages by their parents,
// since attributes such as :block/page may be stale.
func (im *importer) count() {
	onPage := map[graphdb.EID]bool{}
	for e := range im.tx.Entities(graphdb.NodeTitle) {
		if e > im.base {
			im.done.Pages++
			im.mark(e, onPage)
		}
	}
	for e := range im.tx.Entities(graphdb.BlockString) {
		switch {
		case e <= im.base:
		case onPage[e]:
			im.done.Blocks++
		default:
			im.done.Orphans++
		}
	}
	for e := range im.tx.Entities(graphdb.UserUID) {
		if e > im.base {
			im.done.Users++
		}
	}
	last := graphdb.EID(0)
	for e := range im.tx.Entities(graphdb.VCBlocks) {
		if e > im.base && e != last {
			im.done.Versions++
			last = e
		}
	}
}

func (im *importer) mark(page graphdb.EID, onPage map[graphdb.EID]bool) {
	below := []graphdb.EID{page}
	for len(below) > 0 {
		e := below[len(below)-1]
		below = below[:len(below)-1]
		for _, k := range im.tx.Refs(e, graphdb.BlockChildren) {
			if !onPage[k] {
				onPage[k] = true
				below = append(below, k)
			}
		}
	}
}
