package reference

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"roam-mcp/tools/evaluation"
)

// Official returns what solves the compared tasks with the official server, version 0.5.1.
// One of them, first-shortcut, it has no tool for. Its tools have the names of ours, but
// not all of them are there, and a Datalog result comes whole.
func Official() map[string]Solution {
	solutions := maps.Clone(Solutions())
	delete(solutions, "first-shortcut")
	maps.Copy(solutions, map[string]Solution{
		"most-linked": func(s *script) string {
			counted := whole(s, `[:find ?t (count ?b) :where [?b :block/refs ?p] [?p :node/title ?t] [?b :block/string]]`)
			slices.SortFunc(counted, func(a, b []any) int { return int(b[1].(float64) - a[1].(float64)) })
			return list(counted[:min(3, len(counted))])
		},
		"titles-with-prefix": func(s *script) string {
			return list(whole(s, `[:find ?t :where [?p :node/title ?t] [(clojure.string/starts-with? ?t "roam/")]]`))
		},
		"created-in-year": func(s *script) string {
			found := whole(s, `[:find ?u :where [?p :node/title "FAQ"] [?b :block/page ?p] [?b :create/time ?c] [(>= ?c 1640995200000)] [(< ?c 1672531200000)] [?b :block/uid ?u]]`)
			return counted(found)
		},
		"long-page": func(s *script) string {
			log := page(s, "Ship's log")
			all := log.Lines("^- ")
			return log.Line("soaked") + "\n" + all[max(0, len(all)-1)]
		},
		"unlinked-mentions": func(s *script) string {
			return firstFive(whole(s, unlinkedDailyNotes))
		},
		"entries-under-heading": func(s *script) string {
			s.Call("create_block", args{"dailyNotePage": s.Today.Format("01-02-2006"), "nestUnder": "Bakery", "markdown": "- Rye came out pale\n- Sold out by ten"})
			return "Done."
		},
		"replace-word": func(s *script) string {
			stock := page(s, "Winter stock")
			for _, line := range stock.Lines("flower") {
				s.Call("update_block", args{"uid": stock.UID(regexp.QuoteMeta(line)), "string": strings.ReplaceAll(line, "flower", "flour")})
			}
			s.Call("move_block", args{"uid": stock.UID("Salt"), "parentUid": pageUID(s, "Winter stock"), "order": "first"})
			return "Done."
		},
	})
	return solutions
}

// whole returns the rows of a query from the official server.
func whole(s *script, query string) [][]any {
	reply := string(s.Call("datalog_query", evaluation.Args{"query": query}))
	var found [][]any
	start := strings.IndexByte(reply, '[')
	if start < 0 || json.Unmarshal([]byte(reply[start:]), &found) != nil {
		s.Fail("the reply is no list: %.200s", reply)
	}
	return found
}
