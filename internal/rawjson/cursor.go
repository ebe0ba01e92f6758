package rawjson

import "encoding/json"

// Cursor goes through a text once, from value to value and into those that are asked for,
// however deep they stand in each other.
type Cursor struct {
	text []byte
	at   int
	keys map[string]string // some that were read, by how they are spelled
}

// mostKeys is how many keys a Cursor keeps, so that what has many members of the same keys
// allocates few.
const mostKeys = 64

// NewCursor returns a Cursor in front of the value that a text is.
func NewCursor(text []byte) *Cursor { return &Cursor{text: text, keys: map[string]string{}} }

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
