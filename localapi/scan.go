package localapi

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"slices"
	"strings"
)

// largeReply is from how many bytes on a result is cut out of its envelope
// instead of being decoded with it.
const largeReply = 16 << 10

// read is json.Unmarshal, but for a large result: that stays where it is, and
// only what is around it is decoded. The whole body is checked to be JSON.
func (e *envelope) read(body []byte) error {
	if len(body) < largeReply {
		return json.Unmarshal(body, e)
	}
	s := scanner{text: body}
	start, end, ok := s.member("result")
	if !ok {
		return json.Unmarshal(body, e) // it says what is wrong, or knows better
	}
	if err := json.Unmarshal(slices.Concat(body[:start], []byte("null"), body[end:]), e); err != nil {
		return err
	}
	e.Result = body[start:end:end]
	return nil
}

// scanner goes over a JSON text once and checks it as encoding/json does, at
// several times its speed, since it keeps no value.
type scanner struct {
	text  []byte
	at    int
	depth int
}

// deepest is how many arrays and objects may be in each other, as in
// encoding/json.
const deepest = 10000

// member finds the value of a key in the object that the text is. ok is false
// where the text is no valid object, where the key is not there, and where it
// may be there in another spelling.
func (s *scanner) member(key string) (start, end int, ok bool) {
	s.space()
	if !s.take('{') {
		return 0, 0, false
	}
	s.space()
	for first := true; ; first = false {
		if s.take('}') {
			s.space()
			return start, end, ok && s.at == len(s.text)
		}
		if !first && !s.take(',') {
			return 0, 0, false
		}
		s.space()
		name := s.at
		if !s.string() {
			return 0, 0, false
		}
		found := string(s.text[name+1 : s.at-1])
		s.space()
		if !s.take(':') {
			return 0, 0, false
		}
		s.space()
		from := s.at
		if !s.value() {
			return 0, 0, false
		}
		switch {
		case found == key:
			start, end, ok = from, s.at, true
		case strings.Contains(found, `\`) || strings.EqualFold(found, key):
			return 0, 0, false
		}
		s.space()
	}
}

func (s *scanner) take(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) space() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\n' || s.text[s.at] == '\r' || s.text[s.at] == '\t') {
		s.at++
	}
}

// value goes over one value of any kind.
func (s *scanner) value() bool {
	if s.at >= len(s.text) {
		return false
	}
	switch s.text[s.at] {
	case '"':
		return s.string()
	case '{':
		return s.list('}', true)
	case '[':
		return s.list(']', false)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// list goes over an object or an array.
func (s *scanner) list(end byte, keys bool) bool {
	s.depth++
	defer func() { s.depth-- }()
	s.at++
	s.space()
	if s.take(end) {
		return s.depth <= deepest
	}
	for s.depth <= deepest {
		if keys {
			if !s.string() {
				return false
			}
			s.space()
			if !s.take(':') {
				return false
			}
			s.space()
		}
		if !s.value() {
			return false
		}
		s.space()
		if s.take(end) {
			return true
		}
		if !s.take(',') {
			return false
		}
		s.space()
	}
	return false
}

func (s *scanner) word(word string) bool {
	if !bytes.HasPrefix(s.text[s.at:], []byte(word)) {
		return false
	}
	s.at += len(word)
	return true
}

func (s *scanner) string() bool {
	if !s.take('"') {
		return false
	}
	for text := s.text; s.at < len(text); s.at++ {
		for len(text)-s.at >= 8 {
			n := plainBytes(binary.LittleEndian.Uint64(text[s.at:]))
			if s.at += n; n < 8 {
				break
			}
		}
		if s.at == len(text) {
			return false
		}
		switch c := text[s.at]; {
		case c == '"':
			s.at++
			return true
		case c < ' ':
			return false
		case c == '\\':
			if !s.escape() {
				return false
			}
		}
	}
	return false
}

// plainBytes says how many of eight bytes, from the lowest on, are neither
// quotes nor backslashes nor control characters. A byte whose subtraction
// borrows is itself one of them, so the lowest one found is always right.
func plainBytes(eight uint64) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	quote, escape := eight^each*'"', eight^each*'\\'
	found := ((eight-each*' ')&^eight | (quote-each)&^quote | (escape-each)&^escape) & high
	return bits.TrailingZeros64(found) / 8
}

// escape goes to the last byte of an escape.
func (s *scanner) escape() bool {
	s.at++
	if s.at >= len(s.text) {
		return false
	}
	switch s.text[s.at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			s.at++
			if s.at >= len(s.text) || !isHex(s.text[s.at]) {
				return false
			}
		}
		return true
	}
	return false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func (s *scanner) number() bool {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return false
	}
	if s.take('.') && !s.digits() {
		return false
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}
