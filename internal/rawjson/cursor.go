package rawjson

import "encoding/json"

// Cursor goes through a text once, from value to value and into those that are asked for,
// however deep they stand in each other.
type Cursor struct {
	text []byte
	at   int
}

// NewCursor returns a Cursor in front of the value that a text is.
func NewCursor(text []byte) *Cursor { return &Cursor{text: text} }

// Next returns the first byte of what comes next: of a value, or the bracket behind the last
// one; 0 at the end.
func (c *Cursor) Next() byte {
	if c.at = skipSpace(c.text, c.at); c.at < len(c.text) {
		return c.text[c.at]
	}
	return 0
}

// Open goes into the array or object that comes next.
func (c *Cursor) Open() {
	if c.Next() != 0 {
		c.at++
	}
}

// More goes to the next element or member; false behind the bracket that follows the last one.
func (c *Cursor) More() bool {
	switch c.Next() {
	case ',':
		c.at++
	case ']', '}':
		c.at++
		return false
	}
	return c.Next() != 0
}

// Key reads the key of a member, and goes to its value.
func (c *Cursor) Key() string {
	key := c.Value()
	if c.Next() == ':' {
		c.at++
	}
	return unquote(key)
}

// Value reads the value that comes next, and goes behind it.
func (c *Cursor) Value() json.RawMessage {
	c.Next()
	start := c.at
	if c.at = skipValue(c.text, start); c.at == start && start < len(c.text) { // it is no value
		c.at++
	}
	return c.text[start:c.at:c.at]
}
