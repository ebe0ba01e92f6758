package datalog

import (
	"math"
	"math/rand/v2"
)

// function is a predicate or function that a clause may call. A nil result drops the
// row, an error ends the query.
type function struct {
	least, most int // number of arguments; most -1: any number
	call        func(r *run, args []val) (val, error)
}

// functions are those of DataScript 1.8.1. There are no
// others: clojure.string/lower-case and its like are unknown in Roam too.
var functions = map[string]function{
	"=": {1, -1, equal}, "==": {1, -1, equal}, "not=": {1, -1, notEqual}, "!=": {1, -1, notEqual},
	"<":  {1, -1, ordered(func(c int) bool { return c < 0 })},
	">":  {1, -1, ordered(func(c int) bool { return c > 0 })},
	"<=": {1, -1, ordered(func(c int) bool { return c <= 0 })},
	">=": {1, -1, ordered(func(c int) bool { return c >= 0 })},
	"compare": {2, 2, func(_ *run, a []val) (val, error) {
		c, err := compareAlike(a[0], a[1])
		return intVal(int64(c)), err
	}},

	"+": {0, -1, plus}, "*": {0, -1, times}, "-": {1, -1, minus}, "/": {1, -1, divide},
	"quot": {2, 2, arithmetic(func(a, b float64) float64 { return math.Trunc(a / b) })},
	"rem":  {2, 2, arithmetic(math.Mod)},
	"mod":  {2, 2, arithmetic(func(a, b float64) float64 { return math.Mod(math.Mod(a, b)+b, b) })},
	"inc":  {1, 1, func(r *run, a []val) (val, error) { return plus(r, []val{a[0], intVal(1)}) }},
	"dec":  {1, 1, func(r *run, a []val) (val, error) { return minus(r, []val{a[0], intVal(1)}) }},
	"max":  {1, -1, extreme(1)}, "min": {1, -1, extreme(-1)},
	"zero?":    {1, 1, numeric(func(f float64) bool { return f == 0 })},
	"pos?":     {1, 1, numeric(func(f float64) bool { return f > 0 })},
	"neg?":     {1, 1, numeric(func(f float64) bool { return f < 0 })},
	"even?":    {1, 1, parity(0)},
	"odd?":     {1, 1, parity(1)},
	"rand":     {0, 1, random},
	"rand-int": {1, 1, randomInt},

	"true?":      {1, 1, test(func(v val) bool { return v == boolVal(true) })},
	"false?":     {1, 1, test(func(v val) bool { return v == boolVal(false) })},
	"nil?":       {1, 1, test(func(v val) bool { return v.kind == kindNil })},
	"some?":      {1, 1, test(func(v val) bool { return v.kind != kindNil })},
	"not":        {1, 1, test(func(v val) bool { return !v.truthy() })},
	"and":        {0, -1, and},
	"or":         {0, -1, or},
	"identical?": {2, 2, equal},
	"identity":   {1, 1, identity}, "ground": {1, 1, identity}, "untuple": {1, 1, identity},

	"vector": {0, -1, vector}, "list": {0, -1, vector}, "tuple": {0, -1, vector},
	"set": {1, 1, set}, "hash-map": {0, -1, hashMap}, "array-map": {0, -1, hashMap},
	"count": {1, 1, count}, "range": {1, 3, sequence}, "empty?": {1, 1, isEmpty}, "not-empty": {1, 1, notEmpty},
	"contains?": {2, 2, contains}, "get": {2, 3, get}, "-differ?": {0, -1, differ},

	"str": {0, -1, str}, "subs": {2, 3, substring}, "name": {1, 1, name}, "namespace": {1, 1, namespace},
	"keyword": {1, 2, keyword}, "type": {1, 1, typeOf}, "meta": {1, 1, noMeta},
	"pr-str": {0, -1, printer(true, "")}, "prn-str": {0, -1, printer(true, "\n")},
	"print-str": {0, -1, printer(false, "")}, "println-str": {0, -1, printer(false, "\n")},
	"re-pattern": {1, 1, rePattern}, "re-find": {2, 2, reFind}, "re-matches": {2, 2, reMatches}, "re-seq": {2, 2, reSeq},
	"clojure.string/blank?":       {1, 1, blank},
	"clojure.string/includes?":    {2, 2, includes},
	"clojure.string/starts-with?": {2, 2, startsWith},
	"clojure.string/ends-with?":   {2, 2, endsWith},

	"get-else": {4, 4, getElse}, "get-some": {3, -1, getSome}, "missing?": {3, 3, missing},
}

func test(f func(val) bool) func(*run, []val) (val, error) {
	return func(_ *run, a []val) (val, error) { return boolVal(f(a[0])), nil }
}

func equal(_ *run, args []val) (val, error) {
	for _, v := range args[1:] {
		if v != args[0] || v.isNaN() {
			return boolVal(false), nil
		}
	}
	return boolVal(true), nil
}

func (v val) isNaN() bool { return v.kind == kindFloat && v.float() != v.float() }

func notEqual(r *run, args []val) (val, error) {
	v, err := equal(r, args)
	return boolVal(v.n == 0), err
}

func ordered(holds func(int) bool) func(*run, []val) (val, error) {
	return func(r *run, args []val) (val, error) {
		for i := 1; i < len(args); i++ {
			c, err := r.compare(args[i-1], args[i])
			if err != nil || !holds(c) {
				return boolVal(false), err
			}
		}
		return boolVal(true), nil
	}
}

// toNumber converts a value as JavaScript's arithmetic does, to NaN if it is no number.
func toNumber(v val) float64 {
	switch v.kind {
	case kindNil:
		return 0
	case kindBool:
		return float64(v.n)
	case kindString:
		return stringToNumber(v.s)
	}
	return v.float()
}

func arithmetic(f func(a, b float64) float64) func(*run, []val) (val, error) {
	return func(_ *run, a []val) (val, error) { return floatVal(f(toNumber(a[0]), toNumber(a[1]))), nil }
}

// plus adds numbers. If one of two is text, it concatenates, as JavaScript does.
func plus(r *run, args []val) (val, error) {
	if len(args) == 0 {
		return intVal(0), nil
	}
	sum := args[0]
	for _, v := range args[1:] {
		if sum.kind == kindString || v.kind == kindString {
			sum = stringVal(jsString(sum) + jsString(v))
		} else {
			sum = floatVal(toNumber(sum) + toNumber(v))
		}
	}
	return sum, nil
}

func times(_ *run, args []val) (val, error) {
	product := 1.0
	for _, v := range args {
		product *= toNumber(v)
	}
	return floatVal(product), nil
}

func minus(_ *run, args []val) (val, error) {
	if len(args) == 1 {
		return floatVal(-toNumber(args[0])), nil
	}
	rest := toNumber(args[0])
	for _, v := range args[1:] {
		rest -= toNumber(v)
	}
	return floatVal(rest), nil
}

func divide(_ *run, args []val) (val, error) {
	if len(args) == 1 {
		return floatVal(1 / toNumber(args[0])), nil
	}
	rest := toNumber(args[0])
	for _, v := range args[1:] {
		rest /= toNumber(v)
	}
	return floatVal(rest), nil
}

// extreme returns the function that returns its greatest (sign 1) or least (-1)
// argument.
func extreme(sign int) func(*run, []val) (val, error) {
	return func(_ *run, args []val) (val, error) {
		best := args[0]
		for _, v := range args[1:] {
			if c := compareJS(v, best) * sign; c >= 0 {
				best = v
			}
		}
		return best, nil
	}
}

func numeric(f func(float64) bool) func(*run, []val) (val, error) {
	return func(_ *run, a []val) (val, error) { return boolVal(f(toNumber(a[0]))), nil }
}

func parity(odd int64) func(*run, []val) (val, error) {
	return func(_ *run, a []val) (val, error) {
		if a[0].kind != kindInt {
			return val{}, errorf(CodeFunction, "Argument must be an integer: %s", show(a[0]))
		}
		return boolVal(a[0].n&1 == odd), nil
	}
}

func random(_ *run, args []val) (val, error) {
	f := rand.Float64()
	if len(args) == 1 {
		f *= toNumber(args[0])
	}
	return floatVal(f), nil
}

func randomInt(_ *run, args []val) (val, error) {
	return floatVal(math.Floor(rand.Float64() * toNumber(args[0]))), nil
}

func and(_ *run, args []val) (val, error) {
	last := boolVal(true)
	for _, last = range args {
		if !last.truthy() {
			break
		}
	}
	return last, nil
}

func or(_ *run, args []val) (val, error) {
	var last val
	for _, last = range args {
		if last.truthy() {
			break
		}
	}
	return last, nil
}

func identity(_ *run, args []val) (val, error) { return args[0], nil }
