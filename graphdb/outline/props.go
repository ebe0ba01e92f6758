package outline

import (
	"encoding/json"
	"math"
	"strings"

	"roam-mcp/graphdb/edn"
)

// propsJSON gives stored properties as JSON. An EDN dump holds them as EDN,
// which is kept as it is; "" for what is neither.
func propsJSON(stored string) string {
	if stored == "" || json.Valid([]byte(stored)) {
		return stored
	}
	v, err := edn.Parse(stored, edn.Limits{Bytes: int64(len(stored)) + 1})
	if err != nil {
		return ""
	}
	text, err := json.Marshal(jsonOf(v))
	if err != nil {
		return ""
	}
	return string(text)
}

// jsonOf is an EDN value as Roam's JSON has it: keywords by their names, and
// null for numbers that JSON can't write.
func jsonOf(v any) any {
	switch v := v.(type) {
	case nil, bool, int64, string:
		return v
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	case edn.Keyword:
		return strings.TrimPrefix(string(v), ":")
	case *edn.Map:
		m := make(map[string]any, len(v.Keys))
		for i, k := range v.Keys {
			m[jsonKey(k)] = jsonOf(v.Values[i])
		}
		return m
	case edn.Vector:
		return jsonList(v)
	case edn.List:
		return jsonList(v)
	case edn.Set:
		return jsonList(v)
	}
	return edn.Print(v)
}

func jsonKey(k any) string {
	if s, ok := jsonOf(k).(string); ok {
		return s
	}
	return edn.Print(k)
}

func jsonList(items []any) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = jsonOf(item)
	}
	return out
}
