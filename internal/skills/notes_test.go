package skills

func notesTable() table {
	const fields = "id, title, content, color, isPinned, isArchived, type, checkItems, labels, images"
	return table{
		shapes: shapes{
			"note":   "{ " + fields + ", createdAt, updatedAt }",
			"listed": "{ " + fields + ", order, createdAt, updatedAt }",
			"whole":  "{ " + fields + ", reminder, isReminderDone, reminderRecurrence, reminderLocation, isMarkdown, size, embedding, userId, order, createdAt, updatedAt }",
		},
		tools: map[string]entry{
			"create_note": {
				answers: "note", shown: example{arguments: `{"title":"Meeting Notes","content":"Discussed Q1 roadmap...","labels":["work","planning"],"color":"blue"}`},
				others: []example{{arguments: `{"content":"Buy stamps"}`}, {arguments: `{"title":"Packing","content":"","type":"checklist","checkItems":["socks"]}`}},
			},
			"get_notes": {
				answers: "[listed]", shown: example{arguments: `{"search":"tea"}`, keeps: []string{"id", "title", "type", "labels", "order"}},
				others: []example{{arguments: `{"includeArchived":true}`}},
			},
			"get_note": {
				answers: "whole", shown: example{arguments: `{"id":"Shopping"}`, keeps: []string{"id", "title", "content", "type", "checkItems", "labels", "updatedAt"}},
				refuses: []refusal{{"NOT_FOUND", example{arguments: `{"id":"nobody"}`}}},
			},
			"update_note": {
				answers: "note", shown: example{arguments: `{"id":"grace0001","labels":["computing"],"color":"red"}`, keeps: []string{"id", "title", "color", "labels", "updatedAt"}},
				refuses: []refusal{{"NOT_FOUND", example{arguments: `{"id":"nobody","content":"x"}`}}},
			},
			"delete_note": {
				answers: "{ success, message, blocks?, id?, title?, date? }", shown: example{arguments: `{"id":"orphan001"}`},
				refuses: []refusal{{"NOT_FOUND", example{arguments: `{"id":"nobody"}`}}},
			},
			"search_notes": {answers: "[note]", shown: example{arguments: `{"query":"engine"}`, keeps: []string{"id", "title", "labels", "updatedAt"}}},
			"get_labels":   {answers: "[label]", shown: example{arguments: `{}`}},
			"toggle_pin": {
				answers: "note", shown: example{arguments: `{"id":"Ada"}`, keeps: []string{"id", "title", "isPinned"}},
				refuses: []refusal{{"NOT_FOUND", example{arguments: `{"id":"nobody"}`}}},
			},
			"toggle_archive": {
				answers: "note", shown: example{arguments: `{"id":"Ada"}`, keeps: []string{"id", "title", "isArchived"}},
				refuses: []refusal{{"NOT_FOUND", example{arguments: `{"id":"nobody"}`}}},
			},
			"get_graph_guidelines": guidelines(false),
		},
		refuses: map[string][]refusal{
			"get_note":       {{"INVALID_PARAMS", example{arguments: `{}`}}, {"CONNECTION_FAILED", example{in: closed, arguments: `{"id":"Ada"}`}}},
			"create_note":    {{"READ_ONLY", example{in: readOnly, arguments: `{"content":"x"}`}}, {"TICKET_REQUIRED", example{in: two, arguments: `{"graph":"work","content":"x"}`}}},
			"toggle_archive": {{"INSUFFICIENT_SCOPE", example{in: adding, arguments: `{"id":"Ada"}`}}},
		},
	}
}
