package datalog

import (
	"context"
	"iter"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

// maxPullDepth bounds the depth of a recursive pattern.
const maxPullDepth = 10_000

// Sizes of what a pull makes, in bytes: a map without its elements, and an id in a list
// that has just grown.
const (
	mapBytes = 112
	idBytes  = 24
)

// Pull pulls an entity by a pattern, both as data or as text: it returns an *edn.Map, or
// nil if there is nothing. The entity is a number or a lookup ref.
func Pull(ctx context.Context, db *graphdb.DB, pattern, entity any, o Options) (any, error) {
	found, err := PullMany(ctx, db, pattern, []any{entity}, o)
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// PullMany is Pull for several entities, in their order.
func PullMany(ctx context.Context, db *graphdb.DB, pattern any, entities []any, o Options) ([]any, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r := newRun(ctx, db, o)
	p, err := r.pullParser().parsePattern(pattern)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(entities))
	for i, x := range entities {
		e, err := r.pullParser().pulledEntity(x)
		if err != nil {
			return nil, err
		}
		if out[i] = r.pullParser().pull(p, e); r.err != nil {
			return nil, r.err
		}
	}
	return out, nil
}

// pulledEntity returns the entity that an argument names, or 0.
func (r pullParser) pulledEntity(x any) (graphdb.EID, error) {
	if text, ok := x.(string); ok {
		form, err := readEDN(text, "The entity")
		if err != nil {
			return 0, err
		}
		x = form
	}
	v := r.val(x)
	_, _, isLookup := lookupRef(r.value(v))
	if v.kind != kindInt && v.kind != kindNil && !isLookup {
		return 0, errorf(CodeInput, "Expected number or lookup ref for entity id, got %s", edn.Print(x))
	}
	return r.builtin().entityArg(v), nil
}

// puller walks the graph from one entity. seen and left belong to the current path.
type puller struct {
	r     *run
	seen  map[graphdb.EID]bool
	left  map[*pullAttr]int // levels that recursive attributes may still descend
	depth int
}

// pull returns a map, or nil if nothing was found.
func (r pullParser) pull(p *pullPattern, e graphdb.EID) any {
	if e == 0 {
		return nil
	}
	w := &puller{r: r.run, seen: map[graphdb.EID]bool{}, left: map[*pullAttr]int{}}
	if m := w.entity(p, e); m != nil {
		return m
	}
	return nil
}

func (w *puller) entity(p *pullPattern, e graphdb.EID) *edn.Map {
	if w.r.tick() {
		return nil
	}
	bytes := mapBytes + len(p.attrs)*anyBytes
	if !w.r.hold(bytes) { // a recursive pattern can give far more than the graph holds
		return nil
	}
	values, found := make([]any, len(p.attrs)), 0
	for i, a := range p.attrs {
		if values[i] = w.value(p, a, e); values[i] != nil {
			found++
		}
	}
	if found > 0 && found == len(values) && !p.wildcard {
		return &edn.Map{Keys: p.keys, Values: values}
	}
	m := &edn.Map{}
	if p.wildcard {
		w.rest(p, e, m)
		w.r.hold(2 * len(m.Keys) * 2 * anyBytes) // keys and values, in lists that have just grown
	} else if found == 0 {
		w.r.free(bytes)
		return nil
	}
	for i, key := range p.keys {
		put(m, key, values[i])
	}
	if len(m.Keys) == 0 {
		return nil
	}
	return m
}

func put(m *edn.Map, key, v any) {
	if v != nil {
		m.Keys, m.Values = append(m.Keys, key), append(m.Values, v)
	}
}

// rest pulls the attributes that a wildcard adds to those named.
func (w *puller) rest(p *pullPattern, e graphdb.EID, m *edn.Map) {
	named := map[graphdb.Attr]bool{}
	for _, a := range p.attrs {
		if !a.reverse {
			named[a.attrName()] = true
		}
	}
	if !named[dbID] {
		put(m, graphdb.Keyword(dbID), int64(e))
	}
	for name := range w.r.db.Attrs() {
		if named[name] {
			continue
		}
		if _, ok := w.r.attribute(name).Get(e); ok {
			if a, err := w.r.pullParser().parseAttrName(graphdb.Keyword(name)); err == nil {
				put(m, a.key, w.value(p, a, e))
			}
		}
	}
}

func (a *pullAttr) attrName() graphdb.Attr {
	if a.isID {
		return dbID
	}
	return a.attr.Name()
}

// value pulls what an attribute gives, transformed by its :xform.
func (w *puller) value(around *pullPattern, a *pullAttr, e graphdb.EID) any {
	if a.xform == nil {
		return w.found(around, a, e)
	}
	if a.fallback != nil && !a.isOn(e) {
		return a.fallback
	}
	x := w.found(around, a, e)
	if w.r.err != nil {
		return nil
	}
	v, err := a.xform(w.r, []val{w.r.val(x)})
	w.r.giveBack()
	if err != nil {
		w.r.fail(err)
		return nil
	}
	return w.r.value(v)
}

// isOn reports whether an entity has the attribute.
func (a *pullAttr) isOn(e graphdb.EID) bool {
	if a.reverse {
		return a.attr.ReverseCount(e) > 0
	}
	_, ok := a.attr.Get(e)
	return ok || a.isID
}

func (w *puller) found(around *pullPattern, a *pullAttr, e graphdb.EID) any {
	if a.isID {
		return int64(e)
	}
	if a.reverse {
		if a.attr.ReverseCount(e) == 0 {
			return a.fallback
		}
		ids := w.some(a, a.attr.Reverse(e))
		defer w.r.free(len(ids) * idBytes)
		if a.attr.Def().Component {
			return w.refOrNil(around, a, ids[0])
		}
		return w.refs(around, a, ids)
	}
	first, ok := a.attr.Get(e)
	switch {
	case !ok:
		return a.fallback
	case !a.isRef():
		return w.r.value(w.r.stored(first))
	case !a.attr.Def().Many:
		return w.refOrNil(around, a, first.Ref())
	}
	ids := w.some(a, a.attr.Refs(e))
	defer w.r.free(len(ids) * idBytes)
	return w.refs(around, a, ids)
}

// some returns as many ids as the limit may need.
func (w *puller) some(a *pullAttr, all iter.Seq[graphdb.EID]) []graphdb.EID {
	var ids []graphdb.EID
	for id := range all {
		if !w.r.hold(idBytes) {
			break
		}
		ids = append(ids, id)
		if w.r.tick() || len(ids) == a.limit && !a.skips() {
			break
		}
	}
	return ids
}

// skips reports whether some entities may yield nothing, so that more ids than the
// limit are needed.
func (a *pullAttr) skips() bool {
	return a.recursive || len(a.pattern.attrs) == 0 || !a.pattern.attrs[0].isID
}

func (w *puller) refs(around *pullPattern, a *pullAttr, ids []graphdb.EID) any {
	var out []any
	for _, id := range ids {
		if a.limit >= 0 && len(out) >= a.limit || w.r.err != nil {
			break
		}
		if v := w.refOrNil(around, a, id); v != nil && w.r.hold(anyBytes) {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (w *puller) refOrNil(around *pullPattern, a *pullAttr, id graphdb.EID) any {
	if m := w.ref(around, a, id); m != nil {
		return m
	}
	return nil
}

// ref pulls an entity that an attribute points to. On a recursive path, or one through
// components by wildcards, an entity that is already on the path is pulled as its id.
func (w *puller) ref(around *pullPattern, a *pullAttr, id graphdb.EID) *edn.Map {
	if !a.recursive && !(a.attr.Def().Component && a.pattern.wildcard) {
		return w.deeper(a.pattern, id)
	}
	if w.seen[id] {
		return &edn.Map{Keys: []any{graphdb.Keyword(dbID)}, Values: []any{int64(id)}}
	}
	left, limited := w.left[a]
	if limited && left <= 0 {
		return nil
	}
	pattern := a.pattern
	if a.recursive {
		pattern = around
	}
	w.seen[id] = true
	defer delete(w.seen, id)
	switch {
	case limited:
		w.left[a] = left - 1
		defer func() { w.left[a] = left }()
	case a.depth > 0:
		w.left[a] = a.depth - 1
		defer delete(w.left, a)
	}
	return w.deeper(pattern, id)
}

func (w *puller) deeper(p *pullPattern, id graphdb.EID) *edn.Map {
	if w.depth++; w.depth > maxPullDepth {
		w.r.fail(errorf(CodeBudget, "The pull goes more than %d entities deep and was stopped", maxPullDepth))
		return nil
	}
	m := w.entity(p, id)
	w.depth--
	return m
}
