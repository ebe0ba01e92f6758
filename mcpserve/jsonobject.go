package mcpserve

import (
	"bytes"
	"encoding/json"
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
	at := skipSpace(raw, 0)
	if at >= len(raw) || raw[at] != '{' {
		return nil
	}
	found := []member{}
	at = skipSpace(raw, at+1)
	for at < len(raw) && raw[at] == '"' {
		end := skipString(raw, at)
		key := raw[at:end]
		at = skipSpace(raw, end)
		if at >= len(raw) || raw[at] != ':' {
			return nil
		}
		at = skipSpace(raw, at+1)
		end = skipValue(raw, at)
		found = append(found, member{unquote(key), raw[at:end]})
		at = skipSpace(raw, end)
		if at < len(raw) && raw[at] == ',' {
			at = skipSpace(raw, at+1)
		}
	}
	return found
}

// elements splits a valid JSON array into its elements.
func elements(raw []byte) []json.RawMessage {
	at := skipSpace(raw, 0)
	if at >= len(raw) || raw[at] != '[' {
		return nil
	}
	var found []json.RawMessage
	at = skipSpace(raw, at+1)
	for at < len(raw) && raw[at] != ']' {
		end := skipValue(raw, at)
		if end == at {
			return nil
		}
		found = append(found, raw[at:end])
		at = skipSpace(raw, end)
		if at < len(raw) && raw[at] == ',' {
			at = skipSpace(raw, at+1)
		}
	}
	return found
}

func skipSpace(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\n' || raw[at] == '\r' || raw[at] == '\t') {
		at++
	}
	return at
}

// skipString returns the index behind the string that starts at raw[at].
func skipString(raw []byte, at int) int {
	for from := at + 1; from < len(raw); {
		n := bytes.IndexByte(raw[from:], '"')
		if n < 0 {
			break
		}
		end := from + n
		escapes := 0
		for end-escapes > from && raw[end-escapes-1] == '\\' {
			escapes++
		}
		if from = end + 1; escapes%2 == 0 {
			return from
		}
	}
	return len(raw)
}

// skipValue returns the index behind the value that starts at raw[at].
func skipValue(raw []byte, at int) int {
	depth := 0
	for at < len(raw) {
		switch raw[at] {
		case '"':
			at = skipString(raw, at)
			if depth == 0 {
				return at
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of a number, true, false or null
				return at
			}
			depth--
			if depth == 0 {
				return at + 1
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return at
			}
		}
		at++
	}
	return at
}

func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && len(raw) >= 2 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

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

// spliced is a JSON object in two pieces, so that the larger one need not be
// copied.
type spliced struct{ front, rest []byte }

func (s spliced) len() int { return len(s.front) + len(s.rest) }

// whole is the object in one piece.
func (s spliced) whole() json.RawMessage {
	if len(s.front) == 0 {
		return s.rest
	}
	return append(append(make([]byte, 0, s.len()), s.front...), s.rest...)
}

// splice puts members in front of those of a valid JSON object, which is
// neither copied nor decoded; only where it holds one of the keys itself is it
// taken apart, and its own value dropped.
func splice(raw json.RawMessage, front []member) spliced {
	raw = bytes.TrimSpace(raw)
	object := members(raw)
	if rest := others(object, front); len(rest) < len(object) {
		return spliced{rest: join(append(front[:len(front):len(front)], rest...))}
	}
	head := join(front)
	if len(object) == 0 || len(front) == 0 {
		return spliced{rest: head}
	}
	return spliced{front: append(head[:len(head)-1], ','), rest: raw[1:]}
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
