package skills

import "roam-mcp/internal/testutil/profiletest"

// roamSession follows the reference of the Local API: choosing among several graphs, the
// AI endpoints, uids from reads to writes, and errors that lead on.
func roamSession() session {
	const ticket = `"ticket\\*":\\*"([^"\\]+)`
	return session{options: profiletest.Options{Second: true}, turns: []turn{
		{"Which of my graphs can you use? Read the page on Apollo.", []call{
			{tool: "list_graphs", arguments: `{}`},
			{tool: "get_page", arguments: `{"title":"Projects/Apollo"}`, fails: true},
			{tool: "select_graph", arguments: `{"graph":"WORK"}`, remember: map[string]string{"ticket": ticket}},
			{tool: "current_graph", arguments: `{}`},
			{tool: "get_page", arguments: `{"title":"Projects/Apollo","maxDepth":1}`},
			{tool: "get_block", arguments: `{"uid":"ap0000001","maxDepth":3}`},
		}},
		{"Who mentions Ada? And where is the engine?", []call{
			{tool: "get_backlinks", arguments: `{"title":"Ada","offset":0,"limit":20,"sort":"created-date","sortOrder":"desc","includePath":true,"maxDepth":1}`},
			{tool: "get_backlinks", arguments: `{"title":"Ada","search":"budget"}`},
			{tool: "search", arguments: `{"query":"engine","scope":"blocks","limit":2}`},
			{tool: "search", arguments: `{"query":"engine","scope":"blocks","limit":2,"offset":2}`},
			{tool: "search_templates", arguments: `{"query":"meeting"}`},
		}},
		{"Note below the budget that Ada wants 3 million, and tick off the letter to Grace.", []call{
			{tool: "create_block", arguments: `{"parentUid":"ap0000002","order":"first","markdown":"3 million, says [[Ada]]"}`, fails: true},
			{tool: "create_block", arguments: `{"ticket":"$ticket","parentUid":"ap0000002","order":"first","markdown":"3 million, says [[Ada]]"}`, remember: map[string]string{"new": `uids\\*":\[\\*"([^"\\]+)`}},
			{tool: "update_block", arguments: `{"ticket":"$ticket","uid":"ap0000003","todo":"done"}`},
			{tool: "get_block", arguments: `{"uid":"ap0000001","maxDepth":3}`},
		}},
		{"No, 4 million. And put it first on the page.", []call{
			{tool: "update_block", arguments: `{"ticket":"$ticket","uid":"$new","find":"3 million","replace":"4 million"}`},
			{tool: "move_block", arguments: `{"ticket":"$ticket","uid":"$new","parentUid":"apollo001","order":0}`},
			{tool: "get_page", arguments: `{"title":"Projects/Apollo"}`},
		}},
		{"Start a page on the lunar module in the other graph.", []call{
			{tool: "create_page", arguments: `{"graph":"other","ticket":"$ticket","title":"Lunar module","markdown":"- Built by [[Grumman]]"}`, fails: true},
			{tool: "get_graph_guidelines", arguments: `{"graph":"other"}`, remember: map[string]string{"otherTicket": ticket}},
			{tool: "create_page", arguments: `{"graph":"other","ticket":"$otherTicket","title":"Lunar module","markdown":"- Built by [[Grumman]]"}`},
			{tool: "create_page", arguments: `{"graph":"other","ticket":"$otherTicket","title":"Lunar module"}`, fails: true},
			{tool: "get_page", arguments: `{"title":"Lunar module"}`},
		}},
		{"My rules say more now. Write down in today's note that the review went well.", []call{
			{before: func(w *profiletest.World) { w.AddBlock("guide0001", "Sign with your name") },
				tool: "append_to_daily_note", arguments: `{"ticket":"$ticket","markdown":"The review went well"}`, fails: true, remember: map[string]string{"ticket": ticket}},
			{tool: "append_to_daily_note", arguments: `{"ticket":"$ticket","markdown":"The review went well. Claude"}`},
			{tool: "update_block", arguments: `{"ticket":"$ticket","uid":"gu0000001","string":"Use any dates"}`, fails: true},
		}},
		{"Delete the page Orphan, and count my blocks.", []call{
			{tool: "get_page", arguments: `{"title":"Orphan"}`},
			{tool: "delete_page", arguments: `{"ticket":"$ticket","uid":"orphan001"}`},
			{tool: "datalog_query", arguments: `{"query":"[:find (count ?b) . :where [?b :block/string]]"}`},
		}},
	}}
}
