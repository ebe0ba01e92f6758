package skills

func graphTable() table {
	keeps := []string{"id", "title", "score", "match", "direction"}
	return table{
		shapes: shapes{
			"node":   "{ id, title, content, tags, links: [{ id, title }], created, updated, kind?, _warnings? }",
			"found":  "{ id, title, content, tags, links, created, updated, kind?, score, match? }",
			"beside": "{ id, title, content, tags, links, created, updated, kind?, direction }",
			"around": "{ id, title, content, tags, links, created, updated, kind?, incomingCount, outgoingCount, neighbors: [beside], _warnings? }",
		},
		tools: map[string]entry{
			"search": {answers: "[found]", shown: example{arguments: `{"query":"engine","limit":2}`, keeps: keeps}},
			"get_node": {
				answers: "node | around | null", shown: example{arguments: `{"id":"Saturn V"}`},
				others: []example{{arguments: `{"id":"nobody"}`}, {arguments: `{"id":"Grace","depth":1}`}, {arguments: `{"id":"today"}`}},
			},
			"get_neighbors": {
				answers: "[beside]", shown: example{arguments: `{"id":"Ada","direction":"in"}`, keeps: keeps},
				others: []example{{arguments: `{"id":"Orphan"}`}},
			},
			"find_path": {
				answers: "{ path, length, titles, steps? } | null", shown: example{arguments: `{"source":"Projects/Gemini","target":"Grace"}`},
				others: []example{{arguments: `{"source":"Grace","target":"Ada"}`}, {arguments: `{"source":"Grace","target":"Ada","undirected":true}`}},
			},
			"get_hubs":       {answers: "[{ id, title, score }]", shown: example{arguments: `{"limit":2}`}},
			"search_by_tags": {answers: "[node]", shown: example{arguments: `{"tags":["rocket","tea"]}`, keeps: []string{"id", "title", "tags"}}},
			"random_node":    {answers: "node | null", shown: example{arguments: `{"tags":["rocket"]}`, keeps: []string{"id", "title", "content"}}, others: []example{{arguments: `{"tags":["none"]}`}}},
			"create_node": {
				answers: "node", shown: example{arguments: `{"title":"Review","content":"With [[Ada]]","tags":["meeting"],"directory":"meetings"}`},
				refuses: []refusal{{"NODE_EXISTS", example{arguments: `{"title":"Ada","content":"x"}`}}},
			},
			"update_node": {
				answers: "node", shown: example{arguments: `{"id":"Grace","title":"Grace Hopper"}`, keeps: []string{"id", "title", "tags", "updated", "_warnings"}},
				refuses: []refusal{{"NODE_NOT_FOUND", example{arguments: `{"id":"nobody","content":"x"}`}}, {"NODE_EXISTS", example{arguments: `{"id":"Ada","title":"Grace"}`}}},
			},
			"delete_node": {
				answers: "{ deleted, blocks?, references?, id?, title?, date?, _warnings? }", shown: example{arguments: `{"id":"Ada"}`},
				others: []example{{arguments: `{"id":"nobody"}`}},
			},
			"get_graph_guidelines": guidelines(false),
			"list_nodes":           {brief: true, answers: "{ nodes: [{ id, title }], total }", shown: example{in: more, arguments: `{"path":"Projects","limit":1}`}},
			"resolve_nodes":        {brief: true, answers: "[{ query, match, score }]", shown: example{in: more, arguments: `{"names":["saturn v","nobody"]}`}},
			"nodes_exist":          {brief: true, answers: "object", shown: example{in: more, arguments: `{"ids":["Ada","nobody"]}`}},
			"get_orphans":          {brief: true, answers: "{ nodes: [{ id, title }], total }", shown: example{in: more, arguments: `{"limit":1}`}},
			"get_clusters":         {brief: true, answers: "{ clusters: [{ size, nodes: [{ id, title }] }], total }", shown: example{in: more, arguments: `{"limit":1}`, keeps: []string{"total"}}},
		},
		refuses: map[string][]refusal{
			"get_node":    {{"INVALID_PARAMS", example{arguments: `{"id":"Ada","depth":2}`}}, {"PROVIDER_ERROR", example{in: closed, arguments: `{"id":"Ada"}`}}},
			"create_node": {{"READ_ONLY", example{in: readOnly, arguments: `{"title":"x","content":"x"}`}}, {"TICKET_REQUIRED", example{in: two, arguments: `{"graph":"work","title":"x","content":"x"}`}}},
			"delete_node": {{"PROVIDER_ERROR", example{in: adding, arguments: `{"id":"Ada"}`}}},
			"list_nodes":  {{"TOOL_NOT_OFFERED", example{arguments: `{}`}}},
		},
	}
}

// guidelines is the entry of the tool that reads guidelines, which all profiles have.
func guidelines(brief bool) entry {
	return entry{brief: brief, answers: "object", shown: example{arguments: `{}`, keeps: []string{"guidelines", "todaysDailyNotePage"}}}
}
