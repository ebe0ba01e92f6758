package skills

func outlineTable() table {
	return table{
		shapes: shapes{
			"page":  "{ page_name, page_uuid, journal, created_at?, updated_at?, empty? }",
			"block": "{ block_uuid, content, properties, property_uuids?, children: [block], hidden_children? }",
		},
		tools: map[string]entry{
			"list_pages": {answers: "{ pages: [page], total }", shown: example{arguments: `{"limit":2,"offset":3}`}, others: []example{{arguments: `{"include_journals":true}`}}},
			"get_page_content": {
				answers: "{ page_name, page_uuid, journal, properties?, property_uuids?, text?, blocks?: [block] }",
				shown:   example{arguments: `{"page_name":"Ada"}`},
				others:  []example{{arguments: `{"page_name":"projects/apollo","format":"json","block_depth":1}`}, {arguments: `{"page_name":"2024-01-15"}`}},
				refuses: []refusal{{"NOT_FOUND", example{arguments: `{"page_name":"nobody"}`}}},
			},
			"create_page": {
				answers: "{ page_name, success, page_uuid, block_uuids, warnings? }",
				shown:   example{arguments: `{"title":"Trip","content":"- pack\n  - socks","properties":{"status":"open"}}`},
				others:  []example{{arguments: `{"title":"Empty","create_first_block":true}`}},
				refuses: []refusal{{"INVALID_INPUT", example{arguments: `{"title":"Ada","content":"x"}`}}},
			},
			"update_page": {
				answers: "{ page_name, success, page_uuid, block_uuids, properties_set, properties_deleted?, warnings? }",
				shown:   example{arguments: `{"page_name":"Ada","content_append":"- new fact","properties":{"Role":"engineer"}}`},
				others:  []example{{arguments: `{"page_name":"Saturn V","properties":{"Tags":null}}`}},
				refuses: []refusal{{"NOT_FOUND", example{arguments: `{"page_name":"nobody","content_append":"x"}`}}},
			},
			"delete_page": {
				answers: "{ page_name, success, deleted_blocks, references, page_uuid, date? }", shown: example{arguments: `{"page_name":"Ada","force":true}`},
				refuses: []refusal{{"INVALID_INPUT", example{arguments: `{"page_name":"Ada"}`}}, {"NOT_FOUND", example{arguments: `{"page_name":"nobody"}`}}},
			},
			"search": {
				answers: "{ query, blocks: [{ block_uuid, page_name, content, path }], pages: [{ page_name, page_uuid }], files: [{ name, url, block_uuid }], total, truncated }",
				shown:   example{arguments: `{"query":"kerosene"}`}, others: []example{{arguments: `{"query":"apollo","include_blocks":false}`}},
			},
			"get_block": {
				answers: "{ block_uuid, content, properties, property_uuids?, page_name, parent_uuid, children?: [block], hidden_children?, created_at, updated_at, references }",
				shown:   example{arguments: `{"block_uuid":"ap0000001"}`},
				refuses: []refusal{{"NOT_FOUND", example{arguments: `{"block_uuid":"nobody000"}`}}},
			},
			"create_block": {
				answers: "{ block_uuid, success, page_name, parent_uuid, order, warnings? }", shown: example{arguments: `{"content":"mid","sibling_block_uuid":"ap0000003","position":"before"}`},
				others:  []example{{arguments: `{"content":"first","page_name":"Ada","position":"first"}`}},
				refuses: []refusal{{"INVALID_INPUT", example{arguments: `{"content":"x"}`}}},
			},
			"update_block": {
				answers: "{ block_uuid, success, properties_set?, properties_deleted?, warnings? }", shown: example{arguments: `{"block_uuid":"gr0000001","content":"more","replace_content":false}`},
				refuses: []refusal{{"NOT_FOUND", example{arguments: `{"block_uuid":"nobody000","content":"x"}`}}},
			},
			"delete_block": {
				answers: "{ block_uuid, success, deleted_blocks, references, page_name }", shown: example{arguments: `{"block_uuid":"ap0000001","recursive":true}`},
				refuses: []refusal{{"INVALID_INPUT", example{arguments: `{"block_uuid":"ap0000001"}`}}, {"NOT_FOUND", example{arguments: `{"block_uuid":"nobody000"}`}}},
			},
			"move_block": {
				answers: "{ block_uuid, success, parent_uuid, order }", shown: example{arguments: `{"block_uuid":"ad0000002","target_page_name":"Grace","position":"last"}`},
				refuses: []refusal{{"INVALID_INPUT", example{arguments: `{"block_uuid":"ap0000001","target_parent_uuid":"ap0000002"}`}}, {"NOT_FOUND", example{arguments: `{"block_uuid":"ad0000002","target_page_name":"nobody"}`}}},
			},
			"datascript_query": {
				answers: "{ results, count, truncated, schema, elapsed_ms, warnings? }",
				shown:   example{arguments: `{"query":"[:find ?u ?c :where [?b :block/marker \"TODO\"] [?b :block/uuid ?u] [?b :block/content ?c]]"}`},
				others:  []example{{arguments: `{"query":"[:find ?t :where [?p :node/title ?t] [?p :log/id]]"}`}},
				refuses: []refusal{{"INVALID_INPUT", example{arguments: `{"query":"[:find"}`}}},
			},
			"ping":                 {answers: "{ status, roam, latency_ms?, graph, server_version, cause?, message?, hint? }", shown: example{arguments: `{}`}, others: []example{{in: closed, arguments: `{}`}}},
			"get_capabilities":     {answers: "{ capabilities, enabled, disabled, skill_version, server_version, roam_api_version?, graph, access_level?, roam }", shown: example{in: adding, arguments: `{}`, keeps: []string{"enabled", "disabled", "skill_version"}}},
			"get_graph_guidelines": guidelines(false),
		},
		refuses: map[string][]refusal{
			"datascript_query": {{"TIMEOUT", example{in: slow, arguments: `{"query":"[:find ?t :where [?p :node/title ?t]]","timeout_ms":100}`}}},
			"get_block":        {{"INTERNAL", example{in: closed, arguments: `{"block_uuid":"ap0000001"}`}}},
			"create_block":     {{"CAPABILITY_MISSING", example{in: readOnly, arguments: `{"content":"x","page_name":"Ada"}`}}, {"TICKET_REQUIRED", example{in: two, arguments: `{"graph":"work","content":"x","page_name":"Ada"}`}}},
			"update_block":     {{"CAPABILITY_MISSING", example{in: adding, arguments: `{"block_uuid":"gr0000001","content":"x"}`}}},
		},
	}
}
