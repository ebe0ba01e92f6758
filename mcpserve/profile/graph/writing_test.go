package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
)

const meeting = `{"title":"Meeting Notes 2024-01-15","content":"# Meeting Notes\n\nDiscussed project timeline...","tags":["meeting","project-x"],"directory":"meetings"}`

func TestWriting(t *testing.T) {
	profiletest.Run(t, served(),
		profiletest.Example{
			Name: "create_node makes a page in its directory, with tags and content, once",
			Calls: []profiletest.Call{
				{
					Tool: "create_node", Arguments: meeting,
					Want: `{"id":"<any>","title":"meetings/Meeting Notes 2024-01-15","tags":["meeting","project-x"],"content":"- # Meeting Notes\n  - Discussed project timeline...","...":"..."}`,
				},
				{Tool: "create_node", Arguments: meeting, IsError: true, Want: `{"error":{"code":"NODE_EXISTS","message":"<has \"meetings/Meeting Notes 2024-01-15\">","...":"..."}}`},
				{Tool: "search_by_tags", Arguments: `{"tags":["project-x"]}`, Want: `[{"title":"meetings/Meeting Notes 2024-01-15","...":"..."}]`},
			},
			After: hasTexts("meetings/Meeting Notes 2024-01-15", "Tags:: #meeting #project-x", "Meeting Notes", "Discussed project timeline..."),
		},
		profiletest.Example{
			Name: "create_node fills a page that is only linked to, which keeps its id and its links",
			Calls: []profiletest.Call{
				{Tool: "create_node", Arguments: `{"title":"Listed","content":"x","tags":"#alpha #beta"}`, Want: `{"title":"Listed","tags":["alpha","beta"],"...":"..."}`},
				{Tool: "update_node", Arguments: `{"id":"Listed","tags":["beta, gamma"]}`, Want: `{"title":"Listed","tags":["beta","gamma"],"...":"..."}`},
				{Tool: "search_by_tags", Arguments: `{"tags":"[beta, gamma]","mode":"all"}`, Want: `[{"title":"Listed","...":"..."}]`},
				{Tool: "create_node", Arguments: `{"title":"tea","content":"Black"}`, Want: `{"id":"stub00003","title":"tea","content":"Black","tags":[],"links":[],"...":"..."}`},
				{Tool: "get_neighbors", Arguments: `{"id":"tea","direction":"in"}`, Want: `[{"id":"ada000001","...":"..."}]`},
			},
			After: hasTexts("tea", "Black"),
		},
		profiletest.Example{
			Name: "create_node writes a tag as the title of the page that it is, and warns of one that comes twice",
			Calls: []profiletest.Call{{
				Tool: "create_node", Arguments: `{"title":"[[Vostok]]","content":"First","tags":["In-Progress","#project","in progress"]}`,
				Want: `{"title":"Vostok","tags":["in progress","project"],"_warnings":["Duplicate tag ignored: in progress"],"...":"..."}`,
			}},
			After: hasTexts("Vostok", "Tags:: #[[in progress]] #project", "First"),
		},
		profiletest.Example{
			Name: "create_node refuses a page that has only hidden blocks, a title without letters and pages of Roam's own",
			Calls: []profiletest.Call{
				{
					Before: func(w *profiletest.World) { w.AddBlock("stub00003", "secret #.rm-private") },
					Tool:   "create_node", Arguments: `{"title":"tea","content":"Black"}`, IsError: true, Want: `{"error":{"code":"NODE_EXISTS","...":"..."}}`, Check: lacks("secret"),
				},
				{Tool: "create_node", Arguments: `{"title":" ","content":"x"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","...":"..."}}`},
				{Tool: "create_node", Arguments: `{"title":"css","content":"x","directory":"roam"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has \"roam/css\">"}}`},
				{Tool: "create_node", Arguments: `{"title":"a\nb","content":"x"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","...":"..."}}`},
			},
		},
		profiletest.Example{
			Name: "create_node with the title of a day makes its daily note, from front matter and check boxes too",
			Calls: []profiletest.Call{
				{
					Tool: "create_node", Arguments: `{"title":"January 16th, 2024","content":"---\ntags: [log]\n---\n- [ ] Call [[Ada|her]]\n- [x] Tea","tags":["daily"]}`,
					Want: `{"id":"01-16-2024","kind":"daily","tags":["daily","log"],"content":"[ ] Call [her]([[Ada]])\n\n[x] Tea","links":[{"id":"ada000001","title":"Ada"}],"...":"..."}`,
				},
				{Tool: "get_node", Arguments: `{"id":"today"}`, Want: `{"id":"01-16-2024","...":"..."}`},
			},
			After: hasTexts("January 16th, 2024", "Tags:: #daily #log", "{{[[TODO]]}} Call [her]([[Ada]])", "{{[[DONE]]}} Tea"),
		},
		profiletest.Example{
			Name: "update_node changes title, content and tags at once, and blocks that stay keep their uids",
			Calls: []profiletest.Call{{Tool: "get_node", Arguments: `{"id":"Saturn V"}`}, {
				Tool: "update_node", Arguments: `{"id":"Saturn V","title":"Saturn","content":"The F-1 engine burns kerosene\n\nBuilt by many","tags":["rocket","apollo"]}`,
				Want: `{"id":"saturnv01","title":"Saturn","tags":["rocket","apollo"],"content":"The F-1 engine burns kerosene\n\nBuilt by many","...":"..."}`,
			}},
			After: func(t testing.TB, w *profiletest.World) {
				for uid, want := range map[string]string{"sv0000000": "Tags:: #rocket #apollo", "sv0000001": "The F-1 engine burns kerosene", "gl0000001": "[[Saturn]]: a rocket"} {
					if got, _ := w.Text(uid); got != want {
						t.Errorf("%s is %q", uid, got)
					}
				}
			},
		},
		profiletest.Example{
			Name: "update_node renames a page, and all links follow",
			Calls: []profiletest.Call{
				{Tool: "update_node", Arguments: `{"id":"apollo001","title":"Projects/Apollo 11"}`, Want: `{"id":"apollo001","title":"Projects/Apollo 11","...":"..."}`},
				{Tool: "get_node", Arguments: `{"id":"Projects/Apollo"}`, Want: `null`, Note: `Near: "Projects/Apollo 11"`},
				{Tool: "update_node", Arguments: `{"id":"apollo001","title":"Ada"}`, IsError: true, Want: `{"error":{"code":"NODE_EXISTS","...":"..."}}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				for uid, want := range map[string]string{
					"ad0000001": "Met at the [[Projects/Apollo 11]] review", "ge0000001": "Forerunner of [[Projects/Apollo 11]]",
					"da0000001": "Review of [[Projects/Apollo 11]] with [[Grace]] #meeting",
				} {
					if got, _ := w.Text(uid); got != want {
						t.Errorf("%s is %q", uid, got)
					}
				}
			},
		},
		profiletest.Example{
			Name: "update_node changes the one block whose text is another, and leaves all others alone",
			Calls: []profiletest.Call{{Tool: "get_node", Arguments: `{"id":"apollo001"}`}, {
				Tool: "update_node", Arguments: `{"id":"apollo001","content":"` + strings.Replace(apolloContent, "tight", "ample", 1) + `"}`,
				Want: `{"id":"apollo001","content":"<has Budget is ample>","tags":["project","in progress"],"...":"..."}`,
				Check: func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
					t.Helper()
					calls := w.Calls()
					if calls["data.block.updateBlocks"]+calls["data.block.update"] != 1 || calls.Total() > 4 {
						t.Errorf("calls: %v", calls)
					}
				},
			}},
			After: func(t testing.TB, w *profiletest.World) {
				want := map[string]string{
					"ap0000000": "Tags:: #project #[[in progress]] 1705276800000", "ap0000001": "Goal: land on the moon, see [[Saturn V]] 1705330920000",
					"ap0000003": "{{[[TODO]]}} Write to [[Grace]] 1705276800000", "ap0000004": "See ((sv0000001)) for the engine 1705276800000",
				}
				got := blocksOn(w, "Projects/Apollo")
				if !strings.HasPrefix(got["ap0000002"], "Budget is ample, ask [[Ada]] ") {
					t.Errorf("the block is %q", got["ap0000002"])
				}
				if delete(got, "ap0000002"); !maps.Equal(got, want) {
					t.Errorf("the others are %q", got)
				}
			},
		},
		profiletest.Example{
			Name: "update_node changes declared tags only, and says which stay in the text",
			Calls: []profiletest.Call{
				{Tool: "update_node", Arguments: `{"id":"ada000001","tags":["engineer"]}`, Want: `{"tags":["engineer","tea"],"content":"<has Likes #tea>","_warnings":["<has tea>","Tag kept in the text: \"tea\" (1 block)"],"...":"..."}`},
				{Tool: "update_node", Arguments: `{"id":"ada000001","tags":[]}`, Want: `{"tags":["tea"],"_warnings":["<has tea>","Tag kept in the text: \"tea\" (1 block)"],"...":"..."}`},
				{Tool: "get_node", Arguments: `{"id":"apollo001"}`},
				{Tool: "update_node", Arguments: `{"id":"apollo001","tags":["rocket"]}`, Want: `{"tags":["rocket"],"content":"` + apolloContent + `","...":"..."}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				hasTexts("Ada", "Met at the [[Projects/Apollo]] review", "Likes #tea")(t, w)
				if got, _ := w.Text("ap0000000"); got != "Tags:: #rocket" {
					t.Errorf("the line is %q", got)
				}
			},
		},
		profiletest.Example{
			Name: "update_node empties a page whose content is empty, and leaves hidden blocks and tags",
			Calls: []profiletest.Call{
				{Tool: "get_node", Arguments: `{"id":"2024-01-15"}`},
				{Tool: "update_node", Arguments: `{"id":"2024-01-15","content":""}`, Want: `{"id":"01-15-2024","content":"","tags":[],"kind":"daily","...":"..."}`, Check: lacks("private thing")},
				{Tool: "get_node", Arguments: `{"id":"saturnv01"}`},
				{Tool: "update_node", Arguments: `{"id":"saturnv01","content":""}`, Want: `{"content":"","tags":["rocket"],"_warnings":["References to deleted blocks became plain text, on \"[[Projects/Apollo]]\""],"...":"..."}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				hasTexts("January 15th, 2024", "private thing [[Orphan]] #.rm-private")(t, w)
				hasTexts("Saturn V", "Tags:: #rocket")(t, w)
			},
		},
		profiletest.Example{
			Name: "update_node refuses another title for a day, and any change of a block or of a page of Roam's own",
			Calls: []profiletest.Call{
				{Tool: "update_node", Arguments: `{"id":"Ada","title":"January 20th, 2024"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has that of a daily note>"}}`},
				{Tool: "update_node", Arguments: `{"id":"Ada","title":"roam/js"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has Roam's own>"}}`},
				{Tool: "update_node", Arguments: `{"id":"2024-01-15","title":"x"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has daily note>"}}`},
				{Tool: "update_node", Arguments: `{"id":"ap0000001","content":"x"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has a block>"}}`},
				{Tool: "update_node", Arguments: `{"id":"guide0001","content":"x"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has Roam's own>"}}`},
			},
			After: hasTexts("roam/agent guidelines", "Use ISO dates"),
		},
		profiletest.Example{
			Name: "update_node changes a page that was read under another title, and delete_node tells the title",
			Calls: []profiletest.Call{
				{Tool: "get_node", Arguments: `{"id":"Orphan"}`},
				{Tool: "delete_node", Arguments: `{"id":"[[Orphan]]"}`, Before: func(w *profiletest.World) {
					w.Roam("data.page.update", map[string]any{"page": map[string]any{"uid": "orphan001", "title": "Foundling"}})
				}, IsError: true, Want: `{"error":{"code":"CHANGED_SINCE_READ","message":"<has Foundling>","...":"..."}}`},
				{Tool: "update_node", Arguments: `{"id":"[[Orphan]]","tags":["x"]}`, Want: `{"title":"Foundling","tags":["x"],"...":"..."}`},
				{Tool: "update_node", Arguments: `{"id":"Foundling","content":"found"}`, Want: `{"title":"Foundling","content":"found","...":"..."}`},
				{Tool: "update_node", Arguments: `{"id":"Orphan","content":"x"}`, IsError: true, Want: `{"error":{"code":"NODE_NOT_FOUND","...":"..."}}`},
			},
		},
		profiletest.Example{
			Name: "delete_node deletes a page and tells what became of its links",
			Calls: []profiletest.Call{
				{Tool: "delete_node", Arguments: `{"id":"Grace"}`, Want: `{"deleted":true,"blocks":1,"references":3,"id":"grace0001","title":"Grace","_warnings":["3 links in 3 notes became plain text"]}`},
				{Tool: "delete_node", Arguments: `{"id":"grace0001"}`, Want: `{"deleted":false}`},
				{Tool: "find_path", Arguments: `{"source":"Saturn V","target":"computing"}`, Want: `null`, Note: "No links connect"},
				{Tool: "delete_node", Arguments: `{"id":"2024-01-15"}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","message":"<has hidden from agents>","hint":"The user can delete it in Roam."}}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				if got, _ := w.Text("sv0000002"); got != "Built by [[Ada]] and Grace" {
					t.Errorf("the link became %q", got)
				}
			},
		},
	)
}

// hasTexts returns a look at the graph that finds exactly these texts on a page, in any
// order.
func hasTexts(title string, want ...string) func(testing.TB, *profiletest.World) {
	return func(t testing.TB, w *profiletest.World) {
		t.Helper()
		var rows [][]string
		w.Query(&rows, `[:find ?u ?s :in $ ?t :where [?p :node/title ?t] [?b :block/page ?p] [?b :block/uid ?u] [?b :block/string ?s]]`, title)
		var got []string
		for _, row := range rows {
			got = append(got, row[1])
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s has %q, not %q", title, got, want)
		}
	}
}

// blocksOn returns text and time of edit of each block on a page, by uid.
func blocksOn(w *profiletest.World, title string) map[string]string {
	var rows [][]any
	w.Query(&rows, `[:find ?u ?s ?e :in $ ?t :where [?p :node/title ?t] [?b :block/page ?p] [?b :block/uid ?u] [?b :block/string ?s] [?b :edit/time ?e]]`, title)
	blocks := map[string]string{}
	for _, row := range rows {
		blocks[row[0].(string)] = fmt.Sprintf("%s %.0f", row[1], row[2])
	}
	return blocks
}
