package skills

// wikiTable has no shapes: the answers are sentences.
func wikiTable() table {
	const nobody = "Error: There is no note at"
	edited := []step{
		{tool: "get_note", arguments: `{"path":"Ada"}`},
		{tool: "update_note", arguments: `{"path":"Ada","content":"Met at the [[Projects/Apollo]] review\n\nLikes coffee"}`},
		{tool: "get_note_history", arguments: `{"path":"Ada"}`, remember: `- ([0-9a-f]{7}) \([^)]*\)[^\n]*\n  First seen`},
	}
	return table{
		tools: map[string]entry{
			"create_note": {
				shown:   example{arguments: `{"path":"projects/wiki-ai/ideas","title":"My Ideas","content":"Ask [[Ada|her]]","tags":["brainstorm"]}`},
				refuses: []refusal{{"Error: There is a note at", example{arguments: `{"path":"Ada","title":"Ada","content":"x"}`}}},
			},
			"get_note": {shown: example{arguments: `{"path":"Saturn V"}`}, refuses: []refusal{{nobody, example{arguments: `{"path":"nobody"}`}}}},
			"update_note": {
				shown:   example{arguments: `{"path":"Projects/Apollo","new_path":"Archive/Apollo"}`},
				others:  []example{{arguments: `{"path":"Ada","add_tags":["x"]}`}},
				refuses: []refusal{{nobody, example{arguments: `{"path":"nobody","title":"x"}`}}, {"Error: There is a note at", example{arguments: `{"path":"Ada","new_path":"Grace"}`}}, {"Error: update_note:", example{arguments: `{"path":"Ada","tags":["x"],"add_tags":["y"]}`}}},
			},
			"delete_note":          {shown: example{arguments: `{"path":"Ada"}`}, refuses: []refusal{{nobody, example{arguments: `{"path":"nobody"}`}}}},
			"search_notes":         {shown: example{arguments: `{"query":"engine tag:rocket"}`}, others: []example{{arguments: `{"query":"quantum"}`}}},
			"browse":               {shown: example{arguments: `{"path":"Projects"}`}},
			"list_tags":            {shown: example{arguments: `{}`}},
			"get_backlinks":        {shown: example{arguments: `{"path":"Saturn V"}`}},
			"recent_notes":         {shown: example{arguments: `{"limit":1}`}},
			"get_note_history":     {shown: example{given: edited, arguments: `{"path":"Ada"}`}},
			"get_note_version":     {shown: example{given: edited, arguments: `{"path":"Ada","version":"$1"}`}, refuses: []refusal{{"Error: There is no version", example{arguments: `{"path":"Ada","version":"0000"}`}}}},
			"diff_note_versions":   {shown: example{given: edited, arguments: `{"path":"Ada","from_version":"$1","to_version":"current"}`}},
			"restore_note_version": {shown: example{given: edited, arguments: `{"path":"Ada","version":"$1"}`}},
			"edit_note":            {shown: example{in: more, arguments: `{"path":"Ada","append":"Likes #coffee"}`}},
			"get_graph_guidelines": guidelines(false),
		},
		refuses: map[string][]refusal{
			"get_note":     {{"Error: The connection to Roam", example{in: closed, arguments: `{"path":"Ada"}`}}},
			"search_notes": {{"Error: query is not valid", example{arguments: `{"query":" "}`}}},
			"create_note":  {{"Error: This server was started with --read-only", example{in: readOnly, arguments: `{"path":"x","title":"x","content":"x"}`}}, {"TICKET_REQUIRED", example{in: two, arguments: `{"graph":"work","path":"x","title":"x","content":"x"}`}}},
			"delete_note":  {{"Error: The token for the graph", example{in: adding, arguments: `{"path":"Ada"}`}}},
			"edit_note":    {{"Error: The tool edit_note belongs to", example{arguments: `{"path":"Ada","append":"x"}`}}},
		},
	}
}
