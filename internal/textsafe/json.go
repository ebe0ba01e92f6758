package textsafe

import (
	"bytes"

	"roam-mcp/internal/rawjson"
)

// EscapeJSON returns a JSON text with Escape applied to each string in it; has says
// which markup the value of a member has, by its key. Strings that need no escape keep
// their bytes.
func EscapeJSON(text []byte, has func(key string) Markup) []byte {
	return mapStrings(text, isPlain, func(key, s string) string { return Escape(s, has(key)) })
}

// UnescapeJSON returns a JSON text with Unescape applied to each string in it.
func UnescapeJSON(text []byte) []byte {
	if !bytes.ContainsRune(text, quote) && !bytes.Contains(text, []byte(`\u2039`)) {
		return text
	}
	return MapStrings(text, func(_, s string) string { return Unescape(s) })
}

// MapStrings returns a JSON text with each string in it changed. key is that of the member
// whose value holds the string; "" for a key.
func MapStrings(text []byte, change func(key, s string) string) []byte {
	return mapStrings(text, func([]byte) bool { return false }, change)
}

// mapStrings is MapStrings for the strings that stay does not accept.
func mapStrings(text []byte, stay func(literal []byte) bool, change func(key, s string) string) []byte {
	var out []byte
	done, key := 0, ""
	for s := range rawjson.Strings(text) {
		literal := text[s.Start:s.End]
		if !s.IsKey && stay(literal) {
			continue
		}
		decoded, ok := rawjson.DecodeString(literal)
		of := key
		if s.IsKey {
			of, key = "", decoded
		}
		if changed := change(of, decoded); ok && changed != decoded {
			out = append(append(out, text[done:s.Start]...), rawjson.Encode(changed)...)
			done = s.End
		}
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// isPlain reports whether nothing in a string can need an escape, without decoding it.
func isPlain(literal []byte) bool {
	for i := 0; i < len(literal); i++ {
		switch c := literal[i]; {
		case c == '<', c == '\\' && i+1 < len(literal) && bytes.IndexByte([]byte("ubfr"), literal[i+1]) >= 0:
			return false
		case c == '\\':
			i++
		case c >= 0x80:
			return false
		case Hidden(rune(c)):
			return false
		}
	}
	return true
}
