package skills

import "roam-mcp/internal/testutil/profiletest"

// notesSession makes the calls of Memento's document: its usage example, and what it says
// that workflows of n8n do.
func notesSession() session {
	return session{options: profiletest.Options{}, turns: []turn{
		{"Take notes of our meeting on the roadmap.", []call{
			{tool: "create_note", arguments: `{"title":"Meeting Notes","content":"Discussed Q1 roadmap...","labels":["work","planning"],"color":"blue"}`, remember: map[string]string{"meeting": `\\"id\\":\\"([^"\\]+)`}},
			{tool: "search_notes", arguments: `{"query":"roadmap"}`},
			{tool: "toggle_pin", arguments: `{"id":"$meeting"}`},
		}},
		{"A shopping list, please, and remind me of the stamps.", []call{
			{tool: "create_note", arguments: `{"title":"Groceries","content":"","type":"checklist","checkItems":[{"text":"bread","checked":false},{"text":"butter","checked":true}]}`, remember: map[string]string{"list": `\\"id\\":\\"([^"\\]+)`}},
			{tool: "create_note", arguments: `{"content":"Buy stamps\nblue ones","labels":["post"]}`, remember: map[string]string{"quick": `\\"id\\":\\"([^"\\]+)`}},
			{tool: "get_notes", arguments: `{"limit":4}`},
		}},
		{"The bread is bought; add milk. And what did we plan?", []call{
			{tool: "get_note", arguments: `{"id":"$list"}`, remember: map[string]string{"bread": `\\"id\\":\\"([^"\\]+)\\",\\"text\\":\\"bread`, "butter": `\\"id\\":\\"([^"\\]+)\\",\\"text\\":\\"butter`}},
			{tool: "update_note", arguments: `{"id":"$list","checkItems":[{"id":"$bread","text":"bread","checked":true},{"id":"$butter","text":"butter","checked":true},{"text":"milk"}]}`},
			{tool: "update_note", arguments: `{"id":"$meeting","content":"Discussed Q1 roadmap with [[Ada]].\n\nNext: budget.","labels":["work"]}`},
			{tool: "get_note", arguments: `{"id":"Meeting Notes"}`},
		}},
		{"Sort my notes: what labels are there, and file what is old.", []call{
			{tool: "get_labels", arguments: `{}`},
			{tool: "toggle_archive", arguments: `{"id":"$quick"}`},
			{tool: "get_notes", arguments: `{"search":"stamps"}`},
			{tool: "get_notes", arguments: `{"search":"stamps","includeArchived":true}`},
			{tool: "toggle_archive", arguments: `{"id":"$quick"}`},
			{tool: "delete_note", arguments: `{"id":"$quick"}`},
			{tool: "delete_note", arguments: `{"id":"$quick"}`, fails: true},
			{tool: "get_note", arguments: `{"id":"clxxxxxxx"}`, fails: true},
		}},
	}}
}
