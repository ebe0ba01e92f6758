package textsafe

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/rawjson"
)

const (
	// mostArguments is the size in bytes up to which arguments are taken apart.
	mostArguments = 256 << 10
	// mostShown is the size in bytes of arguments as they are shown.
	mostShown     = 8 << 10
	mostKept      = 64 << 10 // likewise, as they are kept
	longestShown  = 500      // characters of a string
	mostItems     = 20       // of a list
	deepestShown  = 8
	secretShown   = "[redacted]"
	argumentsNote = "not shown"
)

// redaction is how arguments are redacted.
type redaction struct {
	text  func(string) string // of a string
	items int                 // of a list, at most
	bytes int                 // of the result, at most
}

// RedactArguments returns arguments as they may be shown and logged: tickets, tokens
// and their like are taken out, whatever their case and depth, what is long is
// shortened, and a file in base64 becomes its size and its SHA-256. The result is
// valid JSON of at most 8 KiB.
func RedactArguments(raw json.RawMessage) json.RawMessage {
	if shown := (redaction{excerpt, mostItems, mostShown}).of(raw); shown != nil {
		return shown
	}
	return rawjson.Encode(map[string]string{argumentsNote: fmt.Sprintf("%d bytes", len(raw))})
}

// KeepArguments returns arguments as they may be kept: RedactArguments without shortening, where
// that is at most 64 KiB.
func KeepArguments(raw json.RawMessage) json.RawMessage {
	if kept := (redaction{Redact, math.MaxInt, mostKept}).of(raw); kept != nil {
		return kept
	}
	return RedactArguments(raw)
}

// of returns redacted arguments; nil: they are too long.
func (r redaction) of(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	if len(raw) <= mostArguments || holdsFiles.Match(raw) {
		if value, ok := decodeJSON(raw); ok {
			if text, isText := value.(string); isText { // a model sent the object as a string
				if inner, ok := decodeJSON([]byte(text)); ok {
					value = inner
				}
			}
			if shown := rawjson.Encode(r.value("", value, 0)); len(shown) <= r.bytes {
				return shown
			}
		}
	}
	return nil
}

// mostReply is the size in bytes of a reply as it is shown.
const mostReply = 16 << 10

// longestSecret is the size in bytes that no token or ticket with its name is above.
const longestSecret = 256

// givenTicket finds a ticket that a reply gives.
var givenTicket = lazyregexp.New(`(?i)(ticket\\*"?\s*[:=]\s*\\*"?)[A-Za-z0-9_-]{12}`)

// RedactReply returns the text of a reply as it may be shown: without tokens and tickets,
// and with its first 16 KiB alone. How much is left out is told at the end.
func RedactReply(text string) string {
	shown := text[:min(len(text), mostReply+longestSecret)] // no secret is cut before it is found
	shown = givenTicket.ReplaceAllString(Redact(shown), "${1}"+secretShown)
	if len(text) <= mostReply {
		return shown
	}
	end := min(len(shown), mostReply)
	for end > 0 && end < len(shown) && !utf8.RuneStart(shown[end]) {
		end--
	}
	return shown[:end] + fmt.Sprintf("\n… %s bytes more", humanize.Comma(int64(max(len(text)-end, 0))))
}

func decodeJSON(text []byte) (any, bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	return value, decoder.Decode(&value) == nil
}

// excerpt returns a text without tokens, and no longer than it may be shown.
func excerpt(s string) string { return Redact(Line(s, longestShown)) }

// value redacts a value that stands under a key, or in a list under it.
func (r redaction) value(key string, value any, depth int) any {
	if depth > deepestShown {
		return "…"
	}
	switch v := value.(type) {
	case string:
		if key == keyBase64 || key == keyImages {
			return r.text(FileInBase64(v))
		}
		return r.text(v)
	case []any:
		var shown []any
		for i, item := range v {
			if i == r.items {
				return append(shown, fmt.Sprintf("… %d more", len(v)-i))
			}
			shown = append(shown, r.value(key, item, depth+1))
		}
		return shown
	case map[string]any:
		shown := map[string]any{}
		for key, item := range v {
			if namesSecret(key) {
				item = secretShown
			}
			shown[r.text(key)] = r.value(key, item, depth+1)
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

// The parameters of tools that take files in base64.
const (
	keyBase64 = "base64"
	keyImages = "images" // or addresses
)

// holdsFiles finds arguments with one of these parameters.
var holdsFiles = lazyregexp.New(`"(?:` + keyBase64 + `|` + keyImages + `)"\s*:`)

// leastFile is the number of characters of base64 that is shown as it is.
const leastFile = 64

// FileInBase64 returns what stands for a file in base64, or in a data URL with base64:
// its size in bytes and its SHA-256. Any other text is returned as it is.
func FileInBase64(text string) string {
	encoded := text
	if strings.HasPrefix(text, "data:") {
		_, encoded, _ = strings.Cut(text, ";base64,")
	}
	if len(encoded) < leastFile {
		return text
	}
	content, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return text
	}
	return DescribeFile(content)
}
