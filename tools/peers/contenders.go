package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
)

// named returns arguments in which the question's text stands under a name, with others.
func named(name string, others map[string]any) func(question) map[string]any {
	return func(q question) map[string]any {
		arguments := map[string]any{name: q.a}
		for key, value := range others {
			arguments[key] = value
		}
		return arguments
	}
}

func fromTo(from, to string) func(question) map[string]any {
	return func(q question) map[string]any { return map[string]any{from: q.a, to: q.b} }
}

func constant(arguments map[string]any) func(question) map[string]any {
	return func(question) map[string]any { return arguments }
}

func graphTools() map[kind]tool {
	return map[kind]tool{
		backlinks: {"get_neighbors", named("id", map[string]any{"direction": "in", "limit": 50}), field("title")},
		path:      {"find_path", fromTo("source", "target"), length},
		hubs:      {"get_hubs", constant(map[string]any{"limit": 10}), field("title")},
		tagged:    {"search_by_tags", func(q question) map[string]any { return map[string]any{"tags": []string{q.a}, "limit": 100} }, field("title")},
	}
}

func notesTools() map[kind]tool {
	return map[kind]tool{contains: {"search_notes", named("query", nil), field("title")}}
}

func wikiTools() map[kind]tool {
	return map[kind]tool{
		backlinks: {"get_backlinks", named("path", nil), inParentheses},
		phrases:   {"search_notes", func(q question) map[string]any { return map[string]any{"query": `"` + q.a + `"`, "limit": 50} }, inParentheses},
		words:     {"search_notes", named("query", map[string]any{"limit": 50}), inParentheses},
		tagged:    {"search_notes", func(q question) map[string]any { return map[string]any{"query": "tag:" + q.a, "limit": 50} }, inParentheses},
	}
}

// listed is a line of a list of notes in a profile whose answers are prose.
var listed = regexp.MustCompile(`(?m)^- \*\*.*\*\* \(([^)]*)\)`)

func inParentheses(_ question, text string) ([]string, error) {
	var titles []string
	for _, match := range listed.FindAllStringSubmatch(text, -1) {
		titles = append(titles, match[1])
	}
	return sorted(titles), nil
}

// roux serves a folder to which it has written ids, which its tools take. Among its
// answers it writes how far it is, which is no line of the protocol.
func roux(command, folder string) *server {
	ids := map[string]string{}
	id := func(title string) string { return ids[title] }
	return &server{
		command: []string{"sh", "-c", command + ` "$0" | grep --line-buffered "^{"`, folder},
		ready: func(ctx context.Context, s *server) error {
			for {
				text, err := s.call(ctx, "list_nodes", map[string]any{"limit": 1000, "offset": len(ids)})
				if err != nil {
					return err
				}
				var page struct {
					Nodes []struct{ ID, Title string }
					Total int
				}
				if err := json.Unmarshal([]byte(text), &page); err != nil {
					return err
				}
				for _, each := range page.Nodes {
					ids[strings.ToLower(each.Title)] = each.ID
				}
				if len(ids) >= page.Total || len(page.Nodes) == 0 {
					return nil
				}
			}
		},
		tools: map[kind]tool{
			backlinks: {"get_neighbors", func(q question) map[string]any {
				return map[string]any{"id": id(q.a), "direction": "in", "limit": 50}
			}, field("title")},
			path:   {"find_path", func(q question) map[string]any { return map[string]any{"source": id(q.a), "target": id(q.b)} }, length},
			hubs:   {"get_hubs", constant(map[string]any{"limit": 10}), field("title")},
			tagged: {"search_by_tags", func(q question) map[string]any { return map[string]any{"tags": []string{q.a}, "limit": 100} }, field("title")},
		},
	}
}

// graphthulhu serves a vault, or a Logseq.
func graphthulhu(command []string) *server {
	return &server{command: command, tools: map[kind]tool{
		backlinks: {"get_links", named("name", map[string]any{"direction": "backward"}), field("pageName", "backlinks")},
		path:      {"find_connections", fromTo("from", "to"), length},
		hubs:      {"graph_overview", constant(map[string]any{}), field("name", "mostConnected")},
		tagged:    {"find_by_tag", named("tag", nil), field("page", "results")},
		contains:  {"search", named("query", map[string]any{"limit": 100}), field("page", "results")},
	}}
}

func mcpvault(command []string, folder string) *server {
	return &server{command: append(command, folder), tools: map[kind]tool{
		contains: {"search_notes", named("query", map[string]any{"limit": 20}), field("p")},
	}}
}

func onVault(command []string, folder string) []string {
	return append(command, "serve", "--backend", "obsidian", "--vault", filepath.Clean(folder))
}
