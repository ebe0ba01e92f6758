package mcpserve

import (
	"bytes"
	"encoding/json"
	"slices"

	"roam-mcp/internal/rawjson"
)

// member is one member of a JSON object; value is part of the text it was
// found in.
type member struct {
	key   string
	value json.RawMessage
}

func isObject(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 1 && raw[0] == '{'
}

// members splits a valid JSON object into its members without decoding the
// values. It returns nil for anything else than an object.
func members(raw []byte) []member {
	if !isObject(raw) {
		return nil
	}
	found := []member{}
	for key, value := range rawjson.Members(raw) {
		found = append(found, member{key, value})
	}
	return found
}

// elements splits a valid JSON array into its elements.
func elements(raw []byte) []json.RawMessage { return slices.Collect(rawjson.Elements(raw)) }

// get finds the value of a key, nil where there is none.
func get(object []member, key string) json.RawMessage {
	for _, m := range object {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// set replaces the value of a key, or adds it at the end.
func set(object []member, key string, value json.RawMessage) []member {
	for i := range object {
		if object[i].key == key {
			object[i].value = value
			return object
		}
	}
	return append(object, member{key, value})
}

// without drops a key.
func without(object []member, key string) []member {
	kept := object[:0:0]
	for _, m := range object {
		if m.key != key {
			kept = append(kept, m)
		}
	}
	return kept
}

// join is the inverse of members.
func join(object []member) json.RawMessage {
	size := 2
	for _, m := range object {
		size += len(m.key) + len(m.value) + 4
	}
	out := make([]byte, 1, size)
	out[0] = '{'
	for i, m := range object {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, encode(m.key)...)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// prepend puts members in front of those of a valid JSON object, whose own
// values of the same keys are dropped.
func prepend(raw json.RawMessage, front []member) json.RawMessage {
	return join(append(front[:len(front):len(front)], others(members(raw), front)...))
}

// others are the members of object whose keys are not in taken.
func others(object, taken []member) []member {
	for _, m := range taken {
		object = without(object, m.key)
	}
	return object
}

// encode is json.Marshal for values that can't fail, without the escapes that
// HTML needs and a model does not.
func encode(value any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		// Only our own values come here: strings, numbers, plain structs.
		panic("mcpserve: a value that JSON can't hold: " + err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
