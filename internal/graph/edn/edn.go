// Package edn reads and writes EDN, the notation of Datalog queries, of pull
// patterns and of Roam's database dumps.
//
// It promises that input beyond its limits is refused, that an error has line and
// column, and that a printed value reads as an equal one. It interprets no tags: a
// tagged literal is a Tagged. Beyond the EDN specification it reads ##NaN, ##Inf,
// ##-Inf and #"regex", which occur in queries.
package edn

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Values are nil, bool, int64, *big.Int (whole numbers beyond int64), float64,
// string and the types below.
type (
	// Keyword is a keyword with its colon, such as ":block/uid".
	Keyword string
	// Symbol is a symbol, such as "?title" or "clojure.string/includes?".
	Symbol string
	// Char is a character literal.
	Char rune
	// Decimal is a number with the suffix M, kept as written without it.
	Decimal string
	// Regex is the source of a #"regex" literal.
	Regex string
	// Vector is [a b].
	Vector []any
	// List is (a b).
	List []any
	// Set is #{a b}, in the order read.
	Set []any
	// Tagged is a tagged literal, #tag value.
	Tagged struct {
		Tag   Symbol
		Value any
	}
)

// Map is {k v}, in the order read.
type Map struct {
	Keys   []any
	Values []any
}

// Get returns the value under a key that equals the given one.
func (m *Map) Get(key any) (any, bool) {
	want := Print(key)
	for i, k := range m.Keys {
		if Print(k) == want {
			return m.Values[i], true
		}
	}
	return nil, false
}

// Put adds an entry, or changes the value of the entry with an equal key.
func (m *Map) Put(key, value any) {
	want := Print(key)
	for i, k := range m.Keys {
		if Print(k) == want {
			m.Values[i] = value
			return
		}
	}
	m.Keys, m.Values = append(m.Keys, key), append(m.Values, value)
}

// Limits bound the input of a Decoder.
type Limits struct {
	ValueBytes int64 // of one value that Read returns; 0: as Bytes
	Bytes      int64 // of the whole input; 0: 1 MiB
	Depth      int   // of nested collections; 0: 100
}

func (l Limits) withDefaults() Limits {
	l.Bytes = cmp.Or(l.Bytes, 1<<20)
	l.ValueBytes = cmp.Or(l.ValueBytes, l.Bytes)
	l.Depth = cmp.Or(l.Depth, 100)
	return l
}

// Error reports input that is not EDN, or beyond the limits.
type Error struct {
	Line, Column int // from 1; columns count bytes
	Message      string
}

var _ error = (*Error)(nil)

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

var _ fmt.Stringer = (*big.Int)(nil) // Print relies on it

func (d *Decoder) value() (any, error) {
	c, ok := d.peek()
	if !ok {
		return nil, d.unexpectedEnd()
	}
	switch c {
	case '[', '(', '{':
		d.next()
		return d.collection(c)
	case ']', ')', '}':
		return nil, d.failNext("there is a " + quoteByte(c) + " that nothing opens")
	case '"':
		d.next()
		s, err := d.text()
		return s, err
	case '\\':
		d.next()
		return d.char()
	case '#':
		d.next()
		return d.dispatch()
	case ':':
		return d.keyword()
	}
	return d.atom()
}

func (d *Decoder) collection(open byte) (any, error) {
	items, err := d.items(closing(open))
	switch {
	case err != nil:
		return nil, err
	case open == '[':
		return Vector(items), nil
	case open == '(':
		return List(items), nil
	}
	return d.mapOf(items)
}

// items reads values up to the closing delimiter.
func (d *Decoder) items(end byte) ([]any, error) {
	var items []any
	err := d.nested(func() error {
		for {
			if err := d.skip(); err != nil {
				return err
			}
			if c, ok := d.peek(); ok && c == end {
				d.next()
				return nil
			}
			item, err := d.value()
			if err != nil {
				return err
			}
			items = append(items, item)
		}
	})
	return items, err
}

func (d *Decoder) mapOf(items []any) (any, error) {
	if len(items)%2 != 0 {
		return nil, d.fail("the map has a key without a value")
	}
	m := &Map{}
	for i := 0; i < len(items); i += 2 {
		m.Keys = append(m.Keys, items[i])
		m.Values = append(m.Values, items[i+1])
	}
	if k, ok := repeated(m.Keys); ok {
		return nil, d.fail("the map has the key " + k + " twice")
	}
	return m, nil
}

func repeated(items []any) (string, bool) {
	if len(items) < 2 {
		return "", false
	}
	seen := make(map[string]struct{}, len(items))
	for _, item := range items {
		text := Print(item)
		if _, ok := seen[text]; ok {
			return text, true
		}
		seen[text] = struct{}{}
	}
	return "", false
}

// dispatch reads what follows a #.
func (d *Decoder) dispatch() (any, error) {
	c, ok := d.peek()
	switch {
	case !ok:
		return nil, d.unexpectedEnd()
	case c == '{':
		d.next()
		items, err := d.items('}')
		if err != nil {
			return nil, err
		}
		if v, ok := repeated(items); ok {
			return nil, d.fail("the set has " + v + " twice")
		}
		return Set(items), nil
	case c == '"':
		d.next()
		return d.regex()
	case c == '#':
		d.next()
		return d.symbolicNumber()
	}
	tag, err := d.symbolToken()
	if err != nil {
		return nil, err
	}
	var v any
	err = d.nested(func() error { v, err = d.element(); return err })
	return Tagged{Tag: Symbol(tag), Value: v}, err
}

func (d *Decoder) symbolicNumber() (any, error) {
	switch name := d.takeToken(); name {
	case "NaN":
		return math.NaN(), nil
	case "Inf":
		return math.Inf(1), nil
	case "-Inf":
		return math.Inf(-1), nil
	default:
		return nil, d.fail("##" + name + " is no number; there are ##NaN, ##Inf and ##-Inf")
	}
}

func (d *Decoder) symbolToken() (string, error) {
	name := d.takeToken()
	if name == "" || name[0] >= '0' && name[0] <= '9' || name[0] == ':' {
		return "", d.fail("a tag must follow the #")
	}
	return name, nil
}

func (d *Decoder) keyword() (any, error) {
	name := d.takeToken()
	if len(name) < 2 || name[1] == ':' || strings.HasSuffix(name, "/") && name != ":/" {
		return nil, d.fail("“" + name + "” is no keyword")
	}
	if !utf8.ValidString(name) {
		return nil, d.fail("the keyword is not valid UTF-8")
	}
	return Keyword(name), nil
}

// takeToken takes the bytes up to the next delimiter.
func (d *Decoder) takeToken() string {
	d.token = d.token[:0]
	for {
		c, ok := d.peek()
		if !ok || isDelimiter(c) {
			return string(d.token)
		}
		d.next()
		d.token = append(d.token, c)
	}
}

func isDelimiter(c byte) bool {
	return isSpace(c) || strings.IndexByte("()[]{}\";\\", c) >= 0
}

// atom reads a number, nil, true, false or a symbol.
func (d *Decoder) atom() (any, error) {
	name := d.takeToken()
	switch name {
	case "nil":
		return nil, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	digit := name[0]
	if (digit == '+' || digit == '-') && len(name) > 1 {
		digit = name[1]
	}
	if digit >= '0' && digit <= '9' {
		return d.number(name)
	}
	for _, r := range name {
		if r < ' ' || r == utf8.RuneError || r == '@' || r == '^' || r == '`' || r == '~' {
			return nil, d.fail("“" + strings.ToValidUTF8(name, "�") + "” is no symbol")
		}
	}
	return Symbol(name), nil
}

// maxDigits bounds a number, without its sign and its N or M.
const maxDigits = 400

func (d *Decoder) number(text string) (any, error) {
	length, last := len(text), text[len(text)-1]
	if text[0] == '+' || text[0] == '-' {
		length--
	}
	if last == 'N' || last == 'M' {
		length--
	}
	if length > maxDigits {
		return nil, d.fail("a number is longer than " + strconv.Itoa(maxDigits) + " digits")
	}
	digits := strings.TrimLeft(text, "+-")
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return nil, d.fail("the number " + text + " starts with 0")
	}
	switch {
	case last == 'M' && isNumber(text[:len(text)-1]):
		return Decimal(text[:len(text)-1]), nil
	case !strings.ContainsAny(text, ".eExX_pPiI"):
		if n, err := strconv.ParseInt(strings.TrimSuffix(text, "N"), 10, 64); err == nil {
			return n, nil
		}
		if n, ok := new(big.Int).SetString(strings.TrimPrefix(strings.TrimSuffix(text, "N"), "+"), 10); ok {
			return n, nil
		}
	case isNumber(text):
		f, _ := strconv.ParseFloat(text, 64) // out of range is infinite, as in JavaScript
		return f, nil
	}
	return nil, d.fail("“" + text + "” is no number")
}

func isNumber(text string) bool {
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err == nil || strings.Contains(err.Error(), "out of range")
}
