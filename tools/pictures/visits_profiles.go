package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
)

// toolCall is one call of an agent, of a server with one graph.
type toolCall struct {
	tool      string
	arguments map[string]any
	fails     bool
	// keeps finds in the answer, in its group, what stands for the argument "$" of later
	// calls.
	keeps *regexp.Regexp
}

// calling returns the visit of one agent that makes these calls. A call that fails where it
// should not, or the other way round, is an error.
func calling(client string, calls ...toolCall) visit {
	return func(ctx context.Context, agents agents) error {
		agent, err := agents(client)
		if err != nil {
			return err
		}
		kept := ""
		for _, call := range calls {
			arguments := maps.Clone(call.arguments)
			for name, value := range arguments {
				if value == "$" {
					arguments[name] = kept
				}
			}
			text, refused, err := agent.Call(ctx, call.tool, arguments)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if failed := refused || err != nil; failed != call.fails { // an error is an answer too, in the profile notes
				return errors.Join(fmt.Errorf("%s failed is %t, and should be %t: %s", call.tool, failed, call.fails, text), err)
			}
			if call.keeps == nil {
				continue
			}
			found := call.keeps.FindStringSubmatch(text)
			if found == nil {
				return fmt.Errorf("%s: %s is not in %s", call.tool, call.keeps, text)
			}
			kept = found[1]
		}
		return nil
	}
}

// exploresGraph returns a visit with calls of the profile graph.
func exploresGraph() visit {
	return calling("claude-code",
		toolCall{tool: "get_graph_guidelines"},
		toolCall{tool: "search", arguments: map[string]any{"query": "what is open for the new oven", "limit": 5}},
		toolCall{tool: "get_node", arguments: map[string]any{"id": "Oven Fund", "depth": 1}},
		toolCall{tool: "find_path", arguments: map[string]any{"source": "Oven Fund", "target": "Owen Pryce"}},
		toolCall{tool: "get_hubs", arguments: map[string]any{"metric": "pagerank", "limit": 5}},
		toolCall{tool: "create_node", fails: true, arguments: map[string]any{"title": "Oven Fund", "content": "The two notes do not agree on the price."}},
		toolCall{tool: "create_node", arguments: map[string]any{
			"title": "Price of the oven", "content": "[[Oven Fund]] has £4,200, the minutes of [[November 4th, 2026]] have £4,600.", "tags": []string{"inbox"},
		}},
	)
}

// keepsNotes returns a visit with calls of the profile notes.
func keepsNotes() visit {
	return calling("n8n",
		toolCall{tool: "search_notes", arguments: map[string]any{"query": "letter"}},
		toolCall{tool: "create_note", arguments: map[string]any{
			"title": "Members' letter", "content": "Before Christmas, on [[Slow things keep]].", "labels": []string{"letter"}, "color": "blue",
		}},
		toolCall{tool: "toggle_pin", arguments: map[string]any{"id": "Members' letter"}},
		toolCall{tool: "create_note", arguments: map[string]any{
			"title": "To pack", "content": "", "type": "checklist", "checkItems": []map[string]any{{"text": "map", "checked": true}, {"text": "stove", "checked": false}},
		}},
		toolCall{tool: "get_note", fails: true, arguments: map[string]any{"id": "clxk3v9s7"}},
		toolCall{tool: "get_notes", arguments: map[string]any{"search": "oven", "limit": 10}},
		toolCall{tool: "get_labels"},
	)
}

// worksInOutline returns a visit with calls of the profile outline.
func worksInOutline() visit {
	return calling("codex",
		toolCall{tool: "get_capabilities"},
		toolCall{tool: "get_page_content", fails: true, arguments: map[string]any{"page_name": "Coast Path"}},
		toolCall{tool: "search", arguments: map[string]any{"query": "tide"}},
		toolCall{tool: "get_page_content", arguments: map[string]any{"page_name": "Ellery Coast Path", "format": "json"}},
		toolCall{tool: "datascript_query", arguments: map[string]any{"query": `[:find ?u ?c :where [?b :block/marker "TODO"] [?b :block/uuid ?u] [?b :block/content ?c]]`}},
		toolCall{tool: "create_block", arguments: map[string]any{"parent_block_uuid": "walk-todo", "content": "{{[[TODO]]}} Copy the [[Tide tables]] for the morning of the sand"}},
		toolCall{tool: "update_page", arguments: map[string]any{"page_name": "Ellery Coast Path", "properties": map[string]any{"Season": "spring"}}},
	)
}

// editsWiki returns a visit with calls of the profile wiki.
func editsWiki() visit {
	return calling("cursor",
		toolCall{tool: "search_notes", arguments: map[string]any{"query": `"nine tenths" OR title:oven`}},
		toolCall{tool: "get_note", arguments: map[string]any{"path": "Oven Fund"}},
		toolCall{tool: "get_backlinks", arguments: map[string]any{"path": "Oven Fund"}},
		toolCall{tool: "create_note", fails: true, arguments: map[string]any{"path": "Oven Fund", "title": "Oven Fund", "content": "A second oven."}},
		toolCall{tool: "update_note", arguments: map[string]any{"path": "Oven Fund", "add_tags": []string{"bakery"}}},
		toolCall{tool: "get_note_history", arguments: map[string]any{"path": "Oven Fund"}, keeps: regexp.MustCompile(`(?s)- ([0-9a-f]{7}) [^\n]*\n[^-]*$`)},
		toolCall{tool: "diff_note_versions", arguments: map[string]any{"path": "Oven Fund", "from_version": "$", "to_version": "current"}},
	)
}
