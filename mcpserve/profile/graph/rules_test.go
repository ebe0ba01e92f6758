package graph

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/linkgraph"
	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/surface"
)

func TestPageTitle(t *testing.T) {
	for name, tc := range map[string]struct{ title, directory, want string }{
		"is the title alone without a directory":     {"Review", "", "Review"},
		"has the directory in front":                 {"Review", "meetings", "meetings/Review"},
		"has each directory of a path":               {"Review", "work/meetings", "work/meetings/Review"},
		"loses blanks at the ends":                   {"  Review ", " meetings / weekly ", "meetings/weekly/Review"},
		"loses slashes that part nothing":            {"/Review", "/team//meetings/", "team/meetings/Review"},
		"keeps case, blanks and slashes of its own":  {"To Do/This: week", "", "To Do/This: week"},
		"keeps an address as it is":                  {"https://example.org/a//b", "", "https://example.org/a//b"},
		"takes a link for what it links to":          {"[[Review]]", "[[meetings]]", "meetings/Review"},
		"keeps a link within":                        {"Review of [[Ada]]", "", "Review of [[Ada]]"},
		"is empty where there are only blanks":       {"  ", "", ""},
		"ends with a slash where the title is blank": {" ", "meetings", "meetings/"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := pageTitle(tc.title, tc.directory); got != tc.want {
				t.Errorf("%q, not %q", got, tc.want)
			}
		})
	}
}

func TestDraftOf(t *testing.T) {
	for name, tc := range map[string]struct {
		content string
		tags    []string
		want    string // as markdown
	}{
		"takes paragraphs as blocks":                    {"One\n\nTwo", nil, "- One\n- Two"},
		"takes tags out of front matter":                {"---\ntags: [a, b c]\n---\nOne", []string{"a", "b c"}, "- One"},
		"takes tags out of a line that declares them":   {"- Tags:: #a #[[b c]]\n- One", []string{"a", "b c"}, "- One"},
		"leaves a line that declares tags deeper below": {"- One\n  - Tags:: #a", nil, "- One\n  - Tags:: #a"},
		"leaves inline tags in the text":                {"One #a", nil, "- One #a"},
		"leaves a sentence about tags":                  {"Tags:: see [[One]]\n\nTwo", nil, "- Tags:: see [[One]]\n- Two"},
		"leaves a line with something below it":         {"- Tags:: #a\n  - One", nil, "- Tags:: #a\n  - One"},
		"is empty where the content is":                 {"", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := draftOf(note.Parse(tc.content), note.Node{})
			if !slices.Equal(got.tags, tc.tags) || markdown.Bullets(got.blocks) != tc.want {
				t.Errorf("tags %q and\n%s", got.tags, markdown.Bullets(got.blocks))
			}
		})
	}
}

// pageOf is a page with blocks, those that hide themselves marked.
func pageOf(texts ...string) note.Node {
	n := note.Node{UID: "page00001", Title: "Page"}
	for i, text := range texts {
		n.Children = append(n.Children, note.Node{
			UID: "block000" + string(rune('0'+i)), Text: text, PageUID: n.UID, PageTitle: n.Title, Hidden: note.Read(text, true).Hides,
		})
	}
	return n
}

func TestRetagged(t *testing.T) {
	for name, tc := range map[string]struct {
		page note.Node
		line string
		want string // as markdown
	}{
		"puts the line first where there is none":   {pageOf("One"), "Tags:: #a", "- Tags:: #a\n- One"},
		"puts it in the place of the one there":     {pageOf("One", "Tags:: #b", "Two"), "Tags:: #a", "- One\n- Tags:: #a\n- Two"},
		"puts one in the place of several":          {pageOf("Tags:: #b", "One", "tags:: #c"), "Tags:: #a", "- Tags:: #a\n- One"},
		"takes it out where there are no tags":      {pageOf("Tags:: #b", "One"), "", "- One"},
		"changes nothing where there is none":       {pageOf("One"), "", "- One"},
		"leaves hidden blocks to the one who reads": {pageOf("Tags:: #b", "secret #.rm-private", "One"), "Tags:: #a", "- Tags:: #a\n- One"},
		"makes the first block of an empty page":    {pageOf(), "Tags:: #a", "- Tags:: #a"},
		"leaves a sentence about tags":              {pageOf("Tags:: see #b", "One"), "", "- Tags:: see #b\n- One"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := markdown.Bullets(retagged(tc.page, tc.page.Visible().Outline(), tc.line)); got != tc.want {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	_, duplicates := distinctTags([]string{"tutorial", "ml", "#Tutorial", " ", "[[ml]]"})
	links := note.Node{UID: "p", Title: "P", Children: []note.Node{{Text: `See [[full]], [[empty "]] and [[Empty]]`, Refs: []note.Ref{
		{UID: "1", Title: "full"}, {UID: "2", Title: `empty "`, Empty: true}, {UID: "3", Title: "Empty", Empty: true},
	}}}}
	for name, tc := range map[string]struct{ got, want []string }{
		"name duplicate tags":                       {duplicates, []string{"Duplicate tag ignored: #Tutorial", "Duplicate tag ignored: [[ml]]"}},
		"name tags that stay in the text":           {keptInline(pageOf("x #tea", "y #Tea #coffee", "secret #milk #.rm-hide"), []string{"coffee"}), []string{`Tag kept in the text: "tea" (2 blocks)`}},
		"say nothing of declared tags":              {keptInline(pageOf("Tags:: #tea"), nil), nil},
		"quote the titles of empty pages":           {emptyPages(links), []string{`Empty page: "[[empty \"]]"`, `Empty page: "[[Empty]]"`}},
		"count links that became plain text":        {[]string{unlinked(12, 5)}, []string{"12 links in 5 notes became plain text"}},
		"count one link as one":                     {[]string{unlinked(1, 1)}, []string{"1 link in 1 note became plain text"}},
		"say nothing where there was no link":       {[]string{unlinked(0, 0)}, []string{""}},
		"count the links that are not listed":       {[]string{fewerLinks(240, 100)}, []string{"Only the first 100 of 240 links are listed"}},
		"say nothing where all links are listed":    {[]string{fewerLinks(100, 100)}, []string{""}},
		"name the pages of references to nothing":   {orphaned([]ops.Referring{{Page: "A"}, {Page: "B"}, {Page: "A"}}), []string{`References to deleted blocks became plain text, on "[[A]]", "[[B]]"`}},
		"say nothing where nothing was referred to": {orphaned(nil), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if !slices.Equal(tc.got, tc.want) {
				t.Errorf("got %q, not %q", tc.got, tc.want)
			}
		})
	}
	many := note.Node{UID: "p", Title: "P", Children: []note.Node{{}}}
	for i := range 13 {
		title := "Empty " + string(rune('a'+i))
		many.Children[0].Text += "[[" + title + "]] "
		many.Children[0].Refs = append(many.Children[0].Refs, note.Ref{UID: title, Title: title, Empty: true})
	}
	if got := emptyPages(many); len(got) != maxNamed+1 || got[maxNamed] != "3 more empty pages" {
		t.Errorf("got %q", got)
	}
}

func TestShape(t *testing.T) {
	text := strings.Repeat("é", 501)
	page := pageOf("Tags:: #a", text, "See [[One]] and [[Two]]")
	page.Created, page.Children[1].Edited = 1705276800000, 1705330920000
	page.Children[2].Refs = []note.Ref{{UID: "one", Title: "One"}, {UID: "two", Title: "Two"}}
	got := shape(page, extent{content: 500, links: 1})
	if len([]rune(got.Content)) != 500+len(surface.TextCut) || !strings.HasSuffix(got.Content, surface.TextCut) {
		t.Errorf("the content has %d characters: %q", len([]rune(got.Content)), got.Content)
	}
	want := []linkInfo{{"one", "One"}}
	if !slices.Equal(got.Links, want) || !slices.Equal(got.Tags, []string{"a"}) || got.Created != "2024-01-15T00:00:00Z" || got.Updated != "2024-01-15T15:02:00Z" {
		t.Errorf("got %+v", got)
	}
	if !slices.Equal(got.Warnings, []string{"Only the first 1 of 2 links are listed"}) {
		t.Errorf("warnings %q", got.Warnings)
	}
	empty := string(rawjson.Encode(shape(note.Node{UID: "x", Title: "X"}, whole())))
	if empty != `{"id":"x","title":"X","content":"","tags":[],"links":[]}` {
		t.Errorf("an empty page is %s", empty)
	}
	block := note.Node{UID: "b", Text: "See ((abc123456)) and\nmore", PageUID: "p", PageTitle: "P", Refs: []note.Ref{{UID: "abc123456", Text: "the plan"}}}
	if got := shape(block, whole()); got.Title != "See the plan and more" || got.Kind != "" {
		t.Errorf("a block is %+v", got)
	}
	if got := shape(note.Node{UID: "01-15-2024", Title: "January 15th, 2024"}, whole()); got.Kind != note.Daily {
		t.Errorf("a daily note is %+v", got)
	}
}

func TestNeighborsOf(t *testing.T) {
	// 0 links to 1, and twice to 2; 2 and 3 link to 0, 3 three times.
	g := linkgraph.New(4, []linkgraph.Edge{{From: 0, To: 1, Weight: 1}, {From: 0, To: 2, Weight: 2}, {From: 2, To: 0, Weight: 1}, {From: 3, To: 0, Weight: 3}})
	for name, tc := range map[string]struct {
		direction string
		want      []nodeNear
	}{
		"out lists what is linked to, the most links first":     {directionOut, []nodeNear{{2, "both"}, {1, "out"}}},
		"in lists what links here, the most links first":        {directionIn, []nodeNear{{3, "in"}, {2, "both"}}},
		"both lists those out, then those in, and nobody twice": {directionBoth, []nodeNear{{2, "both"}, {1, "out"}, {3, "in"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := neighborsOf(g, 0, tc.direction); !slices.Equal(got, tc.want) {
				t.Errorf("got %v", got)
			}
		})
	}
	if got := steps(g, []int32{1, 0, 3}); !slices.Equal(got, []string{"in", "in"}) {
		t.Errorf("the steps are %q", got)
	}
	if got := ranked(4, func(at int32) float64 { return float64(len(g.In(at))) }, 3); !slices.Equal(got, []int32{0, 1, 2}) {
		t.Errorf("ranked %v", got)
	}
	if got := ranked(1000, func(at int32) float64 { return float64(at * 7 % 100) }, 12); !slices.Equal(got, []int32{57, 157, 257, 357, 457, 557, 657, 757, 857, 957, 14, 114}) {
		t.Errorf("ranked %v", got)
	}
	if got := ofBlock([]string{"a", "b"}, []string{"b", "c"}, directionBoth); !slices.Equal(got, []neighborOf{{"a", "out"}, {"b", "both"}, {"c", "in"}}) {
		t.Errorf("of a block: %v", got)
	}
}

func TestNames(t *testing.T) {
	for id, want := range map[string]string{
		"ap0000001": "ap0000001", " ap0000001 ": "ap0000001", "((ap0000001))": "ap0000001", "((odd uid))": "odd uid", "nope": "", "Projects/Apollo": "", "": "",
	} {
		if got := blockUID(id); got != want {
			t.Errorf("the uid in %q is %q", id, got)
		}
	}
	titles := newSpelling([]mirror.Page{{Title: "Saturn V"}, {Title: "Saturns"}, {Title: "nacht"}, {Title: "aaaa"}, {Title: "Ada"}, {Title: "ADA"}, {Title: "x"}})
	for _, tc := range []struct {
		name, title string
		want        float64
	}{{"saturn-v", "Saturn V", 1}, {"Saturn", "Saturn V", 10.0 / 11}, {"night", "nacht", 0.25}, {"aa", "aaaa", 0.5}, {"aaaaaa", "aaaa", 0.75}, {"ada", "Ada", 1}, {"", "", 0}, {"q", "", 0}, {"zebra", "", 0}} {
		if got, score := titles.likest(tc.name); got.Title != tc.title || score != tc.want {
			t.Errorf("%q is like %q by %v", tc.name, got.Title, score)
		}
	}
	for _, tc := range []struct {
		title, path string
		want        bool
	}{{"Projects/Apollo", "projects", true}, {"Projects/Apollo/Crew", "projects/apollo", true}, {"Projects-old/Apollo", "projects", false}, {"Projects", "projects", false}} {
		if within(tc.title, tc.path) != tc.want {
			t.Errorf("%q within %q: not %v", tc.title, tc.path, tc.want)
		}
	}
}

func TestRounded(t *testing.T) {
	for _, tc := range []struct {
		score    float64
		decimals int
		want     float64
	}{{0.89456, 4, 0.8946}, {0.72727272, 4, 0.7273}, {0.00001, 4, 0.0001}, {1, 4, 1}, {0.128212345678, 9, 0.128212346}} {
		if got := rounded(tc.score, tc.decimals); got != tc.want {
			t.Errorf("%v is %v", tc.score, got)
		}
	}
}

func TestErrorsHaveTheCodesOfTheSeed(t *testing.T) {
	for name, tc := range map[string]struct {
		e    *problem.Error
		want string // members of the error
	}{
		"bad arguments are INVALID_PARAMS": {
			surface.Invalid("search", "query is missing."), `{"code":"INVALID_PARAMS","message":"search: query is missing."}`,
		},
		"what Roam has already is NODE_EXISTS": {
			&problem.Error{Code: localapi.CodeAlreadyExists, Message: "m", Call: &problem.Call{}}, `{"code":"NODE_EXISTS","message":"m"}`,
		},
		"what Roam has not is NODE_NOT_FOUND": {
			&problem.Error{Code: localapi.CodeNotFound, Message: "m", Call: &problem.Call{}}, `{"code":"NODE_NOT_FOUND","message":"m"}`,
		},
		"a failure of Roam is PROVIDER_ERROR, with its cause": {
			&problem.Error{Code: localapi.CodeConnectionFailed, Message: "m", Retry: problem.RetryLater, Call: &problem.Call{Action: "q", Status: 502}},
			`{"code":"PROVIDER_ERROR","message":"m","cause":"CONNECTION_FAILED","retryable":true,"httpStatus":502,"action":"q"}`,
		},
		"a write whose reply was lost is PROVIDER_ERROR, with what is known": {
			&problem.Error{Code: ops.CodeOutcomeUnknown, Message: "m", Hint: problem.Say("h"), Retry: problem.RetryNever, Details: []problem.Detail{
				{Name: ops.DetailApplied, Value: ops.Yes}, {Name: ops.DetailEvidence, Value: "e"},
			}},
			`{"code":"PROVIDER_ERROR","message":"m","hint":"h","cause":"OUTCOME_UNKNOWN","applied":true,"evidence":"e","retryable":false}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			failed := fail(tc.e, problem.World{}, 1000)
			var got, want any
			require.NoError(t, json.Unmarshal([]byte(failed.Text), &got))
			require.NoError(t, json.Unmarshal([]byte(`{"error":`+tc.want+`}`), &want))
			if !reflect.DeepEqual(got, want) || failed.Code != 0 {
				t.Errorf("got %s", failed.Text)
			}
		})
	}
}
