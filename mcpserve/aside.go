package mcpserve

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"io"
	"math/bits"
	"sync"
	"unicode/utf8"
)

// asideFrom is from how many bytes on a reply's text is held aside.
const asideFrom = 8 << 10

// asideMark begins what stands for a text that is held aside.
const asideMark = "roam-mcp-text-"

// aside holds large texts of replies while the library encodes the replies
// around them: it would encode and copy the text several times, and once is
// enough. What stands for a text is as hard to guess as a key, and serves once,
// so that no text from outside can be taken for it.
type aside struct {
	mu    sync.Mutex
	texts map[string]spliced // by what stands for them
	over  bool               // nothing is written any more
}

// hold gives what stands for a text; false where enough are held, or none can
// be: a is nil or has ended.
func (a *aside) hold(text spliced) (mark string, ok bool) {
	if a == nil {
		return "", false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over || len(a.texts) >= maxInFlight {
		return "", false
	}
	if a.texts == nil {
		a.texts = map[string]spliced{}
	}
	mark = asideMark + rand.Text()
	a.texts[mark] = text
	return mark, true
}

// restore finds in an encoded message what stands for a text, and gives the
// text back.
func (a *aside) restore(encoded []byte) outgoing {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.texts) == 0 {
		return outgoing{head: encoded}
	}
	for at := 0; ; at++ {
		n := bytes.Index(encoded[at:], []byte(`"`+asideMark))
		if n < 0 {
			return outgoing{head: encoded}
		}
		at += n
		end := skipString(encoded, at)
		mark := string(encoded[at+1 : end-1])
		if text, held := a.texts[mark]; held {
			delete(a.texts, mark)
			return outgoing{head: encoded[:at], text: text, tail: encoded[end:]}
		}
	}
}

// holds reports whether any text is held.
func (a *aside) holds() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.texts) > 0
}

// begun says how many bytes at the end of what is written may be the beginning
// of what stands for a text.
func (a *aside) begun(encoded []byte) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := bytes.LastIndexByte(encoded, '"')
	if at < 0 {
		return 0
	}
	for mark := range a.texts {
		if end := encoded[at+1:]; len(end) <= len(mark) && mark[:len(end)] == string(end) {
			return len(encoded) - at
		}
	}
	return 0
}

// end lets go of the texts that were not written.
func (a *aside) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.texts, a.over = nil, true
}

// outgoing is an encoded message; between head and tail, where there is a tail,
// goes text as a JSON string.
type outgoing struct {
	head []byte
	text spliced
	tail []byte
}

// writeTo writes the message as a line. buffer is used on the way.
func (o outgoing) writeTo(out io.Writer, buffer []byte) error {
	if o.tail == nil {
		_, err := out.Write(append(o.head, '\n'))
		return err
	}
	s := stringWriter{out: out, buffer: buffer[:0]}
	s.begin(o)
	s.buffer = append(append(s.buffer, o.tail...), '\n')
	s.flush()
	return s.err
}

// writeBuffer is about how much of a large message is written at a time.
const writeBuffer = 64 << 10

// stringWriter writes what stands inside JSON strings, without ever holding more
// than a buffer of it.
type stringWriter struct {
	out    io.Writer
	buffer []byte
	err    error
}

func (s *stringWriter) flush() {
	if s.err == nil {
		_, s.err = s.out.Write(s.buffer)
	}
	s.buffer = s.buffer[:0]
}

// begin adds a message up to its tail.
func (s *stringWriter) begin(o outgoing) {
	s.buffer = append(append(s.buffer, o.head...), '"')
	s.write(o.text.front)
	s.write(o.text.rest)
	s.buffer = append(s.buffer, '"')
}

// write adds text as encode would write it inside a string.
func (s *stringWriter) write(text []byte) {
	for len(text) > 0 && s.err == nil {
		n := min(len(text), writeBuffer/2)
		for n < len(text) && n > writeBuffer/4 && !utf8.RuneStart(text[n]) {
			n-- // no character is cut in two
		}
		s.buffer = appendEscaped(s.buffer, text[:n])
		text = text[n:]
		if len(s.buffer) >= writeBuffer/2 {
			s.flush()
		}
	}
}

// appendEscaped adds text as it stands inside a JSON string. What is no UTF-8
// is replaced; the two line separators that JSON allows are escaped, since some
// readers of lines end a line there.
func appendEscaped(out, text []byte) []byte {
	const hex = "0123456789abcdef"
	from := 0
	for at := 0; at < len(text); {
		for len(text)-at >= 8 {
			n := plainBytes(binary.LittleEndian.Uint64(text[at:]))
			if at += n; n < 8 {
				break
			}
		}
		if at == len(text) {
			break
		}
		c := text[at]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			at++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[at:])
			if r != '\u2028' && r != '\u2029' && !(r == utf8.RuneError && size == 1) {
				at += size
				continue
			}
		}
		out = append(out, text[from:at]...)
		switch r {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		default: // ufffd, u2028, u2029 or a control character
			out = append(out, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		}
		at += size
		from = at
	}
	return append(out, text[from:]...)
}

// plainBytes says how many of eight bytes, from the lowest on, stand in a JSON
// string as they are. A byte whose subtraction borrows does not, so the lowest
// one found is always right.
func plainBytes(eight uint64) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	quote, escape := eight^each*'"', eight^each*'\\'
	found := (eight | (eight - each*' ') | (quote - each) | (escape - each)) & high
	return bits.TrailingZeros64(found) / 8
}
