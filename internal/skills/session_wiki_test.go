package skills

import (
	"testing"

	"roam-mcp/internal/testutil/profiletest"
)

// wikiSession makes the calls of Wiki-AI's document of its tools: its notes, its queries,
// a move, versions and what it warns of.
func wikiSession(t *testing.T) session {
	return session{options: profiletest.Options{Server: keepVersions(t)}, turns: []turn{
		{"Write down my ideas for the wiki.", []call{
			{tool: "get_graph_guidelines", arguments: `{}`},
			{tool: "create_note", arguments: `{"path":"projects/wiki-ai/ideas","title":"My Ideas","content":"Initial brainstorm for wiki-ai features:\n\n- Multi-LLM support via MCP\n- Human-readable storage format\n- Basic search","tags":["brainstorm","product"]}`},
			{tool: "create_note", arguments: `{"path":"projects/wiki-ai","title":"Wiki-AI Overview","content":"A wiki over the model context protocol (MCP): [[projects/wiki-ai/ideas|ideas]].","tags":["mcp"]}`},
			{tool: "create_note", arguments: `{"path":"meetings/2024-01-15","title":"Meeting Notes Jan 15","content":"Decided to use MCP as primary interface, see [[projects/wiki-ai/ideas]].\n\nMore in [[projects/wiki-ai/ideas]] with [[Ada]].","tags":["meeting","urgent"]}`},
			{tool: "create_note", arguments: `{"path":"projects/wiki-ai/ideas","title":"Again","content":"x"}`, fails: true},
			{tool: "get_note", arguments: `{"path":"projects/wiki-ai/ideas"}`},
		}},
		{"What is in the wiki?", []call{
			{tool: "browse", arguments: `{}`},
			{tool: "browse", arguments: `{"path":"projects/wiki-ai"}`},
			{tool: "browse", arguments: `{"path":"archive"}`},
			{tool: "list_tags", arguments: `{}`},
			{tool: "recent_notes", arguments: `{"limit":2}`},
		}},
		{"Find what is said of MCP, and what is urgent.", []call{
			{tool: "search_notes", arguments: `{"query":"mcp","limit":2}`, remember: map[string]string{"cursor": `cursor: ([^"\\\s]+)`}},
			{tool: "search_notes", arguments: `{"query":"mcp","limit":2,"cursor":"$cursor"}`},
			{tool: "search_notes", arguments: `{"query":"title:meeting"}`},
			{tool: "search_notes", arguments: `{"query":"folder:projects/wiki-ai"}`},
			{tool: "search_notes", arguments: `{"query":"\"model context protocol\" tag:mcp -tag:archived"}`},
			{tool: "search_notes", arguments: `{"query":"(tag:urgent OR tag:priority) folder:meetings"}`},
			{tool: "search_notes", arguments: `{"query":"quantum computing"}`},
		}},
		{"Search should be BM25, and there is more to want.", []call{
			{tool: "update_note", arguments: `{"path":"projects/wiki-ai/ideas","content":"Initial brainstorm for wiki-ai features:\n\n- Multi-LLM support via MCP\n- Human-readable storage format\n- Full-text search with BM25\n- Tag-based organization\n- Version history"}`},
			{tool: "update_note", arguments: `{"path":"projects/wiki-ai/ideas","add_tags":["priority"],"remove_tags":["product"]}`},
			{tool: "update_note", arguments: `{"path":"projects/wiki-ai/ideas","tags":["x"],"add_tags":["y"]}`, fails: true},
			{tool: "get_note_history", arguments: `{"path":"projects/wiki-ai/ideas"}`, remember: map[string]string{"first": `- ([0-9a-f]{7}) \([^)]*\) by [^\\]*\\n  Create`}},
			{tool: "get_note_version", arguments: `{"path":"projects/wiki-ai/ideas","version":"$first"}`},
			{tool: "diff_note_versions", arguments: `{"path":"projects/wiki-ai/ideas","from_version":"$first","to_version":"current"}`},
		}},
		{"Archive the ideas. Who links to them?", []call{
			{tool: "get_backlinks", arguments: `{"path":"projects/wiki-ai/ideas"}`},
			{tool: "update_note", arguments: `{"path":"projects/wiki-ai/ideas","new_path":"archive/old-ideas","update_backlinks":true}`},
			{tool: "get_note", arguments: `{"path":"projects/wiki-ai"}`},
			{tool: "get_note", arguments: `{"path":"projects/wiki-ai/ideas"}`, fails: true},
		}},
		{"Somebody wrote into it. What did it say first? Bring that back.", []call{
			{before: func(w *profiletest.World) { w.AddBlock("ada000001", "Likes #coffee, too") },
				tool: "get_note", arguments: `{"path":"Ada"}`},
			{before: func(w *profiletest.World) { w.AddBlock("ada000001", "And #cake") },
				tool: "get_note", arguments: `{"path":"Ada"}`},
			{tool: "get_note_history", arguments: `{"path":"Ada"}`},
			{tool: "restore_note_version", arguments: `{"path":"archive/old-ideas","version":"$first"}`},
			{tool: "get_note", arguments: `{"path":"archive/old-ideas"}`},
			{tool: "restore_note_version", arguments: `{"path":"archive/old-ideas","version":"0000"}`, fails: true},
		}},
		{"Delete it after all. No, I want it back.", []call{
			{tool: "delete_note", arguments: `{"path":"archive/old-ideas"}`},
			{tool: "get_backlinks", arguments: `{"path":"archive/old-ideas"}`},
			{tool: "restore_note_version", arguments: `{"path":"archive/old-ideas","version":"$first"}`},
			{tool: "get_note_history", arguments: `{"path":"archive/old-ideas"}`},
		}},
	}}
}
