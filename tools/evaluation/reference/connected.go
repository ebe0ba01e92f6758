package reference

import (
	"fmt"
	"strings"

	"roam-mcp/tools/evaluation"
)

// connected solves the tasks about ways, changes, moves and plain text.
func connected() map[string]Solution {
	return map[string]Solution{
		"path-over-one": func(s *script) string {
			return ways(s.Call("find_path", args{"from": "Tove Lindqvist", "to": "Travels with a Donkey in the Cévennes", "limit": 1}))
		},
		"path-by-links-out": func(s *script) string {
			return ways(s.Call("find_path", args{"from": "Books", "to": "Sourdough starter", "direction": "out", "limit": 1}))
		},
		"changed-by-whom": func(s *script) string {
			page(s, "Oven Fund")
			changes := s.Call("recent_changes", args{"since": "today", "page": "Oven Fund"})
			s.Call("append_to_daily_note", args{"markdown": "- " + makers(first(changes)) + ": " + changes.Line(".")})
			return "Done."
		},
		"new-today-by-whom": func(s *script) string {
			page(s, "Books")
			changes := s.Call("recent_changes", args{"since": "today"})
			var lines []string
			for _, on := range results(changes) {
				if text := on.str("markdown"); text != "" { // the page of a user who is new has no blocks
					lines = append(lines, "- [["+on.str("title")+"]], "+makers(on)+": "+untagged(text))
				}
			}
			s.Call("append_to_daily_note", args{"markdown": strings.Join(lines, "\n")})
			return "Done."
		},
		"move-two-in-order": func(s *script) string {
			fund := page(s, "Oven Fund")
			s.Call("move_blocks", args{"uids": []string{fund.UID("boathouse door"), fund.UID("electrician")}, "parentUid": pageUID(s, "Winter Bread Club"), "order": "first"})
			return "Done."
		},
		"turn-around": func(s *script) string {
			loaf := page(s, "Country loaf")
			s.Call("move_blocks", args{"parentUid": loaf.UID("^- Dough for"), "uids": []string{loaf.UID("100 g salt"), loaf.UID("1,000 g ripe"), loaf.UID("3,500 g water"), loaf.UID("4,500 g strong")}})
			return "Done."
		},
		"before-and-after": func(s *script) string {
			uid := searchedUID(s, "pledged members", "by 31 members")
			left := s.Call("update_block", args{"uid": uid, "find": "31 members", "replace": "33 members"})
			return left.Text("was") + "\n" + left.Markdown()
		},
		"how-many-replaced": func(s *script) string {
			stock := page(s, "Winter stock")
			var updates []args
			for _, uid := range stock.UIDs("flower") {
				updates = append(updates, args{"uid": uid, "find": "flower", "replace": "flour"})
			}
			left, places := s.Call("update_blocks", args{"updates": updates}), 0.0
			for _, block := range results(left) {
				replaced, _ := block["replaced"].(float64)
				places += replaced
			}
			return fmt.Sprint(places, " places\n", left)
		},
		"plain-page": func(s *script) string { return plain(s, "Country loaf") },
		"plain-tasks": func(s *script) string {
			_, tasks, _ := strings.Cut(plain(s, "Oven Fund"), "Tasks\n")
			tasks, _, _ = strings.Cut(tasks, "- Decisions")
			return tasks
		},
		"asked-in-my-words": func(s *script) string {
			found := s.Call("search", args{"query": "how long starter fridge OR cold fed OR feed", "limit": 3})
			return first(found).str("markdown") + "\n" + first(found).str("path")
		},
		"title-in-lower-case": func(s *script) string { return page(s, "sourdough STARTER").Line("Bosun") },
	}
}

// plain returns a page as a person would paste it.
func plain(s *script, title string) string {
	return s.Call("get_page", args{"title": title, "plain": true}).Text("text")
}

// object is part of a reply.
type object map[string]any

func (o object) str(field string) string { return fmt.Sprint(o[field]) }

// results returns the results of a reply.
func results(found evaluation.Reply) []object {
	var all []object
	list, _ := found.Decode()["results"].([]any)
	for _, each := range list {
		result, _ := each.(map[string]any)
		all = append(all, result)
	}
	return all
}

// first returns the first result of a reply, nil if there is none.
func first(found evaluation.Reply) object {
	if all := results(found); len(all) > 0 {
		return all[0]
	}
	return nil
}

// untagged returns the text of the first block of some markdown.
func untagged(markdown string) string {
	line, _, _ := strings.Cut(markdown, " <roam ")
	return strings.TrimPrefix(line, "- ")
}

// makers returns who made the changes on a page.
func makers(changed object) string {
	by, _ := changed["by"].([]any)
	return strings.Trim(fmt.Sprint(by), "[]")
}

// ways tells what find_path has found.
func ways(found evaluation.Reply) string {
	reply := found.Decode()
	return fmt.Sprint("Links: ", reply["length"], "\n", reply["ways"], reply["note"])
}
