package configstore

import (
	"encoding/json"
	"errors"
	"fmt"

	"roam-mcp/localapi"
)

// element is one item of the list of graphs. A valid one gives an entry; one
// that is not valid is kept in the file and reported.
type element struct {
	raw    json.RawMessage
	fields object // nil where raw is no object, or one with a key twice
	line   int    // 0 for an element that was not read from a file
	entry  Entry  // as far as it could be read
	flaw   error  // nil where the entry is valid
}

func parseElement(raw json.RawMessage, line int) element {
	e := element{raw: raw, line: line}
	if raw[0] != '{' {
		e.flaw = errors.New("it must be a JSON object")
		return e
	}
	fields, err := parseObject(raw)
	if err != nil {
		e.flaw = err
		return e
	}
	e.fields = fields
	e.entry, e.flaw = decodeEntry(fields)
	return e
}

// decodeEntry checks the fields and returns the first flaw. The name, type and
// nickname are given even beside a flaw, as far as they can be read.
func decodeEntry(fields object) (Entry, error) {
	e := Entry{}
	flaws := []error{
		decodeName(fields, &e),
		decodeType(fields, &e),
		decodeToken(fields, &e),
		decodeNickname(fields, &e),
		decodeDisabled(fields, &e),
	}
	// What a newer program wrote into these two must not cost the graph.
	if level, ok := stringValue(fields.get("accessLevel")); ok && localapi.AccessLevel(level).Known() {
		e.AccessLevel = localapi.AccessLevel(level)
	}
	if status, ok := stringValue(fields.get("lastKnownTokenStatus")); ok && storable(localapi.TokenStatus(status)) {
		e.LastKnownTokenStatus = localapi.TokenStatus(status)
	}
	for _, flaw := range flaws {
		if flaw != nil {
			return e, flaw
		}
	}
	return e, nil
}

func decodeName(fields object, e *Entry) error {
	name, ok := stringValue(fields.get("name"))
	if !ok {
		return missingOrWrong(fields, "name", "a string")
	}
	e.Name = name
	return checkName(name)
}

func checkName(name string) error {
	if looksSecret(name) {
		return errors.New(`"name" holds a token instead of the graph's name`)
	}
	if !localapi.ValidGraphName(name) {
		return errors.New(`"name" is not a graph's name: letters, digits, "_" and "-"`)
	}
	return nil
}

func decodeType(fields object, e *Entry) error {
	raw := fields.get("type")
	text, ok := stringValue(raw)
	if raw == nil || string(raw) == "null" {
		ok = true
	}
	graphType, err := localapi.ParseGraphType(text)
	if !ok || err != nil {
		return errors.New(`"type" must be "hosted" or "offline"`)
	}
	e.Type = graphType
	return nil
}

func decodeToken(fields object, e *Entry) error {
	text, ok := stringValue(fields.get("token"))
	if !ok {
		return missingOrWrong(fields, "token", "a string")
	}
	token, err := localapi.ParseToken(text)
	if err != nil {
		return fmt.Errorf("%q can't be used: %w", "token", err)
	}
	e.Token = token
	return nil
}

func decodeNickname(fields object, e *Entry) error {
	text, ok := stringValue(fields.get("nickname"))
	if !ok {
		return missingOrWrong(fields, "nickname", "a string")
	}
	e.Nickname = text
	nickname, err := NormalizeNickname(text)
	if err != nil {
		var invalid *Error
		if errors.As(err, &invalid) {
			return fmt.Errorf("%q can't be used: %s", "nickname", invalid.Message)
		}
		return err
	}
	e.Nickname = nickname
	return nil
}

// decodeDisabled refuses anything but true and false: a graph that someone meant
// to disable must not be served because of a spelling.
func decodeDisabled(fields object, e *Entry) error {
	switch string(fields.get("disabled")) {
	case "", "null", "false":
		return nil
	case "true":
		e.Disabled = true
		return nil
	}
	return errors.New(`"disabled" must be true or false`)
}

func missingOrWrong(fields object, key, want string) error {
	if fields.get(key) == nil {
		return fmt.Errorf("%q is missing", key)
	}
	return fmt.Errorf("%q must be %s", key, want)
}

// newElement makes an element for an entry that is not in the file yet.
func newElement(entry Entry) element {
	e := element{fields: object{}}
	e.assign(entry)
	return e
}

// assign writes the entry into the element's fields. Fields that this build does
// not know stay, and so does the spelling of values that do not change.
func (e *element) assign(entry Entry) {
	e.setString("name", entry.Name)
	if e.entry.Type != entry.Type { // an absent type is a hosted one already
		e.setString("type", string(entry.Type))
	}
	e.setString("token", entry.Token.Reveal())
	e.setString("nickname", entry.Nickname)
	if entry.AccessLevel.Known() {
		e.setString("accessLevel", string(entry.AccessLevel))
	} else {
		e.fields.remove("accessLevel")
	}
	if storable(entry.LastKnownTokenStatus) {
		e.setString("lastKnownTokenStatus", string(entry.LastKnownTokenStatus))
	} else {
		e.fields.remove("lastKnownTokenStatus")
	}
	if entry.Disabled || e.fields.get("disabled") != nil {
		e.fields.set("disabled", encodeJSON(entry.Disabled))
	}
	e.reread()
}

func (e *element) setString(key, value string) {
	if old, ok := stringValue(e.fields.get(key)); !ok || old != value {
		e.fields.set(key, encodeJSON(value))
	}
}

func (e *element) setDisabled(disabled bool) {
	e.fields.set("disabled", encodeJSON(disabled))
	e.reread()
}

// reread brings raw and entry in line with the fields.
func (e *element) reread() {
	e.raw = e.fields.encode()
	e.entry, e.flaw = decodeEntry(e.fields)
}
