package edn

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
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

// text reads a string, after its opening quote.
func (d *Decoder) text() (string, error) {
	d.token = d.token[:0]
	for {
		c, ok := d.next()
		switch {
		case !ok:
			return "", d.unexpectedEnd()
		case c == '"':
			if !utf8.Valid(d.token) {
				return "", d.fail("the string is not valid UTF-8")
			}
			return string(d.token), nil
		case c == '\\':
			if err := d.escape(); err != nil {
				return "", err
			}
		default:
			d.token = append(d.token, c)
		}
	}
}

func (d *Decoder) escape() error {
	c, ok := d.next()
	if !ok {
		return d.unexpectedEnd()
	}
	switch c {
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case 'n':
		c = '\n'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case '\\', '"':
	case 'u':
		return d.unicodeEscape()
	default:
		if c >= '0' && c <= '7' {
			return d.octalEscape(c)
		}
		return d.fail("a string can't hold the escape \\" + string(rune(c)) + "; a backslash is written \\\\")
	}
	d.token = append(d.token, c)
	return nil
}

func (d *Decoder) unicodeEscape() error {
	r, err := d.hex4()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		two, _ := d.in.Peek(2)
		if string(two) == `\u` {
			d.next()
			d.next()
			low, err := d.hex4()
			if err != nil {
				return err
			}
			r = utf16.DecodeRune(r, low)
		} else {
			r = utf8.RuneError
		}
	}
	d.token = utf8.AppendRune(d.token, r)
	return nil
}

func (d *Decoder) hex4() (rune, error) {
	var digits [4]byte
	for i := range digits {
		c, ok := d.next()
		if !ok {
			return 0, d.unexpectedEnd()
		}
		digits[i] = c
	}
	n, err := strconv.ParseUint(string(digits[:]), 16, 32)
	if err != nil {
		return 0, d.fail("four hexadecimal digits must follow \\u")
	}
	return rune(n), nil
}

func (d *Decoder) octalEscape(first byte) error {
	n := rune(first - '0')
	for range 2 {
		c, ok := d.peek()
		if !ok || c < '0' || c > '7' {
			break
		}
		d.next()
		n = n*8 + rune(c-'0')
	}
	if n > 0o377 {
		return d.fail("an octal escape goes up to \\377")
	}
	d.token = utf8.AppendRune(d.token, n)
	return nil
}

// regex reads the source of a #"regex": only \" is an escape of the literal
// itself, all others belong to the expression.
func (d *Decoder) regex() (any, error) {
	d.token = d.token[:0]
	for {
		c, ok := d.next()
		switch {
		case !ok:
			return nil, d.unexpectedEnd()
		case c == '"':
			if !utf8.Valid(d.token) {
				return nil, d.fail("the regular expression is not valid UTF-8")
			}
			return Regex(d.token), nil
		case c == '\\':
			escaped, ok := d.next()
			if !ok {
				return nil, d.unexpectedEnd()
			}
			d.token = append(d.token, '\\', escaped)
		default:
			d.token = append(d.token, c)
		}
	}
}

// char reads a character after its backslash.
func (d *Decoder) char() (any, error) {
	first, ok := d.next()
	if !ok {
		return nil, d.unexpectedEnd()
	}
	name := string([]byte{first})
	if rest := d.takeToken(); !isSpace(first) {
		name += rest
	}
	switch name {
	case "newline":
		return Char('\n'), nil
	case "return":
		return Char('\r'), nil
	case "space":
		return Char(' '), nil
	case "tab":
		return Char('\t'), nil
	case "backspace":
		return Char('\b'), nil
	case "formfeed":
		return Char('\f'), nil
	}
	if len(name) == 5 && name[0] == 'u' {
		if n, err := strconv.ParseUint(name[1:], 16, 32); err == nil && !utf16.IsSurrogate(rune(n)) {
			return Char(n), nil
		}
	}
	r, size := utf8.DecodeRuneInString(name)
	if size != len(name) || r == utf8.RuneError || isSpace(first) {
		return nil, d.fail("a character must follow the backslash")
	}
	return Char(r), nil
}
