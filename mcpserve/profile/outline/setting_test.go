package outline

import (
	"encoding/json"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/rawjson"
)

// FuzzSettings checks that a property which is written is read back, under its name.
func FuzzSettings(f *testing.F) {
	f.Add("status", `"open"`, "")
	f.Add("tags", `["a","b c","#[[d]]"]`, "#x #[[y]]")
	f.Add("Alias", `["A","[[B [[C]]]]"]`, "")
	f.Add("by", `["Ada","Grace"]`, "[[Ada]]")
	f.Add("a b", `[1,true,"x"]`, "")
	f.Add("k", `null`, "")
	f.Add("k", `"two\nlines:: x"`, "")
	f.Add("a::b", `{"c":1}`, "[[")
	f.Fuzz(func(t *testing.T, key, value, was string) {
		if !json.Valid([]byte(value)) {
			return
		}
		settings, err := parseSettings("update_page", rawjson.With(key, json.RawMessage(value)).JSON())
		if err != nil {
			return
		}
		for _, s := range settings {
			text, err := s.line("update_page", s.key, was, nil)
			if err != nil || s.remove {
				continue
			}
			props, uids := properties(note.Node{Children: []note.Node{{UID: "line", Text: text}}})
			if uids[s.key] != "line" {
				t.Fatalf("%q is read as %s", text, props.JSON())
			}
			if got, ok := props.Text(s.key); s.list == nil && ok && got != strings.TrimSpace(s.text) {
				t.Errorf("%q is read as %q, not %q", text, got, s.text)
			}
		}
	})
}
