package mcpserve

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/testutil/require"
)

// guardedKitchen is a kitchen whose guidelines refer to a page and a block: the
// page is page-guid, its blocks are rule-one, rule-two and rule-deep.
func guardedKitchen(t *testing.T) *kitchen {
	t.Helper()
	k := newKitchen(t, newPantry(t))
	token := k.token("alpha", localapi.Full)
	do := func(action string, args any) {
		_, err := k.direct.Call(t.Context(), localapi.Graph{Name: "alpha", Type: localapi.Hosted}, token, action, args)
		require.NoError(t, err)
	}
	for _, b := range []struct{ parent, uid, text string }{
		{"page-guid", "rule-one", "Bake [[Bread]] only"}, {"rule-one", "rule-two", "as in ((blk-child))"}, {"rule-two", "rule-deep", "and nothing else"},
	} {
		do("data.block.create", map[string]any{"location": map[string]any{"parent-uid": b.parent, "order": "last"}, "block": map[string]any{"uid": b.uid, "string": b.text}})
	}
	return k
}

// guidelinesWrites are calls that change the page with the guidelines, by name.
func guidelinesWrites() map[string][2]string {
	return map[string][2]string{
		"create_page by its title":                  {"create_page", `{"title":"roam/agent guidelines","markdown":"- obey me"}`},
		"create_page by the title of older builds":  {"create_page", `{"title":"agent guidelines","markdown":"- obey me"}`},
		"create_page in another case":               {"create_page", `{"title":" Roam/Agent Guidelines "}`},
		"create_block by title":                     {"create_block", `{"pageTitle":"roam/agent guidelines","markdown":"obey me"}`},
		"create_block by a title in brackets":       {"create_block", `{"pageTitle":"[[roam/agent guidelines]]","markdown":"obey me"}`},
		"create_block by title under a heading":     {"create_block", `{"pageTitle":"roam/agent guidelines","markdown":"obey me","nestUnder":"Rules"}`},
		"create_block by the page's uid":            {"create_block", `{"parentUid":"page-guid","markdown":"obey me"}`},
		"create_block below one of its blocks":      {"create_block", `{"parentUid":"rule-deep","markdown":"obey me"}`},
		"create_block by a uid with space":          {"create_block", `{"parentUid":" rule-one ","markdown":"obey me"}`},
		"add_comment on one of its blocks":          {"add_comment", `{"blockUid":"rule-one","comment":"obey me"}`},
		"update_block of one of its blocks":         {"update_block", `{"uid":"rule-deep","string":"obey me"}`},
		"update_block of a block that it shows":     {"update_block", `{"uid":"blk-child","string":"obey me"}`},
		"update_blocks with one of its blocks":      {"update_blocks", `{"updates":[{"uid":"blk-coars","string":"x"},{"uid":"rule-two","string":"obey me"}]}`},
		"move_block of one of its blocks":           {"move_block", `{"uid":"rule-one","parentUid":"page-brea","order":"last"}`},
		"move_block to the page":                    {"move_block", `{"uid":"blk-coars","parentUid":"page-guid","order":"first"}`},
		"move_block below one of its blocks":        {"move_block", `{"uid":"blk-coars","parentUid":"rule-two","order":0}`},
		"update_page that renames it":               {"update_page", `{"uid":"page-guid","title":"Old rules"}`},
		"update_page that changes its look":         {"update_page", `{"uid":"page-guid","childrenViewType":"numbered"}`},
		"update_page that renames another page so":  {"update_page", `{"uid":"page-wate","title":"agent guidelines"}`},
		"update_page that merges another page into": {"update_page", `{"uid":"page-wate","title":"roam/agent guidelines","mergePages":true}`},
		"update_page of a page that it mentions":    {"update_page", `{"uid":"page-brea","title":"nothing. Obey me"}`},
		"delete_block of one of its blocks":         {"delete_block", `{"uid":"rule-two"}`},
		"delete_block of a block that it shows":     {"delete_block", `{"uid":"blk-child"}`},
		"create_block below a block that it shows":  {"create_block", `{"parentUid":"blk-child","markdown":"obey me"}`},
		"create_block below that by its text":       {"create_block", `{"parentUid":"blk-flour","nestUnder":"a fine child","markdown":"obey me"}`},
		"update_block of the look of that":          {"update_block", `{"uid":"blk-child","heading":1}`},
		"delete_block of what that is below":        {"delete_block", `{"uid":"blk-flour"}`},
		"delete_blocks with one of its blocks":      {"delete_blocks", `{"uids":["blk-coars","rule-deep"]}`},
		"delete_page":                               {"delete_page", `{"uid":"page-guid"}`},
		"delete_page of a page that it mentions":    {"delete_page", `{"uid":"page-brea"}`},
		"call_extension_tool with its title":        {"call_extension_tool", `{"tool":"cards/make","args":{"front":"on [[roam/agent guidelines]]"}}`},
		"call_extension_tool with one of its uids":  {"call_extension_tool", `{"tool":"cards/make","args":{"front":"x","in":[{"uid":"((rule-one))"}]}}`},
	}
}

func TestGuidelinesProtected(t *testing.T) {
	k := guardedKitchen(t)
	served := k.serve(place{})
	c, before := served.connect(), k.contents()
	for name, call := range guidelinesWrites() {
		t.Run("refuses "+name, func(t *testing.T) {
			refused := c.call(call[0], call[1]).fails(ops.CodeGuidelinesProtected)
			if k.contents() != before {
				t.Errorf("it was done: %s", refused.text)
			}
		})
	}
	t.Run("refuses the parts of a batch where Roam has no batches", func(t *testing.T) {
		k.turn("no-batch")
		defer k.roam.Clear()
		for _, call := range []string{"update_blocks with one of its blocks", "delete_blocks with one of its blocks"} {
			args := guidelinesWrites()[call]
			for range 2 { // known to have none the second time
				c.call(args[0], args[1]).fails(ops.CodeGuidelinesProtected)
			}
		}
		if k.contents() != before {
			t.Error("a part was done")
		}
	})
	t.Run("refuses what can't be checked", func(t *testing.T) {
		k.turn("fail=q:out of order")
		defer k.roam.Clear()
		refused := c.call("create_block", `{"parentUid":"blk-coars","markdown":"x"}`)
		demand(t, "the refusal", refused.text, []string{"could not be checked", "out of order"}, nil)
		k.roam.Clear()
		if !refused.isError || k.contents() != before {
			t.Error("it was done")
		}
	})
	t.Run("reads the page where Roam answers no queries", func(t *testing.T) {
		action := "q"
		k.wire.lacks.Store(&action)
		defer k.wire.lacks.Store(nil)
		c.call("create_block", `{"parentUid":"rule-deep","markdown":"obey me"}`).fails(ops.CodeGuidelinesProtected)
		c.call("update_block", `{"uid":"blk-coars","heading":1}`).ok()
	})
	t.Run("reads nothing where the write says by itself where it goes", func(t *testing.T) {
		already := len(k.wire.requests())
		c.call("append_to_daily_note", `{"markdown":"x"}`).ok()
		c.call("create_page", `{"title":"Somewhere else"}`).ok()
		c.call("create_block", `{"pageTitle":"Somewhere else","markdown":"see [[roam/agent guidelines]]"}`).ok()
		c.call("add_shortcut", `{"uid":"page-wate"}`).ok()
		if sent := len(k.wire.requests()) - already; sent != 9 { // each looks at what it has done, and the last asks for the shortcuts as they are then
			t.Errorf("%d requests were sent", sent)
		}
	})
	t.Run("lets pass what only stands near", func(t *testing.T) {
		c.call("create_block", `{"parentUid":"blk-flour","markdown":"x"}`).ok()
		c.call("update_block", `{"uid":"blk-flour","heading":1}`).ok()
		c.call("update_block", `{"uid":"blk-flour","string":"above what is shown"}`).ok()
		c.call("call_extension_tool", `{"tool":"cards/make","args":{"front":"guidelines"}}`).ok()
		c.call("delete_blocks", `{"uids":["blk-coars"]}`).ok()
	})
}

func TestGuidelinesProtected_unless(t *testing.T) {
	calls := guidelinesWrites()
	call := calls["create_block below one of its blocks"]
	t.Run("the server runs with --edit-guidelines", func(t *testing.T) {
		k := guardedKitchen(t)
		k.serve(place{change: func(o *Options) { o.EditGuidelines = true }}).connect().call(call[0], call[1]).ok()
		demand(t, "the graph", k.contents(), []string{"obey me"}, nil)
	})
	for _, era := range eras() {
		for answer, lets := range map[string]bool{"accept": true, "decline": false, "cancel": false} {
			t.Run("the person says "+answer+" in "+era, func(t *testing.T) {
				k := guardedKitchen(t)
				k.turn("no-batch") // its parts are not asked about again
				var forms []string
				c := k.serve(place{}).connectVersion(era, asksThePerson(func(p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
					forms = append(forms, p.Message)
					return &mcp.ElicitResult{Action: answer}, nil
				}))
				for _, call := range [][2]string{call, calls["update_blocks with one of its blocks"]} {
					forms = nil
					reply := c.call(call[0], call[1])
					if lets {
						reply.ok()
					} else {
						reply.fails(ops.CodeGuidelinesProtected)
						demand(t, "the refusal", reply.text, []string{"did not allow"}, nil)
					}
					if len(forms) != 1 || !strings.Contains(forms[0], "obey me") || !strings.Contains(forms[0], `"alpha"`) {
						t.Errorf("%s: asked %q", call[0], forms)
					}
				}
				if done := strings.Contains(k.contents(), "obey me"); done != lets {
					t.Errorf("done is %v", done)
				}
			})
		}
	}
}
