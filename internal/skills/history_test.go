package skills

// addHistory adds the tools for an agent's own changes, which are alike in all profiles, with a write of
// the profile before them.
func addHistory(told table, write step) table {
	given := []step{write}
	for name, each := range map[string]example{
		"my_changes":   {arguments: `{"limit":1}`, keeps: []string{"changes"}},
		"get_change":   {arguments: `{"change":"1"}`, keeps: []string{"change", "state", "lacks"}},
		"undo_changes": {arguments: `{"changes":["1"]}`, keeps: []string{"undone", "left", "change"}},
	} {
		each.in, each.given = kept, given
		told.tools[name] = entry{brief: true, answers: "object", shown: each}
	}
	return told
}
