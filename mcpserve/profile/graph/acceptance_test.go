package graph_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
)

// These run the examples that docs/profiles/graph.md rests on, on the demo graph.

func served() profiletest.Options { return profiletest.Options{Profile: "graph"} }

func TestReading(t *testing.T) {
	profiletest.Run(t, served(),
		profiletest.Example{Name: "get_hubs counts the nodes that link to each", Calls: []profiletest.Call{{
			Tool: "get_hubs", Arguments: `{"limit":5}`,
			Want: `[{"id":"ada000001","title":"Ada","score":3},{"id":"grace0001","title":"Grace","score":3},{"id":"apollo001","title":"Projects/Apollo","score":3},` +
				`{"id":"saturnv01","title":"Saturn V","score":2},{"id":"stub00004","title":"computing","score":1}]`,
		}}},
		profiletest.Example{Name: "get_hubs counts the nodes that each links to", Calls: []profiletest.Call{{
			Tool: "get_hubs", Arguments: `{"metric":"out_degree","limit":2}`,
			Want: `[{"id":"01-15-2024","title":"January 15th, 2024","score":4},{"id":"apollo001","title":"Projects/Apollo","score":3}]`,
		}}},
		profiletest.Example{Name: "get_hubs ranks nodes by PageRank, and the ranks of all sum to 1", Calls: []profiletest.Call{
			{
				Tool: "get_hubs", Arguments: `{"metric":"pagerank","limit":4}`,
				Want: `[{"id":"stub00004","title":"computing","score":"<~0.1282>"},{"id":"apollo001","title":"Projects/Apollo","score":"<~0.1205>"},` +
					`{"id":"ada000001","title":"Ada","score":"<~0.1179>"},{"id":"grace0001","title":"Grace","score":"<~0.1107>"}]`,
			},
			{Tool: "get_hubs", Arguments: `{"metric":"pagerank","limit":50}`, Check: checkRanks},
		}},
		profiletest.Example{Name: "find_path finds the shortest way by ids, titles and links", Calls: []profiletest.Call{
			{Tool: "find_path", Arguments: `{"source":"gemini001","target":"grace0001"}`, Want: pathToGrace},
			{Tool: "find_path", Arguments: `{"source":"Projects/Gemini","target":"[[Grace]]"}`, Want: pathToGrace},
			{Tool: "find_path", Arguments: `{"source":"projects/gemini.md","target":"GRACE"}`, Want: pathToGrace},
		}},
		profiletest.Example{Name: "find_path takes the least of several shortest ways, and null where there is none", Calls: []profiletest.Call{
			{Tool: "find_path", Arguments: `{"source":"Glossary","target":"Grace"}`, Want: `{"path":["gloss0001","saturnv01","grace0001"],"length":2,"...":"..."}`},
			{Tool: "find_path", Arguments: `{"source":"Grace","target":"Ada"}`, Want: `null`, Note: `No links lead from "Grace" to "Ada"; with undirected true there is a path of length 2.`},
			{Tool: "find_path", Arguments: `{"source":"Ada","target":"Ada"}`, Want: `{"path":["ada000001"],"length":0,"titles":["Ada"]}`},
			{Tool: "find_path", Arguments: `{"source":"Ada","target":"Orphan"}`, Want: `null`, Note: `No links connect "Ada" and "Orphan", whichever way they are followed.`},
			{Tool: "find_path", Arguments: `{"source":"Ada","target":"Orphan","undirected":true}`, Want: `null`, Note: `No links connect "Ada" and "Orphan"`},
			{Tool: "find_path", Arguments: `{"source":"Ada","target":"Orphans"}`, Want: `null`, Note: `There is no node "Orphans". Near: "Orphan".`},
			{Tool: "find_path", Arguments: `{"source":"nope","target":"Ada"}`, Want: `null`},
			{Tool: "find_path", Arguments: `{"source":"Ada","target":"nope"}`, Want: `null`},
		}},
		profiletest.Example{Name: "find_path walks links both ways where it is told so, and says which way", Calls: []profiletest.Call{
			{Tool: "find_path", Arguments: `{"source":"Grace","target":"Ada","undirected":true}`, Want: `{"path":["grace0001","apollo001","ada000001"],"length":2,"titles":["Grace","Projects/Apollo","Ada"],"steps":["in","both"]}`},
		}},
		profiletest.Example{Name: "get_node gives content, tags and links", Calls: []profiletest.Call{
			{Tool: "get_node", Arguments: `{"id":"apollo001"}`, Want: apollo},
			{Tool: "get_node", Arguments: `{"id":"Projects/Apollo","depth":0}`, Want: apollo},
		}},
		profiletest.Example{Name: "get_node with depth 1 counts all neighbors and lists those out before those in", Calls: []profiletest.Call{{
			Tool: "get_node", Arguments: `{"id":"Projects/Apollo","depth":1}`,
			Want: `{"id":"apollo001","incomingCount":3,"outgoingCount":3,"neighbors":[` +
				`{"id":"saturnv01","direction":"out","...":"..."},{"id":"ada000001","direction":"both","...":"..."},{"id":"grace0001","direction":"out","...":"..."},` +
				`{"id":"01-15-2024","direction":"in","...":"..."},{"id":"gemini001","direction":"in","...":"..."}],"...":"..."}`,
			Check: lacks("private thing"),
		}}},
		profiletest.Example{Name: "get_neighbors lists what links here, and counts no hidden block", Calls: []profiletest.Call{
			{
				Tool: "get_neighbors", Arguments: `{"id":"apollo001","direction":"in"}`,
				Want: `[{"title":"Ada","...":"..."},{"title":"January 15th, 2024","...":"..."},{"title":"Projects/Gemini","content":"Forerunner of [[Projects/Apollo]]","...":"..."}]`,
			},
			{Tool: "get_neighbors", Arguments: `{"id":"Orphan","direction":"in"}`, Want: `[]`},
			{Tool: "get_neighbors", Arguments: `{"id":"nope"}`, Want: `[]`},
			{Tool: "get_neighbors", Arguments: `{"id":"apollo001","limit":1,"offset":1}`, Want: `[{"id":"ada000001","direction":"both","...":"..."}]`},
		}},
		profiletest.Example{Name: "get_neighbors of a block lists what it refers to and what refers to it", Calls: []profiletest.Call{
			{Tool: "get_neighbors", Arguments: `{"id":"((sv0000001))"}`, Want: `[{"id":"ap0000004","title":"See The F-1 engine burns kerosene for the engine","direction":"in","...":"..."}]`},
			{Tool: "get_neighbors", Arguments: `{"id":"ap0000004","direction":"out"}`, Want: `[{"id":"sv0000001","title":"The F-1 engine burns kerosene","content":"The F-1 engine burns kerosene","direction":"out","...":"..."}]`},
		}},
		profiletest.Example{Name: "search_by_tags finds any or all, whatever the case and the blanks", Calls: []profiletest.Call{
			{Tool: "search_by_tags", Arguments: `{"tags":["project","rocket"]}`, Want: `[{"id":"apollo001","...":"..."},{"id":"saturnv01","...":"..."}]`},
			{Tool: "search_by_tags", Arguments: `{"tags":["project","in-progress"],"mode":"all"}`, Want: `[{"id":"apollo001","...":"..."}]`},
			{Tool: "search_by_tags", Arguments: `{"tags":["Rocket","project","In Progress"],"limit":1}`, Want: `[{"id":"apollo001","...":"..."}]`},
			{Tool: "search_by_tags", Arguments: `{"tags":["nope"]}`, Want: `[]`},
			{Tool: "search_by_tags", Arguments: `{"tags":[]}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has tags>","...":"..."}}`},
		}},
		profiletest.Example{Name: "random_node draws a node that has the tags, and has content", Calls: append(
			slices.Repeat([]profiletest.Call{{Tool: "random_node", Arguments: `{"tags":["rocket"]}`, Want: `{"id":"saturnv01","...":"..."}`}}, 25),
			profiletest.Call{Tool: "random_node", Arguments: `{"tags":["nope"]}`, Want: `null`},
			profiletest.Call{Tool: "random_node", Arguments: `{}`, Want: `{"content":"<any>","...":"..."}`, Check: func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
				t.Helper()
				var n struct{ Content string }
				if r.Decode(t, &n); n.Content == "" {
					t.Error("a node without content was drawn")
				}
			}},
		)},
		profiletest.Example{Name: "a node that is missing is null for a read, false for a delete and an error for an update", Calls: []profiletest.Call{
			{Tool: "get_node", Arguments: `{"id":"nope"}`, Want: `null`},
			{Tool: "get_node", Arguments: `{"id":"abcdefghi"}`, Want: `null`},
			{Tool: "delete_node", Arguments: `{"id":"nope"}`, Want: `{"deleted":false}`},
			{Tool: "update_node", Arguments: `{"id":"nope","title":"x"}`, IsError: true, Want: `{"error":{"code":"NODE_NOT_FOUND","message":"There is no node \"nope\".","...":"..."}}`},
			{Tool: "update_node", Arguments: `{"id":"apollo001"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has at least one of title, content and tags>"}}`},
		}},
		profiletest.Example{Name: "get_node of a day gives its daily note, without what is hidden", Calls: []profiletest.Call{{
			Tool: "get_node", Arguments: `{"id":"2024-01-15"}`, Want: `{"id":"01-15-2024","tags":["meeting"],"kind":"daily","...":"..."}`, Check: lacks("private thing"),
		}}},
		profiletest.Example{Name: "get_node of a hidden block is null, as if it was not there", Calls: []profiletest.Call{
			{Tool: "get_node", Arguments: `{"id":"da0000002"}`, Want: `null`},
			{Tool: "get_node", Arguments: `{"id":"da0000002","depth":1}`, Want: `null`},
			{Tool: "get_neighbors", Arguments: `{"id":"da0000002"}`, Want: `[]`},
		}},
		profiletest.Example{Name: "get_node warns of links to empty pages, and a block is a node too", Calls: []profiletest.Call{
			{Tool: "get_node", Arguments: `{"id":"ada000001"}`, Want: `{"id":"ada000001","tags":["tea"],"_warnings":["Empty page: \"[[tea]]\""],"...":"..."}`},
			{Tool: "get_node", Arguments: `{"id":"ap0000001"}`, Want: `{"id":"ap0000001","title":"Goal: land on the moon, see [[Saturn V]]","links":[{"id":"saturnv01","title":"Saturn V"},{"id":"ada000001","title":"Ada"}],` +
				`"content":"- Goal: land on the moon, see [[Saturn V]]\n  - Budget is tight, ask [[Ada]]","...":"..."}`},
			{Tool: "get_node", Arguments: `{"id":"TODO","depth":1}`, Want: `{"title":"TODO","kind":"word","incomingCount":0,"neighbors":[],"...":"..."}`},
			{Tool: "get_node", Arguments: `{"id":"tea"}`, Want: `{"id":"stub00003","title":"tea","content":"","tags":[],"links":[],"...":"..."}`},
		}},
		profiletest.Example{Name: "search finds by meaning, with scores above 0 and at most 1 that do not rise", Calls: []profiletest.Call{{
			Tool: "search", Arguments: `{"query":"which engine did the rocket have","limit":3}`, Want: `[{"id":"saturnv01","...":"..."},"..."]`, Check: checkScores,
		}, {
			Tool: "search", Arguments: `{"query":"private thing"}`, Check: lacks("private thing"),
		}, {
			Tool: "search", Arguments: `{"query":"which engine did the rocket have","threshold":1}`, Check: func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
				t.Helper()
				var nodes []struct{ Score float64 }
				r.Decode(t, &nodes)
				for _, each := range nodes {
					if each.Score < 1 {
						t.Errorf("the score %v is below the threshold", each.Score)
					}
				}
			},
		}}},
		profiletest.Example{Name: "arguments beyond their bounds are refused with their name, what came and what is wanted", Calls: []profiletest.Call{
			{Tool: "get_hubs", Arguments: `{"limit":51}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"get_hubs: limit is \"51\"; it takes a whole number from 1 to 50."}}`},
			{Tool: "get_hubs", Arguments: `{"metric":"degree"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"get_hubs: metric is \"degree\"; it takes one of: in_degree, out_degree, pagerank."}}`},
			{Tool: "search", Arguments: `{"query":" "}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"search: query is \"\"; it takes a text that is not empty."}}`},
			{Tool: "search", Arguments: `{"query":"x","threshold":1.5}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has threshold>"}}`},
			{Tool: "get_node", Arguments: `{"id":"x","depth":2}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has from 0 to 1>"}}`},
			{Tool: "get_node", Arguments: `{}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has id is missing>"}}`},
		}},
		profiletest.Example{Name: "links, and warnings of them, stand in the first part of a node alone", Calls: []profiletest.Call{
			{
				Before: func(w *profiletest.World) {
					w.Roam("data.page.create", map[string]any{"page": map[string]any{"title": "Long", "uid": "longpage1"}})
					w.AddBlock("longpage1", "Tags:: #long")
					w.AddBlock("longpage1", "[[Ada]] and [[nobody yet]] "+strings.Repeat("ä", 12_000))
				},
				Tool: "get_node", Arguments: `{"id":"longpage1"}`, Note: "call get_node with offset 10000.",
				Want: `{"links":[{"title":"Ada","...":"..."},{"title":"nobody yet","...":"..."}],"_warnings":["Empty page: \"[[nobody yet]]\""],"...":"..."}`,
			},
			{Tool: "get_node", Arguments: `{"id":"longpage1","offset":10000}`, Note: "The links stand in the first part.", Want: `{"tags":["long"],"links":[],"...":"..."}`, Check: lacks("_warnings")},
			{Tool: "get_node", Arguments: `{"id":"longpage1","offset":10000,"depth":1}`, Note: "The links stand in the first part", Want: `{"links":[],"outgoingCount":2,"...":"..."}`},
		}},
		profiletest.Example{Name: "get_node of nothing names titles that are near", Calls: []profiletest.Call{
			{Tool: "get_node", Arguments: `{"id":"Orphans"}`, MostCalls: 4, Want: `null`, Note: `There is no node "Orphans". Near: "Orphan".`},
			{Tool: "get_node", Arguments: `{"id":"gemin","depth":1}`, MostCalls: 1, Want: `null`, Note: `There is no node "gemin". Near: "Projects/Gemini".`},
			{Tool: "get_node", Arguments: `{"id":"nothing like it"}`, Want: `null`},
		}},
		profiletest.Example{Name: "content is cut at 10,000 characters for one node and at 500 in a list", Calls: []profiletest.Call{
			{
				Before: func(w *profiletest.World) {
					w.Roam("data.page.create", map[string]any{"page": map[string]any{"title": "Long", "uid": "longpage1"}})
					w.AddBlock("longpage1", "Tags:: #long")
					w.AddBlock("longpage1", strings.Repeat("ä", 12_000))
				},
				Tool: "get_node", Arguments: `{"id":"longpage1"}`, Check: contentHas(10_000), Note: "Shown characters 1 to 10,000 of 12,000 of the content; call get_node with offset 10000.",
			},
			{Tool: "get_node", Arguments: `{"id":"longpage1","depth":1,"offset":10000}`, Want: `{"content":"` + strings.Repeat("ä", 2000) + `","...":"..."}`},
			{Tool: "get_node", Arguments: `{"id":"longpage1","offset":12000}`, Want: `{"content":"","...":"..."}`},
			{Tool: "search_by_tags", Arguments: `{"tags":["long"]}`, Check: contentHas(500)},
			{Tool: "get_node", Arguments: `{"id":"longpage1"}`, Check: contentHas(10_000), Note: "Shown characters 1 to 10,000 of 12,000 of the content; call get_node with offset 10000."},
			{Tool: "update_node", Arguments: `{"id":"longpage1","content":"ä... [truncated]\n\nand more"}`, Want: `{"content":"` + strings.Repeat("ä", 2001) + `\n\nand more","...":"..."}`},
		}},
		profiletest.Example{Name: "the guidelines come with a word on content, and are asked for once", Calls: []profiletest.Call{{
			Tool: "get_graph_guidelines", Arguments: `{}`, Want: `{"guidelines":"- Use ISO dates","nextSteps":"You have the guidelines now; do not call this again for this graph.","content":"<has is markdown>","...":"..."}`,
		}}},
		profiletest.Example{Name: "a rename by somebody else is told once", Calls: []profiletest.Call{
			{Tool: "get_node", Arguments: `{"id":"grace0001"}`, Want: `{"title":"Grace","...":"..."}`, Check: lacks("renamed")},
			{
				Before: func(w *profiletest.World) {
					w.Roam("data.page.update", map[string]any{"page": map[string]any{"uid": "grace0001", "title": "Grace\n\"Amazing\""}})
				},
				Tool: "search_by_tags", Arguments: `{"tags":["computing"]}`, Want: `[{"id":"grace0001","_warnings":["The page was renamed in Roam: \"Grace\" → \"Grace\\n\\\"Amazing\\\"\""],"...":"..."}]`,
			},
			{Tool: "get_node", Arguments: `{"id":"grace0001"}`, Check: lacks("renamed")},
		}},
		profiletest.Example{Name: "find_path sees what another client wrote since", Calls: []profiletest.Call{
			{Tool: "find_path", Arguments: `{"source":"Grace","target":"Ada"}`, Want: `null`, Note: `No links lead from "Grace" to "Ada"; with undirected true there is a path of length 2.`},
			{
				Before: func(w *profiletest.World) { w.AddBlock("grace0001", "Talked to [[Ada]]") },
				Tool:   "find_path", Arguments: `{"source":"Grace","target":"Ada"}`, Want: `{"path":["grace0001","ada000001"],"length":1,"...":"..."}`, MostCalls: 2,
			},
		}},
	)
}

const (
	pathToGrace = `{"path":["gemini001","apollo001","grace0001"],"length":2,"titles":["Projects/Gemini","Projects/Apollo","Grace"]}`

	apolloContent = `- Goal: land on the moon, see [[Saturn V]]\n  - Budget is tight, ask [[Ada]]\n- [ ] Write to [[Grace]]\n- See ((sv0000001))<ref>The F-1 engine burns kerosene</ref> for the engine`

	apollo = `{"id":"apollo001","title":"Projects/Apollo","content":"` + apolloContent + `","tags":["project","in progress"],` +
		`"links":[{"id":"saturnv01","title":"Saturn V"},{"id":"ada000001","title":"Ada"},{"id":"grace0001","title":"Grace"}],` +
		`"created":"2024-01-15T00:00:00Z","updated":"2024-01-15T15:02:00Z"}`
)

func checkRanks(t testing.TB, _ *profiletest.World, r profiletest.Result) {
	t.Helper()
	var hubs []struct{ Score float64 }
	r.Decode(t, &hubs)
	sum := 0.0
	for _, each := range hubs {
		sum += each.Score
	}
	if len(hubs) != 16 || sum < 1-1e-6 || sum > 1+1e-6 {
		t.Errorf("%d nodes with %v in all", len(hubs), sum)
	}
}

func checkScores(t testing.TB, _ *profiletest.World, r profiletest.Result) {
	t.Helper()
	var nodes []struct{ Score float64 }
	r.Decode(t, &nodes)
	last := 1.0
	for _, each := range nodes {
		if each.Score <= 0 || each.Score > last {
			t.Errorf("a score is %v, after %v", each.Score, last)
		}
		last = each.Score
	}
}

// lacks returns a check that a text is nowhere in a result.
func lacks(text string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
		t.Helper()
		if strings.Contains(r.String(), text) {
			t.Errorf("%q is shown", text)
		}
	}
}

// contentHas returns a check that the content of a node, or of the one node in a list, has
// a number of characters and says that it was cut.
func contentHas(characters int) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
		t.Helper()
		text := strings.Trim(r.Text(), "[]")
		var n struct{ Content string }
		if err := json.Unmarshal([]byte(text), &n); err != nil {
			t.Fatalf("%v: %s", err, r)
		}
		kept, cut := strings.CutSuffix(n.Content, "... [truncated]")
		if len([]rune(kept)) != characters || !cut {
			t.Errorf("%d characters, cut: %v", len([]rune(kept)), cut)
		}
	}
}
