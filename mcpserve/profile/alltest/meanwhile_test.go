package alltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
)

const logGraph = `[{"title":"Log","uid":"log000001","children":[{"string":"one","uid":"one000001"},{"string":"open","uid":"open00001","text-align":"center","open":false},{"string":"three","uid":"three0001"}]},
	{"title":"Referring","uid":"referring","children":[{"string":"See ((open00001))","uid":"refers001"}]}]`

// A title and what is below a block are not its text: who changes them is in nobody's way.
func TestWhatSomebodyDidMeanwhile(t *testing.T) {
	retitle := func(w *profiletest.World) {
		w.Roam("data.page.update", map[string]any{"page": map[string]any{"uid": "log000001", "title": "Diary"}})
	}
	below := func(w *profiletest.World) { w.AddBlock("open00001", "a person's") }
	change := func(w *profiletest.World) {
		w.Roam("data.block.update", map[string]any{"block": map[string]any{"uid": "open00001", "string": "closed"}})
	}
	move := func(w *profiletest.World) {
		w.Roam("data.block.move", map[string]any{"location": map[string]any{"parent-uid": "one000001", "order": "last"}, "block": map[string]any{"uid": "open00001"}})
	}
	remove := func(w *profiletest.World) {
		w.Roam("data.block.delete", map[string]any{"block": map[string]any{"uid": "open00001"}})
	}
	const done, goes = `"content":"one\n\ndone\n\nthree"`, `"content":"one\n\nthree"`
	for name, tc := range map[string]struct {
		person  func(*profiletest.World)
		id      string // empty: the uid; else the title, which graph, notes and wiki take
		sent    string // empty: the note is deleted
		refused string
		title   string // of the page, afterwards
		want    string // text of the block and of what is below it
	}{
		"a title leaves the text of a block alone":            {retitle, "", done, "", "Diary", "done"},
		"a title is no other note":                            {retitle, "Log", done, "", "Diary", "done"},
		"a title that is sent as it was shown stays":          {retitle, "", `"title":"Log",` + done, "", "Diary", "done"},
		"another title is meant":                              {retitle, "", `"title":"Notebook",` + done, "", "Notebook", "done"},
		"a title alone is meant":                              {retitle, "", `"title":"Log"`, "", "Log", "open"},
		"a note is not deleted by a title that it had":        {retitle, "Log", "", "Diary", "Diary", "open"},
		"what is new below a block leaves its text alone":     {below, "", done, "", "Log", "done a person's"},
		"what is new below a block is not taken away with it": {below, "", goes, "a person's", "Log", "open a person's"},
		"a text is in the way of another":                     {change, "", done, "closed", "Log", "closed"},
		"a text is in the way of a deletion":                  {change, "", goes, "closed", "Log", "closed"},
		"another place is in the way of a text":               {move, "", done, "open", "Log", "open"},
		"what is gone has no text to change":                  {remove, "", done, "open", "Log", ""},
	} {
		for profile, calls := range noteCalls {
			t.Run(name+", "+profile, func(t *testing.T) {
				w, c := profiletest.Connect(t, profiletest.Options{Profile: profile, Export: logGraph})
				id := tc.id
				if id == "" {
					id = fmt.Sprintf(calls.named, "log000001")
				}
				callLine(t, c, fmt.Sprintf(calls.read, id))
				tc.person(w)
				line := fmt.Sprintf(calls.remove, id)
				if tc.sent != "" {
					line = fmt.Sprintf(calls.write, id, tc.sent)
				}
				tool, arguments, _ := strings.Cut(line, " ")
				r := c.Call(tool, arguments)
				if failed := r.IsError || r.RPC != nil; failed != (tc.refused != "") || !strings.Contains(r.String(), tc.refused) {
					t.Errorf("%s: %s", line, r)
				}
				title := tc.title
				if profile == "wiki" && strings.Contains(tc.sent, "title") { // which is a line there
					title = "Diary"
					if line, want := titleLine(w), tc.title != "Diary"; want != (line == "Title:: "+tc.title) || !want && line != "" {
						t.Errorf("the line is %q", line)
					}
				}
				expectLog(t, w, title, tc.want)
			})
		}
	}
}

// titleLine returns the line of the page that gives its title, empty where it has none.
func titleLine(w *profiletest.World) string {
	var texts []string
	w.Query(&texts, `[:find [?s ...] :where [?p :block/uid "log000001"] [?p :block/children ?b] [?b :block/string ?s]]`)
	at := slices.IndexFunc(texts, func(text string) bool { return strings.HasPrefix(text, "Title::") })
	if at < 0 {
		return ""
	}
	return texts[at]
}

// expectLog checks the title of the page, the block that was open with what is below it, and
// that it looks as it did and is referred to.
func expectLog(t *testing.T, w *profiletest.World, title, want string) {
	t.Helper()
	if w.PageUID(title) != "log000001" {
		t.Errorf("the page is not called %q", title)
	}
	text, there := w.Text("open00001")
	var kids []string
	w.Query(&kids, `[:find [?s ...] :where [?b :block/uid "open00001"] [?b :block/children ?c] [?c :block/string ?s]]`)
	if got := strings.Join(slices.Concat([]string{text}, kids), " "); got != want {
		t.Errorf("there is %q, not %q", got, want)
	}
	if !there {
		return
	}
	if referring, _ := w.Text("refers001"); referring != "See ((open00001))" {
		t.Errorf("what refers to it reads %q", referring)
	}
	var looks []any
	w.Query(&looks, `[:find [?a ?o] :where [?b :block/uid "open00001"] [?b :block/text-align ?a] [?b :block/open ?o]]`)
	if fmt.Sprint(looks) != "[center false]" {
		t.Errorf("it looks %v", looks)
	}
}
