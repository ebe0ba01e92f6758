package datalog

import (
	"cmp"
	"strconv"
	"strings"

	"roam-mcp/internal/graph/edn"
)

// rank returns the order of a value's kind among others, as in DataScript's
// value-compare: keywords, booleans, numbers, text, vectors, maps, sets.
func (r *run) rank(v val) int {
	switch v.kind {
	case kindKeyword, kindSymbol:
		return 0
	case kindBool:
		return 1
	case kindInt, kindFloat:
		return 2
	case kindString:
		return 3
	}
	switch r.value(v).(type) {
	case *edn.Map:
		return 5
	case edn.Set:
		return 6
	}
	return 4
}

// compare orders any two values but nil.
func (r *run) compare(a, b val) (int, error) {
	if a == b {
		return 0, nil
	}
	if a.kind == kindNil || b.kind == kindNil {
		return 0, errorf(CodeFunction, "Cannot compare %s to %s", show(a), show(b))
	}
	ra, rb := r.rank(a), r.rank(b)
	if ra != rb {
		return cmp.Compare(ra, rb), nil
	}
	if a.kind == kindObject {
		return r.compareItems(a, b)
	}
	return compareAlike(a, b)
}

// compareItems orders vectors by length and then item by item.
func (r *run) compareItems(a, b val) (int, error) {
	x, _ := r.items(a)
	y, _ := r.items(b)
	if len(x) != len(y) || r.rank(a) != 4 {
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a.s, b.s)), nil
	}
	for i := range x {
		if c, err := r.compare(r.val(x[i]), r.val(y[i])); c != 0 || err != nil {
			return c, err
		}
	}
	return 0, nil
}

// compareAlike compares values of one kind, nil before all. Values of different kinds
// are an error, as in Clojure's compare.
func compareAlike(a, b val) (int, error) {
	switch {
	case a == b:
		return 0, nil
	case a.kind == kindNil:
		return -1, nil
	case b.kind == kindNil:
		return 1, nil
	case a.isNumber() && b.isNumber():
		return compareNumbers(a.float(), b.float()), nil
	case a.kind != b.kind:
		return 0, errorf(CodeFunction, "Cannot compare %s to %s", show(a), show(b))
	case a.kind == kindKeyword || a.kind == kindSymbol:
		an, ax := splitName(a.s)
		bn, bx := splitName(b.s)
		return cmp.Or(compareText(an, bn), compareText(ax, bx)), nil
	case a.kind == kindString:
		return compareText(a.s, b.s), nil
	}
	return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.s, b.s)), nil
}

// compareNumbers compares numbers. NaN is equal to everything, since in JavaScript it
// is neither less nor greater.
func compareNumbers(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareJS compares as JavaScript's < and > do: text as text, others as numbers.
func compareJS(a, b val) int {
	if a.kind == kindString && b.kind == kindString {
		return compareText(a.s, b.s)
	}
	return compareNumbers(toNumber(a), toNumber(b))
}

// compareText compares by UTF-16 code units, as JavaScript does: characters beyond the
// basic plane come before U+E000.
func compareText(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) || n == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	x, y := a[n], b[n]
	if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
		return cmp.Compare(y, x)
	}
	return cmp.Compare(x, y)
}

// splitName splits a keyword or symbol into namespace, "" for none, and name, without
// the colon.
func splitName(s string) (namespace, name string) {
	s = strings.TrimPrefix(s, ":")
	if i := strings.IndexByte(s, '/'); i > 0 {
		return s[:i], s[i+1:]
	}
	return "", s
}

// stringToNumber converts text to a number as JavaScript's arithmetic does.
func stringToNumber(s string) float64 {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil && strings.HasPrefix(strings.ToLower(s), "0x") {
		return float64(n)
	}
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return val{}.float()
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && f == 0 {
		return val{}.float()
	}
	return f
}
