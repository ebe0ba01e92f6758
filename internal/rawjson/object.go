package rawjson

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Member is one member of an object.
type Member struct {
	Key   string
	Value json.RawMessage

	spelled []byte // the key in the text that was parsed; nil: it was in none
}

// Object is the members of an object, in their order. Its methods leave it as it
// is, and return what they make. Keys stay spelled as they were.
type Object []Member

// Parse returns the members of an object, nil for any other value.
func Parse(text []byte) Object {
	if !IsObject(text) {
		return nil
	}
	found := Object{}
	for key, value := range members(text) {
		found = append(found, Member{unquote(key), value, key})
	}
	return found
}

// IsObject reports whether a text begins as an object does.
func IsObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 1 && text[0] == '{'
}

// With returns an object of one member.
func With(key string, value any) Object { return Object{}.With(key, value) }

// With returns o with a member whose value Encode makes: in the place of the one
// that has the key, or at the end.
func (o Object) With(key string, value any) Object {
	for i := range o {
		if o[i].Key == key {
			changed := slices.Clone(o)
			changed[i].Value = Encode(value)
			return changed
		}
	}
	return append(slices.Clip(o), Member{Key: key, Value: Encode(value)})
}

// Append returns o with those members of more behind its own whose keys it lacks.
func (o Object) Append(more Object) Object { return append(slices.Clip(o), more.Except(o)...) }

// Without returns o less the members that have one of the keys.
func (o Object) Without(keys ...string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(m Member) bool { return slices.Contains(keys, m.Key) })
}

// Except returns o less the members whose keys other has as well.
func (o Object) Except(other Object) Object {
	return slices.DeleteFunc(slices.Clone(o), func(m Member) bool { return other.Get(m.Key) != nil })
}

// Get returns the value of a key, nil where there is none.
func (o Object) Get(key string) json.RawMessage {
	for _, m := range o {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// Text returns the value of a key that is a string; false where it is none.
func (o Object) Text(key string) (string, bool) {
	return DecodeString(o.Get(key))
}

// JSON returns the object as a text.
func (o Object) JSON() json.RawMessage {
	size := 2
	for _, m := range o {
		size += max(len(m.spelled), len(m.Key)+2) + len(m.Value) + 2
	}
	text := append(make([]byte, 0, size), '{')
	for i, m := range o {
		if i > 0 {
			text = append(text, ',')
		}
		if m.spelled != nil {
			text = append(text, m.spelled...)
		} else {
			text = AppendString(text, m.Key)
		}
		text = append(append(text, ':'), m.Value...)
	}
	return append(text, '}')
}

// MarshalJSON implements json.Marshaler, so that lists of objects are encoded as such.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	return o.JSON(), nil
}

// Array returns an array of elements.
func Array(elements []json.RawMessage) json.RawMessage {
	text := []byte{'['}
	for i, each := range elements {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, each...)
	}
	return append(text, ']')
}

// Encode returns a value as JSON, without the escapes that HTML needs and a
// model does not. Bytes are JSON already and stay as they are, null where there
// are none. The value must be one that JSON can hold.
func Encode(value any) json.RawMessage {
	switch text := value.(type) {
	case json.RawMessage:
		return orNull(text)
	case []byte:
		return orNull(text)
	case string:
		return AppendString(make([]byte, 0, len(text)+len(text)/8+2), text)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("rawjson: a value that JSON can't hold: " + err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func orNull(text []byte) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage("null")
	}
	return text
}
