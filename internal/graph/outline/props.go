package outline

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"

	"roam-mcp/internal/graph/edn"
)

// maxPropsDepth bounds how deep properties are nested; package edn reads no more.
const maxPropsDepth = 100

// storedJSON returns a map or list that came as JSON in the form in which it is
// stored, which is EDN. Keys that can be keywords are keywords, as Roam has them
// ({"a": 1} is {:a 1}); others, such as addresses, are text. Empty is empty.
func storedJSON(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	v, err := parseJSON([]byte(text))
	if err != nil {
		return "", invalid("Properties are JSON of at most %d levels: %v.", maxPropsDepth, err)
	}
	return edn.Print(ednOf(v)), nil
}

// storedExport is storedJSON for what an export holds in two forms: the plain one
// without the colons of keywords, and the qualified one with them. Either may be
// empty. Both together tell keywords from texts.
func storedExport(plain, qualified json.RawMessage) (string, error) {
	if isNull(qualified) {
		if isNull(plain) {
			return "", nil
		}
		return storedJSON(string(plain))
	}
	q, err := parseJSON(qualified)
	if err != nil {
		return "", err
	}
	var p any
	if !isNull(plain) {
		if p, err = parseJSON(plain); err != nil {
			return "", err
		}
	}
	return edn.Print(unqualified(q, p, p != nil)), nil
}

func isNull(text json.RawMessage) bool { return len(text) == 0 || string(text) == "null" }

func parseJSON(text []byte) (v any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	if depthOf(v) > maxPropsDepth {
		return nil, invalid("they are nested more than %d levels deep", maxPropsDepth)
	}
	return v, nil
}

func depthOf(v any) int {
	deepest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			deepest = max(deepest, depthOf(item))
		}
	case []any:
		for _, item := range v {
			deepest = max(deepest, depthOf(item))
		}
	default:
		return 0
	}
	return deepest + 1
}

func ednOf(v any) any {
	switch v := v.(type) {
	case json.Number:
		return numberOf(v)
	case []any:
		items := make(edn.Vector, len(v))
		for i, item := range v {
			items[i] = ednOf(item)
		}
		return items
	case map[string]any:
		m := &edn.Map{}
		for k, item := range v {
			m.Keys, m.Values = append(m.Keys, keywordOr(strings.TrimPrefix(k, ":"), k)), append(m.Values, ednOf(item))
		}
		return m
	}
	return v
}

func numberOf(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, _ := n.Float64()
	return f
}

// keywordOr returns the keyword of a name, or another text if there can be none.
func keywordOr(name, otherwise string) any {
	if name != "" && !strings.ContainsAny(name, ":\\") {
		if v, err := edn.Parse(":"+name, edn.Limits{}); err == nil && v == any(edn.Keyword(":"+name)) {
			return v
		}
	}
	return otherwise
}

// unqualified returns the value of the qualified form. If the plain one is known, a
// text with a colon is a keyword only where that has it without.
func unqualified(q, p any, known bool) any {
	switch q := q.(type) {
	case json.Number:
		return numberOf(q)
	case string:
		if name, colon := strings.CutPrefix(q, ":"); colon && known && p == any(name) {
			return keywordOr(name, q)
		}
		return q
	case []any:
		plain, known := p.([]any)
		items := make(edn.Vector, len(q))
		for i, item := range q {
			if known = known && len(plain) == len(q); known {
				items[i] = unqualified(item, plain[i], true)
			} else {
				items[i] = unqualified(item, nil, false)
			}
		}
		return items
	case map[string]any:
		plain, known := p.(map[string]any)
		m := &edn.Map{}
		for k, item := range q {
			key, there := any(k), false
			var other any
			if name, colon := strings.CutPrefix(k, ":"); colon {
				if other, there = plain[name]; there || !known {
					key = keywordOr(name, k)
				}
			}
			if !there {
				other, there = plain[k]
			}
			m.Keys, m.Values = append(m.Keys, key), append(m.Values, unqualified(item, other, there))
		}
		return m
	}
	return q
}

// propsJSON returns what is stored as JSON: in the plain form, or in the qualified one
// (":a"). It is empty for what is neither EDN nor JSON, as older graphs hold it.
func propsJSON(stored string, qualified bool) string {
	if stored == "" || json.Valid([]byte(stored)) {
		return stored
	}
	v, err := edn.Parse(stored, edn.Limits{Bytes: int64(len(stored)) + 1, Depth: maxPropsDepth + 1})
	if err != nil {
		return ""
	}
	text, err := json.Marshal(jsonOf(v, qualified))
	if err != nil {
		return ""
	}
	return string(text)
}

// jsonOf is an EDN value as JSON: null for numbers that JSON can't write.
func jsonOf(v any, qualified bool) any {
	switch v := v.(type) {
	case nil, bool, int64, string:
		return v
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	case edn.Keyword:
		if qualified {
			return string(v)
		}
		return strings.TrimPrefix(string(v), ":")
	case *edn.Map:
		m := make(map[string]any, len(v.Keys))
		for i, k := range v.Keys {
			m[jsonKey(k, qualified)] = jsonOf(v.Values[i], qualified)
		}
		return m
	case edn.Vector:
		return jsonList(v, qualified)
	case edn.List:
		return jsonList(v, qualified)
	case edn.Set:
		return jsonList(v, qualified)
	}
	return edn.Print(v)
}

func jsonKey(k any, qualified bool) string {
	if s, ok := jsonOf(k, qualified).(string); ok {
		return s
	}
	return edn.Print(k)
}

func jsonList(items []any, qualified bool) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = jsonOf(item, qualified)
	}
	return out
}
