package surface

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// Arguments are those of one call, repaired and checked: string, int, bool,
// float64 (Number), []string, json.RawMessage (Object), []json.RawMessage (Values) or
// []Arguments (Objects) by name, absent where the caller left them out. A
// place among siblings (Order) is "first", "last" or an int. What was clamped
// is told by Clamped.
type Arguments map[string]any

// Text returns a string, empty where the caller sent none.
func (a Arguments) Text(name string) string {
	s, _ := a[name].(string)
	return s
}

// Has reports whether the caller sent the argument.
func (a Arguments) Has(name string) bool {
	_, ok := a[name]
	return ok
}

// List returns a list of strings.
func (a Arguments) List(name string) []string {
	list, _ := a[name].([]string)
	return list
}

// Values returns a list of JSON values.
func (a Arguments) Values(name string) []json.RawMessage {
	list, _ := a[name].([]json.RawMessage)
	return list
}

// Objects returns a list of objects, each with arguments of its own.
func (a Arguments) Objects(name string) []Arguments {
	list, _ := a[name].([]Arguments)
	return list
}

// Number returns an integer, or the default where the caller sent none.
func (a Arguments) Number(name string, otherwise int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return otherwise
}

// Float returns a number, or the default where the caller sent none.
func (a Arguments) Float(name string, otherwise float64) float64 {
	if n, ok := a[name].(float64); ok {
		return n
	}
	return otherwise
}

// IsNull reports whether the caller sent null for a parameter with Null.
func (a Arguments) IsNull(name string) bool {
	value, sent := a[name]
	return sent && value == nil
}

// Flag returns a boolean, or the default where the caller sent none.
func (a Arguments) Flag(name string, otherwise bool) bool {
	if b, ok := a[name].(bool); ok {
		return b
	}
	return otherwise
}

// Pick copies the named arguments that the caller sent into an action's
// arguments; names come in pairs: ours, Roam's.
func (a Arguments) Pick(into map[string]any, names ...string) map[string]any {
	for i := 0; i+1 < len(names); i += 2 {
		if value, ok := a[names[i]]; ok {
			into[names[i+1]] = value
		}
	}
	return into
}

// ParseArguments repairs what models send and checks it against the tool's
// parameters. Repaired are: the whole object as a JSON string; a number or a
// boolean as a string, and the other way round; a list as a JSON string; null,
// and what forms are filled with, for absent; page_title for pageTitle; a link for
// a title. What stays wrong is INVALID_PARAMS.
//
// hidden parameters are accepted although the tool's schema does not show them.
func ParseArguments(toolName string, raw json.RawMessage, params, hidden []Param) (Arguments, error) {
	object, err := argumentObject(toolName, raw)
	if err != nil {
		return nil, err
	}
	out := Arguments{}
	for _, m := range object {
		p, ok := findParam(params, m.Key)
		if !ok {
			p, ok = findParam(hidden, m.Key)
		}
		switch {
		case !ok:
			return nil, Invalid(toolName, "there is no parameter %s; it takes %s.", textsafe.Quote(m.Key), nameList(params))
		case p.Kind == Ignored:
			continue
		case string(m.Value) == "null" && p.Null:
			out[p.Name] = nil
			continue
		case string(m.Value) == "null" || p.isFiller(m.Value):
			continue
		}
		value, err := p.parse(m.Value)
		if nested, ok := problem.As(err); ok { // says by itself what is wrong
			return nil, Invalid(toolName, "%s", nested.Message)
		}
		if err != nil {
			return nil, Invalid(toolName, "%s is %s; it takes %s.", p.Name, textsafe.Quote(asSent(m.Value)), err)
		}
		out[p.Name] = value
		if n, ok := value.(int); ok && p.Clamp {
			out.clamp(p, n)
		}
	}
	for _, p := range params {
		if p.Required && !out.Has(p.Name) {
			return nil, Invalid(toolName, "%s is missing: it takes %s.", p.Name, p.wants())
		}
	}
	return out, nil
}

// isFiller reports whether a value is what forms send for a field that was left out: an
// empty text where a text means nothing, or 0 where there must be more.
func (p Param) isFiller(value json.RawMessage) bool {
	switch {
	case p.Required:
		return false
	case string(value) == `""`:
		return p.Kind != String || len(p.Choices) > 0 || p.NonEmpty
	}
	return asSent(value) == "0" && (p.Kind == Integer || p.Kind == Number) && p.Min != nil && *p.Min > 0
}

// asSent is a value as a sentence shows it: a text without its JSON quotes.
func asSent(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// argumentObject finds the object in what came as arguments.
func argumentObject(toolName string, raw json.RawMessage) (rawjson.Object, error) {
	for range 2 { // an object, or a string that holds one
		raw = bytes.TrimSpace(raw)
		if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
			return nil, nil
		}
		if raw[0] == '{' && json.Valid(raw) {
			return rawjson.Parse(raw), nil
		}
		var text string
		if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
			break
		}
		raw = json.RawMessage(text)
	}
	return nil, Invalid(toolName, "the arguments are %s; they must be a JSON object.", textsafe.Quote(string(raw)))
}

// findParam finds a parameter by its name, or by the same name written
// differently: parent_uid, ParentUid.
func findParam(params []Param, name string) (Param, bool) {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
	}
	for _, p := range params {
		if p.Name == name {
			return p, true
		}
	}
	for _, p := range params {
		if plain(p.Name) == plain(name) {
			return p, true
		}
	}
	return Param{}, false
}

// OnlyOne returns the name of the one text that the caller gave among several, of
// which there must be exactly one.
func (a Arguments) OnlyOne(toolName string, names ...string) (string, error) {
	var given []string
	for _, name := range names {
		if strings.TrimSpace(a.Text(name)) != "" {
			given = append(given, name)
		}
	}
	if len(given) != 1 {
		last := len(names) - 1
		return "", Invalid(toolName, "give exactly one of %s and %s; the call has %d.", strings.Join(names[:last], ", "), names[last], len(given))
	}
	return given[0], nil
}

func nameList(params []Param) string {
	if len(params) == 0 {
		return "none"
	}
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

// clampedKey is the key of the notes on what was clamped. It is the name of no
// parameter.
const clampedKey = "\x00clamped"

// clamp puts an integer between the bounds of its parameter, and notes that. A
// negative number for what has an upper bound means as many as there may be.
func (a Arguments) clamp(p Param, n int) {
	used := n
	switch {
	case n < 0 && p.Max != nil:
		used = *p.Max
	case p.Min != nil && n < *p.Min:
		used = *p.Min
	case p.Max != nil && n > *p.Max:
		used = *p.Max
	}
	if used == n {
		return
	}
	a[p.Name] = used
	notes, _ := a[clampedKey].([]string)
	a[clampedKey] = append(notes, fmt.Sprintf("%s was %d; it is %s, so %d was used.", p.Name, n, p.wants(), used))
}

// Clamped says which integers were beyond their bounds and what was used instead;
// empty where none was.
func (a Arguments) Clamped() string {
	notes, _ := a[clampedKey].([]string)
	return strings.Join(notes, " ")
}

// Optional returns an argument, nil where the caller sent none.
func Optional[T any](args Arguments, name string) *T {
	if value, ok := args[name].(T); ok {
		return &value
	}
	return nil
}
