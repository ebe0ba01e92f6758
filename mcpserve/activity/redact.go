package activity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/internal/safetext"
)

const (
	// mostArguments is the size in bytes up to which arguments are taken apart.
	mostArguments = 256 << 10
	// mostShown is the size in bytes of arguments as they are shown.
	mostShown     = 8 << 10
	longestShown  = 500 // characters of a string
	mostItems     = 20  // of a list
	deepestShown  = 8
	secretShown   = "[redacted]"
	argumentsNote = "not shown"
)

// redactArguments makes arguments fit to be shown and logged: tickets, tokens
// and their like are taken out, whatever their case and depth, and what is long
// is shortened. The result is valid JSON of at most 8 KiB.
func redactArguments(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	if len(raw) <= mostArguments {
		if value, ok := decodeJSON(raw); ok {
			if text, isText := value.(string); isText { // a model sent the object as a string
				if inner, ok := decodeJSON([]byte(text)); ok {
					value = inner
				}
			}
			if shown := rawjson.Encode(redactValue(value, 0)); len(shown) <= mostShown {
				return shown
			}
		}
	}
	return rawjson.Encode(map[string]string{argumentsNote: fmt.Sprintf("%d bytes", len(raw))})
}

func decodeJSON(text []byte) (any, bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	return value, decoder.Decode(&value) == nil
}

// excerpt returns a text without tokens, and no longer than it may be shown.
func excerpt(s string) string { return safetext.Redact(safetext.Line(s, longestShown)) }

func redactValue(value any, depth int) any {
	if depth > deepestShown {
		return "…"
	}
	switch v := value.(type) {
	case string:
		return excerpt(v)
	case []any:
		var shown []any
		for i, item := range v {
			if i == mostItems {
				return append(shown, fmt.Sprintf("… %d more", len(v)-i))
			}
			shown = append(shown, redactValue(item, depth+1))
		}
		return shown
	case map[string]any:
		shown := map[string]any{}
		for key, item := range v {
			if namesSecret(key) {
				item = secretShown
			}
			shown[excerpt(key)] = redactValue(item, depth+1)
		}
		return shown
	}
	return value
}

// namesSecret reports whether what stands under a key is not to be shown.
func namesSecret(key string) bool {
	key = strings.ToLower(key)
	for _, word := range []string{"ticket", "token", "secret", "password", "authorization", "bearer", "apikey", "api_key"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}
