package edn

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

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
