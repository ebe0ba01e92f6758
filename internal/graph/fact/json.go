package fact

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/rawjson"
)

// maxJSON bounds what Parse reads, in bytes: MaxText of characters that are all
// escaped, and 2 KiB for all else of each of MaxThings.
const maxJSON = 6*MaxText + MaxThings*2<<10

// JSON returns the state as JSON. Equal states give equal bytes.
func (s State) JSON() []byte {
	things := map[string]json.RawMessage{}
	for uid, f := range s.Things {
		things[uid] = f.json()
	}
	members := map[string]any{"things": things}
	if s.Shortcuts != nil {
		members["shortcuts"] = s.Shortcuts
	}
	if s.File != "" {
		members["file"] = s.File
	}
	for key, value := range s.unknown {
		members[key] = value
	}
	return rawjson.Encode(members)
}

func (f Fact) json() json.RawMessage {
	text := rawjson.Encode(f)
	if len(f.unknown) == 0 {
		return text
	}
	members := map[string]json.RawMessage{}
	maps.Insert(members, rawjson.Members(text))
	maps.Copy(members, f.unknown)
	return rawjson.Encode(members)
}

// Parse reads what JSON returned, also that of a later version, whose fields it
// keeps. Of no bytes it makes an empty state.
func Parse(text []byte) (State, error) {
	state := State{Things: map[string]Fact{}}
	switch {
	case len(text) == 0:
		return state, nil
	case len(text) > maxJSON:
		return State{}, fmt.Errorf("facts of %d bytes: %w", len(text), ErrTooLarge)
	case !utf8.Valid(text):
		return State{}, errors.New("facts: they are no UTF-8")
	}
	var known struct {
		Things    map[string]json.RawMessage `json:"things"`
		Shortcuts []string                   `json:"shortcuts"`
		File      string                     `json:"file"`
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return State{}, fmt.Errorf("facts: %w", err)
	}
	if !rawjson.IsObject(text) {
		return State{}, errors.New("facts: they are no object")
	}
	state.Shortcuts, state.File, state.unknown = known.Shortcuts, known.File, unknownOf(text, reflect.TypeOf(known))
	for uid, each := range known.Things {
		f := Fact{UID: uid}
		if err := json.Unmarshal(each, &f); err != nil {
			return State{}, fmt.Errorf("facts of %q: %w", uid, err)
		}
		f.unknown = unknownOf(each, reflect.TypeFor[Fact]())
		state.Things[uid] = f
	}
	return state, nil
}

// unknownOf returns the members of a valid JSON object that a struct has no field for;
// nil where there are none.
func unknownOf(object []byte, known reflect.Type) map[string]json.RawMessage {
	var unknown map[string]json.RawMessage
	for key, value := range rawjson.Members(object) {
		if hasField(known, key) {
			continue
		}
		if unknown == nil {
			unknown = map[string]json.RawMessage{}
		}
		unknown[key] = value
	}
	return unknown
}

// hasField reports whether encoding/json reads a key into a field of a struct.
func hasField(known reflect.Type, key string) bool {
	for i := range known.NumField() {
		name, _, _ := strings.Cut(known.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" && strings.EqualFold(name, key) {
			return true
		}
	}
	return false
}
