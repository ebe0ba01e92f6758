package skills

import (
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/profiletest"
)

// outlineSession manages a graph from end to end, as the specification of the Logseq skill
// wants it: what can be done is asked for, and what fails says why.
func outlineSession() session {
	without := func(action string) func(*profiletest.World) {
		return func(w *profiletest.World) {
			w.Fault(func(r faultproxy.Request) faultproxy.Fault {
				if action == "" || r.Action == action {
					return faultproxy.Fault{Kind: faultproxy.ResetBefore}
				}
				return faultproxy.Fault{}
			})
		}
	}
	back := func(w *profiletest.World) { w.Fault(nil) }
	const made = `\\"block_uuid\\":\\"([^"\\]+)`
	return session{turns: []turn{
		{"What can you do here?", []call{
			{tool: "ping", arguments: `{}`},
			{tool: "get_capabilities", arguments: `{}`},
			{tool: "get_graph_guidelines", arguments: `{}`},
		}},
		{"Which pages are there? Read the one on Apollo, and today's.", []call{
			{tool: "list_pages", arguments: `{"include_journals":true,"limit":5}`},
			{tool: "get_page_content", arguments: `{"page_name":"projects/apollo","format":"text","include_properties":true}`},
			{tool: "get_page_content", arguments: `{"page_name":"projects/apollo","format":"json","block_depth":1}`},
			{tool: "get_page_content", arguments: `{"page_name":"today"}`, fails: true},
		}},
		{"Plan a trip.", []call{
			{tool: "create_page", arguments: `{"title":"Trip","content":"- pack\n  - socks","properties":{"status":"open","tags":["travel"]}}`},
			{tool: "create_page", arguments: `{"title":"trip"}`, fails: true},
			{tool: "create_block", arguments: `{"content":"book the train","page_name":"Trip","position":"last","properties":{"effort":"1h"}}`, remember: map[string]string{"train": made}},
			{tool: "create_block", arguments: `{"content":"ask [[Ada]] first","sibling_block_uuid":"$train","position":"before"}`, remember: map[string]string{"ask": made}},
			{tool: "create_block", arguments: `{"content":"nowhere"}`, fails: true},
			{tool: "get_block", arguments: `{"block_uuid":"$train"}`},
		}},
		{"The train is booked, it goes at nine. Then what was asked of Ada is done.", []call{
			{tool: "update_block", arguments: `{"block_uuid":"$train","content":"leaves at nine","replace_content":false,"properties":{"effort":null}}`},
			{tool: "move_block", arguments: `{"block_uuid":"$ask","target_parent_uuid":"$train","position":"first"}`},
			{tool: "move_block", arguments: `{"block_uuid":"$train","target_parent_uuid":"$ask"}`, fails: true},
			{tool: "update_page", arguments: `{"page_name":"Trip","content_append":"- enjoy","properties":{"status":"booked"}}`},
			{tool: "get_page_content", arguments: `{"page_name":"Trip"}`},
		}},
		{"Where is the engine mentioned? What is still to be done, and which days are there?", []call{
			{tool: "search", arguments: `{"query":"engine","limit":20}`},
			{tool: "datascript_query", arguments: `{"query":"[:find ?u ?c :where [?b :block/marker \"TODO\"] [?b :block/uuid ?u] [?b :block/content ?c]]"}`},
			{tool: "datascript_query", arguments: `{"query":"[:find ?t :where [?p :node/title ?t] [?p :log/id]]"}`},
			{tool: "datascript_query", arguments: `{"query":"[:find ?c :in $ ?name :where [?p :block/name ?name] [?b :block/refs ?p] [?b :block/content ?c]]","inputs":["ada"],"limit":2}`},
			{tool: "datascript_query", arguments: `{"query":"[:find ?t :where [?p :node/title ?t] [?p :block/name \"ada\"]]"}`, fails: true},
		}},
		{"Away with the trip, and with what is below the goal of Apollo.", []call{
			{tool: "delete_block", arguments: `{"block_uuid":"ap0000001"}`, fails: true},
			{tool: "delete_block", arguments: `{"block_uuid":"ap0000001","recursive":true}`},
			{tool: "delete_page", arguments: `{"page_name":"Ada"}`, fails: true},
			{tool: "delete_page", arguments: `{"page_name":"Trip"}`},
		}},
		{"Move what Grace does to Ada.", []call{
			{before: func(w *profiletest.World) {
				w.Fault(func(r faultproxy.Request) faultproxy.Fault {
					if r.Action == "data.block.move" { // of a build that lacks it
						return faultproxy.Fault{Kind: faultproxy.Fail, Status: 404, Text: "API action not found: data.block.move"}
					}
					return faultproxy.Fault{}
				})
			}, tool: "move_block", arguments: `{"block_uuid":"gr0000001","target_page_name":"Ada"}`, fails: true},
			{tool: "get_capabilities", arguments: `{}`},
		}},
		{"Are you still there?", []call{
			{before: without(""), tool: "ping", arguments: `{}`},
			{tool: "get_block", arguments: `{"block_uuid":"ad0000001"}`, fails: true},
			{before: back, tool: "ping", arguments: `{}`},
		}},
	}}
}
