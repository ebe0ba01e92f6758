package skills

// roamTable has many tools, of which the shapes are told by examples alone.
func roamTable() table {
	uploaded := []step{{tool: "file_upload", arguments: `{"base64":"aGk=","filename":"hi.txt"}`, remember: `"url":"([^"]+)"`}}
	comment := []step{{tool: "add_comment", arguments: `{"blockUid":"ap0000001","comment":"By when?"}`}}
	shortcut := []step{{tool: "add_shortcut", arguments: `{"uid":"ada000001"}`}}
	told := table{
		hides: []string{"graph", "graphName", "queriedAt"},
		tools: map[string]entry{
			"list_graphs":           {shown: example{in: two, arguments: `{}`, keeps: []string{"instruction"}}},
			"select_graph":          {shown: example{in: two, arguments: `{"graph":"work"}`, keeps: []string{"guidelines", "todaysDailyNotePage", "ticket"}}},
			"current_graph":         {shown: example{in: two, arguments: `{"graph":"work"}`, keeps: []string{"nickname", "permissions"}}},
			"get_graph_guidelines":  guidelines(true),
			"setup_new_graph":       {shown: example{arguments: `{}`, keeps: []string{"available_graphs"}}},
			"get_page":              {shown: example{arguments: `{"title":"Grace"}`, keeps: []string{"uid", "markdown"}}},
			"get_block":             {shown: example{arguments: `{"uid":"gr0000001"}`, keeps: []string{"markdown", "path"}}},
			"get_backlinks":         {shown: example{arguments: `{"title":"Ada","limit":1}`, keeps: []string{"total", "nextOffset"}}},
			"get_comments":          {shown: example{given: comment, arguments: `{"blockUid":"ap0000001"}`, keeps: []string{"total"}}},
			"search":                {shown: example{arguments: `{"query":"burns","limit":1}`, keeps: []string{"total", "results"}}},
			"find_path":             {shown: example{arguments: `{"from":"Ada","to":"Grace"}`, keeps: []string{"length"}}},
			"recent_changes":        {shown: example{arguments: `{"since":"7d","page":"Ada"}`, keeps: []string{"total"}}},
			"search_templates":      {shown: example{arguments: `{"query":"meeting"}`}},
			"roam_query":            {shown: example{arguments: `{"query":"{and: [[Ada]] [[Grace]]}"}`, keeps: []string{"total"}}},
			"datalog_query":         {shown: example{arguments: `{"query":"[:find (count ?b) . :where [?b :block/string]]"}`}},
			"create_page":           {shown: example{arguments: `{"title":"Reading list","markdown":"- Dune"}`, keeps: []string{"uid"}}},
			"create_block":          {shown: example{arguments: `{"pageTitle":"Grace","markdown":"- Wrote [[COBOL]]\n  - 1959"}`}},
			"append_to_daily_note":  {shown: example{arguments: `{"markdown":"Call [[Ada]]"}`}},
			"add_comment":           {shown: example{arguments: `{"blockUid":"ap0000001","comment":"By when?"}`}},
			"update_block":          {shown: example{arguments: `{"uid":"sv0000001","find":"kerosene","replace":"RP-1"}`, keeps: []string{"was", "markdown"}}},
			"update_blocks":         {shown: example{arguments: `{"updates":[{"uid":"sh0000001","todo":"done"}]}`, keeps: []string{"succeeded", "failed"}}},
			"move_block":            {shown: example{arguments: `{"uid":"ad0000002","parentUid":"grace0001"}`, keeps: []string{"moved"}}},
			"move_blocks":           {shown: example{arguments: `{"uids":["ad0000002","ad0000001"],"parentUid":"ada000001"}`, keeps: []string{"moved", "notMoved"}}},
			"update_page":           {shown: example{arguments: `{"uid":"ada000001","title":"Ada Lovelace"}`}},
			"delete_block":          {shown: example{arguments: `{"uid":"or0000001"}`, keeps: []string{"deleted", "descendants", "references"}}},
			"delete_blocks":         {shown: example{arguments: `{"uids":["or0000001"]}`, keeps: []string{"succeeded", "failed"}}},
			"delete_page":           {shown: example{arguments: `{"uid":"orphan001"}`, keeps: []string{"deleted", "descendants", "references"}}},
			"add_shortcut":          {shown: example{arguments: `{"uid":"ada000001"}`, keeps: []string{"shortcuts"}}},
			"remove_shortcut":       {shown: example{given: shortcut, arguments: `{"uid":"ada000001"}`, keeps: []string{"shortcuts"}}},
			"get_open_windows":      {shown: example{arguments: `{}`}},
			"get_selection":         {shown: example{arguments: `{}`}},
			"open_main_window":      {shown: example{arguments: `{"title":"Ada"}`}},
			"open_sidebar":          {shown: example{arguments: `{"uid":"ada000001"}`}},
			"suggest_links":         {shown: example{in: more, arguments: `{"text":"Ada met us"}`, keeps: []string{"suggestions"}}},
			"semantic_search":       {shown: example{in: more, arguments: `{"query":"rocket","k":1}`, keeps: []string{"results"}}},
			"file_upload":           {shown: example{in: more, arguments: uploaded[0].arguments, keeps: []string{"url", "bytes"}}},
			"file_get":              {shown: example{in: more, given: uploaded, arguments: `{"url":"$1"}`}},
			"file_delete":           {shown: example{in: more, given: uploaded, arguments: `{"url":"$1"}`}},
			"reload_dev_extensions": {shown: example{in: more, arguments: `{}`}},
			"call_extension_tool":   {shown: example{in: more, arguments: `{"tool":"cards/make","args":{}}`}},
		},
		refuses: map[string][]refusal{
			"get_page": {
				{"INVALID_PARAMS", example{arguments: `{"maxDepth":"deep","title":"Ada"}`}}, {"CONNECTION_FAILED", example{in: closed, arguments: `{"title":"Ada"}`}},
				{"GRAPH_NOT_SELECTED", example{in: two, given: []step{{tool: "list_graphs", arguments: `{}`}}, arguments: `{"title":"Ada"}`}},
			},
			"create_page":  {{"ALREADY_EXISTS", example{arguments: `{"title":"Ada"}`}}, {"READ_ONLY", example{in: readOnly, arguments: `{"title":"x"}`}}},
			"create_block": {{"TICKET_REQUIRED", example{in: two, arguments: `{"graph":"work","pageTitle":"Ada","markdown":"x"}`}}, {"TICKET_STALE", example{in: two, arguments: `{"graph":"work","ticket":"AAAAAAAAAAAA","pageTitle":"Ada","markdown":"x"}`}}},
			"update_block": {
				{"NOT_FOUND", example{arguments: `{"uid":"nobody000","string":"x"}`}}, {"TEXT_NOT_MATCHED", example{arguments: `{"uid":"sv0000001","find":"helium","replace":"x"}`}}, {"GUIDELINES_PROTECTED", example{arguments: `{"uid":"gu0000001","string":"Anything goes"}`}},
				{"INSUFFICIENT_SCOPE", example{in: adding, arguments: `{"uid":"sv0000001","string":"x"}`}},
			},
			"suggest_links": {{"TOOL_NOT_OFFERED", example{arguments: `{"text":"x"}`}}},
		},
	}
	for name, each := range told.tools {
		each.brief, each.answers = true, "object"
		told.tools[name] = each
	}
	return told
}
