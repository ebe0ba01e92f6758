package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/profile/graph"
)

// Each tool that reads asks Roam five times at most where the mirror is to be loaded, and
// twice where it is there.
func TestCallsOfTheToolsThatRead(t *testing.T) {
	profiletest.CheckCallsTable(t, graph.Profile(), []string{"core", "more"}, map[string]string{
		"search": `{"query":"rocket engine"}`, "get_node": `{"id":"Projects/Apollo","depth":1}`, "get_neighbors": `{"id":"apollo001"}`,
		"find_path": `{"source":"gemini001","target":"grace0001"}`, "get_hubs": `{"metric":"pagerank"}`, "search_by_tags": `{"tags":["project","rocket"]}`,
		"random_node": `{}`, "list_nodes": `{}`, "resolve_nodes": `{"names":["Ada"]}`, "nodes_exist": `{"ids":["Ada"]}`, "get_orphans": `{}`, "get_clusters": `{}`,
	})
}

// It is so too in a graph that is too large to be read in one call, but for search, which
// reads all texts. Every half minute it is looked for what is gone, with three calls more.
func TestCallsInALargeGraph(t *testing.T) {
	const pages = 2100 // with 10,500 pages and blocks
	var export []string
	for i := range pages {
		export = append(export, fmt.Sprintf(`{"title":"Page %d","uid":"page%05d","children":[{"string":"See [[Page %d]] #tag%d","uid":"ba%07d"},{"string":"a","uid":"bb%07d"},{"string":"b","uid":"bc%07d"},{"string":"c","uid":"bd%07d"}]}`,
			i, i, 7*i%pages, i%100, i, i, i, i))
	}
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "graph", Export: "[" + strings.Join(export, ",") + "]"}).World(t)
	c := w.Connect(stdio())
	for tool, arguments := range map[string]string{
		"get_node": `{"id":"Page 1","depth":1}`, "get_neighbors": `{"id":"Page 1"}`, "find_path": `{"source":"Page 1","target":"Page 49"}`,
		"get_hubs": `{"metric":"pagerank"}`, "search_by_tags": `{"tags":["tag1"],"limit":50}`, "random_node": `{}`,
	} {
		for _, disabled := range []bool{true, false} { // the mirror is forgotten
			require.NoError(t, w.Store.SetDisabled(t.Context(), profiletest.MainGraph, disabled))
			c.Call("get_hubs", `{"limit":0}`)
		}
		for i, most := range []int{5, 4, 2, 2} { // what was edited when it was loaded is read again once
			w.ResetCalls()
			w.Clock.Advance(5 * time.Second)
			if r := c.CallAtOnce(t.Context(), tool, arguments); r.IsError || w.Calls().Total() > most {
				t.Errorf("%s takes %v the time %d: %.300s", tool, w.Calls(), i+1, r)
			}
		}
	}
}

func TestTheToolsInTheDocumentAreThoseOfTheProfile(t *testing.T) {
	profiletest.CheckToolsTable(t, graph.Profile())
}

// One line changed in a page of 1,100 blocks takes four calls, and 1,099 blocks stay as they
// are. (Exactly 1,000 would be asked for once more.)
func TestUpdatingOneLineOfALargePage(t *testing.T) {
	const blocks = 1100
	var children, lines []string
	for i := range blocks {
		text := fmt.Sprintf("Line %d of many", i)
		children = append(children, fmt.Sprintf(`{"string":%q,"uid":"line%05d","edit-time":1705276800000}`, text, i))
		lines = append(lines, text)
	}
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "graph", Export: `[{"title":"Large","uid":"largepage","children":[` + strings.Join(children, ",") + `]}]`}).World(t)
	before := blocksOn(w, "Large")
	lines[500] = "Line 500 of very many"
	c := w.Connect(stdio())
	var part struct{ Content string }
	c.Call("get_node", `{"id":"largepage","offset":8000}`).Decode(t, &part)
	w.ResetCalls()
	arguments, _ := json.Marshal(map[string]string{"id": "largepage", "content": strings.Replace(part.Content, "Line 500 of many", lines[500], 1)})
	if r := c.Call("update_node", string(arguments)); r.IsError {
		t.Fatal(r)
	}
	if calls := w.Calls(); calls.Total() > 4 {
		t.Errorf("calls: %v", calls)
	}
	after, kept := blocksOn(w, "Large"), 0
	for uid, block := range after {
		if before[uid] == block {
			kept++
		}
	}
	if text, _ := w.Text("line00500"); len(after) != blocks || kept != blocks-1 || text != lines[500] {
		t.Errorf("%d of %d blocks are as they were, and the other one is %q", kept, len(after), text)
	}
}

// A page with 100 backlinks is renamed by one write, and no link is broken.
func TestRenamingAPageWithManyLinks(t *testing.T) {
	var pages []string
	for i := range 100 {
		pages = append(pages, fmt.Sprintf(`{"title":"From %d","uid":"from%05d","children":[{"string":"See [[Much Linked]] and #[[Much Linked]]","uid":"link%05d"}]}`, i, i, i))
	}
	pages = append(pages, `{"title":"Much Linked","uid":"target001","children":[{"string":"x","uid":"target002"}]}`)
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "graph", Export: "[" + strings.Join(pages, ",") + "]"}).World(t)
	c := w.Connect(stdio())
	if r := c.Call("update_node", `{"id":"target001","title":"Known"}`); r.IsError || w.Calls()["data.page.update"] != 1 || w.Calls().Total() > 6 {
		t.Errorf("%s after %v", r, w.Calls())
	}
	for i := range 100 {
		if text, _ := w.Text(fmt.Sprintf("link%05d", i)); text != "See [[Known]] and #[[Known]]" {
			t.Fatalf("a link is broken: %q", text)
		}
	}
	var hubs []struct{ Score float64 }
	if c.Call("get_hubs", `{"limit":1}`).Decode(t, &hubs); hubs[0].Score != 100 {
		t.Errorf("%v link to it", hubs)
	}
}
