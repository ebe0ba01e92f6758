package configstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// element is one item of the list of graphs. An invalid one stays in the file and is
// reported.
type element struct {
	raw    json.RawMessage
	fields rawjson.Object // nil if raw is no object, or one with duplicate keys
	line   int            // 0 for an element that was not read from a file
	entry  Entry          // as far as it could be read
	flaw   error          // nil if the entry is valid

	historyFlaw string // what is wrong with its history, which counts as Off then
	historyAt   int    // offset in raw
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
	e.decode()
	return e
}

// decodeEntry decodes the fields and returns the first flaw. Even with a flaw, the entry
// has the name, type and nickname as far as they can be read.
func decodeEntry(fields rawjson.Object) (Entry, error) {
	e := Entry{}
	flaws := []error{
		decodeName(fields, &e),
		decodeType(fields, &e),
		decodeNickname(fields, &e),
		decodeDisabled(fields, &e),
		decodeAPIVersion(fields, &e),
		decodeToken(fields, &e), // last, so that errNoToken says that the rest is valid
	}
	// Unknown values of these two, from a newer program, are ignored.
	if level, ok := fields.Text("accessLevel"); ok && localapi.AccessLevel(level).Known() {
		e.AccessLevel = localapi.AccessLevel(level)
	}
	if status, ok := fields.Text("lastKnownTokenStatus"); ok && storable(localapi.TokenStatus(status)) {
		e.LastKnownTokenStatus = localapi.TokenStatus(status)
	}
	for _, flaw := range flaws {
		if flaw != nil {
			return e, flaw
		}
	}
	return e, nil
}

func decodeName(fields rawjson.Object, e *Entry) error {
	name, ok := fields.Text("name")
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

func decodeType(fields rawjson.Object, e *Entry) error {
	raw := fields.Get("type")
	text, ok := fields.Text("type")
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

// errNoToken is the flaw of an entry that has all but a token.
var errNoToken = errors.New("it has no token")

func decodeToken(fields rawjson.Object, e *Entry) error {
	raw := fields.Get("token")
	text, ok := fields.Text("token")
	if raw == nil || string(raw) == "null" || ok && strings.TrimSpace(text) == "" {
		return errNoToken
	}
	if !ok {
		return errors.New(`"token" must be a string`)
	}
	token, err := localapi.ParseToken(text)
	if err != nil {
		return fmt.Errorf("%q can't be used: %w", "token", err)
	}
	e.Token = token
	return nil
}

func decodeNickname(fields rawjson.Object, e *Entry) error {
	text, ok := fields.Text("nickname")
	if !ok {
		return missingOrWrong(fields, "nickname", "a string")
	}
	e.Nickname = text
	nickname, err := NormalizeNickname(text)
	if err != nil {
		if invalid, ok := problem.As(err); ok {
			return fmt.Errorf("%q can't be used: %s", "nickname", invalid.Message)
		}
		return err
	}
	e.Nickname = nickname
	return nil
}

// decodeDisabled refuses anything but true and false, so that no graph is served that
// somebody meant to disable.
func decodeDisabled(fields rawjson.Object, e *Entry) error {
	switch string(fields.Get("disabled")) {
	case "", "null", "false":
		return nil
	case "true":
		e.Disabled = true
		return nil
	}
	return errors.New(`"disabled" must be true or false`)
}

func decodeAPIVersion(fields rawjson.Object, e *Entry) error {
	raw := fields.Get("apiVersion")
	if raw == nil || string(raw) == "null" {
		return nil
	}
	text, ok := fields.Text("apiVersion")
	if !ok || localapi.CheckVersion(text) != nil {
		return fmt.Errorf(`"apiVersion" must be "%s" or a version such as "%s"`, localapi.AnyVersion, localapi.APIVersion)
	}
	e.APIVersion = text
	return nil
}

func missingOrWrong(fields rawjson.Object, key, want string) error {
	if fields.Get(key) == nil {
		return fmt.Errorf("%q is missing", key)
	}
	return fmt.Errorf("%q must be %s", key, want)
}

// newElement returns an element for a new entry.
func newElement(entry Entry) element {
	e := element{fields: rawjson.Object{}}
	e.assign(entry)
	return e
}

// assign sets the element's fields to those of the entry. Unknown fields are kept, and
// the spelling of values that do not change.
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
		e.fields = e.fields.Without("accessLevel")
	}
	if storable(entry.LastKnownTokenStatus) {
		e.setString("lastKnownTokenStatus", string(entry.LastKnownTokenStatus))
	} else {
		e.fields = e.fields.Without("lastKnownTokenStatus")
	}
	if entry.APIVersion != "" { // else it stays: nothing here changes it
		e.setString("apiVersion", entry.APIVersion)
	}
	if entry.Disabled || e.fields.Get("disabled") != nil {
		e.fields = e.fields.With("disabled", entry.Disabled)
	}
	if entry.History != "" && entry.History != e.entry.History { // else it stays, a wrong one too
		e.setHistory(entry.History)
	}
	e.reread()
}

func (e *element) setString(key, value string) {
	if old, ok := e.fields.Text(key); !ok || old != value {
		e.fields = e.fields.With(key, value)
	}
}

func (e *element) setDisabled(disabled bool) {
	e.fields = e.fields.With("disabled", disabled)
	e.reread()
}

// reread updates raw and entry from the fields.
func (e *element) reread() {
	e.raw = e.fields.JSON()
	e.fields = rawjson.Parse(e.raw)
	e.decode()
}

// decode updates the entry from the fields.
func (e *element) decode() {
	e.entry, e.flaw = decodeEntry(e.fields)
	e.entry.History, e.historyFlaw, e.historyAt = decodeEntryHistory(e.raw, e.fields)
}
