package edn

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Print returns a value as EDN. Entries of maps and sets are sorted by their text, so
// that equal values print alike. []any and map[string]any print as a vector and a map
// with string keys, values of types that a Decoder does not return as strings.
func Print(v any) string { return string(Append(nil, v)) }

// Append appends the result of Print.
func Append(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "nil"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case *big.Int:
		return append(append(b, v.String()...), 'N')
	case float64:
		return appendFloat(b, v)
	case Decimal:
		return append(append(b, v...), 'M')
	case string:
		return appendString(b, v)
	case Keyword:
		return append(b, v...)
	case Symbol:
		return append(b, v...)
	case Char:
		return appendChar(b, v)
	case Regex:
		return append(append(append(b, `#"`...), v...), '"')
	case Tagged:
		b = append(append(append(b, '#'), v.Tag...), ' ')
		return Append(b, v.Value)
	}
	return appendCollection(b, v)
}

func appendCollection(b []byte, v any) []byte {
	switch v := v.(type) {
	case Vector:
		return appendItems(b, "[", v, ']')
	case []any:
		return appendItems(b, "[", v, ']')
	case List:
		return appendItems(b, "(", v, ')')
	case Set:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = Print(item)
		}
		return appendSorted(b, "#{", items, " ")
	case *Map:
		items := make([]string, len(v.Keys))
		for i, k := range v.Keys {
			items[i] = Print(k) + " " + Print(v.Values[i])
		}
		return appendSorted(b, "{", items, ", ")
	case map[string]any:
		var items []string
		for k, value := range v {
			items = append(items, Print(k)+" "+Print(value))
		}
		return appendSorted(b, "{", items, ", ")
	}
	return appendString(b, fmt.Sprint(v))
}

func appendItems(b []byte, open string, items []any, end byte) []byte {
	b = append(b, open...)
	for i, item := range items {
		if i > 0 {
			b = append(b, ' ')
		}
		b = Append(b, item)
	}
	return append(b, end)
}

func appendSorted(b []byte, open string, items []string, between string) []byte {
	slices.Sort(items)
	b = append(b, open...)
	b = append(b, strings.Join(items, between)...)
	return append(b, '}')
}

func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "##NaN"...)
	case math.IsInf(f, 1):
		return append(b, "##Inf"...)
	case math.IsInf(f, -1):
		return append(b, "##-Inf"...)
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, 'g', -1, 64)
	if !strings.ContainsAny(string(b[start:]), ".e") {
		b = append(b, ".0"...)
	}
	return b
}

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

func appendChar(b []byte, c Char) []byte {
	switch c {
	case '\n':
		return append(b, `\newline`...)
	case '\r':
		return append(b, `\return`...)
	case ' ':
		return append(b, `\space`...)
	case '\t':
		return append(b, `\tab`...)
	}
	if c < ' ' || isDelimiter(byte(c)) && c < 128 {
		return fmt.Appendf(b, `\u%04x`, rune(c))
	}
	return utf8.AppendRune(append(b, '\\'), rune(c))
}
