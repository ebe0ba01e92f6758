package history

import (
	"bytes"
	"encoding/json"
	"testing"

	"roam-mcp/internal/graph/fact"
)

func FuzzExport(f *testing.F) {
	for _, text := range []string{`{"a": [1, "ü"]}`, "{\n\"a\":\n1}", `{"a":1} 2`, "no JSON", "\x00\xff", `"\u2028"`, ""} {
		f.Add([]byte(text), text)
	}
	f.Fuzz(func(t *testing.T, text []byte, word string) {
		var out bytes.Buffer
		err := newEncoder(&out).Encode(exported(Record{
			Call:    Call{Args: text, Summary: word, Agent: word},
			Changes: []ChangeRecord{{Request: text, Before: text, After: text, Lacks: []string{word}, Touches: []fact.Touch{{UID: word}}}},
			Pages:   map[string]string{word: word},
		}))
		if line, ended := bytes.CutSuffix(out.Bytes(), []byte("\n")); err != nil || !ended || bytes.ContainsAny(line, "\r\n") || !json.Valid(line) {
			t.Errorf("%q, %v", out.Bytes(), err)
		}
	})
}
