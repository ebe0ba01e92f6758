package surface

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/problem"
)

// Arguments are those of one call, repaired and checked: string, int, bool,
// []string, json.RawMessage (Object), []json.RawMessage (Values) or
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
// boolean as a string, and the other way round; a list as a JSON string; null
// for absent; page_title for pageTitle; a link for a title. What stays wrong is INVALID_PARAMS.
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
		if !ok {
			return nil, Invalid(toolName, "there is no parameter %s; it takes %s.", safetext.Quote(m.Key), nameList(params))
		}
		if string(m.Value) == "null" {
			continue
		}
		value, err := p.parse(m.Value)
		if nested, ok := problem.As(err); ok { // says by itself what is wrong
			return nil, Invalid(toolName, "%s", nested.Message)
		}
		if err != nil {
			return nil, Invalid(toolName, "%s is %s; it takes %s.", p.Name, safetext.Quote(asSent(m.Value)), err)
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
	return nil, Invalid(toolName, "the arguments are %s; they must be a JSON object.", safetext.Quote(string(raw)))
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

// parse reads a value as the parameter wants it. Its error says what is wanted.
func (p Param) parse(raw json.RawMessage) (any, error) {
	var text string
	isText := json.Unmarshal(raw, &text) == nil
	scalar := len(raw) > 0 && raw[0] != '{' && raw[0] != '['
	if !isText && scalar {
		text = string(raw) // a number or a boolean, as it was written
	}
	switch p.Kind {
	case String:
		return p.parseString(text, isText || scalar)
	case Integer:
		return p.parseInteger(text)
	case Boolean:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, p.wants()
	case Order:
		switch word := strings.ToLower(strings.TrimSpace(text)); word {
		case "first", "last":
			return word, nil
		default:
			return p.parseInteger(word)
		}
	case Strings:
		return p.parseStrings(raw, text)
	case Object:
		for _, each := range []json.RawMessage{raw, json.RawMessage(text)} {
			if rawjson.IsObject(each) && json.Valid(each) {
				return each, nil
			}
		}
	case Values:
		if list, ok := listIn(raw, text); ok {
			return list, nil
		}
		if json.Valid([]byte(text)) { // one value, as JSON text
			return []json.RawMessage{json.RawMessage(text)}, nil
		}
		return []json.RawMessage{raw}, nil
	case Objects:
		return p.parseObjects(raw, text)
	}
	return nil, p.wants()
}

// listIn finds a JSON array in a value: the value itself, or a string that
// holds one.
func listIn(raw json.RawMessage, text string) ([]json.RawMessage, bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && list != nil {
		return list, true
	}
	if json.Unmarshal([]byte(text), &list) == nil && list != nil {
		return list, true
	}
	return nil, false
}

// parseObjects reads a list of objects, or one object alone; list and objects
// may come as JSON strings.
func (p Param) parseObjects(raw json.RawMessage, text string) (any, error) {
	list, ok := listIn(raw, text)
	if !ok {
		if !rawjson.IsObject(raw) && !rawjson.IsObject([]byte(text)) {
			return nil, p.wants()
		}
		list = []json.RawMessage{raw}
	}
	parsed := make([]Arguments, 0, len(list))
	for i, each := range list {
		object, err := ParseArguments(fmt.Sprintf("%s[%d]", p.Name, i), each, p.Fields, nil)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, object)
	}
	return parsed, nil
}

func (p Param) parseString(text string, ok bool) (any, error) {
	if p.Title && !p.Page { // of a page that is there, Resolve takes the link away
		text = BareTitle(text)
	}
	if !ok || p.NonEmpty && strings.TrimSpace(text) == "" {
		return nil, p.wants()
	}
	if len(p.Choices) == 0 {
		return text, nil
	}
	for _, choice := range p.Choices {
		if strings.EqualFold(choice, strings.TrimSpace(text)) {
			return choice, nil
		}
	}
	return nil, p.wants()
}

// BareTitle returns the title in a text that is one link as a whole, else the text:
// Roam would make a page called "[[Home]]" of it.
func BareTitle(text string) string {
	inside, opened := strings.CutPrefix(strings.TrimSpace(text), "[[")
	inside, closed := strings.CutSuffix(inside, "]]")
	if !opened || !closed || strings.TrimSpace(inside) == "" {
		return text
	}
	depth := 0
	for rest := inside; rest != ""; rest = rest[1:] {
		switch {
		case strings.HasPrefix(rest, "[["):
			depth, rest = depth+1, rest[1:]
		case strings.HasPrefix(rest, "]]"):
			depth, rest = depth-1, rest[1:]
		}
		if depth < 0 { // two links, or more
			return text
		}
	}
	return inside
}

func (p Param) parseInteger(text string) (any, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<31 {
		return nil, p.wants()
	}
	n := int(f)
	if p.Clamp {
		return n, nil
	}
	if p.Kind == Order && n < 0 || p.Min != nil && n < *p.Min || p.Max != nil && n > *p.Max {
		return nil, p.wants()
	}
	return n, nil
}

func (p Param) parseStrings(raw json.RawMessage, text string) (any, error) {
	var list []string
	if json.Unmarshal(raw, &list) == nil && list != nil {
		return list, nil
	}
	if json.Unmarshal([]byte(text), &list) == nil && list != nil {
		return list, nil
	}
	if text != "" {
		return []string{text}, nil
	}
	return nil, p.wants()
}

// wants says what the parameter takes, as the end of a sentence.
func (p Param) wants() error {
	switch p.Kind {
	case Boolean:
		return fmt.Errorf("true or false")
	case Order:
		return fmt.Errorf("first, last or a whole number from 0")
	case Strings:
		return fmt.Errorf("a list of strings")
	case Object:
		return fmt.Errorf("an object")
	case Values:
		return fmt.Errorf("a list of values")
	case Objects:
		return fmt.Errorf("a list of objects with %s", nameList(p.Fields))
	case Integer:
		switch {
		case p.Min != nil && p.Max != nil:
			return fmt.Errorf("a whole number from %d to %d", *p.Min, *p.Max)
		case p.Min != nil:
			return fmt.Errorf("a whole number from %d", *p.Min)
		}
		return fmt.Errorf("a whole number")
	case String:
		if len(p.Choices) > 0 {
			return fmt.Errorf("one of: %s", strings.Join(p.Choices, ", "))
		}
		if p.NonEmpty {
			return fmt.Errorf("a text that is not empty")
		}
	}
	return fmt.Errorf("a text")
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
