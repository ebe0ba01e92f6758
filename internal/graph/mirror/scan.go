package mirror

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/graph/graphdb"
)

// scanner reads JSON from one end to the other, as one function after the other asks for
// it, without building values of it. The first fault ends it: from then on everything is
// empty, and err says what was wrong.
type scanner struct {
	text  []byte
	at    int
	depth int
	err   error
}

// maxDepth bounds how deep values stand in each other, four levels for a block below
// another.
const maxDepth = 40_000

var errDepth = errors.New("values stand in each other too deep")

func (s *scanner) fail(wanted string) {
	if s.err == nil {
		s.err = fmt.Errorf("byte %d: no %s", s.at, wanted)
	}
	s.at = len(s.text)
}

// next returns the first byte of what follows; 0 at the end.
func (s *scanner) next() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\n', '\r', '\t':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// opens enters an array or an object.
func (s *scanner) opens(bracket byte, wanted string) bool {
	if s.next() != bracket {
		s.fail(wanted)
		return false
	}
	s.at++
	if s.depth++; s.depth > maxDepth {
		s.err = errDepth
		s.at = len(s.text)
		return false
	}
	return true
}

// more reports whether another element or member follows, and goes to it; first is that
// none was read yet.
func (s *scanner) more(first bool, end byte) bool {
	switch c := s.next(); {
	case c == end:
		s.at++
		s.depth--
		return false
	case !first && c == ',':
		s.at++
		return true
	case first && c != 0:
		return true
	}
	s.fail("comma or end")
	return false
}

// array calls each for every element.
func (s *scanner) array(each func()) {
	if !s.opens('[', "list") {
		return
	}
	for first := true; s.more(first, ']'); first = false {
		if each(); s.err != nil {
			return
		}
	}
}

// object calls each for every member, with its key, which is good until each returns.
func (s *scanner) object(each func(key []byte)) {
	if !s.opens('{', "map") {
		return
	}
	for first := true; s.more(first, '}'); first = false {
		key := s.raw()
		if s.next() != ':' {
			s.fail("colon")
			return
		}
		s.at++
		if each(key); s.err != nil {
			return
		}
	}
}

// raw returns what stands between the quotes of a string, as it is.
func (s *scanner) raw() []byte {
	if s.next() != '"' {
		s.fail("text")
		return nil
	}
	from := s.at + 1
	for at := from; ; {
		n := bytes.IndexByte(s.text[at:], '"')
		if n < 0 {
			s.fail("end of a text")
			return nil
		}
		end := at + n
		escapes := 0
		for end-escapes > from && s.text[end-escapes-1] == '\\' {
			escapes++
		}
		if at = end + 1; escapes%2 == 0 {
			s.at = at
			return s.text[from:end]
		}
	}
}

// string returns a string, a copy.
func (s *scanner) string() string {
	start := s.at
	raw := s.raw()
	if bytes.IndexByte(raw, '\\') < 0 {
		if !utf8.Valid(raw) {
			return strings.ToValidUTF8(string(raw), "\uFFFD")
		}
		return string(raw)
	}
	var text string
	if err := json.Unmarshal(s.text[start+bytes.IndexByte(s.text[start:], '"'):s.at], &text); err != nil && s.err == nil {
		s.err = fmt.Errorf("byte %d: %w", start, err)
		s.at = len(s.text)
	}
	return text
}

// word returns what stands up to the next separator: a number, true, false or null.
func (s *scanner) word() []byte {
	s.next()
	from := s.at
	for s.at < len(s.text) && bytes.IndexByte([]byte(",]} \n\r\t:\"[{"), s.text[s.at]) < 0 {
		s.at++
	}
	return s.text[from:s.at]
}

// int returns a whole number. Roam's clock may give times with a fraction, which is cut.
func (s *scanner) int() int64 {
	word := s.word()
	n, err := strconv.ParseInt(string(word), 10, 64)
	if err == nil {
		return n
	}
	f, err := strconv.ParseFloat(string(word), 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > 1<<53 || word[0] == 'n' || word[0] == 'N' || word[0] == 'i' || word[0] == 'I' {
		s.fail("number")
		return 0
	}
	return int64(f)
}

// entity returns an entity id.
func (s *scanner) entity() graphdb.EID {
	e := graphdb.EID(s.int())
	if s.err == nil && (e <= 0 || e > graphdb.MaxEID) {
		s.fail("entity id")
		return 0
	}
	return e
}

// bool returns a truth value.
func (s *scanner) bool() bool {
	word := string(s.word())
	if word != "true" && word != "false" {
		s.fail("true or false")
	}
	return word == "true"
}

// null reads null, if it is what follows.
func (s *scanner) null() bool {
	if s.next() != 'n' || !bytes.HasPrefix(s.text[s.at:], []byte("null")) {
		return false
	}
	s.at += len("null")
	return true
}

// end reports the first fault, or that something follows.
func (s *scanner) end() error {
	if s.next() != 0 {
		s.fail("end")
	}
	return s.err
}
