package mcpserve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"roam-mcp/internal/rawjson"
)

// arguments are those of one call, repaired and checked: string, int, bool,
// []string, json.RawMessage (kindObject), []json.RawMessage (kindValues) or
// []arguments (kindObjects) by name, absent where the caller left them out. A
// place among siblings (kindOrder) is "first", "last" or an int.
type arguments map[string]any

func (a arguments) text(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a arguments) has(name string) bool {
	_, ok := a[name]
	return ok
}

func (a arguments) list(name string) []string {
	list, _ := a[name].([]string)
	return list
}

func (a arguments) values(name string) []json.RawMessage {
	list, _ := a[name].([]json.RawMessage)
	return list
}

func (a arguments) objects(name string) []arguments {
	list, _ := a[name].([]arguments)
	return list
}

// number gives an integer, or the default where the caller sent none.
func (a arguments) number(name string, otherwise int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return otherwise
}

// flag gives a boolean, or the default where the caller sent none.
func (a arguments) flag(name string, otherwise bool) bool {
	if b, ok := a[name].(bool); ok {
		return b
	}
	return otherwise
}

// pick copies the named arguments that the caller sent into an action's
// arguments; names come in pairs: ours, Roam's.
func (a arguments) pick(into map[string]any, names ...string) map[string]any {
	for i := 0; i+1 < len(names); i += 2 {
		if value, ok := a[names[i]]; ok {
			into[names[i+1]] = value
		}
	}
	return into
}

// parseArguments repairs what models send and checks it against the tool's
// parameters. Repaired are: the whole object as a JSON string; a number or a
// boolean as a string, and the other way round; a list as a JSON string; null
// for absent; page_title for pageTitle; a link for a title. What stays wrong is INVALID_PARAMS.
//
// hidden parameters are accepted although the tool's schema does not show them.
func parseArguments(toolName string, raw json.RawMessage, params, hidden []param) (arguments, error) {
	object, err := argumentObject(toolName, raw)
	if err != nil {
		return nil, err
	}
	accepted := append(params[:len(params):len(params)], hidden...)
	out := arguments{}
	for _, m := range object {
		p, ok := findParam(accepted, m.Key)
		if !ok {
			return nil, invalid(toolName, "there is no parameter %s; it takes %s.", quote(m.Key), nameList(params))
		}
		if string(m.Value) == "null" {
			continue
		}
		value, err := p.parse(m.Value)
		var nested *failure // says by itself what is wrong
		if errors.As(err, &nested) {
			return nil, invalid(toolName, "%s", nested.Message)
		}
		if err != nil {
			return nil, invalid(toolName, "%s is %s; it takes %s.", p.name, quote(asSent(m.Value)), err)
		}
		out[p.name] = value
	}
	for _, p := range params {
		if p.required && !out.has(p.name) {
			return nil, invalid(toolName, "%s is missing: it takes %s.", p.name, p.wants())
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
	return nil, invalid(toolName, "the arguments are %s; they must be a JSON object.", quote(string(raw)))
}

// findParam finds a parameter by its name, or by the same name written
// differently: parent_uid, ParentUid.
func findParam(params []param, name string) (param, bool) {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
	}
	for _, p := range params {
		if p.name == name {
			return p, true
		}
	}
	for _, p := range params {
		if plain(p.name) == plain(name) {
			return p, true
		}
	}
	return param{}, false
}

// parse reads a value as the parameter wants it. Its error says what is wanted.
func (p param) parse(raw json.RawMessage) (any, error) {
	var text string
	isText := json.Unmarshal(raw, &text) == nil
	scalar := len(raw) > 0 && raw[0] != '{' && raw[0] != '['
	if !isText && scalar {
		text = string(raw) // a number or a boolean, as it was written
	}
	switch p.kind {
	case kindString:
		return p.parseString(text, isText || scalar)
	case kindInteger:
		return p.parseInteger(text)
	case kindBoolean:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, p.wants()
	case kindOrder:
		switch word := strings.ToLower(strings.TrimSpace(text)); word {
		case "first", "last":
			return word, nil
		default:
			return p.parseInteger(word)
		}
	case kindStrings:
		return p.parseStrings(raw, text)
	case kindObject:
		for _, each := range []json.RawMessage{raw, json.RawMessage(text)} {
			if rawjson.IsObject(each) && json.Valid(each) {
				return each, nil
			}
		}
	case kindValues:
		if list, ok := listIn(raw, text); ok {
			return list, nil
		}
		return []json.RawMessage{raw}, nil
	case kindObjects:
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
func (p param) parseObjects(raw json.RawMessage, text string) (any, error) {
	list, ok := listIn(raw, text)
	if !ok {
		if !rawjson.IsObject(raw) && !rawjson.IsObject([]byte(text)) {
			return nil, p.wants()
		}
		list = []json.RawMessage{raw}
	}
	parsed := make([]arguments, 0, len(list))
	for i, each := range list {
		object, err := parseArguments(fmt.Sprintf("%s[%d]", p.name, i), each, p.fields, nil)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, object)
	}
	return parsed, nil
}

func (p param) parseString(text string, ok bool) (any, error) {
	if p.title {
		text = bareTitle(text)
	}
	if !ok || p.nonEmpty && strings.TrimSpace(text) == "" {
		return nil, p.wants()
	}
	if len(p.choices) == 0 {
		return text, nil
	}
	for _, choice := range p.choices {
		if strings.EqualFold(choice, strings.TrimSpace(text)) {
			return choice, nil
		}
	}
	return nil, p.wants()
}

// bareTitle is the title in a text that is one link as a whole, else the text:
// Roam would make a page called "[[Home]]" of it.
func bareTitle(text string) string {
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

func (p param) parseInteger(text string) (any, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<31 {
		return nil, p.wants()
	}
	n := int(f)
	if p.kind == kindOrder && n < 0 || p.min != nil && n < *p.min || p.max != nil && n > *p.max {
		return nil, p.wants()
	}
	return n, nil
}

func (p param) parseStrings(raw json.RawMessage, text string) (any, error) {
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
func (p param) wants() error {
	switch p.kind {
	case kindBoolean:
		return fmt.Errorf("true or false")
	case kindOrder:
		return fmt.Errorf("first, last or a whole number from 0")
	case kindStrings:
		return fmt.Errorf("a list of strings")
	case kindObject:
		return fmt.Errorf("an object")
	case kindValues:
		return fmt.Errorf("a list of values")
	case kindObjects:
		return fmt.Errorf("a list of objects with %s", nameList(p.fields))
	case kindInteger:
		switch {
		case p.min != nil && p.max != nil:
			return fmt.Errorf("a whole number from %d to %d", *p.min, *p.max)
		case p.min != nil:
			return fmt.Errorf("a whole number from %d", *p.min)
		}
		return fmt.Errorf("a whole number")
	case kindString:
		if len(p.choices) > 0 {
			return fmt.Errorf("one of: %s", strings.Join(p.choices, ", "))
		}
		if p.nonEmpty {
			return fmt.Errorf("a text that is not empty")
		}
	}
	return fmt.Errorf("a text")
}

// onlyOne gives the name of the one text that the caller gave among several, of
// which there must be exactly one.
func (c *call) onlyOne(names ...string) (string, error) {
	var given []string
	for _, name := range names {
		if strings.TrimSpace(c.args.text(name)) != "" {
			given = append(given, name)
		}
	}
	if len(given) != 1 {
		last := len(names) - 1
		return "", invalid(c.tool.name, "give exactly one of %s and %s; the call has %d.", strings.Join(names[:last], ", "), names[last], len(given))
	}
	return given[0], nil
}

func nameList(params []param) string {
	if len(params) == 0 {
		return "none"
	}
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.name
	}
	return strings.Join(names, ", ")
}
