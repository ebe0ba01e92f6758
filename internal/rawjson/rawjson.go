// Package rawjson takes JSON objects and arrays apart, and puts them together,
// without decoding what is in them: each value is a part of the text, and keeps
// its digits and its spaces. But for Valid it checks nothing, so the text has
// to be valid JSON; of any other it gives parts of no meaning, but always ends.
package rawjson

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"unicode"
	"unicode/utf16"
)

// Members returns the keys and values of an object in the order of the text, a
// key that is there twice included; nothing for any other value.
func Members(text []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		for key, value := range members(text) {
			if !yield(unquote(key), value) {
				return
			}
		}
	}
}

// members is Members with the keys as they are spelled.
func members(text []byte) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		at := open(text, '{')
		for at < len(text) && text[at] == '"' {
			end := skipString(text, at)
			key := text[at:end]
			at = skipSpace(text, end)
			if at >= len(text) || text[at] != ':' {
				return
			}
			at = skipSpace(text, at+1)
			end = skipValue(text, at)
			if !yield(key, text[at:end]) {
				return
			}
			at = next(text, end)
		}
	}
}

// Elements returns the elements of an array, nil for any other value.
func Elements(text []byte) []json.RawMessage {
	var elements []json.RawMessage
	at := open(text, '[')
	for at < len(text) && text[at] != ']' {
		end := skipValue(text, at)
		if end == at {
			break
		}
		elements = append(elements, text[at:end])
		at = next(text, end)
	}
	return elements
}

// Offset returns where a part of a text begins, which is one that Members, Elements or
// Parse have returned for the text, or for such a part of it.
func Offset(text, part []byte) int { return cap(text) - cap(part) } // a part keeps the end of the array that it stands in

// Each calls visit with a value, and then with those in it, as deep as they are.
func Each(text []byte, visit func(value json.RawMessage)) {
	visit(text)
	for _, value := range Members(text) {
		Each(value, visit)
	}
	for _, value := range Elements(text) {
		Each(value, visit)
	}
}

// DeeperThan reports whether arrays and objects stand in each other on more than max
// levels, and the index of the bracket that opens the first level too many.
func DeeperThan(text []byte, max int) (at int, deeper bool) {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '"':
			at = skipString(text, at)
			continue
		case '{', '[':
			if depth++; depth > max {
				return at, true
			}
		case '}', ']':
			depth--
		}
		at++
	}
	return at, false
}

// CountElements returns the number of elements of all arrays, those inside others
// included.
func CountElements(text []byte) int {
	count := 0
	var arrays []bool // whether each open bracket is that of an array
	for at := 0; at < len(text); {
		c := text[at]
		switch c {
		case '"':
			at = skipString(text, at)
			continue
		case '[', '{':
			arrays = append(arrays, c == '[')
			if next := skipSpace(text, at+1); c == '[' && next < len(text) && text[next] != ']' {
				count++
			}
		case ']', '}':
			arrays = arrays[:max(0, len(arrays)-1)]
		case ',':
			if len(arrays) > 0 && arrays[len(arrays)-1] {
				count++
			}
		}
		at++
	}
	return count
}

// ReplaceLoneSurrogates makes each escape of half a surrogate pair that of U+FFFD, in
// the text itself: no text in UTF-8 can hold what it stands for.
func ReplaceLoneSurrogates(text []byte) {
	has := func(escape string) bool { return bytes.Contains(text, []byte(escape)) }
	if !has(`\u`) || !has(`\ud`) && !has(`\uD`) { // most texts have none of the first
		return
	}
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\\')
		if n < 0 {
			return
		}
		at += n
		switch half, next := escaped(text[at:]), escaped(text[min(len(text), at+6):]); {
		case utf16.DecodeRune(half, next) != unicode.ReplacementChar:
			at += 12
		case utf16.IsSurrogate(half):
			copy(text[at:], `\ufffd`)
			at += 6
		default:
			at += min(2, len(text)-at)
		}
	}
}

// escaped returns the UTF-16 unit of the escape that a text begins with, -1 where it
// begins with none.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}

// open returns the index of what comes first inside an object or array, and the
// length of the text where it is none.
func open(text []byte, bracket byte) int {
	at := skipSpace(text, 0)
	if at >= len(text) || text[at] != bracket {
		return len(text)
	}
	return skipSpace(text, at+1)
}

// next returns the index of what follows a member or element that ends at end.
func next(text []byte, end int) int {
	at := skipSpace(text, end)
	if at < len(text) && text[at] == ',' {
		at = skipSpace(text, at+1)
	}
	return at
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') {
		at++
	}
	return at
}

// skipString returns the index behind the string that starts at text[at].
func skipString(text []byte, at int) int {
	for from := at + 1; from < len(text); {
		n := bytes.IndexByte(text[from:], '"')
		if n < 0 {
			break
		}
		end := from + n
		escapes := 0
		for end-escapes > from && text[end-escapes-1] == '\\' {
			escapes++
		}
		if from = end + 1; escapes%2 == 0 {
			return from
		}
	}
	return len(text)
}

// skipValue returns the index behind the value that starts at text[at].
func skipValue(text []byte, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '"':
			at = skipString(text, at)
			if depth == 0 {
				return at
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of a number, true, false or null
				return at
			}
			depth--
			if depth == 0 {
				return at + 1
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return at
			}
		}
		at++
	}
	return at
}

func unquote(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 && len(text) >= 2 {
		return string(text[1 : len(text)-1])
	}
	if s, ok := DecodeString(text); ok {
		return s
	}
	return string(text)
}

// String is the place of a string in a JSON text, including its quotes.
type String struct {
	Start, End int
	IsKey      bool // it is the key of a member
}

// Strings returns the strings of a JSON text, in order, as deep as they stand.
func Strings(text []byte) iter.Seq[String] {
	return func(yield func(String) bool) {
		for at := 0; ; {
			n := bytes.IndexByte(text[at:], '"')
			if n < 0 {
				return
			}
			s := String{Start: at + n}
			s.End = skipString(text, s.Start)
			after := skipSpace(text, s.End)
			s.IsKey = after < len(text) && text[after] == ':'
			if at = s.End; !yield(s) {
				return
			}
		}
	}
}
