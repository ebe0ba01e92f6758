package shown_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
)

// Each write says what it did to blocks.
func TestAReplyToAWriteCountsItsBlocks(t *testing.T) {
	for name, tc := range map[string]struct{ profile, read, write, blocks string }{
		"graph, a new content": {"graph", `get_node {"id":"saturnv01"}`, `update_node {"id":"saturnv01","content":"The F-1 engine burns kerosene and more\n\nnew\n\nand newer"}`, `{"added":2,"changed":1,"moved":0,"removed":1,"unseen":0}`},
		"graph, a new node":    {"graph", "", `create_node {"title":"New","content":"- a\n  - b\n- c"}`, `{"added":3,"changed":0,"moved":0,"removed":0,"unseen":0}`},
		"graph, a deletion":    {"graph", "", `delete_node {"id":"shop00001"}`, `{"added":0,"changed":0,"moved":0,"removed":2,"unseen":0}`},
		"wiki, an order":       {"wiki", `get_note {"path":"Shopping"}`, `update_note {"path":"Shopping","content":"[x] tea\n\n[ ] milk"}`, `{"added":0,"changed":0,"moved":1,"removed":0,"unseen":0}`},
		"roam, a text":         {"roam", "", `update_block {"uid":"gr0000001","string":"x"}`, `{"added":0,"changed":1,"moved":0,"removed":0,"unseen":0}`},
		"roam, a block":        {"roam", "", `delete_block {"uid":"ap0000001"}`, `{"added":0,"changed":0,"moved":0,"removed":2,"unseen":0}`},
		"outline, a block":     {"outline", "", `create_block {"page_name":"Ada","content":"x"}`, `{"added":1,"changed":0,"moved":0,"removed":0,"unseen":0}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := profiletest.Connect(t, profiletest.Options{Profile: tc.profile})
			call := func(line string) profiletest.Result {
				tool, arguments, _ := strings.Cut(line, " ")
				return c.Call(tool, arguments)
			}
			if tc.read != "" {
				if r := call(tc.read); r.IsError || r.Meta["blocks"] != nil {
					t.Fatal(r)
				}
			}
			r := call(tc.write)
			if err := profiletest.Match(tc.blocks, encode(r.Meta["blocks"])); err != nil || r.IsError {
				t.Errorf("%v: %s", err, r)
			}
		})
	}
}

func TestManyBlocksThatAreGoneAreSaidFirst(t *testing.T) {
	for profile, tc := range map[string]struct{ call, want string }{
		"graph":   {`delete_node {"id":"manyblock"}`, "12 blocks were removed."},
		"wiki":    {`delete_note {"path":"Many"}`, "12 blocks were removed. Blocks: 12 removed."},
		"outline": {`delete_page {"page_name":"Many"}`, "12 blocks were removed."},
		"roam":    {`delete_page {"uid":"manyblock"}`, `"removedBlocks":12`},
	} {
		t.Run(profile, func(t *testing.T) {
			w, c := profiletest.Connect(t, profiletest.Options{Profile: profile})
			w.Roam("data.page.create", map[string]any{"page": map[string]any{"title": "Many", "uid": "manyblock"}})
			for i := range 12 {
				w.AddBlock("manyblock", fmt.Sprint("line ", i))
			}
			tool, arguments, _ := strings.Cut(tc.call, " ")
			if r := c.Call(tool, arguments); r.IsError || !strings.Contains(strings.Join(r.Texts, "\n"), tc.want) {
				t.Error(r)
			}
		})
	}
}

func encode(value any) string {
	data, _ := json.Marshal(value)
	return string(data)
}
