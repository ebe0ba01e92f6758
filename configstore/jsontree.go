package configstore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"roam-mcp/internal/rawjson"
)

// member is one key and value of a JSON object, both as written in the file.
type member struct {
	key    string // decoded
	rawKey []byte
	value  json.RawMessage
	offset int // of the value in the text that was parsed
}

// object is a JSON object that keeps the order of its members, and the spelling of the
// values that are not set.
type object []member

// duplicateKeyError reports a key that an object has twice, and the offset of the
// second one.
type duplicateKeyError struct {
	key    string
	offset int
}

func (e *duplicateKeyError) Error() string {
	return fmt.Sprintf("the key %s appears twice", quoted(e.key))
}

// parseObject reads an object from text, which must be valid JSON and begin with a
// brace. Its only error is *duplicateKeyError.
func parseObject(text []byte) (object, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var o object
	seen := map[string]bool{}
	for dec.More() {
		start := skipSeparators(text, int(dec.InputOffset()))
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		if seen[key] {
			return nil, &duplicateKeyError{key: key, offset: start}
		}
		seen[key] = true
		rawKey := text[start:dec.InputOffset()]
		value, offset, err := nextValue(dec)
		if err != nil {
			return nil, err
		}
		o = append(o, member{key: key, rawKey: rawKey, value: value, offset: offset})
	}
	return o, nil
}

// located is a JSON value and its offset in the text that was parsed.
type located struct {
	value  json.RawMessage
	offset int
}

// parseArray reads an array from text, which must be valid JSON and begin with a
// bracket.
func parseArray(text []byte) ([]located, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var values []located
	for dec.More() {
		value, offset, err := nextValue(dec)
		if err != nil {
			return nil, err
		}
		values = append(values, located{value, offset})
	}
	return values, nil
}

func nextValue(dec *json.Decoder) (value json.RawMessage, offset int, err error) {
	if err := dec.Decode(&value); err != nil {
		return nil, 0, err
	}
	return value, int(dec.InputOffset()) - len(value), nil
}

func skipSeparators(text []byte, i int) int {
	for i < len(text) && bytes.IndexByte([]byte(" \t\r\n,"), text[i]) >= 0 {
		i++
	}
	return i
}

// get returns a value; nil if the key is absent.
func (o object) get(key string) json.RawMessage {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// set replaces a value in its place, or appends it.
func (o *object) set(key string, value json.RawMessage) {
	for i := range *o {
		if (*o)[i].key == key {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{key: key, rawKey: rawjson.Encode(key), value: value})
}

func (o *object) remove(key string) {
	for i := range *o {
		if (*o)[i].key == key {
			*o = append((*o)[:i:i], (*o)[i+1:]...)
			return
		}
	}
}

// encode returns the object as JSON. It adds no indentation.
func (o object) encode() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(m.rawKey)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// stringValue decodes a JSON string. It returns false for anything else, null included.
func stringValue(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// position turns an offset into a line and a column, both from 1, the column in
// characters.
func position(text []byte, offset int) (line, column int) {
	offset = min(max(offset, 0), len(text))
	before := text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
