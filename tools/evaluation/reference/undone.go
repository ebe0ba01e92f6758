package reference

import (
	"cmp"
	"fmt"

	"roam-mcp/tools/evaluation"
)

// undone solves the tasks in which an agent takes back what it has changed, or looks what a change
// would do.
func undone() map[string]Solution {
	finish := func(s *script, uids ...string) {
		updates := make([]args, len(uids))
		for i, uid := range uids {
			updates[i] = args{"uid": uid, "todo": "done"}
		}
		s.Call("update_blocks", args{"updates": updates})
	}
	const tide, beds = "Find out when we can cross", "Beds at Coldwell"
	return map[string]Solution{
		"undo-wrong-task": func(s *script) string {
			path := page(s, "Ellery Coast Path")
			finish(s, path.UID(tide))
			s.Call("undo_changes", args{})
			finish(s, path.UID(beds))
			return "Done."
		},
		"undo-deletion": func(s *script) string {
			s.Call("delete_page", args{"uid": pageUID(s, "Feeding Bosun")})
			s.Call("undo_changes", args{})
			return "The page is back."
		},
		"undo-merge": func(s *script) string {
			s.Call("update_page", args{"uid": pageUID(s, "Feeding Bosun"), "title": "Sourdough starter", "mergePages": true})
			s.Call("undo_changes", args{})
			return "The pages are two again."
		},
		"undo-section": func(s *script) string {
			s.Call("delete_block", args{"uid": page(s, "Oven Fund").UID("^- Decisions")})
			s.Call("undo_changes", args{})
			return "The section is back."
		},
		"undo-first-of-two": func(s *script) string {
			fund := page(s, "Oven Fund")
			s.Call("update_block", args{"uid": fund.UID("^- Decisions"), "heading": 3})
			s.Call("update_block", args{"uid": fund.UID("^- Tasks"), "childrenViewType": "numbered"})
			changes, _ := s.Call("my_changes", args{"limit": 2}).Decode()["changes"].([]any)
			if len(changes) == 2 {
				first, _ := changes[1].(map[string]any)
				s.Call("undo_changes", args{"changes": []any{first["change"]}})
			}
			return "The heading is as it was."
		},
		"undo-conversation": func(s *script) string {
			s.Call("create_page", args{"title": "Spare keys", "markdown": "- Tove"})
			s.Call("create_block", args{"pageTitle": "Ellery Coast Path", "markdown": "- Keys are with Tove"})
			finish(s, page(s, "Ellery Coast Path").UID(beds))
			s.Call("undo_changes", args{"session": "this"})
			return "All is as it was."
		},
		"undo-keeps-mine": func(s *script) string {
			path := page(s, "Ellery Coast Path")
			finish(s, path.UID(tide), path.UID(beds))
			left, _ := s.Call("undo_changes", args{}).Decode()["left"].([]any)
			s.Call("create_block", args{"pageTitle": "Ellery Coast Path", "markdown": "- Looked at twice"})
			if len(left) == 0 {
				return "Nothing was left."
			}
			mine, _ := left[0].(map[string]any)
			is, _ := mine["is"].(string)
			return "I left what you wrote: " + is
		},
		"look-deletion": func(s *script) string {
			return wouldDo(s.Call("delete_page", args{"uid": pageUID(s, "Tove Lindqvist"), "dryRun": true}))
		},
		"look-section": func(s *script) string {
			return wouldDo(s.Call("delete_block", args{"uid": page(s, "Oven Fund").UID("^- Decisions"), "dryRun": true}))
		},
		"look-rename": func(s *script) string {
			return wouldDo(s.Call("update_page", args{"uid": pageUID(s, "Country loaf"), "title": "Harbour loaf", "dryRun": true}))
		},
	}
}

// wouldDo says what a dry run tells.
func wouldDo(r evaluation.Reply) string {
	effect, _ := r.Decode()["effect"].(map[string]any)
	count := func(name string) any { return cmp.Or(effect[name], any(0)) }
	return fmt.Sprintf("%v blocks would go, %v texts and %v titles would be rewritten.", count("blocksGone"), count("rewritten"), count("pagesRewritten"))
}
