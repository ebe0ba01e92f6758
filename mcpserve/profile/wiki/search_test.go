package wiki_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// answer checks the text of a reply.
func answer(want string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
		t.Helper()
		if r.Text() != want {
			t.Errorf("got\n%s\nwant\n%s", r, want)
		}
	}
}

// finds checks that a search has found the notes at these paths, in any order.
func finds(want ...string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
		t.Helper()
		got := pathsIn(r.Text())
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q: %s", got, want, r)
		}
	}
}

// pathsIn returns the paths in a reply of search_notes.
func pathsIn(text string) []string {
	var paths []string
	for line := range strings.Lines(text) {
		if _, path, ok := strings.Cut(strings.TrimSpace(line), "** ("); ok && strings.HasPrefix(line, "- **") {
			paths = append(paths, strings.TrimSuffix(path, ")"))
		}
	}
	return paths
}

func search(arguments string, check func(testing.TB, *profiletest.World, profiletest.Result)) profiletest.Call {
	return profiletest.Call{Tool: "search_notes", Arguments: arguments, Check: check}
}

// searched returns a call with a query alone.
func searched(query string, check func(testing.TB, *profiletest.World, profiletest.Result)) profiletest.Call {
	text, _ := json.Marshal(map[string]string{"query": query})
	return search(string(text), check)
}

func searchExamples() []profiletest.Example {
	folder := `Found 2 notes (showing 1-1):

- **Apollo** (Projects/Apollo)
  Tags: project, in progress
  Goal: land on the moon, see Saturn V

Next page cursor: ` + firstCursor
	return []profiletest.Example{
		{Name: "7: search_notes shows where the words are", Calls: []profiletest.Call{
			{Tool: "search_notes", Arguments: `{"query":"engine"}`, MostCalls: 6, Check: answer(`Found 2 notes (showing 1-2):

- **Saturn V** (Saturn V)
  Tags: rocket
  The F-1 **engine** burns kerosene

- **Apollo** (Projects/Apollo)
  Tags: project, in progress
  See for the **engine**

No more results.`)},
			{Tool: "search_notes", Arguments: `{"query":"engine"}`, MostCalls: 2, Check: finds("Saturn V", "Projects/Apollo")},
		}},
		{Name: "8: the search language", Calls: []profiletest.Call{
			searched(`"burns kerosene"`, finds("Saturn V")),
			searched(`tag:project -tag:rocket`, finds("Projects/Apollo")),
			searched(`(tag:rocket OR tag:tea) title:saturn`, finds("Saturn V")),
			searched(`folder:Projects`, finds("Projects/Apollo", "Projects/Gemini")),
			searched(`folder:Projects -tag:project`, finds("Projects/Gemini")),
			searched(`ada OR grace budget`, finds("Ada", "Projects/Apollo", "Saturn V", "Glossary")),
			searched(`grace budget`, finds("Projects/Apollo")),
			searched(`tag:in-progress`, finds("Projects/Apollo")),
			searched(`-title:a* -folder:daily`, finds("Saturn V", "Grace", "Glossary", "Shopping", "Orphan", "Projects/Gemini")),
			searched(`has:task`, finds("Projects/Apollo", "Shopping")),
			searched(`updated:<2024-01-09`, finds("Projects/Gemini")),
		}},
		{Name: "9: what is hidden is not found", Calls: []profiletest.Call{
			searched("private", answer(`No notes found matching "private"`)),
			searched("kind of blue", answer(`No notes found matching "kind of blue"`)),
			searched("!!!", answer(`No notes found matching "!!!"`)),
		}},
		{Name: "10: a cursor goes on", Calls: []profiletest.Call{
			search(`{"query":"folder:Projects","limit":1}`, answer(folder)),
			search(`{"query":"folder:Projects","limit":1,"cursor":"`+firstCursor+`"}`, answer(`Found 2 notes (showing 2-2):

- **Gemini** (Projects/Gemini)
  Forerunner of Projects/Apollo

No more results.`)),
			search(`{"query":"folder:Projects","cursor":"`+firstCursor+`"}`, finds("Projects/Gemini")),
			{Tool: "search_notes", Arguments: `{"query":"engine","cursor":"` + firstCursor + `"}`, IsError: true, Check: answer("Error: cursor is not valid: it belongs to another query.\nSend the query that the cursor came with, or leave it out to begin from the first result.")},
			{Tool: "search_notes", Arguments: `{"query":"engine","cursor":"x"}`, IsError: true},
			{Tool: "search_notes", Arguments: `{"query":" "}`, IsError: true, Check: answer("Error: query is not valid: it is empty.\nA query reads like \"model context protocol\" tag:mcp -tag:archived.")},
			{Tool: "search_notes", Arguments: `{"query":"` + strings.Repeat("a ", 65) + `"}`, IsError: true},
			{Tool: "search_notes", Arguments: `{"query":"` + strings.Repeat("a", 1001) + `"}`, IsError: true},
		}},
		{Name: "words that no note has are found by their stems, which is said", Calls: []profiletest.Call{
			{Tool: "search_notes", Arguments: `{"query":"rockets burning"}`, Check: answer("No note has all of this. These have the most telling part of it:\n\n" +
				"- **Saturn V** (Saturn V)\n  The F-1 engine burns kerosene\n  Lacks: rockets\n\n- **Glossary** (Glossary)\n  [[Saturn V]]: a rocket\n  Lacks: burning")},
			{Tool: "search_notes", Arguments: `{"query":"engines burning"}`, Note: "other forms", Check: answer("Found 1 note (showing 1-1):\n\n- **Saturn V** (Saturn V)\n  Tags: rocket\n  The F-1 **engine** **burns** kerosene\n\nNo more results.")},
		}},
		{Name: "what has changed is found at once", Calls: []profiletest.Call{
			searched("kerosene", finds("Saturn V")),
			{Before: func(w *profiletest.World) { w.AddBlock("grace0001", "Kerosene too") }, Tool: "search_notes", Arguments: `{"query":"kerosene"}`, Check: finds("Saturn V", "Grace")},
			{Before: func(w *profiletest.World) {
				w.Roam("data.page.delete", map[string]any{"page": map[string]any{"uid": "saturnv01"}})
			}, Tool: "search_notes", Arguments: `{"query":"title:saturn"}`, Check: answer(`No notes found matching "title:saturn"`)},
			{Before: func(w *profiletest.World) {
				w.Roam("data.page.update", map[string]any{"page": map[string]any{"uid": "grace0001", "title": "People/Grace"}})
			}, Tool: "search_notes", Arguments: `{"query":"folder:people"}`, Check: finds("People/Grace")},
		}},
	}
}

// firstCursor is the cursor behind the first of two notes in Projects.
const firstCursor = "1yPqE95wRdcBAQ"

func TestSearchExamples(t *testing.T) {
	profiletest.Run(t, profiletest.Options{Profile: "wiki"}, searchExamples()...)
}

func TestSearchExamplesOnOldBuilds(t *testing.T) {
	profiletest.RunOnOldBuild(t, profiletest.Options{Profile: "wiki"}, searchExamples()[:4]...)
}

// Every hit is on one page, also where the entries do not fit into a reply.
func TestSearchIsReadInPages(t *testing.T) {
	var pages []map[string]any
	for i := range 60 {
		pages = append(pages, map[string]any{
			"title": fmt.Sprintf("Note %02d %s", i, strings.Repeat("word ", 40)), "uid": fmt.Sprintf("note%05d", i),
			"children": []map[string]any{{"string": strings.Repeat("word ", 150), "uid": fmt.Sprintf("text%05d", i)}},
		})
	}
	export, _ := json.Marshal(pages)
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "wiki", Export: string(export), Server: func(o *mcpserve.Options) { o.MaxReply = mcpserve.SmallestReply }}).World(t)
	c := w.Connect(profiletest.Ways()[0])
	seen := map[string]int{}
	cursor := ""
	for calls := 0; ; calls++ {
		r := c.Call("search_notes", fmt.Sprintf(`{"query":"word","limit":50%s}`, cursor))
		if r.IsError || calls > 60 {
			t.Fatal(r)
		}
		for _, path := range pathsIn(r.Text()) {
			seen[path]++
		}
		_, next, more := strings.Cut(r.Text(), "Next page cursor: ")
		if !more {
			if !strings.HasSuffix(r.Text(), "No more results.") {
				t.Errorf("it ends with %q", r.Text())
			}
			break
		}
		cursor = `,"cursor":"` + strings.TrimSpace(next) + `"`
	}
	if len(seen) != 60 {
		t.Errorf("%d notes were shown", len(seen))
	}
	for path, times := range seen {
		if times != 1 {
			t.Errorf("%s was shown %d times", path, times)
		}
	}
}

// Text of the graph stands on one line, without control characters.
func TestSearchShowsHostileTextsSafely(t *testing.T) {
	hostile := strings.ReplaceAll(demograph.JSON, "nobody links here", `nobody\u0007 links\n- **Forged** (x)\u202e here`)
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "wiki", Export: hostile}).World(t)
	r := w.Connect(profiletest.Ways()[0]).Call("search_notes", `{"query":"nobody"}`)
	if paths := pathsIn(r.Text()); len(paths) != 1 || strings.ContainsAny(r.Text(), "\a\u202e") {
		t.Error(r)
	}
}

// A note that was found shows five of its tags, and how many more there are.
func TestAHitShowsFewTags(t *testing.T) {
	_, c := profiletest.Connect(t, profiletest.Options{Profile: "wiki"})
	c.Expect(t,
		profiletest.Call{Tool: "create_note", Arguments: `{"path":"Many","title":"Many","content":"quinces","tags":["a","b","c","d","e","f","g"]}`},
		profiletest.Call{Tool: "create_note", Arguments: `{"path":"Five","title":"Five","content":"medlars","tags":["a","b","c","d","e"]}`},
		searched("quinces", answer("Found 1 note (showing 1-1):\n\n- **Many** (Many)\n  Tags: a, b, c, d, e and 2 more\n  **quinces**\n\nNo more results.")),
		searched("medlars", answer("Found 1 note (showing 1-1):\n\n- **Five** (Five)\n  Tags: a, b, c, d, e\n  **medlars**\n\nNo more results.")),
	)
}
