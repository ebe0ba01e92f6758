package rawjson

import "encoding/json"

// Cursor reads a valid JSON text once, from front to back, and enters arrays and objects
// only on request, however deeply they are nested.
type Cursor struct {
	text []byte
	at   int
	keys map[string]string // some that were read, by how they are spelled
}

// mostKeys is how many keys a Cursor keeps, so that what has many members of the same keys
// allocates few.
const mostKeys = 64

// NewCursor returns a Cursor at the start of a text.
func NewCursor(text []byte) *Cursor { return &Cursor{text: text, keys: map[string]string{}} }

// Next returns the first byte of the next token without consuming it, or 0 at the end.
func (c *Cursor) Next() byte {
	if c.at = skipSpace(c.text, c.at); c.at < len(c.text) {
		return c.text[c.at]
	}
	return 0
}

// Open enters the array or object that comes next.
func (c *Cursor) Open() {
	if c.Next() != 0 {
		c.at++
	}
}

// More advances to the next element or member. After the last one it consumes the closing
// bracket and returns false.
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
	spelled := c.Value()
	if c.Next() == ':' {
		c.at++
	}
	key, known := c.keys[string(spelled)]
	if !known {
		if key = unquote(spelled); len(c.keys) < mostKeys {
			c.keys[string(spelled)] = key
		}
	}
	return key
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
