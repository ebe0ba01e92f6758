package shown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/mcpserve"
)

// edit gives a block another text, as a person does in Roam.
func edit(w *profiletest.World, uid, text string) {
	w.Roam("data.block.update", map[string]any{"block": map[string]any{"uid": uid, "string": text}})
}

func expectText(t *testing.T, w *profiletest.World, uid, want string) {
	t.Helper()
	if got, _ := w.Text(uid); got != want {
		t.Errorf("%s reads %q, want %q", uid, got, want)
	}
}

// journals are whether there is one; under the race detector there is.
func journals() []bool {
	if race.Enabled {
		return []bool{true}
	}
	return []bool{true, false}
}

// updating is how a profile reads a block, gives it a text, and says that it has changed.
type updating struct{ profile, read, update string }

func TestATextThatSomebodyChangedSinceItWasShownIsNotReplaced(t *testing.T) {
	for name, u := range map[string]updating{
		"roam, update_block":  {"roam", `get_page {"title":"Grace"}`, `update_block {"uid":"gr0000001","string":%q}`},
		"roam, update_blocks": {"roam", `get_block {"uid":"gr0000001"}`, `update_blocks {"updates":[{"uid":"gr0000001","string":%q}]}`},
		"roam, after search":  {"roam", `search {"query":"Compilers"}`, `update_block {"uid":"gr0000001","string":%q}`},
		"outline":             {"outline", `get_block {"block_uuid":"gr0000001"}`, `update_block {"block_uuid":"gr0000001","content":%q}`},
		"outline, after page": {"outline", `get_page_content {"page_name":"Grace","format":"json"}`, `update_block {"block_uuid":"gr0000001","content":%q}`},
	} {
		for _, journal := range journals() {
			for _, way := range profiletest.Ways() {
				t.Run(fmt.Sprintf("%s, journal %v, %s", name, journal, way), func(t *testing.T) {
					w := profiletest.NewSuite(t, profiletest.Options{Profile: u.profile, History: journal}).World(t)
					c := w.Connect(way)
					call := func(line string) profiletest.Result {
						tool, arguments, _ := strings.Cut(line, " ")
						return c.Call(tool, arguments)
					}
					if r := call(u.read); !strings.Contains(r.String(), "Compilers") {
						t.Fatalf("it reads %s", r)
					}
					edit(w, "gr0000001", "a person's sentence")
					refused := call(fmt.Sprintf(u.update, "an agent's sentence")).String()
					for _, told := range []string{"CHANGED_SINCE_READ", "a person's sentence", "an agent's sentence", "Compilers #computing"} {
						if !strings.Contains(refused, told) {
							t.Errorf("it does not tell %q: %s", told, refused)
						}
					}
					expectText(t, w, "gr0000001", "a person's sentence")
					call(fmt.Sprintf(u.update, "an agent's second sentence")) // what was told counts as shown
					expectText(t, w, "gr0000001", "an agent's second sentence")
					call(fmt.Sprintf(u.update, "an agent's third sentence")) // what it wrote itself does, too
					expectText(t, w, "gr0000001", "an agent's third sentence")
				})
			}
		}
	}
}

// A text that comes from elsewhere, which this connection never showed, counts by its name.
func TestATextThatIsExpectedIsComparedWithWhatIsThere(t *testing.T) {
	const there, person = "Compilers #computing", "a person's sentence"
	for name, tc := range map[string]struct {
		expected, change string
		edited           bool
		want             string
	}{
		"the text is there":                   {there, `"string":"new"`, false, "new"},
		"the text is another by now":          {there, `"string":"new"`, true, person},
		"its look alone changes":              {there, `"heading":1`, true, person},
		"a part of it changes":                {there, `"find":"sentence","replace":"line"`, true, person},
		"a mark is put on it":                 {there, `"todo":"todo"`, true, person},
		"what is to be found is not there":    {there, `"find":"Compilers","replace":"Linkers"`, true, person},
		"what is expected is there by now":    {person, `"find":"sentence","replace":"line"`, true, "a person's line"},
		"what is to be is there already":      {there, `"string":"a person's sentence"`, true, person},
		"no text is expected, and it has one": {"", `"string":"new"`, false, there},
	} {
		for _, journal := range journals() {
			for _, line := range []string{`update_block {"uid":"gr0000001","expected":%q,%s}`, `update_blocks {"updates":[{"uid":"gr0000001","expected":%q,%s}]}`} {
				tool, arguments, _ := strings.Cut(line, " ")
				t.Run(fmt.Sprintf("%s, %s, journal %v", name, tool, journal), func(t *testing.T) {
					w, c := profiletest.Connect(t, profiletest.Options{Profile: "roam", History: journal})
					if tc.edited {
						edit(w, "gr0000001", person)
					}
					reply := c.Call(tool, fmt.Sprintf(arguments, tc.expected, tc.change)).String()
					expectText(t, w, "gr0000001", tc.want)
					same := tc.edited && tc.want == person || !tc.edited && tc.want == there
					if refused := strings.Contains(reply, "CHANGED_SINCE_READ"); refused != (same && !strings.Contains(tc.change, person)) {
						t.Errorf("it answers %s", reply)
					}
				})
			}
		}
	}
}

func TestATextThatWasNeverShownIsReplaced(t *testing.T) {
	for _, u := range []updating{{"roam", "", `{"uid":"gr0000001","string":"new"}`}, {"outline", "", `{"block_uuid":"gr0000001","content":"new"}`}} {
		t.Run(u.profile, func(t *testing.T) {
			w, c := profiletest.Connect(t, profiletest.Options{Profile: u.profile, History: true})
			edit(w, "gr0000001", "a person's sentence")
			c.Call("update_block", u.update)
			expectText(t, w, "gr0000001", "new")
		})
	}
}

// Findings, marks and looks of a block need no text that was shown.
func TestAPartOfATextIsReplacedInWhatIsThereNow(t *testing.T) {
	w, c := profiletest.Connect(t, profiletest.Options{Profile: "roam", History: true})
	c.Call("get_page", `{"title":"Grace"}`)
	edit(w, "gr0000001", "Compilers and interpreters")
	c.Call("update_block", `{"uid":"gr0000001","find":"Compilers","replace":"Linkers"}`)
	expectText(t, w, "gr0000001", "Linkers and interpreters")
	c.Call("update_block", `{"uid":"gr0000001","todo":"todo"}`)
	expectText(t, w, "gr0000001", "{{[[TODO]]}} Linkers and interpreters")
}

// What a read shows of a block that nobody touched is never taken for another text.
func TestWhatIsShownOfARealGraphIsWhatIsThere(t *testing.T) {
	for _, profile := range []string{"roam", "outline"} {
		t.Run(profile, func(t *testing.T) {
			w, c := profiletest.Connect(t, profiletest.Options{Profile: profile, Export: helpgraph.Read(t, "help.json"), Server: func(o *mcpserve.Options) { o.MaxReply = 1 << 20 }})
			var rows [][3]string
			w.Query(&rows, `[:find ?t ?u ?s :where [?p :node/title ?t] [?p :block/children ?b] [?b :block/uid ?u] [?b :block/string ?s]]`)
			read := map[string]bool{}
			slices.SortFunc(rows, func(a, b [3]string) int { return strings.Compare(a[0], b[0]) })
			for _, row := range rows[:min(len(rows), 150)] { // more would wait for the limit of writes
				title, uid, text := row[0], row[1], row[2]
				if strings.TrimSpace(text) == "" || strings.HasPrefix(title, "roam/") {
					continue
				}
				var refused profiletest.Result
				if profile == "roam" {
					if !read[title] {
						c.Call("get_page", fmt.Sprintf(`{"title":%q}`, title))
					}
					refused = c.Call("update_block", fmt.Sprintf(`{"uid":%q,"string":"x","heading":0}`, uid))
				} else {
					if !read[title] {
						c.Call("get_page_content", fmt.Sprintf(`{"page_name":%q,"format":"json"}`, title))
					}
					refused = c.Call("update_block", fmt.Sprintf(`{"block_uuid":%q,"content":"x"}`, uid))
				}
				read[title] = true
				if strings.Contains(refused.String(), "CHANGED_SINCE_READ") {
					t.Errorf("%s: %s", title, refused)
				}
			}
		})
	}
}

// What a profile keeps beside the content is no content, and is not taken away with it.
func TestTheLinesThatACreationMadeBesideTheContentStay(t *testing.T) {
	for profile, calls := range map[string][2]string{
		"graph": {`create_node {"title":"New","content":"one\n\ntwo","tags":["a"]}`, `update_node {"id":"New","content":"one\n\nthree"}`},
		"wiki":  {`create_note {"path":"New","title":"T","content":"one\n\ntwo","tags":["a"]}`, `update_note {"path":"New","content":"one\n\nthree"}`},
	} {
		t.Run(profile, func(t *testing.T) {
			w, c := profiletest.Connect(t, profiletest.Options{Profile: profile})
			for _, line := range calls {
				tool, arguments, _ := strings.Cut(line, " ")
				if r := c.Call(tool, arguments); r.IsError {
					t.Fatal(r)
				}
			}
			var texts []string
			w.Query(&texts, `[:find [?s ...] :where [?p :node/title "New"] [?p :block/children ?b] [?b :block/string ?s]]`)
			if slices.Sort(texts); !slices.Contains(texts, "Tags:: #a") || !slices.Contains(texts, "three") || slices.Contains(texts, "two") {
				t.Errorf("there is %q", texts)
			}
		})
	}
}
