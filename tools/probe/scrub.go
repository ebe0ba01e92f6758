package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

const (
	maxKept  = 2 << 10 // bytes of a request or a reply
	hideText = "(text)"
)

var (
	inJSON    = regexp.MustCompile(`"(?:[^"\\]|\\.)*"(?:\s*:)?|\d{12,}`) // texts, keys, and times in ms
	keyOfRoam = regexp.MustCompile(`^":?(?:[a-z]+/)?[A-Za-z-]{1,31}"\s*:$`)
	inQuotes  = regexp.MustCompile("\"[^\"]*\"|“[^”]*”|'[^']*'|`[^`]*`")
)

// scrubbed returns a request and its reply as they are for the file: what is random is the
// same in every run, and what the run did not write is "(text)".
func (s *sender) scrubbed(c exchange) (request, reply json.RawMessage) {
	answer := object{}
	if e, ok := problem.AsCall(c.err); ok {
		answer["status"], answer["text"] = e.Status(), s.errorText(e.Call.Text)
		if e.Call.CodeSent {
			answer["code"] = e.Code
		}
	} else if json.Valid(c.result) && len(c.result) <= maxKept {
		answer["result"] = json.RawMessage(inJSON.ReplaceAllFunc(c.result, s.known))
	}
	return s.bounded(object{"action": c.action, "args": c.args}), s.bounded(answer)
}

// known returns a value of a reply if the run wrote it, or if it is one of Roam's own.
func (s *sender) known(value []byte) []byte {
	var text string
	switch isKey := value[len(value)-1] == ':'; {
	case value[0] != '"':
		return []byte(`"(time)"`)
	case isKey && !keyOfRoam.Match(value):
		return []byte(`"` + hideText + `":`)
	case isKey || json.Unmarshal(value, &text) == nil && (text == "true" || text == "false" || s.made.has(text) || s.made.ours(text)):
		return value
	}
	return []byte(`"` + hideText + `"`)
}

// errorText returns what Roam says of a failure, without what it quotes.
func (s *sender) errorText(text string) string {
	text = inQuotes.ReplaceAllString(localapi.Redact(text), hideText)
	inWords := func(text string) string { return " " + strings.ToLower(strings.Join(wordsOf(text), " ")) + " " }
	for _, hidden := range s.Hidden {
		if hidden != "" && strings.Contains(inWords(text), inWords(hidden)) {
			return hideText
		}
	}
	return text
}

func (s *sender) bounded(value any) json.RawMessage {
	data, err := json.Marshal(value)
	if err != nil || len(data) > maxKept {
		return json.RawMessage(`"(long)"`)
	}
	for i, uid := range s.made.UIDs {
		data = bytes.ReplaceAll(data, []byte(uid), []byte("uid"+strconv.Itoa(i)))
	}
	return bytes.ReplaceAll(data, []byte(s.made.Run), []byte("RUN"))
}
