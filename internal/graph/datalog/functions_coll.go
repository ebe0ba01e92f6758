package datalog

import (
	"math"
	"strings"
	"unicode/utf16"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

// maxRange bounds the length of (range …).
const maxRange = 1_000_000

func (r builtin) values(args []val) []any {
	out := make([]any, len(args))
	for i, v := range args {
		out[i] = r.value(v)
	}
	return out
}

func vector(r *run, args []val) (val, error) { return r.intern(r.builtin().values(args)), nil }

// elements returns the items of a collection, or the characters of text.
func (r builtin) elements(function string, v val) ([]any, error) {
	if items, ok := r.items(v); ok {
		return items, nil
	}
	if v.kind != kindString {
		return nil, errorf(CodeFunction, "%s works on collections, not on %s", function, show(v))
	}
	if !r.borrow(len(v.s) * anyBytes) {
		return nil, r.err
	}
	var out []any
	for _, c := range v.s {
		out = append(out, string(c))
	}
	return out, nil
}

func set(r *run, args []val) (val, error) {
	items, err := r.builtin().elements("set", args[0])
	if err != nil {
		return val{}, err
	}
	return r.intern(r.builtin().setOf(items)), nil
}

func (r builtin) setOf(items []any) edn.Set {
	if !r.borrow(len(items) * entryBytes) {
		return nil
	}
	seen := map[val]bool{}
	out := edn.Set{}
	for _, item := range items {
		if v := r.val(item); !seen[v] {
			seen[v] = true
			out = append(out, item)
		}
	}
	return out
}

func hashMap(r *run, args []val) (val, error) {
	if len(args)%2 != 0 {
		return val{}, errorf(CodeFunction, "No value supplied for key: %s", show(args[len(args)-1]))
	}
	m := &edn.Map{}
	for i := 0; i < len(args); i += 2 {
		m.Put(r.value(args[i]), r.value(args[i+1]))
	}
	return r.intern(m), nil
}

func count(r *run, args []val) (val, error) {
	if args[0].kind == kindString {
		return intVal(int64(textLength(args[0].s))), nil
	}
	items, err := r.builtin().elements("count", args[0])
	return intVal(int64(len(items))), err
}

func sequence(r *run, args []val) (val, error) {
	from, to, step := 0.0, toNumber(args[0]), 1.0
	if len(args) > 1 {
		from, to = to, toNumber(args[1])
	}
	if len(args) > 2 {
		step = toNumber(args[2])
	}
	n := math.Ceil((to - from) / step)
	if step == 0 || n != n || n > maxRange {
		return val{}, errorf(CodeFunction, "range makes at most %d numbers", maxRange)
	}
	if !r.borrow(int(max(0, n)) * anyBytes) {
		return val{}, r.err
	}
	out := []any{}
	for i := range int(max(0, n)) {
		out = append(out, floatVal(from+float64(i)*step).scalar())
	}
	return r.intern(out), nil
}

func isEmpty(r *run, args []val) (val, error) {
	items, err := r.builtin().elements("empty?", args[0])
	return boolVal(len(items) == 0), err
}

func notEmpty(r *run, args []val) (val, error) {
	items, err := r.builtin().elements("not-empty", args[0])
	if len(items) == 0 {
		return val{}, err
	}
	return args[0], err
}

func contains(r *run, args []val) (val, error) {
	if args[0].kind == kindString {
		i := args[1]
		return boolVal(i.kind == kindInt && i.n >= 0 && i.n < int64(textLength(args[0].s))), nil
	}
	if _, ok := r.items(args[0]); !ok {
		return val{}, errorf(CodeFunction, "contains? not supported on %s", show(args[0]))
	}
	_, found := r.builtin().find(args[0], args[1])
	return boolVal(found), nil
}

// find looks up a key in a map, an item in a set, an index in a vector.
func (r builtin) find(v, key val) (val, bool) {
	switch x := r.value(v).(type) {
	case []any:
		if key.kind == kindInt && key.n >= 0 && key.n < int64(len(x)) {
			return r.val(x[key.n]), true
		}
	case edn.Set:
		for _, item := range x {
			if r.val(item) == key {
				return key, true
			}
		}
	case *edn.Map:
		for i, k := range x.Keys {
			if r.val(k) == key {
				return r.val(x.Values[i]), true
			}
		}
	case string:
		units := utf16.Encode([]rune(x))
		if key.kind == kindInt && key.n >= 0 && key.n < int64(len(units)) {
			return stringVal(string(utf16.Decode(units[key.n : key.n+1]))), true
		}
	}
	return val{}, false
}

func get(r *run, args []val) (val, error) {
	v, ok := r.builtin().find(args[0], args[1])
	if !ok && len(args) == 3 {
		v = args[2]
	}
	return v, nil
}

// differ reports whether the first half of the arguments differs from the second.
func differ(_ *run, args []val) (val, error) {
	half := (len(args) + 1) / 2
	return boolVal(len(args)%2 != 0 || !equalRows(args[:half], args[half:])), nil
}

// entityArg returns the entity of an id or lookup ref, or 0.
func (r builtin) entityArg(v val) graphdb.EID {
	if e := v.entity(); e != 0 {
		return e
	}
	return r.lookup(v)
}

func attrArg(v val) (graphdb.Attr, error) {
	if v.kind == kindKeyword || v.kind == kindString && strings.HasPrefix(v.s, ":") {
		return graphdb.Attr(v.s), nil
	}
	return "", errorf(CodeFunction, "%s is no attribute; attributes are keywords such as :block/uid", show(v))
}

func (r builtin) attrOf(e, a val) (val, error) {
	attr, err := attrArg(a)
	if err != nil {
		return val{}, err
	}
	if v, ok := r.attribute(attr).Get(r.entityArg(e)); ok {
		return r.stored(v), nil
	}
	return val{}, nil
}

// mayBeEntity returns an error for a value that can name no entity: neither a number
// above 0 nor a keyword nor a lookup ref.
func (r builtin) mayBeEntity(v val) error {
	if v.isNumber() && v.float() > math.MaxInt32 {
		return errorf(CodeFunction, "Highest supported entity id is %d, got %s", math.MaxInt32, show(v))
	}
	if v.isNumber() && v.float() > 0 || v.kind == kindKeyword {
		return nil
	}
	if v.kind == kindObject {
		if attr, _, ok := lookupRef(r.objects[v.n]); ok && r.attribute(attr).Def().Unique != graphdb.NotUnique {
			return nil
		}
	}
	return errorf(CodeFunction, "Expected number or lookup ref for entity id, got %s", show(v))
}

func getElse(r *run, args []val) (val, error) {
	if args[3].kind == kindNil {
		return val{}, errorf(CodeFunction, "get-else: nil default value is not supported")
	}
	if err := r.builtin().mayBeEntity(args[1]); err != nil {
		return val{}, err
	}
	v, err := r.builtin().attrOf(args[1], args[2])
	if v.kind == kindNil {
		v = args[3]
	}
	return v, err
}

// getSome returns the first attribute that the entity has, with its value.
func getSome(r *run, args []val) (val, error) {
	if err := r.builtin().mayBeEntity(args[1]); err != nil {
		return val{}, err
	}
	for _, a := range args[2:] {
		v, err := r.builtin().attrOf(args[1], a)
		if err != nil {
			return val{}, err
		}
		if v.kind != kindNil {
			return r.intern([]any{r.value(a), r.value(v)}), nil
		}
	}
	return val{}, nil
}

// missing reports whether an entity lacks an attribute, as text does, which is none.
func missing(r *run, args []val) (val, error) {
	if e := args[1]; e.isNumber() || e.kind == kindObject {
		if err := r.builtin().mayBeEntity(e); err != nil {
			return val{}, err
		}
	}
	v, err := r.builtin().attrOf(args[1], args[2])
	return boolVal(v.kind == kindNil), err
}
