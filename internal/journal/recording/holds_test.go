package recording_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/profiletest"
)

// A call that claims its page asks Roam for what it asks without a journal before it writes,
// but for what is recorded, since nobody else has changed the page.
func TestAClaimIsNoReasonToReadAgain(t *testing.T) {
	for name, tc := range map[string]struct{ profile, tool, arguments string }{
		"wiki":                 {"wiki", "update_note", `{"path":"Plan","add_tags":["a"]}`},
		"a toggle of notes":    {"notes", "toggle_archive", `{"id":"plan"}`},
		"labels of notes":      {"notes", "update_note", `{"id":"plan","labels":["a"]}`},
		"graph":                {"graph", "update_node", `{"id":"plan","tags":["a"]}`},
		"a page of outline":    {"outline", "update_page", `{"page_name":"Plan","properties":{"a":"b"}}`},
		"a block of outline":   {"outline", "update_block", `{"block_uuid":"last","content":"more","replace_content":false}`},
		"a movement, likewise": {"outline", "move_block", `{"block_uuid":"last","target_page_name":"Drinks"}`},
		"roam":                 {"roam", "update_block", `{"uid":"last","find":"Last","replace":"First"}`},
	} {
		t.Run(name, func(t *testing.T) {
			asked := func(history bool) []string {
				w, c := profiletest.Connect(t, profiletest.Options{Profile: tc.profile, Export: export, History: history})
				var mu sync.Mutex
				var actions []string
				written := false
				w.Fault(func(r faultproxy.Request) faultproxy.Fault {
					mu.Lock()
					defer mu.Unlock()
					written = written || strings.HasPrefix(r.Action, "data.block.")
					if !written && (r.Action == "q" || r.Action == "data.q") {
						actions = append(actions, r.Action)
					}
					return faultproxy.Fault{}
				})
				if result := c.Call(tc.tool, tc.arguments); result.IsError || result.RPC != nil {
					t.Fatal(result)
				}
				mu.Lock()
				defer mu.Unlock()
				return slices.Clone(actions)
			}
			if without, with := asked(false), asked(true); !slices.Equal(without, with) || len(with) == 0 {
				t.Errorf("%q without a journal, %q with one", without, with)
			}
		})
	}
}
