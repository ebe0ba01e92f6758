// Package reference solves the tasks of package evaluation by scripts, which prove that
// they can be solved and count what that takes.
package reference

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"roam-mcp/tools/evaluation"
)

type (
	script = evaluation.Script
	args   = evaluation.Args
)

// Solution does a task by calls, and returns the answer for the user.
type Solution func(*evaluation.Script) string

// Solutions returns what solves each task, by its name, with the tools as they are, in as few calls as a careful agent
// would need. Answers are made of what was read. The guidelines, which every agent reads
// once, are not read here, but where a task asks for them.
func Solutions() map[string]Solution {
	all := map[string]Solution{
		// Those that are compared with the official server.
		"most-linked": func(s *script) string {
			return list(top(s, 3, `[:find ?t (count ?b) :where [?b :block/refs ?p] [?p :node/title ?t] [?b :block/string]]`))
		},
		"titles-with-prefix": func(s *script) string {
			return list(rows(s, `[:find ?t :where [?p :node/title ?t] [(clojure.string/starts-with? ?t "roam/")]]`))
		},
		"open-todos": func(s *script) string {
			return text(page(s, "Oven Fund").Lines(`\[\[TODO\]\]`))
		},
		"best-passage": func(s *script) string {
			found := s.Call("search", args{"query": "if you edit text within the embed", "limit": 1})
			if found.UID("embed") == "" {
				found = s.Call("search", args{"query": "embed portal"})
			}
			return found.Line("embed") + " uid: " + found.UID("embed")
		},
		"created-in-year": func(s *script) string {
			found := rows(s, `[:find ?u :where [?p :node/title "FAQ"] [?b :block/page ?p] [?b :create/time ?c] [(>= ?c 1640995200000)] [(< ?c 1672531200000)] [?b :block/uid ?u]]`)
			return counted(found)
		},
		"long-page": func(s *script) string {
			all := rows(s, `[:find ?o ?s :where [?p :node/title "Ship's log"] [?p :block/children ?b] [?b :block/order ?o] [?b :block/string ?s]]`)
			slices.SortFunc(all, func(a, b []any) int { return int(a[0].(float64) - b[0].(float64)) })
			return list(slices.DeleteFunc(all, func(row []any) bool {
				return !strings.Contains(fmt.Sprint(row[1]), "soaked") && row[0] != float64(len(all)-1)
			}))
		},
		"unlinked-mentions": func(s *script) string {
			var uids []string
			found, _ := s.Call("search", args{"query": `unlinked:"Daily Notes"`, "limit": 5, "includePath": false}).Decode()["results"].([]any)
			for _, each := range found {
				uids = append(uids, fmt.Sprint(each.(map[string]any)["uid"]))
			}
			return text(uids)
		},
		"outlined-page": func(s *script) string {
			found := s.Call("search", args{"query": "left rear corner runs cold", "limit": 1})
			cold := found.UID("left rear corner runs cold. Turn")
			s.Call("create_page", args{"title": "Bread festival", "markdown": "- Before\n  - Stall\n    - {{[[TODO]]}} Borrow the long table\n    - {{[[TODO]]}} Print price cards\n- On the day\n  - Oven\n    - ((" + cold + "))"})
			return "Done."
		},
		"entries-under-heading": func(s *script) string {
			s.Call("append_to_daily_note", args{"markdown": "- Rye came out pale\n- Sold out by ten", "nestUnder": "Bakery"})
			return "Done."
		},
		"rename-page": func(s *script) string {
			s.Call("update_page", args{"uid": pageUID(s, "Country loaf"), "title": "Harbour loaf"})
			return "Done."
		},
		"replace-word": func(s *script) string {
			stock := page(s, "Winter stock")
			var updates []args
			for _, line := range stock.Lines("flower") {
				updates = append(updates, args{"uid": stock.UID(regexp.QuoteMeta(line)), "find": "flower", "replace": "flour"})
			}
			s.Call("update_blocks", args{"updates": updates})
			s.Call("move_block", args{"uid": stock.UID("Salt"), "parentUid": stock.Text("uid"), "order": "first"})
			return "Done."
		},
		"finish-and-move": func(s *script) string {
			bakery := page(s, "Tidewater Bread")
			task := bakery.UID("deliver every two weeks")
			s.Call("update_block", args{"uid": task, "todo": "done"})
			s.Call("add_comment", args{"blockUid": task, "comment": "He can, from January"})
			s.Call("move_block", args{"uid": bakery.UID("draws damp"), "parentUid": pageUID(s, "Country loaf"), "order": "last"})
			return "Done."
		},
		"delete-with-notice": func(s *script) string {
			uid := page(s, "Oven Fund").UID("32 A supply")
			return string(s.Call("delete_block", args{"uid": uid}))
		},
		"first-shortcut": func(s *script) string {
			s.Call("add_shortcut", args{"uid": pageUID(s, "Oven Fund"), "index": 0})
			return "Done."
		},
		"numbered-list": func(s *script) string {
			s.Call("create_block", args{"pageTitle": "Winter Bread Club", "order": "first", "markdown": "## Friday\n1. Light the oven\n2. Bake both batches\n3. Hand out the loaves"})
			return "Done."
		},

		// Questions.
		"who-and-how":   func(s *script) string { return page(s, "Ruth Calder").Markdown() + "Ruth Calder" },
		"two-prices":    func(s *script) string { return searched(s, "oven £4") },
		"two-counts":    func(s *script) string { return searched(s, "£2,950") },
		"starter-rules": func(s *script) string { return searched(s, "cold store") + searched(s, "week in the cold") },
		"club-dates":    func(s *script) string { return page(s, "Winter Bread Club").Line("Ten Fridays") },
		"tasks-of-amara": func(s *script) string {
			return text(s.Call("get_backlinks", args{"title": "Amara Obi", "limit": 50}).Lines(`\[\[TODO\]\]`))
		},
		"table-row": func(s *script) string {
			lines := page(s, "Winter Bread Club").Lines(".")
			i := slices.Index(lines, "One of each")
			return text(lines[max(i, 0):min(i+4, len(lines))])
		},
		"low-water":  func(s *script) string { return text(page(s, "Tide tables").Lines("2027-04-17")) },
		"books-done": func(s *script) string { return text(page(s, "Books").Lines(`\[\[(Walking|Travels)`)) },
		"where-referred": func(s *script) string {
			return paths(s.Call("get_backlinks", args{"uid": page(s, "Tidewater Bread").UID("runs cold")}))
		},
		"in-the-inbox":    func(s *script) string { return s.Call("get_backlinks", args{"title": "inbox"}).Markdown() },
		"code-in-a-block": func(s *script) string { return slice(page(s, "Seeded rye").Line("RYE = "), `"water"`, ",") },
		"one-day":         func(s *script) string { return page(s, "November 18th, 2026").Markdown() },
		"not-in-the-graph": func(s *script) string {
			if total := s.Call("search", args{"query": "Lisbon"}).Decode()["total"]; total != 0.0 {
				s.Fail("%v hits", total)
			}
			return "They say nothing about it."
		},
		"my-templates": func(s *script) string { return string(s.Call("search_templates", args{})) },
		"house-rules": func(s *script) string {
			return slice(s.Call("get_graph_guidelines", args{}).Text("guidelines"), "Ask before", "\n")
		},
		"comments-read": func(s *script) string {
			return s.Call("get_comments", args{"blockUid": searchedUID(s, "nail varnish", "hungry")}).Markdown()
		},
		"largest-page": func(s *script) string {
			return list(top(s, 1, `[:find ?t (count ?b) :where [?b :block/page ?p] [?p :node/title ?t]]`))
		},
		"count-links": func(s *script) string {
			return list(rows(s, `[:find (count ?b) . :where [?p :node/title "Block References"] [?b :block/refs ?p] [?b :block/string]]`))
		},

		// Writes.
		"note-for-today": func(s *script) string {
			s.Call("append_to_daily_note", args{"markdown": "The flour came two days late #inbox"})
			return "Done."
		},
		"note-for-yesterday": func(s *script) string {
			s.Call("append_to_daily_note", args{"markdown": "Forgot to feed Bosun", "date": "yesterday"})
			return "Done."
		},
		"new-task": func(s *script) string {
			s.Call("create_block", args{"pageTitle": "Oven Fund", "nestUnder": "Tasks", "markdown": "- {{[[TODO]]}} Call the dealer about the price, [[Ruth Calder]]"})
			return "Done."
		},
		"open-question": func(s *script) string {
			s.Call("create_block", args{"pageTitle": "Winter Bread Club", "nestUnder": "Open questions", "markdown": "- Do we bake on Good Friday?", "order": "first"})
			return "Done."
		},
		"use-template": func(s *script) string {
			s.Call("search_templates", args{"query": "Meeting"})
			s.Call("append_to_daily_note", args{"markdown": "- Meeting:\n  - With\n    - [[Owen Pryce]]\n  - Said\n    - The rye is slow\n  - Decided\n    - Two per cent less water\n  - Tasks"})
			return "Done."
		},
		"page-like-others": func(s *script) string {
			page(s, "Walking")
			s.Call("create_page", args{"title": "The Sea Around Us", "markdown": "- Author:: Rachel Carson\n- Status:: someday"})
			s.Call("create_block", args{"pageTitle": "Books", "nestUnder": "Wanted", "markdown": "- [[The Sea Around Us]]"})
			return "Done."
		},
		"code-kept": func(s *script) string {
			s.Call("create_page", args{"title": "Oven timer", "markdown": "```python\ndef turn(minutes):\n    if minutes >= 20:\n        return \"turn\"\n\n    return \"wait\"\n```"})
			return "Done."
		},
		"remark-on-quote": func(s *script) string {
			s.Call("create_block", args{"parentUid": searchedUID(s, "starter keeps promises", "keeps promises"), "markdown": "True of people as well"})
			return "Done."
		},
		"comment": func(s *script) string {
			s.Call("add_comment", args{"blockUid": page(s, "Amara Obi").UID("spelt"), "comment": "March, then"})
			return "Done."
		},
		"long-outline": func(s *script) string {
			var b strings.Builder
			for n := range 12 {
				fmt.Fprintf(&b, "- Shelf %d\n  - Top\n  - Middle\n  - Bottom\n", n+1)
			}
			s.Call("create_page", args{"title": "Inventory", "markdown": b.String()})
			return "Done."
		},

		// Changes.
		"finish-several": func(s *script) string {
			walk := page(s, "Ellery Coast Path")
			var updates []args
			for _, line := range walk.Lines(`\[\[TODO\]\]`) {
				updates = append(updates, args{"uid": walk.UID(regexp.QuoteMeta(line)), "todo": "done"})
			}
			s.Call("update_blocks", args{"updates": updates})
			return "Done."
		},
		"heading-level": func(s *script) string {
			s.Call("update_block", args{"uid": page(s, "Oven Fund").UID("^- Decisions"), "heading": 3})
			return "Done."
		},
		"number-children": func(s *script) string {
			s.Call("update_block", args{"uid": page(s, "Oven Fund").UID("^- Tasks"), "childrenViewType": "numbered"})
			return "Done."
		},
		"link-mention": func(s *script) string {
			s.Call("update_block", args{"uid": page(s, "November 11th, 2026").UID("Amara again"), "find": "Amara again", "replace": "[Amara]([[Amara Obi]]) again"})
			return "Done."
		},
		"move-section": func(s *script) string {
			fund := page(s, "Oven Fund")
			s.Call("move_block", args{"uid": fund.UID("^- Decisions"), "parentUid": fund.Text("uid"), "order": 3})
			return "Done."
		},
		"open-tasks-first": func(s *script) string {
			fund := page(s, "Oven Fund")
			s.Call("move_blocks", args{"parentUid": fund.UID("^- Tasks"), "order": "first", "uids": []string{fund.UID("electrician"), fund.UID("boathouse door"), fund.UID("thank-you loaf")}})
			return "Done."
		},
		"move-to-page": func(s *script) string {
			s.Call("move_block", args{"uid": page(s, "Amara Obi").UID("spelt"), "parentUid": pageUID(s, "Seeded rye"), "order": "first"})
			return "Done."
		},
		"delete-done": func(s *script) string {
			fund := page(s, "Oven Fund")
			s.Call("delete_blocks", args{"uids": []string{fund.UID("three offers"), fund.UID("Letter to all")}})
			return "Done."
		},
		"delete-page": func(s *script) string {
			s.Call("delete_page", args{"uid": pageUID(s, "Feeding Bosun")})
			return "Done."
		},
		"merge-pages": func(s *script) string {
			s.Call("update_page", args{"uid": pageUID(s, "Feeding Bosun"), "title": "Sourdough starter", "mergePages": true})
			return "Done."
		},
		"drop-shortcut": func(s *script) string {
			s.Call("remove_shortcut", args{"uid": pageUID(s, "Accounts")})
			return "Done."
		},
		"correct-number": func(s *script) string {
			lines := strings.Split(page(s, "Winter Bread Club").Markdown(), "\n")
			i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "One of each") })
			_, uid, _ := strings.Cut(lines[max(i, 0)+2], `uid="`)
			uid, _, _ = strings.Cut(uid, `"`)
			s.Call("update_block", args{"uid": uid, "string": "7"})
			return "Done."
		},

		// Two graphs.
		"which-graph": func(s *script) string {
			in := ""
			for _, graph := range []string{"demo", "notebook"} {
				if found := s.Call("search", args{"graph": graph, "query": "quince"}); found.Line("quince") != "" {
					in += graph + ": " + paths(found)
				}
			}
			return in
		},
		"write-in-one": func(s *script) string {
			rules := s.Call("select_graph", args{"graph": "notebook"})
			s.Call("create_block", args{"ticket": rules.Text("ticket"), "pageTitle": "Margin", "markdown": "- " + s.Today.Format("2006-01-02") + "\n  - The swims need a plan for January"})
			return "Done."
		},
		"rules-of-both": func(s *script) string {
			demo := s.Call("get_graph_guidelines", args{"graph": "demo"}).Text("guidelines")
			notebook := s.Call("get_graph_guidelines", args{"graph": "notebook"}).Text("guidelines")
			return "demo: " + slice(demo, "Search before", "\n") + "\nnotebook: " + slice(notebook, "No tags", "\n")
		},
	}
	maps.Copy(all, unseen())
	maps.Copy(all, undone())
	maps.Copy(all, connected())
	return all
}

const unlinkedDailyNotes = `[:find ?u ?s :where [?p :node/title "Daily Notes"] [?b :block/string ?s] [(clojure.string/includes? ?s "Daily Notes")] (not [?b :block/refs ?p]) (not [?b :block/page ?p]) [?b :block/uid ?u]]`

// firstFive returns the uids of five rows whose text is not within a link.
func firstFive(found [][]any) string {
	var uids []string
	for _, row := range found {
		if plain, _ := row[1].(string); !strings.Contains(plain, "[[Daily Notes") && !strings.Contains(plain, "http") && len(uids) < 5 {
			uids = append(uids, row[0].(string))
		}
	}
	return text(uids)
}

func counted(found [][]any) string { return fmt.Sprint(len(found), " blocks:\n", list(found)) }

func page(s *script, title string) evaluation.Reply { return s.Call("get_page", args{"title": title}) }

// pageUID returns the uid of a page, without its blocks.
func pageUID(s *script, title string) string {
	return s.Call("get_page", args{"title": title, "maxDepth": 0}).Text("uid")
}

// searched returns what a search finds, with the pages that it is on.
func searched(s *script, query string) string {
	found := s.Call("search", args{"query": query})
	return found.Markdown() + "\n" + paths(found)
}

func searchedUID(s *script, query, line string) string {
	return s.Call("search", args{"query": query}).UID(line)
}

// top returns the n rows of a Datalog query whose second column is the largest.
func top(s *script, n int, query string) [][]any {
	var found [][]any
	result, _ := s.Call("datalog_query", args{"query": query, "orderBy": "2 desc", "limit": n}).Decode()["result"].([]any)
	for _, row := range result {
		found = append(found, row.([]any))
	}
	return found
}

// rows returns all rows of a Datalog query, in as many calls as that takes; a single value
// is a row.
func rows(s *script, query string) [][]any {
	var all [][]any
	for s.Err() == nil {
		reply := s.Call("datalog_query", args{"query": query, "offset": len(all)}).Decode()
		part, several := reply["result"].([]any)
		if !several {
			return [][]any{{reply["result"]}}
		}
		for _, row := range part {
			all = append(all, row.([]any))
		}
		if total, cut := reply["total"].(float64); !cut || len(part) == 0 || len(all) >= int(total) {
			break
		}
	}
	return all
}

// paths returns the pages that results are on.
func paths(found evaluation.Reply) string {
	var titles []string
	results, _ := found.Decode()["results"].([]any)
	for _, result := range results {
		object, _ := result.(map[string]any)
		if path, _ := object["path"].([]any); len(path) > 0 {
			titles = append(titles, fmt.Sprint(path[0]))
		}
	}
	return text(titles)
}

// slice returns a text from one place up to another behind it.
func slice(text, from, to string) string {
	_, rest, found := strings.Cut(text, from)
	if !found {
		return ""
	}
	rest, _, _ = strings.Cut(rest, to)
	return from + rest
}

func list(rows [][]any) string {
	var out []string
	for _, row := range rows {
		out = append(out, strings.Trim(fmt.Sprint(row), "[]"))
	}
	return text(out)
}

func text(lines []string) string { return strings.Join(lines, "\n") }
