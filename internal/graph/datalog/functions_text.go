package datalog

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"roam-mcp/internal/graph/edn"
)

// show returns a value for a message.
func show(v val) string {
	if v.kind == kindObject {
		return v.s
	}
	return edn.Print(v.scalar())
}

// jsNumber writes a number as JavaScript does.
func jsNumber(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0"
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
}

// jsString returns the text of a value, as (str …) does.
func jsString(v val) string {
	switch v.kind {
	case kindNil:
		return ""
	case kindBool:
		return strconv.FormatBool(v.n != 0)
	case kindInt:
		return strconv.FormatInt(v.n, 10)
	case kindFloat:
		return jsNumber(v.float())
	}
	return v.s
}

func (r builtin) str(v val) string {
	if v.kind == kindObject {
		if re, ok := r.objects[v.n].(edn.Regex); ok {
			return "/" + string(re) + "/"
		}
		return r.print(v, true)
	}
	return jsString(v)
}

// mayJoin reports whether there is room for a text of the arguments.
func (r builtin) mayJoin(args []val) bool {
	bytes := 0
	for _, v := range args {
		bytes += len(v.s)
	}
	return r.borrow(2 * bytes)
}

func str(r *run, args []val) (val, error) {
	if !r.builtin().mayJoin(args) {
		return val{}, r.err
	}
	var b strings.Builder
	for _, v := range args {
		b.WriteString(r.builtin().str(v))
	}
	return stringVal(b.String()), nil
}

// printer returns a function that prints values with spaces between; readably means
// with quotes around text.
func printer(readably bool, end string) func(*run, []val) (val, error) {
	return func(r *run, args []val) (val, error) {
		if !r.builtin().mayJoin(args) {
			return val{}, r.err
		}
		parts := make([]string, len(args))
		for i, v := range args {
			parts[i] = r.builtin().print(v, readably)
		}
		return stringVal(strings.Join(parts, " ") + end), nil
	}
}

func (r builtin) print(v val, readably bool) string {
	switch v.kind {
	case kindNil:
		return "nil"
	case kindString:
		if readably {
			return edn.Print(v.s)
		}
		return v.s
	case kindObject:
		return r.printObject(v, readably)
	}
	return jsString(v)
}

func (r builtin) printObject(v val, readably bool) string {
	all := func(items []any) []string {
		out := make([]string, len(items))
		for i, item := range items {
			out[i] = r.print(r.val(item), readably)
		}
		return out
	}
	switch x := r.objects[v.n].(type) {
	case []any:
		return "[" + strings.Join(all(x), " ") + "]"
	case edn.Set:
		return "#{" + strings.Join(all(x), " ") + "}"
	case *edn.Map:
		keys, values := all(x.Keys), all(x.Values)
		for i := range keys {
			keys[i] += " " + values[i]
		}
		return "{" + strings.Join(keys, ", ") + "}"
	}
	return v.s
}

// textArgs checks that all arguments are text.
func textArgs(name string, args []val) error {
	for _, v := range args {
		if v.kind != kindString {
			return errorf(CodeFunction, "%s works on text, not on %s", name, show(v))
		}
	}
	return nil
}

func includes(_ *run, args []val) (val, error) {
	return boolVal(strings.Contains(args[0].s, args[1].s)), textArgs("clojure.string/includes?", args)
}

func startsWith(_ *run, args []val) (val, error) {
	return boolVal(strings.HasPrefix(args[0].s, args[1].s)), textArgs("clojure.string/starts-with?", args)
}

func endsWith(_ *run, args []val) (val, error) {
	return boolVal(strings.HasSuffix(args[0].s, args[1].s)), textArgs("clojure.string/ends-with?", args)
}

func blank(_ *run, args []val) (val, error) {
	if args[0].kind == kindNil {
		return boolVal(true), nil
	}
	return boolVal(strings.TrimFunc(args[0].s, unicode.IsSpace) == ""), textArgs("clojure.string/blank?", args)
}

// substring is JavaScript's: it counts UTF-16 code units, and accepts positions that
// are out of range or in the wrong order.
func substring(_ *run, args []val) (val, error) {
	if err := textArgs("subs", args[:1]); err != nil {
		return val{}, err
	}
	s := args[0].s
	if isASCII(s) {
		from, to := span(args, len(s))
		return stringVal(s[from:to]), nil
	}
	units := utf16.Encode([]rune(s))
	from, to := span(args, len(units))
	return stringVal(string(utf16.Decode(units[from:to]))), nil
}

func span(args []val, length int) (from, to int) {
	clamp := func(f float64) int {
		if f != f || f < 0 {
			return 0
		}
		return int(min(f, float64(length)))
	}
	from, to = clamp(toNumber(args[1])), length
	if len(args) == 3 {
		to = clamp(toNumber(args[2]))
	}
	return min(from, to), max(from, to)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// textLength returns the number of UTF-16 code units, as JavaScript does.
func textLength(s string) int {
	n := 0
	for _, c := range s {
		n += utf16.RuneLen(c)
	}
	return n
}

func name(_ *run, args []val) (val, error) {
	switch args[0].kind {
	case kindString:
		return args[0], nil
	case kindKeyword, kindSymbol:
		_, n := splitName(args[0].s)
		return stringVal(n), nil
	}
	return val{}, errorf(CodeFunction, "Doesn't support name: %s", show(args[0]))
}

func namespace(_ *run, args []val) (val, error) {
	switch args[0].kind {
	case kindKeyword, kindSymbol:
		if ns, _ := splitName(args[0].s); ns != "" {
			return stringVal(ns), nil
		}
		return val{}, nil
	}
	return val{}, errorf(CodeFunction, "Doesn't support namespace: %s", show(args[0]))
}

func keyword(_ *run, args []val) (val, error) {
	parts := make([]string, len(args))
	for i, v := range args {
		switch v.kind {
		case kindString, kindKeyword, kindSymbol:
			parts[i] = strings.TrimPrefix(v.s, ":")
		default:
			return val{}, nil
		}
	}
	return val{kind: kindKeyword, s: ":" + strings.Join(parts, "/")}, nil
}

func typeOf(r *run, args []val) (val, error) {
	switch args[0].kind {
	case kindNil:
		return val{}, nil
	case kindBool:
		return stringVal("boolean"), nil
	case kindInt, kindFloat:
		return stringVal("number"), nil
	case kindString:
		return stringVal("string"), nil
	case kindKeyword:
		return stringVal("keyword"), nil
	case kindSymbol:
		return stringVal("symbol"), nil
	}
	switch r.value(args[0]).(type) {
	case []any:
		return stringVal("vector"), nil
	case *edn.Map:
		return stringVal("map"), nil
	case edn.Set:
		return stringVal("set"), nil
	}
	return stringVal("regex"), nil
}

func noMeta(*run, []val) (val, error) { return val{}, nil }
