package outline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/profiletest"
)

// These run the examples that docs/profiles/outline.md rests on, on the demo graph.

func served() profiletest.Options { return profiletest.Options{Profile: "outline"} }

const (
	apolloText = `Tags:: #project #[[in progress]]\n- Goal: land on the moon, see [[Saturn V]]\n  - Budget is tight, ask [[Ada]]\n- {{[[TODO]]}} Write to [[Grace]]\n- See ((sv0000001)) for the engine`
	apolloHead = `"page_name":"Projects/Apollo","page_uuid":"apollo001","journal":false,"properties":{"Tags":["project","in progress"]}`
	apolloJSON = `{` + apolloHead + `,"property_uuids":{"Tags":"ap0000000"},"blocks":[` +
		`{"block_uuid":"ap0000001","content":"Goal: land on the moon, see [[Saturn V]]","properties":{},"children":[{"block_uuid":"ap0000002","content":"Budget is tight, ask [[Ada]]","properties":{},"children":[]}]},` +
		`{"block_uuid":"ap0000003","content":"{{[[TODO]]}} Write to [[Grace]]","properties":{},"children":[]},` +
		`{"block_uuid":"ap0000004","content":"See ((sv0000001)) for the engine","properties":{},"children":[]}]}`
	nothingFound = `"blocks":[],"pages":[],"files":[],"total":0,"truncated":false`
)

// pageNames checks the names of the pages in a reply, and their number.
func pageNames(want ...string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
		t.Helper()
		var list struct {
			Pages []struct {
				Name string `json:"page_name"`
			}
			Total int
		}
		r.Decode(t, &list)
		var names []string
		for _, each := range list.Pages {
			names = append(names, each.Name)
		}
		if !slices.Equal(names, want) || list.Total != len(want) {
			t.Errorf("%d pages: %q", list.Total, names)
		}
	}
}

func everyPage(journals bool) []string {
	names := []string{
		".rm-private", "Ada", "computing", "DONE", "Glossary", "Grace", "in progress", "meeting", "Notes", "Orphan", "project", "Projects/Apollo",
		"Projects/Gemini", "roam/agent guidelines", "rocket", "Saturn V", "Shopping", "Tags", "tea", "TODO",
	}
	if journals {
		names = slices.Insert(names, 7, "January 15th, 2024")
	}
	return names
}

// lacks checks that a reply does not have some texts.
func lacks(texts ...string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
		t.Helper()
		for _, each := range texts {
			if strings.Contains(r.String(), each) {
				t.Errorf("it has %q: %s", each, r)
			}
		}
	}
}

func read(tool, arguments, want string) profiletest.Call {
	return profiletest.Call{Tool: tool, Arguments: arguments, Want: want}
}

func refused(tool, arguments, code, message string) profiletest.Call {
	return profiletest.Call{Tool: tool, Arguments: arguments, IsError: true, Want: fmt.Sprintf(`{"error":{"code":%q,"message":%q,"...":"..."}}`, code, message)}
}

// readingExamples are those that give the same on each build of Roam.
func readingExamples() []profiletest.Example {
	return []profiletest.Example{
		{Name: "1. list_pages lists the pages by name, daily notes where they are asked for", Calls: []profiletest.Call{
			{Tool: "list_pages", Arguments: `{}`, Check: pageNames(everyPage(false)...), MostCalls: 3},
			{Tool: "list_pages", Arguments: `{"include_journals":true}`, Check: pageNames(everyPage(true)...)},
			{
				Tool: "list_pages", Arguments: `{"include_journals":true,"offset":6,"limit":3}`, Note: "Shown 7 to 9 of 21; call list_pages with offset 9.",
				Want: `{"pages":[{"page_name":"in progress","page_uuid":"<any>","journal":false,"empty":true,"...":"..."},` +
					`{"page_name":"January 15th, 2024","page_uuid":"01-15-2024","journal":true,"created_at":"2024-01-15T00:00:00.000Z","updated_at":"<any>"},` +
					`{"page_name":"meeting","empty":true,"...":"..."}],"total":21}`,
			},
			read("list_pages", `{"offset":30}`, `{"pages":[],"total":20}`),
		}},
		{Name: "2. get_page_content shows a page as an outline, in any case of its name", Calls: []profiletest.Call{
			{Tool: "get_page_content", Arguments: `{"page_name":"projects/apollo"}`, Want: `{` + apolloHead + `,"text":"` + apolloText + `"}`, MostCalls: 2},
			read("get_page_content", `{"page_name":" [[Projects/Apollo]] ","include_properties":false,"block_depth":1}`,
				`{"page_name":"Projects/Apollo","page_uuid":"apollo001","journal":false,"text":"- Goal: land on the moon, see [[Saturn V]]\n- {{[[TODO]]}} Write to [[Grace]]\n- See ((sv0000001)) for the engine"}`),
			read("get_page_content", `{"page_name":"apollo001","include_blocks":false}`, `{`+apolloHead+`,"text":"Tags:: #project #[[in progress]]"}`),
			read("get_page_content", `{"page_name":"apollo001","block_depth":0}`, `{`+apolloHead+`,"hidden_children":3,"text":"Tags:: #project #[[in progress]]"}`),
			read("get_page_content", `{"page_name":"rocket"}`, `{"page_name":"rocket","page_uuid":"<any>","journal":false,"properties":{},"text":""}`),
			refused("get_page_content", `{"page_name":"Apollo"}`, "NOT_FOUND", `There is no page "Apollo".`),
			{Tool: "get_page_content", Arguments: `{"page_name":"Projects Apolo"}`, IsError: true, Want: `{"error":{"code":"NOT_FOUND","candidates":["Projects/Apollo","..."],"...":"..."}}`},
		}},
		{Name: "3. get_page_content shows blocks as JSON, down to a depth, and hides what is hidden", Calls: []profiletest.Call{
			read("get_page_content", `{"page_name":"Projects/Apollo","format":"json"}`, apolloJSON),
			read("get_page_content", `{"page_name":"Projects/Apollo","format":"json","block_depth":1}`, `{`+apolloHead+`,"property_uuids":{"Tags":"ap0000000"},"blocks":[`+
				`{"block_uuid":"ap0000001","content":"Goal: land on the moon, see [[Saturn V]]","properties":{},"children":[],"hidden_children":1},`+
				`{"block_uuid":"ap0000003","...":"..."},{"block_uuid":"ap0000004","...":"..."}]}`),
			read("get_page_content", `{"page_name":"Projects/Apollo","format":"json","include_properties":false,"include_blocks":false}`, `{"page_name":"Projects/Apollo","page_uuid":"apollo001","journal":false}`),
			{
				Tool: "get_page_content", Arguments: `{"page_name":"2024-01-15","format":"json"}`, Check: lacks("private thing"),
				Want: `{"page_name":"January 15th, 2024","page_uuid":"01-15-2024","journal":true,"properties":{},"blocks":[{"block_uuid":"da0000001","...":"..."},` +
					`{"block_uuid":"da0000003","content":"[[Notes]]","properties":{},"children":[{"block_uuid":"da0000004","...":"..."}]}]}`,
			},
			refused("get_page_content", `{"page_name":"Ada","format":"xml"}`, "INVALID_INPUT", "<has format>"),
		}},
		{Name: "8. search finds blocks and pages in Roam's order", Calls: []profiletest.Call{
			{
				Tool: "search", Arguments: `{"query":"engine"}`, MostCalls: 3,
				Want: `{"query":"engine","blocks":[{"block_uuid":"ap0000004","page_name":"Projects/Apollo","content":"See ((sv0000001)) for the engine","path":["Projects/Apollo"]},` +
					`{"block_uuid":"sv0000001","page_name":"Saturn V","content":"The F-1 engine burns kerosene","path":["Saturn V"]},` +
					`{"block_uuid":"gl0000002","page_name":"Glossary","content":"[[Ada]]: an engineer","path":["Glossary"]}],"pages":[],"files":[],"total":3,"truncated":false}`,
			},
			read("search", `{"query":"apollo","include_blocks":false}`, `{"query":"apollo","blocks":[],"pages":[{"page_name":"Projects/Apollo","page_uuid":"apollo001"}],"files":[],"total":1,"truncated":false}`),
			read("search", `{"query":"budget"}`, `{"blocks":[{"block_uuid":"ap0000002","path":["Projects/Apollo","Goal: land on the moon, see [[Saturn V]]"],"...":"..."}],"...":"..."}`),
			read("search", `{"query":"engine","limit":1}`, `{"blocks":[{"block_uuid":"ap0000004","...":"..."}],"total":3,"truncated":true,"...":"..."}`),
			read("search", `{"query":"private thing"}`, `{"query":"private thing",`+nothingFound+`}`),
			refused("search", `{"query":"x","include_blocks":false,"include_pages":false}`, "INVALID_INPUT", "<has include_blocks>"),
		}},
		{Name: "8. search finds files by their names", Calls: []profiletest.Call{{
			Tool: "search", Arguments: `{"query":"saturn PDF","include_files":true}`,
			Before: func(w *profiletest.World) {
				w.AddBlock("sv0000001", "{{[[pdf]]: https://firebasestorage.googleapis.com/v0/b/x/o/imgs%2Fapp%2Fwork%2FSaturn.pdf?alt=media}}")
				w.AddBlock("sv0000001", "the [Saturn drawing.pdf](https://firebasestorage.googleapis.com/v0/b/x/o/abc) and ![moon](https://example.com/saturn.png)")
				w.AddBlock("da0000002", "![saturn.pdf](https://firebasestorage.googleapis.com/v0/b/x/o/hidden)")
			},
			Want: `{"query":"saturn PDF","blocks":"<any>","pages":[],"files":[` +
				`{"name":"Saturn drawing.pdf","url":"https://firebasestorage.googleapis.com/v0/b/x/o/abc","block_uuid":"<any>"},` +
				`{"name":"Saturn.pdf","url":"https://firebasestorage.googleapis.com/v0/b/x/o/imgs%2Fapp%2Fwork%2FSaturn.pdf?alt=media","block_uuid":"<any>"}],"total":"<any>","truncated":false}`,
		}}},
		{Name: "get_block shows a block with what is around it", Calls: []profiletest.Call{
			{
				Tool: "get_block", Arguments: `{"block_uuid":"((ap0000001))"}`, MostCalls: 2,
				Want: `{"block_uuid":"ap0000001","content":"Goal: land on the moon, see [[Saturn V]]","properties":{},"children":[{"block_uuid":"ap0000002","content":"Budget is tight, ask [[Ada]]","properties":{},"children":[]}],` +
					`"page_name":"Projects/Apollo","parent_uuid":"apollo001","created_at":"<any>","updated_at":"<any>","references":0}`,
			},
			read("get_block", `{"block_uuid":"ap0000001","depth":0}`, `{"children":[],"hidden_children":1,"...":"..."}`),
			read("get_block", `{"block_uuid":"ap0000001","include_children":false}`, `{"children":[],"hidden_children":1,"...":"..."}`),
			read("get_block", `{"block_uuid":"sv0000001"}`, `{"references":1,"...":"..."}`),
			refused("get_block", `{"block_uuid":"da0000002"}`, "NOT_FOUND", `There is no block "da0000002".`),
			refused("get_block", `{"block_uuid":"apollo001"}`, "INVALID_INPUT", "<has Projects/Apollo>"),
			refused("get_block", `{"block_uuid":"ap0000001","depth":-2}`, "INVALID_INPUT", "<has depth>"),
		}},
	}
}

func TestReading(t *testing.T) { profiletest.Run(t, served(), readingExamples()...) }

func TestReadingOnOldBuilds(t *testing.T) {
	profiletest.RunOnOldBuild(t, served(), readingExamples()...)
}

func TestATokenThatOnlyReads(t *testing.T) {
	readOnly := served()
	readOnly.Level = localapi.ReadOnly
	const writing = `["pages.create","pages.update","pages.delete","blocks.create","blocks.update","blocks.delete","blocks.move"]`
	profiletest.Run(t, readOnly, profiletest.Example{Name: "16. a token that only reads has none of those that write", Calls: []profiletest.Call{
		read("get_capabilities", `{}`, `{"capabilities":{"pages.list":{"enabled":true},"blocks.create":{"enabled":false,"reason":"The token for the graph \"work\" permits reading only.","remedy":"For more access the user can run: roam-mcp reauth work"},"...":"..."},`+
			`"enabled":["pages.list","pages.read","search.basic","blocks.read","datascript.query"],"disabled":`+writing+`,"skill_version":"<any>","graph":"work","access_level":"read-only","roam":"reachable","...":"..."}`),
		{Tool: "create_block", Arguments: `{"content":"x","page_name":"Ada"}`, IsError: true, Want: `{"error":{"code":"CAPABILITY_MISSING","message":"blocks.create is not available.","cause":"READ_ONLY","capability":"blocks.create",` +
			`"reason":"The token for the graph \"work\" permits reading only.","remedy":"For more access the user can run: roam-mcp reauth work"}}`, MostCalls: 0},
	}, After: func(t testing.TB, w *profiletest.World) {
		if w.Calls()["data.block.create"] != 0 {
			t.Error("something was written")
		}
	}})
}
