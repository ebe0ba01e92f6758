package surface

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/rawjson"
)

// parse reads a value as the parameter wants it. Its error says what is wanted.
func (p Param) parse(raw json.RawMessage) (any, error) {
	var text string
	isText := json.Unmarshal(raw, &text) == nil
	scalar := len(raw) > 0 && raw[0] != '{' && raw[0] != '['
	if !isText && scalar {
		text = string(raw) // a number or a boolean, as it was written
	}
	switch p.Kind {
	case String, Ignored:
		return p.parseString(text, isText || scalar)
	case Integer:
		return p.parseInteger(text)
	case Number:
		return p.parseNumber(text)
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
	if p.Title && !p.Page { // Roam would make a page called "[[Home]]"; of a page that is there, Resolve takes the link away
		text = note.BareTitle(text)
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

func (p Param) parseNumber(text string) (any, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || p.Min != nil && f < float64(*p.Min) || p.Max != nil && f > float64(*p.Max) {
		return nil, p.wants()
	}
	return f, nil
}

func (p Param) parseStrings(raw json.RawMessage, text string) (any, error) {
	var list []string
	switch {
	case json.Unmarshal(raw, &list) == nil && list != nil:
	case json.Unmarshal([]byte(text), &list) == nil && list != nil:
	case text != "":
		list = []string{text}
	default:
		return nil, p.wants()
	}
	if p.NonEmpty && len(list) == 0 {
		return nil, p.wants()
	}
	return list, nil
}

// wants says what the parameter takes, as the end of a sentence.
func (p Param) wants() error {
	switch p.Kind {
	case Boolean:
		return fmt.Errorf("true or false")
	case Order:
		return fmt.Errorf("first, last or a whole number from 0")
	case Strings:
		if p.NonEmpty {
			return fmt.Errorf("a list of one string or more")
		}
		return fmt.Errorf("a list of strings")
	case Number:
		if p.Min != nil && p.Max != nil {
			return fmt.Errorf("a number from %d to %d", *p.Min, *p.Max)
		}
		return fmt.Errorf("a number")
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
	case String, Ignored:
		if len(p.Choices) > 0 {
			return fmt.Errorf("one of: %s", strings.Join(p.Choices, ", "))
		}
		if p.NonEmpty {
			return fmt.Errorf("a text that is not empty")
		}
	}
	return fmt.Errorf("a text")
}
