package alltest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// editor changes a graph at random, as another client of Roam does.
type editor struct {
	*profiletest.World
	*rand.Rand
	made int
	// silent: the edit may have left no time, so that large graphs see it later.
	silent        bool
	pages, blocks [][]string // uid and title, uid and text and parent
}

type m = map[string]any

func (e *editor) look() {
	e.Query(&e.pages, `[:find ?u ?t :where [?p :node/title ?t] [?p :block/uid ?u]]`)
	e.Query(&e.blocks, `[:find ?u ?s ?above :where [?b :block/string ?s] [?b :block/uid ?u] [?p :block/children ?b] [?p :block/uid ?above]]`)
	slices.SortFunc(e.pages, slices.Compare)
	slices.SortFunc(e.blocks, slices.Compare)
}

func (e *editor) page() []string  { return e.pages[e.IntN(len(e.pages))] }
func (e *editor) block() []string { return e.blocks[e.IntN(len(e.blocks))] }

func (e *editor) fresh() string {
	e.made++
	return fmt.Sprintf("new%06d", e.made)
}

// text makes up the text of a block: links, tags, new pages, hidden blocks, and what the
// profiles read as properties.
func (e *editor) text() string {
	title := e.page()[1]
	switch e.IntN(12) {
	case 0:
		return "see [[" + title + "]] and #[[" + e.page()[1] + "]]"
	case 1:
		return "Tags:: #[[" + title + "]] #rocket"
	case 2:
		return "Archived:: true"
	case 3:
		return "{{[[TODO]]}} " + title
	case 4:
		return "as in ((" + e.block()[0] + "))"
	case 5:
		return "a new [[Mentioned " + e.fresh() + "]]"
	case 6:
		return "[[" + title + "]] #.rm-private"
	case 7:
		return "Color:: green"
	case 8:
		return "#rocket " + e.fresh()
	}
	return "the engine " + e.fresh() + " of [[" + title + "]]"
}

// below reports whether a block is another one, or below it.
func (e *editor) below(uid, above string) bool {
	for uid != above {
		at := slices.IndexFunc(e.blocks, func(b []string) bool { return b[0] == uid })
		if at < 0 {
			return false
		}
		uid = e.blocks[at][2]
	}
	return true
}

// edit makes an edit and says which.
func (e *editor) edit() string {
	e.look()
	page, block := e.page(), e.block()
	above := []string{page[0], e.block()[0]}[e.IntN(2)]
	e.silent = false
	switch n := e.IntN(100); {
	case n < 25:
		text := e.text()
		e.Roam("data.block.create", m{"location": m{"parent-uid": above, "order": []any{"first", "last", 1}[e.IntN(3)]}, "block": m{"uid": e.fresh(), "string": text}})
		return "create " + text + " below " + above
	case n < 45:
		text := e.text()
		e.Roam("data.block.update", m{"block": m{"uid": block[0], "string": text}})
		return "update " + block[0] + " to " + text
	case n < 50: // hides it, or shows it again
		text, hidden := strings.CutSuffix(block[1], " #.rm-hide")
		if !hidden {
			text += " #.rm-hide"
		}
		e.Roam("data.block.update", m{"block": m{"uid": block[0], "string": text}})
		return "hide or show " + block[0]
	case n < 62:
		if e.below(above, block[0]) {
			return "no move"
		}
		e.silent = true
		e.Roam("data.block.move", m{"location": m{"parent-uid": above, "order": []any{"first", "last"}[e.IntN(2)]}, "block": m{"uid": block[0]}})
		return "move " + block[0] + " below " + above
	case n < 68:
		return e.reorder(block[2])
	case n < 76:
		if len(e.blocks) < 15 {
			return "no delete"
		}
		e.silent = true
		e.Roam("data.block.delete", m{"block": m{"uid": block[0]}})
		return "delete " + block[0]
	case n < 80:
		title := "Page " + e.fresh()
		e.Roam("data.page.fromMarkdown", m{"page": m{"title": title, "uid": e.fresh()}, "markdown-string": "- " + e.text()})
		return "page " + title
	}
	return e.editPage(page)
}

// editPage renames a page, deletes it, or makes it a shortcut or none.
func (e *editor) editPage(page []string) string {
	system := page[1] == "Tags" || strings.HasPrefix(page[1], ".rm") || strings.HasPrefix(page[1], "January") || strings.HasPrefix(page[1], "roam/")
	switch n := e.IntN(20); {
	case n < 8 && !system:
		title := "Renamed " + e.fresh()
		e.Roam("data.page.update", m{"page": m{"uid": page[0], "title": title}})
		return "rename " + page[1] + " to " + title
	case n < 11 && !system && len(e.pages) > 10:
		e.silent = true
		e.Roam("data.page.delete", m{"page": m{"uid": page[0]}})
		return "delete page " + page[1]
	case n < 16:
		e.silent = true
		e.Roam("data.page.addShortcut", page[0])
		return "shortcut to " + page[1]
	}
	e.silent = true
	_, _ = e.Ask(e.T.Context(), profiletest.MainGraph, "data.page.removeShortcut", page[0]) // it may be none
	return "no shortcut to " + page[1]
}

func (e *editor) reorder(above string) string {
	var uids []string
	for _, b := range e.blocks {
		if b[2] == above {
			uids = append(uids, b[0])
		}
	}
	e.Shuffle(len(uids), func(i, j int) { uids[i], uids[j] = uids[j], uids[i] })
	e.silent = true
	e.Roam("data.block.reorderBlocks", m{"location": m{"parent-uid": above}, "blocks": uids})
	return "reorder " + above
}

// question is a random call of a tool of a profile.
func (e *editor) question(profile string) (tool, arguments string) {
	quoted := func(text string) string { return string(must(json.Marshal(text))) }
	id := quoted([]string{e.page()[0], e.page()[1]}[e.IntN(2)])
	if profile == "notes" {
		switch e.IntN(5) {
		case 0:
			return "get_notes", fmt.Sprintf(`{"includeArchived":%v}`, e.IntN(2) == 0)
		case 1:
			return "search_notes", `{"query":` + quoted([]string{"engine", "rocket", "new00000", "nothing of this"}[e.IntN(4)]) + `}`
		case 2:
			return "get_labels", `{}`
		case 3:
			return "get_notes", `{"search":"the"}`
		}
		return "get_note", `{"id":` + id + `}`
	}
	switch e.IntN(8) {
	case 0, 1:
		return "get_hubs", fmt.Sprintf(`{"limit":50,"metric":%q}`, []string{"in_degree", "out_degree", "pagerank"}[e.IntN(3)])
	case 2:
		return "find_path", `{"source":` + id + `,"target":` + quoted(e.page()[0]) + `}`
	case 3:
		return "get_neighbors", `{"id":` + id + `}`
	case 4:
		return "search_by_tags", `{"tags":["rocket",` + quoted(e.page()[1]) + `]}`
	case 5:
		return "list_nodes", `{}`
	case 6:
		return "list_nodes", `{"tag":` + quoted(e.page()[1]) + `}`
	}
	return "get_node", `{"id":` + id + `,"depth":1}`
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err) // strings can be encoded
	}
	return data
}

// answer is what a call says of the graph: what is told once only is not.
func answer(r profiletest.Result) string {
	var value any
	if r.RPC != nil || json.Unmarshal([]byte(r.Text()), &value) != nil {
		return r.String()
	}
	var strip func(value any)
	strip = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			delete(value, "_warnings")
			for _, each := range value {
				strip(each)
			}
		case []any:
			for _, each := range value {
				strip(each)
			}
		}
	}
	strip(value)
	return string(must(json.Marshal(value)))
}

// refreshing is a series of edits with a question after each.
type refreshing struct {
	export   string // empty: the demo graph
	switches []string
	restart  bool // Roam is closed and opened, on another port and with other entity ids, four times
	every    int  // of how many questions one is compared; 0: each
}

func (s refreshing) run(t *testing.T, profile string, edits int, seed uint64) {
	options := profiletest.Options{Profile: profile, Export: s.export}
	if profile == "graph" {
		options.Server = func(o *mcpserve.Options) { o.Toolsets = []string{"core", "more"} }
	}
	w := profiletest.NewSuite(t, options).World(t)
	w.Switch(s.switches...)
	e := &editor{World: w, Rand: rand.New(rand.NewPCG(seed, 1))}
	c := w.Connect(profiletest.Way{Era: profiletest.SessionEra})
	c.Call(firstQuestion(profile), `{}`) // loads the graph
	for n := range edits {
		said, reopened := e.edit(), false
		if s.restart && n%max(edits/4, 1) == edits/8 {
			s.reopen(w)
			broken := c.CallAtOnce(t.Context(), firstQuestion(profile), `{}`)
			w.Fault(nil)
			w.Settle()
			if !strings.Contains(broken.String(), "CONNECTION_FAILED") {
				t.Fatalf("Roam went away in a call that answers %s", broken)
			}
			said, reopened = said+", on another port", true
		}
		e.look()
		if e.silent && s.export != "" { // a large graph: 30 s at most
			w.Clock.Advance(time.Minute)
		}
		tool, arguments := e.question(profile)
		ask := func(c *profiletest.Client) (got profiletest.Result) {
			await.Condition(t, "an answer", func() bool {
				got = c.CallAtOnce(t.Context(), tool, arguments)
				return !reopened || !strings.Contains(got.String(), "CONNECTION_FAILED") // over a connection that was idle when Roam went away
			})
			return got
		}
		got := ask(c)
		if s.every > 1 && n%s.every > 0 {
			continue
		}
		other, end := w.Fresh()
		want := ask(other)
		end()
		if answer(got) != answer(want) {
			t.Fatalf("edit %d, %s: %s %s answers\n%s\nand a server that reads the graph anew\n%s", n, said, tool, arguments, answer(got), answer(want))
		}
	}
}

// reopen closes Roam, and opens it again with other ids, on another port from the next
// request on.
func (s refreshing) reopen(w *profiletest.World) {
	w.Restart(nil)
	w.Switch(append(s.switches, "new-ids")...)
	moved := false
	w.Fault(func(faultproxy.Request) faultproxy.Fault {
		if moved {
			return faultproxy.Fault{}
		}
		moved = true
		return faultproxy.Fault{Kind: faultproxy.Restart}
	})
}

func firstQuestion(profile string) string {
	return map[string]string{"graph": "get_hubs", "notes": "get_notes"}[profile]
}

// refreshings are those of a small graph, which a refresh reads as a whole.
func refreshings() map[string]refreshing {
	return map[string]refreshing{
		"of the demo graph":                      {},
		"of the demo graph, moves leave no time": {switches: []string{"no-move-stamp"}},
		"of the demo graph, Roam is opened anew": {restart: true},
	}
}

func TestEveryAnswerIsThatOfAServerWhichReadsTheGraphAnew(t *testing.T) {
	for name, s := range refreshings() {
		for _, profile := range []string{"graph", "notes"} {
			t.Run(profile+" "+name, func(t *testing.T) { s.run(t, profile, 16, 1) })
		}
	}
}

// A graph that is not served any more never answers, nor does another one for it.
func TestAGraphThatIsGoneNeverAnswers(t *testing.T) {
	for name, take := range map[string]func(t *testing.T, w *profiletest.World){
		"disabled": func(t *testing.T, w *profiletest.World) {
			require.NoError(t, w.Store.SetDisabled(t.Context(), profiletest.MainGraph, true))
		},
		"revoked": func(t *testing.T, w *profiletest.World) {
			_, err := w.Sandbox.Desk().Revoke(w.Graph(profiletest.MainGraph), "")
			require.NoError(t, err)
		},
		"removed": func(t *testing.T, w *profiletest.World) {
			_, err := w.Store.Remove(t.Context(), profiletest.MainGraph)
			require.NoError(t, err)
		},
		"replaced": func(t *testing.T, w *profiletest.World) {
			_, err := w.Store.Remove(t.Context(), profiletest.MainGraph)
			require.NoError(t, err)
			require.NoError(t, w.Store.Rename(t.Context(), profiletest.SecondGraph, profiletest.MainGraph))
		},
	} {
		for profile, questions := range map[string][][2]string{
			"graph": {
				{"get_hubs", `{}`}, {"find_path", `{"source":"gemini001","target":"grace0001"}`}, {"get_neighbors", `{"id":"apollo001"}`},
				{"get_node", `{"id":"apollo001"}`}, {"get_node", `{"id":"Projects/Apollo","depth":1}`}, {"search_by_tags", `{"tags":["rocket"]}`}, {"search", `{"query":"rocket"}`}, {"random_node", `{}`},
			},
			"notes": {{"get_notes", `{}`}, {"get_labels", `{}`}, {"get_note", `{"id":"apollo001"}`}, {"search_notes", `{"query":"engine"}`}},
		} {
			t.Run(profile+" "+name, func(t *testing.T) {
				w := profiletest.NewSuite(t, profiletest.Options{Profile: profile, Second: true}).World(t)
				c := w.Connect(profiletest.Way{HTTP: true, Era: profiletest.StatelessEra})
				ask := func(question [2]string) profiletest.Result {
					return c.Call(question[0], strings.Replace(question[1], "{", `{"graph":"`+profiletest.MainGraph+`"`+map[bool]string{false: ","}[question[1] == "{}"], 1))
				}
				for _, each := range questions {
					if r := ask(each); r.RPC != nil || r.IsError {
						t.Fatal(r)
					}
				}
				take(t, w)
				for _, each := range questions {
					r := ask(each)
					if r.RPC == nil && !r.IsError && (name != "replaced" || r.Meta["graphName"] != profiletest.SecondGraph) {
						t.Errorf("%s answers %s", each[0], r)
					}
					if text := r.String(); strings.Contains(text, "Apollo") && r.RPC == nil && !r.IsError || strings.Contains(text, "kerosene") {
						t.Errorf("%s says of the graph: %s", each[0], text)
					}
				}
			})
		}
	}
}
