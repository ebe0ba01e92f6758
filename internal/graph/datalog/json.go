package datalog

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

// KeyStyle says how keywords are written as JSON (LOCAL_API.md 2.2).
type KeyStyle int

const (
	// Stripped is the style of q and data.q: a keyword is its name alone, as a key and
	// as a value. Of keys that are then equal, the last stays.
	Stripped KeyStyle = iota
	// Qualified is the style of data.pull and data.fast.q: ":block/uid".
	Qualified
)

// JSON returns Value as JSON, which the query's share of memory holds, too. The error is
// that of JSON of Share.
func (r Result) JSON(style KeyStyle) ([]byte, error) {
	if r.Shape == Tuple || r.Shape == Scalar || r.memory == nil {
		return r.memory.JSON(r.Value(), style)
	}
	size := len("[]")
	for _, row := range r.Rows {
		size += len(",") + r.sizeOfRow(row, style)
	}
	if !r.memory.Hold(size) {
		return nil, r.memory.Full()
	}
	b := append(make([]byte, 0, size+roomForItem), '[')
	for i, row := range r.Rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.appendRow(b, row, style)
	}
	return append(b, ']'), nil
}

func (r Result) sizeOfRow(row []any, style KeyStyle) int {
	switch {
	case r.Shape == Collection:
		return sizeOfJSON(row[0], style)
	case r.Keys != nil:
		return sizeOfMap(&edn.Map{Keys: r.Keys, Values: row}, style)
	}
	return sizeOfList(row, style)
}

func (r Result) appendRow(b []byte, row []any, style KeyStyle) []byte {
	switch {
	case r.Shape == Collection:
		return AppendJSON(b, row[0], style)
	case r.Keys != nil:
		return appendMap(b, &edn.Map{Keys: r.Keys, Values: row}, style)
	}
	return appendList(b, row, style)
}

// JSON returns a value of a Result or of Pull as JSON, which the share holds from then
// on. It fails with CodeMemory if there is no room for it.
func (s *Share) JSON(v any, style KeyStyle) ([]byte, error) {
	size := sizeOfJSON(v, style)
	if s != nil && !s.Hold(size) {
		return nil, s.Full()
	}
	return AppendJSON(make([]byte, 0, size+roomForItem), v, style), nil
}

// sizeOfJSON returns how many bytes AppendJSON appends at most.
func sizeOfJSON(v any, style KeyStyle) int {
	const number = len("-1.7976931348623157e+308") + 1 // or a fraction such as -0.0000012345678901234567
	switch v := v.(type) {
	case nil, bool:
		return len("false")
	case int64, float64:
		return number
	case string:
		return sizeOfText(v)
	case graphdb.Keyword:
		return sizeOfText(string(v))
	case edn.Symbol:
		return sizeOfText(string(v))
	case edn.Regex:
		return len("//") + sizeOfText(string(v))
	case edn.Tagged:
		return sizeOfJSON(v.Value, style)
	case []any:
		return sizeOfList(v, style)
	case edn.Set:
		return sizeOfList(v, style)
	case *edn.Map:
		return sizeOfMap(v, style)
	}
	return sizeOfText(fmt.Sprint(v))
}

func sizeOfList(items []any, style KeyStyle) int {
	size := len("[]")
	for _, item := range items {
		size += len(",") + sizeOfJSON(item, style)
	}
	return size
}

func sizeOfMap(m *edn.Map, style KeyStyle) int {
	size := len("{}")
	for i, key := range m.Keys {
		size += len(",:") + sizeOfText(keyText(key, style)) + sizeOfJSON(m.Values[i], style)
	}
	return size
}

// sizeOfText returns how many bytes appendText appends at most.
func sizeOfText(s string) int {
	const quotes, escape = 2, len(`\u0000`)
	size := quotes + len(s)
	for i := plainPrefix(s, 0); i < len(s); i = plainPrefix(s, i) {
		width := 1
		if s[i] < utf8.RuneSelf {
			size += escape - 1
		} else if c, n := utf8.DecodeRuneInString(s[i:]); c == utf8.RuneError || c == '\u2028' || c == '\u2029' {
			size += escape
			width = n
		} else {
			width = n
		}
		i += width
	}
	return size
}

// AppendJSON appends a value of a Result or of Pull as JSON. Infinite numbers and NaN
// become null, as in JavaScript.
func AppendJSON(b []byte, v any, style KeyStyle) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(b, "null"...)
		}
		return append(b, jsNumber(v)...)
	case string:
		return appendText(b, v)
	case graphdb.Keyword:
		return appendText(b, keyText(v, style))
	case edn.Symbol:
		return appendText(b, string(v))
	case edn.Regex:
		return appendText(b, "/"+string(v)+"/")
	case edn.Tagged:
		return AppendJSON(b, v.Value, style)
	case []any:
		return appendList(b, v, style)
	case edn.Set:
		return appendList(b, v, style)
	case *edn.Map:
		return appendMap(b, v, style)
	}
	return appendText(b, fmt.Sprint(v))
}

func keyText(key any, style KeyStyle) string {
	switch key := key.(type) {
	case graphdb.Keyword:
		if style == Qualified {
			return string(key)
		}
		_, name := splitName(string(key))
		return name
	case string:
		return key
	case edn.Symbol:
		return string(key)
	}
	return edn.Print(key)
}

func appendList(b []byte, items []any, style KeyStyle) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		if cap(b)-len(b) < roomForItem {
			b = slices.Grow(b, len(b)+roomForItem) // append alone grows long texts by a quarter
		}
		b = AppendJSON(b, item, style)
	}
	return append(b, ']')
}

const roomForItem = 256

func appendMap(b []byte, m *edn.Map, style KeyStyle) []byte {
	b = append(b, '{')
	for i, key := range m.Keys {
		text := keyText(key, style)
		if slices.ContainsFunc(m.Keys[i+1:], func(later any) bool { return keyText(later, style) == text }) {
			continue // the last of equal keys stays
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(appendText(b, text), ':')
		b = AppendJSON(b, m.Values[i], style)
	}
	return append(b, '}')
}

func appendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0 // of what is copied as it is
	for i := plainPrefix(s, 0); i < len(s); i = plainPrefix(s, i) {
		c := s[i]
		size, escape := 1, ""
		switch {
		case c == '"' || c == '\\':
			escape = `\` + string(c)
		case c == '\n':
			escape = `\n`
		case c < ' ':
			escape = `\u00` + string(hex[c>>4]) + string(hex[c&15])
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				escape = string(utf8.RuneError)
			case r == '\u2028' || r == '\u2029': // line ends in JavaScript, as encoding/json has it
				escape = `\u202` + string(hex[r&15])
			}
		}
		if escape != "" {
			b = append(append(b, s[start:i]...), escape...)
			start = i + size
		}
		i += size
	}
	return append(append(b, s[start:]...), '"')
}

// plainPrefix returns the index of the first byte from i that may need an escape. It
// reads eight bytes at a time, since most text has none.
func plainPrefix(s string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		quote, backslash := w^ones*'"', w^ones*'\\'
		if (w|(w-ones*' ')|(quote-ones)|(backslash-ones))&highs != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}
