package probe

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"roam-mcp/localapi"
	"roam-mcp/problem"
)

const (
	maxKept  = 2 << 10 // bytes of a request or a reply
	maxText  = 300     // bytes of a text in one
	aTime    = 1e11    // numbers beyond it are times in ms
	hideText = "(text)"
)

// scrubber makes requests and replies fit for the file. Uids and titles of the run become
// the same in every run, and what the run did not write becomes "(text)".
type scrubber struct {
	made   *list
	hidden []string // words that never appear, such as the graph's name
}

// exchange returns a call as it is for the file.
func (s scrubber) exchange(action string, args []any, reply localapi.Reply, err error) exchange {
	asked := map[string]any{"action": action, "args": s.sent(args)}
	answered := map[string]any{"result": s.received(reply.Result)}
	if e, ok := problem.AsCall(err); ok {
		answered = map[string]any{"status": e.Status(), "text": s.errorText(e.Call.Text)}
		if e.Call.CodeSent {
			answered["code"] = e.Code
		}
	} else if err != nil {
		answered = map[string]any{"text": hideText}
	}
	return exchange{bounded(asked), bounded(answered)}
}

func bounded(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil || len(data) > maxKept {
		return json.RawMessage(`"(long)"`)
	}
	return data
}

// sent returns arguments, which the run wrote itself.
func (s scrubber) sent(args []any) any {
	data, err := json.Marshal(args)
	if err != nil {
		return nil
	}
	var value any
	_ = json.Unmarshal(data, &value) // it was encoded just now
	return walk(value, s.placeholders)
}

// received returns a result with the texts that the run wrote.
func (s scrubber) received(result json.RawMessage) any {
	var value any
	if json.Unmarshal(result, &value) != nil {
		return nil // none
	}
	return walk(value, s.known)
}

var wordOfRoam = regexp.MustCompile(`^:?(?:[a-z]+/)?[A-Za-z][A-Za-z-]{0,30}$`)

// walk applies a function to all texts of a JSON value.
func walk(value any, each func(string) string) any {
	switch v := value.(type) {
	case string:
		return each(v)
	case float64:
		if v > aTime {
			return "(time)"
		}
	case []any:
		for i := range v {
			v[i] = walk(v[i], each)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			if !wordOfRoam.MatchString(key) {
				key = each(key)
			}
			out[key] = walk(inner, each)
		}
		return out
	}
	return value
}

// known returns a text of a reply if the run wrote it, or if it is one of Roam's own.
func (s scrubber) known(text string) string {
	switch text {
	case "", "not-found", "VALIDATION_ERROR", "NOT_FOUND", "true", "false":
		return text
	}
	if s.made.has(text) || s.made.ours(text) {
		return s.placeholders(text)
	}
	return hideText
}

var quotedText = regexp.MustCompile("\"[^\"]*\"|“[^”]*”|'[^']*'|`[^`]*`")

// errorText returns what Roam says of a failure, without what it quotes of others.
func (s scrubber) errorText(text string) string {
	text = quotedText.ReplaceAllStringFunc(text, func(quoted string) string {
		inner := strings.Trim(quoted, "\"“”'`")
		if s.made.has(inner) || s.made.ours(inner) {
			return quoted
		}
		return hideText
	})
	for _, hidden := range s.hidden {
		if hidden != "" {
			text = regexp.MustCompile(`(?i)(^|[^A-Za-z0-9])`+regexp.QuoteMeta(hidden)+`($|[^A-Za-z0-9])`).ReplaceAllString(text, "${1}(hidden)${2}")
		}
	}
	return s.placeholders(localapi.Redact(text))
}

// placeholders replaces what is random.
func (s scrubber) placeholders(text string) string {
	if len(text) > maxText {
		return "(long text)"
	}
	for i, uid := range s.made.UIDs {
		if strings.Contains(text, uid) {
			text = strings.ReplaceAll(text, uid, "uid"+strconv.Itoa(i))
		}
	}
	return strings.ReplaceAll(text, s.made.Run, "RUN")
}
