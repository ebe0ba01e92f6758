package skills

import (
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// graphSession makes the calls of Roux' document of its tools, on notes that it names.
func graphSession() session {
	all := func(o *mcpserve.Options) { o.Toolsets = []string{"core", "graphs", "more"} }
	return session{options: profiletest.Options{Server: all}, turns: []turn{
		{"Put down how Roux is built.", []call{
			{tool: "get_graph_guidelines", arguments: `{}`},
			{tool: "create_node", arguments: `{"title":"StoreProvider","content":"Data persistence and graph operations of a [[notes/Node]].","tags":["provider"],"directory":"notes"}`},
			{tool: "create_node", arguments: `{"title":"EmbeddingProvider","content":"Turns a [[notes/Node]] into a vector.","tags":["provider"],"directory":"notes"}`},
			{tool: "create_node", arguments: `{"title":"GraphCore","content":"The orchestration hub of Roux: [[notes/StoreProvider]], [[notes/EmbeddingProvider]] and [[notes/Node]].","tags":["architecture","core"],"directory":"notes"}`},
			{tool: "create_node", arguments: `{"title":"GraphCore","content":"again","directory":"notes"}`, fails: true},
			{tool: "create_node", arguments: `{"title":"Node","content":"The unit of a graph.","tags":["core"],"directory":"notes"}`},
		}},
		{"What is the graph core, and what is around it?", []call{
			{tool: "search", arguments: `{"query":"orchestration hub","limit":5}`},
			{tool: "get_node", arguments: `{"id":"notes/graphcore.md"}`},
			{tool: "get_node", arguments: `{"id":"notes/graphcore.md","depth":1}`},
			{tool: "get_neighbors", arguments: `{"id":"notes/node.md","direction":"in","limit":10}`},
		}},
		{"How do I get from Gemini to Grace, and back?", []call{
			{tool: "find_path", arguments: `{"source":"Projects/Gemini","target":"Grace"}`},
			{tool: "find_path", arguments: `{"source":"Grace","target":"Projects/Gemini"}`},
			{tool: "find_path", arguments: `{"source":"Grace","target":"Projects/Gemini","undirected":true}`},
		}},
		{"What are the hubs of my notes?", []call{
			{tool: "get_hubs", arguments: `{"metric":"in_degree","limit":5}`},
			{tool: "get_hubs", arguments: `{"metric":"pagerank","limit":3}`},
		}},
		{"What is tagged core or rocket, and what is both provider and core?", []call{
			{tool: "search_by_tags", arguments: `{"tags":["core","rocket"]}`},
			{tool: "search_by_tags", arguments: `{"tags":["provider","core"],"mode":"all"}`},
			{tool: "random_node", arguments: `{"tags":["idea"]}`},
		}},
		{"Write down today's meeting.", []call{
			{tool: "create_node", arguments: `{"title":"Meeting Notes 2024-01-15","content":"# Meeting Notes\n\nDiscussed project timeline with [[Ada]]...","tags":["meeting","project-x","meeting"],"directory":"meetings"}`, remember: map[string]string{"meeting": `\\"id\\":\\"([^"\\]+)`}},
			{tool: "update_node", arguments: `{"id":"$meeting","content":"# Meeting Notes\n\nDiscussed project timeline with [[Ada]] and [[Grace]]."}`},
			{tool: "update_node", arguments: `{"id":"Ada","title":"Ada Lovelace"}`},
			{tool: "get_node", arguments: `{"id":"$meeting"}`},
			{tool: "update_node", arguments: `{"id":"nobody","title":"x"}`, fails: true},
		}},
		{"Delete the old draft, and what hangs nowhere is what?", []call{
			{tool: "delete_node", arguments: `{"id":"notes/old-draft.md"}`},
			{tool: "get_orphans", arguments: `{"limit":3}`},
			{tool: "delete_node", arguments: `{"id":"Orphan"}`},
		}},
	}}
}
