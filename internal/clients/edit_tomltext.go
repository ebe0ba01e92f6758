package clients

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// tomlValueOf returns what go-toml has decoded, with keys in the order of the alphabet.
func tomlValueOf(v any) value {
	switch v := v.(type) {
	case map[string]any:
		o := make(object, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			o = append(o, member{key, tomlValueOf(v[key])})
		}
		return o
	case []any:
		all := make(list, 0, len(v))
		for _, each := range v {
			all = append(all, tomlValueOf(each))
		}
		return all
	case string:
		return text(v)
	case bool:
		return scalar{"bool", strconv.FormatBool(v)}
	case int64:
		return scalar{"int", strconv.FormatInt(v, 10)}
	case float64:
		return scalar{"float", strconv.FormatFloat(v, 'g', -1, 64)}
	}
	return scalar{fmt.Sprintf("%T", v), fmt.Sprint(v)}
}

func tomlHeader(path []string, array bool) string {
	keys := make([]string, len(path))
	for i, key := range path {
		keys[i] = tomlKey(key)
	}
	if array {
		return "[[" + strings.Join(keys, ".") + "]]"
	}
	return "[" + strings.Join(keys, ".") + "]"
}

func tomlPairs(fields entryFields) []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = tomlKey(f.Key) + " = " + tomlText(f.Value)
	}
	return all
}

func tomlKey(key string) string {
	if strings.IndexFunc(key, func(r rune) bool { return r > 127 || !isBareTOML(byte(r)) }) < 0 {
		return key
	}
	return tomlString(key)
}

// tomlText returns the text of a value, in one line.
func tomlText(v any) string {
	switch v := v.(type) {
	case entryFields:
		if len(v) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(tomlPairs(v), ", ") + " }"
	case []string:
		all := make([]string, len(v))
		for i, each := range v {
			all[i] = tomlString(each)
		}
		return "[" + strings.Join(all, ", ") + "]"
	case string:
		return tomlString(v)
	}
	return fmt.Sprint(v)
}

// tomlString returns a string: without escapes where it has backslashes, as paths of
// Windows have.
func tomlString(s string) string {
	control := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == '\'' || r == 0x7F })
	if strings.Contains(s, `\`) && control < 0 {
		return "'" + s + "'"
	}
	return strings.ReplaceAll(quoted(s), "\x7F", `\u007F`)
}

func isBareTOML(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
