package datalog

import (
	"encoding/json"
	"hash/maphash"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

// val is a value during a run. Vals are comparable with ==: floating-point numbers
// without a fraction are integers, as in JavaScript, entity ids are integers, and
// collections are interned by their canonical text.
type val struct {
	kind kind
	n    int64 // bool, int, float bits, index into run.objects
	s    string
}

type kind uint8

const (
	kindNil kind = iota
	kindBool
	kindInt
	kindFloat
	kindString
	kindKeyword
	kindSymbol
	kindObject // anything else: run.objects[n], with its canonical text in s
)

func intVal(n int64) val          { return val{kind: kindInt, n: n} }
func stringVal(s string) val      { return val{kind: kindString, s: s} }
func entityVal(e graphdb.EID) val { return val{kind: kindInt, n: int64(e)} }

func boolVal(b bool) val {
	if b {
		return val{kind: kindBool, n: 1}
	}
	return val{kind: kindBool}
}

// maxExact is the integer above which JavaScript's numbers are inexact.
const maxExact = 1 << 53

func floatVal(f float64) val {
	if f == math.Trunc(f) && math.Abs(f) <= maxExact {
		return intVal(int64(f))
	}
	if f != f {
		f = math.NaN() // one bit pattern
	}
	return val{kind: kindFloat, n: int64(math.Float64bits(f))}
}

func (v val) truthy() bool { return v.kind != kindNil && (v.kind != kindBool || v.n != 0) }

func (v val) isNumber() bool { return v.kind == kindInt || v.kind == kindFloat }

// float returns the number as a float64; NaN for other values.
func (v val) float() float64 {
	switch v.kind {
	case kindInt:
		return float64(v.n)
	case kindFloat:
		return math.Float64frombits(uint64(v.n))
	}
	return math.NaN()
}

// entity returns the number as an entity id, or 0.
func (v val) entity() graphdb.EID {
	if v.kind == kindInt && v.n > 0 && v.n <= int64(graphdb.MaxEID) {
		return graphdb.EID(v.n)
	}
	return 0
}

// stored returns the val of a graph's value.
func (r *run) stored(v graphdb.Value) val {
	switch v.Kind() {
	case graphdb.KindString:
		return stringVal(v.Text())
	case graphdb.KindInt:
		return intVal(v.Int())
	case graphdb.KindRef:
		return entityVal(v.Ref())
	case graphdb.KindFloat:
		return floatVal(v.Float())
	case graphdb.KindBool:
		return boolVal(v.Bool())
	case graphdb.KindKeyword:
		return val{kind: kindKeyword, s: v.Text()}
	case graphdb.KindOpaque:
		return r.val(readOpaque(graphdb.Opaque(v.Text())))
	}
	return val{}
}

// storable is the inverse of stored for values that an index may hold.
func (v val) storable() (graphdb.Value, bool) {
	switch v.kind {
	case kindString:
		return graphdb.StringValue(v.s), true
	case kindInt:
		return graphdb.IntValue(v.n), true
	case kindFloat:
		return graphdb.FloatValue(v.float()), true
	case kindBool:
		return graphdb.BoolValue(v.n != 0), true
	case kindKeyword:
		return graphdb.KeywordValue(graphdb.Keyword(v.s)), true
	}
	return graphdb.Value{}, false
}

// readOpaque parses an opaque document as JSON, or else as EDN. Other text stays text.
func readOpaque(o graphdb.Opaque) any {
	limits := edn.Limits{Bytes: int64(len(o)) + 1}
	if json.Valid([]byte(o)) {
		var v any
		if json.Unmarshal([]byte(o), &v) == nil {
			return v
		}
	}
	if v, err := edn.Parse(string(o), limits); err == nil {
		return v
	}
	return string(o)
}

// val returns the val of a Go value of package edn, encoding/json or graphdb.
func (r *run) val(x any) val {
	if v, ok := scalar(x); ok {
		return v
	}
	if o, ok := x.(graphdb.Opaque); ok {
		return r.val(readOpaque(o))
	}
	return r.intern(plain(x))
}

// scalar is val for values that are no collections; false for others.
func scalar(x any) (val, bool) {
	switch x := x.(type) {
	case nil:
		return val{}, true
	case bool:
		return boolVal(x), true
	case int:
		return intVal(int64(x)), true
	case int64:
		return intVal(x), true
	case float64:
		return floatVal(x), true
	case json.Number:
		return numberVal(string(x)), true
	case *big.Int:
		return numberVal(x.String()), true
	case edn.Decimal:
		return numberVal(string(x)), true
	case string:
		return stringVal(x), true
	case edn.Char:
		return stringVal(string(rune(x))), true
	case graphdb.Keyword:
		return val{kind: kindKeyword, s: string(x)}, true
	case graphdb.Attr:
		return val{kind: kindKeyword, s: string(x)}, true
	case edn.Symbol:
		return val{kind: kindSymbol, s: string(x)}, true
	case graphdb.EID:
		return entityVal(x), true
	}
	return val{}, false
}

func numberVal(text string) val {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return intVal(n)
	}
	f, _ := strconv.ParseFloat(text, 64)
	return floatVal(f)
}

// intern returns the val of a collection or regular expression, the same for equal ones.
func (r *run) intern(x any) val {
	bytes := entryBytes + weigh(x, int(r.memory.memory.limit))
	if bytes > freeText {
		r.check()
	}
	if !r.hold(bytes) {
		return val{}
	}
	text := edn.Print(x)
	i, ok := r.byText[text]
	if ok {
		r.free(bytes)
	} else {
		i = len(r.objects)
		r.objects = append(r.objects, x)
		r.byText[text] = i
	}
	return val{kind: kindObject, n: int64(i), s: text}
}

// value returns the Go value of a val: see Result.
func (r *run) value(v val) any {
	if v.kind == kindObject {
		return r.objects[v.n]
	}
	return v.scalar()
}

// scalar returns the Go value of a val that is no collection.
func (v val) scalar() any {
	switch v.kind {
	case kindBool:
		return v.n != 0
	case kindInt:
		return v.n
	case kindFloat:
		return v.float()
	case kindString:
		return v.s
	case kindKeyword:
		return graphdb.Keyword(v.s)
	case kindSymbol:
		return edn.Symbol(v.s)
	}
	return nil
}

// items returns the elements of a collection; false for other values. An entry of a map
// is a pair.
func (r *run) items(v val) ([]any, bool) {
	if v.kind != kindObject {
		return nil, v.kind == kindNil
	}
	switch x := r.objects[v.n].(type) {
	case []any:
		return x, true
	case edn.Set:
		return x, true
	case *edn.Map:
		entries := make([]any, len(x.Keys))
		for i, k := range x.Keys {
			entries[i] = []any{k, x.Values[i]}
		}
		return entries, true
	}
	return nil, false
}

// plain converts vectors and lists to []any, maps to *edn.Map and numbers to those of
// JavaScript, recursively.
func plain(x any) any {
	switch x := x.(type) {
	case edn.Vector:
		return plainItems(x)
	case edn.List:
		return plainItems(x)
	case []any:
		return plainItems(x)
	case edn.Set:
		return edn.Set(plainItems(x))
	case *edn.Map:
		return &edn.Map{Keys: plainItems(x.Keys), Values: plainItems(x.Values)}
	case map[string]any:
		m := &edn.Map{}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			m.Keys, m.Values = append(m.Keys, k), append(m.Values, plain(x[k]))
		}
		return m
	case edn.Tagged:
		return edn.Tagged{Tag: x.Tag, Value: plain(x.Value)}
	case graphdb.Opaque:
		return plain(readOpaque(x))
	}
	if v, ok := scalar(x); ok {
		return v.scalar()
	}
	return x
}

func plainItems(items []any) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = plain(item)
	}
	return out
}

// rowset is a set of rows of equal width, in order of insertion: a hash table with open
// addressing over flat storage, for up to millions of rows.
type rowset struct {
	r     *run // holds the memory
	width int
	n     int
	data  []val
	slots []uint32 // row number + 1, or 0
	seed  maphash.Seed
}

func (r *run) newRowset(width int) *rowset {
	return &rowset{r: r, width: width, seed: maphash.MakeSeed(), slots: make([]uint32, 16)}
}

func (s *rowset) row(i int) []val { return s.data[i*s.width : (i+1)*s.width : (i+1)*s.width] }

// place copies the row into the set, unless it is there. It returns the row's number,
// and whether it is new. Without room for it, the run fails and the row is not added.
func (s *rowset) place(row []val) (at int, isNew bool) {
	if s.n*4 >= len(s.slots)*3 && !s.grow() || len(s.data)+s.width > cap(s.data) && !s.widen() {
		return 0, false
	}
	mask := uint64(len(s.slots) - 1)
	i := s.hash(row) & mask
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		if at := int(s.slots[i] - 1); equalRows(s.row(at), row) {
			return at, false
		}
	}
	s.data = append(s.data, row...)
	s.n++
	s.slots[i] = uint32(s.n)
	return s.n - 1, true
}

// widen makes room for more rows.
func (s *rowset) widen() bool {
	before := cap(s.data)
	wanted := before + max(4*s.width, before)
	if before > 1<<16 {
		wanted = before + before/2
	}
	if !s.r.hold(wanted * valBytes) {
		return false
	}
	data := make([]val, len(s.data), wanted)
	copy(data, s.data)
	s.data = data
	s.r.free(before * valBytes)
	return true
}

// grow doubles the hash table.
func (s *rowset) grow() bool {
	const slotBytes = 4
	if !s.r.hold(2 * len(s.slots) * slotBytes) {
		return false
	}
	s.r.free(len(s.slots) * slotBytes)
	s.slots = make([]uint32, 2*len(s.slots))
	mask := uint64(len(s.slots) - 1)
	for n := range s.n {
		i := s.hash(s.row(n)) & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(n + 1)
	}
	return true
}

func (s *rowset) hash(row []val) uint64 {
	h := uint64(s.width)
	for i := range row {
		v := &row[i]
		x := uint64(v.n)<<4 | uint64(v.kind)
		if v.s != "" {
			x ^= maphash.String(s.seed, v.s)
		}
		hi, lo := bits.Mul64(h^x, 0x9E3779B97F4A7C15)
		h = hi ^ lo
	}
	return h
}

func equalRows(a, b []val) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
