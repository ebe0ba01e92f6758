package textsafe

import (
	"bytes"

	"roam-mcp/internal/rawjson"
)

// EscapeJSON returns a JSON text with Escape applied to each string in it; has says
// which markup the value of a member has, by its key. Strings that need no escape keep
// their bytes.
func EscapeJSON(text []byte, has func(key string) Markup) []byte {
	key := ""
	return mapStrings(text, func(literal []byte, isKey bool) (string, bool) {
		markup := Previews
		if !isKey {
			markup = has(key)
		}
		if isKey || !isPlain(literal, markup) {
			s, ok := rawjson.DecodeString(literal)
			if isKey {
				key = s
			}
			changed := Escape(s, markup)
			return changed, ok && changed != s
		}
		return "", false
	})
}

// UnescapeJSON returns a JSON text with Unescape applied to each string in it.
func UnescapeJSON(text []byte) []byte {
	if !bytes.ContainsRune(text, quote) && !bytes.Contains(text, []byte(`\u2039`)) {
		return text
	}
	return mapStrings(text, func(literal []byte, _ bool) (string, bool) {
		s, ok := rawjson.DecodeString(literal)
		changed := Unescape(s)
		return changed, ok && changed != s
	})
}

// mapStrings returns a JSON text in which those strings are others that change says so of.
func mapStrings(text []byte, change func(literal []byte, isKey bool) (changed string, differs bool)) []byte {
	var out []byte
	done := 0
	for s := range rawjson.Strings(text) {
		if changed, differs := change(text[s.Start:s.End], s.IsKey); differs {
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
func isPlain(literal []byte, has Markup) bool {
	for i := 0; i < len(literal); i++ {
		switch c := literal[i]; {
		case c == '<' && has != Own, c == '\\' && i+1 < len(literal) && bytes.IndexByte([]byte("ubfr"), literal[i+1]) >= 0:
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
