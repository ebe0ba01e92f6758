package edn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Decoder reads values from a stream. Read returns a whole value; Enter, More and Leave
// walk a collection that is too large for memory, such as a dump.
type Decoder struct {
	in     *bufio.Reader
	limits Limits
	read   int64
	end    int64 // where reading stops for now
	line   int
	column int
	open   []byte // closing delimiters of the collections entered
	depth  int
	token  []byte
}

// NewDecoder returns a Decoder that reads from r.
func NewDecoder(r io.Reader, limits Limits) *Decoder { return newDecoder(r, 1<<16, limits) }

func newDecoder(r io.Reader, buffer int, limits Limits) *Decoder {
	limits = limits.withDefaults()
	return &Decoder{in: bufio.NewReaderSize(r, buffer), limits: limits, end: limits.Bytes, line: 1}
}

// Parse reads text that holds exactly one value.
func Parse(text string, limits Limits) (any, error) {
	// Queries are short and frequent, so the buffer is small.
	d := newDecoder(strings.NewReader(text), min(len(text)+1, 1<<16), limits)
	v, err := d.Read()
	if err == io.EOF {
		return nil, d.fail("there is no value")
	}
	if err != nil {
		return nil, err
	}
	if err := d.skip(); err != nil {
		return nil, err
	}
	if _, ok := d.peek(); ok {
		return nil, d.failNext("there is text after the value")
	}
	return v, nil
}

// ParseFirst reads the first value of text and ignores what follows, as Clojure's
// read-string does.
func ParseFirst(text string, limits Limits) (any, error) {
	d := newDecoder(strings.NewReader(text), min(len(text)+1, 1<<16), limits)
	v, err := d.Read()
	if err == io.EOF {
		return nil, d.fail("there is no value")
	}
	return v, err
}

// Read reads the next value. At the end of the input the error is io.EOF.
func (d *Decoder) Read() (any, error) {
	if err := d.skip(); err != nil {
		return nil, err
	}
	if _, ok := d.peek(); !ok {
		if err := d.readError(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	d.end = min(d.limits.Bytes, d.read+d.limits.ValueBytes)
	defer func() { d.end = d.limits.Bytes }()
	v, err := d.value()
	if err == nil && d.read >= d.end { // the limit may have cut the value short
		err = d.readError()
	}
	return v, err
}

// Enter enters the next collection and returns its opening delimiter: "[", "(", "{" or
// "#{". For a tagged literal it returns "#" and the tag; its value comes next, and
// needs no Leave.
func (d *Decoder) Enter() (string, error) {
	if err := d.skip(); err != nil {
		return "", err
	}
	c, ok := d.next()
	if !ok {
		return "", d.unexpectedEnd()
	}
	if c == '#' {
		if c, _ := d.peek(); c != '{' {
			tag, err := d.symbolToken()
			return "#" + tag, err
		}
		d.next()
		d.open = append(d.open, '}')
		return "#{", nil
	}
	end := closing(c)
	if end == 0 {
		return "", d.fail("a collection was expected, not " + quoteByte(c))
	}
	if len(d.open) >= d.limits.Depth {
		return "", d.tooDeep()
	}
	d.open = append(d.open, end)
	return string(c), nil
}

// More reports whether the collection entered last has another value. If the input
// ends early it returns true, and the next Read returns the error.
func (d *Decoder) More() bool {
	if d.skip() != nil || len(d.open) == 0 {
		return true
	}
	c, ok := d.peek()
	return !ok || c != d.open[len(d.open)-1]
}

// Leave leaves the collection entered last, which must have no more values.
func (d *Decoder) Leave() error {
	if err := d.skip(); err != nil {
		return err
	}
	c, ok := d.next()
	if !ok {
		return d.unexpectedEnd()
	}
	if len(d.open) == 0 || c != d.open[len(d.open)-1] {
		return d.fail("a closing delimiter was expected, not " + quoteByte(c))
	}
	d.open = d.open[:len(d.open)-1]
	return nil
}

func closing(c byte) byte {
	switch c {
	case '[':
		return ']'
	case '(':
		return ')'
	case '{':
		return '}'
	}
	return 0
}

func (d *Decoder) peek() (byte, bool) {
	if d.read >= d.end {
		return 0, false
	}
	b, err := d.in.Peek(1)
	if err != nil {
		return 0, false
	}
	return b[0], true
}

func (d *Decoder) next() (byte, bool) {
	if d.read >= d.end {
		return 0, false
	}
	c, err := d.in.ReadByte()
	if err != nil {
		return 0, false
	}
	d.read++
	if c == '\n' {
		d.line++
		d.column = 0
	} else {
		d.column++
	}
	return c, true
}

// skip skips white space, comments and discarded values.
func (d *Decoder) skip() error {
	for {
		c, ok := d.peek()
		switch {
		case !ok:
			return nil
		case isSpace(c):
			d.next()
		case c == ';':
			for c, ok := d.next(); ok && c != '\n'; c, ok = d.next() {
			}
		case c == '#':
			two, _ := d.in.Peek(2)
			if len(two) < 2 || two[1] != '_' {
				return nil
			}
			d.next()
			d.next()
			if err := d.nested(func() error { _, err := d.element(); return err }); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (d *Decoder) nested(read func() error) error {
	if d.depth+len(d.open) >= d.limits.Depth {
		return d.tooDeep()
	}
	d.depth++
	defer func() { d.depth-- }()
	return read()
}

// element reads a required value.
func (d *Decoder) element() (any, error) {
	if err := d.skip(); err != nil {
		return nil, err
	}
	return d.value()
}

func isSpace(c byte) bool {
	return c == ' ' || c == ',' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v'
}

func quoteByte(c byte) string { return fmt.Sprintf("%q", rune(c)) }

func (d *Decoder) fail(message string) error {
	return &Error{Line: d.line, Column: max(1, d.column), Message: message}
}

// failNext is fail for the next byte.
func (d *Decoder) failNext(message string) error {
	return &Error{Line: d.line, Column: d.column + 1, Message: message}
}

func (d *Decoder) tooDeep() error {
	return d.fail(fmt.Sprintf("values are nested more than %d deep", d.limits.Depth))
}

func (d *Decoder) unexpectedEnd() error {
	if err := d.readError(); err != nil {
		return err
	}
	return d.fail("the text ends in the middle of a value")
}

// readError returns why the input can't be read on; nil at its end.
func (d *Decoder) readError() error {
	_, err := d.in.Peek(1)
	switch {
	case err == nil && d.end < d.limits.Bytes:
		return d.fail(fmt.Sprintf("a value is longer than %d bytes", d.limits.ValueBytes))
	case err == nil:
		return d.fail(fmt.Sprintf("the text is longer than %d bytes", d.limits.Bytes))
	case errors.Is(err, io.EOF):
		return nil
	}
	return fmt.Errorf("line %d: %w", d.line, err)
}
