package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/store"
)

func TestReadsGiveWhatRoamGives(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	const at = `"queriedAt":"2026-11-21T09:30:00.000Z"`
	for name, call := range map[string]struct{ action, argument, want string }{
		"guidelines": {"getGraphGuidelines", "", `{` + at + `,"guidelines":"- Ask before you delete.","starredPages":[],"homepage":null,` +
			`"todaysDailyNotePage":"November 21st, 2026","aiUserDisplayName":"Sandbox user (AI)","aiUserDisplayPage":"Sandbox user (AI)","humanUserDisplayName":"Sandbox user"}`},
		"a page by title": {"getPage", `{"title": "Bread"}`, `{"uid":"page-brea","markdown":"# Bread <roam uid=\"page-brea\"/>\n\n` +
			`- Flour and [[Water]] <roam uid=\"blk-flour\" heading=\"2\" refs=\"1\"/>\n  - a fine child <roam uid=\"blk-child\"/>\n` +
			`- See ((blk-flour))<ref>Flour and [[Water]]</ref> <roam uid=\"blk-see-1\"/>","linkedReferences":{"total":0,"shown":0,"results":[]},` + at + `}`},
		"a page by uid, shallow": {"getPage", `{"uid": "page-brea", "maxDepth": 0}`, `{"uid":"page-brea","markdown":"# Bread <roam uid=\"page-brea\" hiddenChildren=\"2\"/>",` +
			`"linkedReferences":{"total":0,"shown":0,"results":[]},` + at + `}`},
		"a page with its references": {"getPage", `{"title": "Water"}`, `{"uid":"page-wate","markdown":"# Water <roam uid=\"page-wate\" refs=\"1\"/>","linkedReferences":{"total":1,"shown":1,` +
			`"results":[{"uid":"blk-flour","markdown":"- Flour and [[Water]] <roam uid=\"blk-flour\" heading=\"2\" refs=\"1\" hiddenChildren=\"1\"/>","path":["Bread"]}]},` + at + `}`},
		"a page that is not there":  {"getPage", `{"title": "bread"}`, `null`},
		"a block read as a page":    {"getPage", `{"uid": "blk-flour"}`, `null`},
		"a block":                   {"getBlock", `{"uid": "blk-child"}`, `{"uid":"blk-child","markdown":"- a fine child <roam uid=\"blk-child\"/>","path":["Bread","Flour and [[Water]]"],"linkedReferences":{"total":0,"shown":0,"results":[]},` + at + `}`},
		"a hidden block":            {"getBlock", `{"uid": "blk-priva"}`, `null`},
		"a block that is not there": {"getBlock", `{"uid": "none"}`, `null`},
		"backlinks": {"getBacklinks", `{"uid": "blk-flour"}`, `{` + at + `,"total":1,"shown":1,"results":[{"uid":"blk-see-1",` +
			`"markdown":"- See ((blk-flour))<ref>Flour and [[Water]]</ref> <roam uid=\"blk-see-1\"/>","path":["Bread"]}]}`},
		"backlinks without path":         {"getBacklinks", `{"title": "Water", "includePath": false, "maxDepth": 0}`, `{` + at + `,"total":1,"shown":1,"results":[{"uid":"blk-flour","markdown":"- Flour and [[Water]] <roam uid=\"blk-flour\" heading=\"2\" refs=\"1\" hiddenChildren=\"1\"/>"}]}`},
		"backlinks that are hidden":      {"getBacklinks", `{"title": ".rm-private"}`, `{` + at + `,"total":1,"shown":0,"results":[]}`},
		"backlinks to nothing":           {"getBacklinks", `{"title": "None"}`, `{` + at + `,"total":0,"shown":0,"results":[]}`},
		"backlinks with a limit of zero": {"getBacklinks", `{"title": "Water", "limit": 0}`, `{` + at + `,"total":1,"shown":0,"results":[]}`},
		"a search":                       {"search", `{"query": "FINE", "scope": "blocks", "offset": 0, "limit": 10, "includePath": true}`, `{` + at + `,"total":1,"results":[{"uid":"blk-child","markdown":"- a fine child <roam uid=\"blk-child\"/>","path":["Bread","Flour and [[Water]]"]}]}`},
		"a search for a page":            {"search", `{"query": "bread"}`, `{` + at + `,"total":1,"results":[{"uid":"page-brea","type":"page","markdown":"# Bread <roam uid=\"page-brea\" hiddenChildren=\"2\"/>"}]}`},
		"a search in vain":               {"search", `{"query": "granite"}`, `{` + at + `,"total":0,"results":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.do("data.ai."+call.action, call.argument); got != call.want {
				t.Errorf("got  %s\nwant %s", got, call.want)
			}
		})
	}
}

func TestAnEmptySearchSuggestsWhatWasEditedLately(t *testing.T) {
	now := clock()
	s := start(t, Options{Policy: desk.Allow, Now: func() time.Time { return now }})
	c := callerOf(t, s, small)
	now = now.Add(time.Hour)
	c.do("data.block.update", `{"block": {"uid": "blk-child", "string": "a finer child"}}`)
	var got suggested
	if err := json.Unmarshal([]byte(c.do("data.ai.search", `{"query": " "}`)), &got); err != nil {
		t.Fatal(err)
	}
	if got.Suggestions.Opened == nil || len(got.Suggestions.Edited) == 0 {
		t.Fatalf("%+v", got)
	}
	want := editedPage{UID: "page-brea", Title: "Bread", EditedBy: aiName, EditedAt: "2026-11-21T10:30:00.000Z"}
	if first := got.Suggestions.Edited[0]; first != want {
		t.Errorf("%+v, want %+v", first, want)
	}
}

func TestManyReferencesAreGivenByPages(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	c.do("data.block.fromMarkdown", `{"location": {"page-title": "Log"}, "markdown-string": "`+strings.Repeat(`- drank [[Water]]\n`, 24)+`"}`)
	var first, second referencesFound
	if err := json.Unmarshal([]byte(c.do("data.ai.getBacklinks", `{"title": "Water"}`)), &first); err != nil {
		t.Fatal(err)
	}
	if first.Total != 25 || first.Shown != 20 || first.NextOffset != 20 || first.Note == "" {
		t.Errorf("total %d, shown %d, next %d, note %q", first.Total, first.Shown, first.NextOffset, first.Note)
	}
	if err := json.Unmarshal([]byte(c.do("data.ai.getBacklinks", `{"title": "Water", "offset": 20.9, "sortOrder": "desc"}`)), &second); err != nil {
		t.Fatal(err)
	}
	if second.Shown != 5 || second.NextOffset != 0 || second.Note != "" || second.Results[4].UID != "blk-flour" {
		t.Errorf("%+v", second)
	}
	var page struct {
		LinkedReferences preview `json:"linkedReferences"`
	}
	if err := json.Unmarshal([]byte(c.do("data.ai.getPage", `{"title": "Water"}`)), &page); err != nil {
		t.Fatal(err)
	}
	if got := page.LinkedReferences; got.Total != 25 || got.Shown != 5 || got.Note == "" {
		t.Errorf("%+v", got)
	}
}

func TestWritesDoWhatRoamDoes(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	for _, step := range []struct {
		name, action, argument, result, uid, markdown string
	}{
		{"a block at the front", "block.create", `{"location": {"parent-uid": "page-wate", "order": "first"}, "block": {"string": "one", "uid": "blk-00001", "heading": 1, "open": false}}`,
			"", "page-wate", "# Water R2\n\n- one <roam uid=\"blk-00001\" heading=\"1\"/>"},
		{"a block beyond the end", "block.create", `{"location": {"parent-uid": "page-wate", "order": 99}, "block": {"string": "two", "uid": "blk-00002"}}`,
			"", "page-wate", "# Water R2\n\n- one <roam uid=\"blk-00001\" heading=\"1\"/>\n- two <roam uid=\"blk-00002\"/>"},
		{"a block in between", "block.create", `{"location": {"parent-uid": "page-wate", "order": 1}, "block": {"string": "and", "uid": "blk-00003", "children-view-type": "numbered"}}`,
			"", "blk-00003", `- and <roam uid="blk-00003" childrenViewType="numbered"/>`},
		{"what was read is written back", "block.update", `{"block": {"uid": "blk-00002", "string": "see ((blk-flour))<ref>Flour</ref> <roam uid=\"x\"/>"}}`,
			"null", "blk-00002", `- see ((blk-flour))<ref>Flour and [[Water]]</ref> <roam uid="blk-00002"/>`},
		{"only a heading", "block.update", `{"block": {"uid": "blk-00001", "heading": 0}}`, "null", "blk-00001", `- one <roam uid="blk-00001"/>`},
		{"properties", "block.update", `{"block": {"uid": "blk-00001", "props": {"a": [1, 2.50]}, "open": true}}`, "null", "blk-00001", `- one <roam uid="blk-00001"/>`},
		{"a move", "block.move", `{"location": {"parent-uid": "blk-00001", "order": 0}, "block": {"uid": "blk-00003"}}`,
			"null", "page-wate", "# Water R2\n\n- one <roam uid=\"blk-00001\"/>\n  - and <roam uid=\"blk-00003\" childrenViewType=\"numbered\"/>\n- see ((blk-flour))<ref>Flour and [[Water]]</ref> <roam uid=\"blk-00002\"/>"},
		{"a deletion", "block.delete", `{"block": {"uid": "blk-flour"}}`, `{"deleted":true}`, "blk-00002", `- see Flour and [[Water]] <roam uid="blk-00002"/>`},
		{"a deletion of nothing", "block.delete", `{"block": {"uid": "blk-flour"}}`, `{"deleted":false,"reason":"not-found"}`, "blk-child", ""},
		{"a new title", "page.update", `{"page": {"uid": "page-wate", "title": "Cold water"}}`, "null", "blk-00002", `- see Flour and [[Cold water]] <roam uid="blk-00002"/>`},
		{"a page with its view", "page.create", `{"page": {"title": "List", "uid": "page-list", "children-view-type": "numbered"}, "markdown-string": "- no"}`,
			"", "page-list", `# List <roam uid="page-list" childrenViewType="numbered"/>`},
		{"a daily note", "page.fromMarkdown", `{"page": {"title": "November 21st, 2026"}, "markdown-string": "# Morning\n- baked"}`,
			`{"uid":"11-21-2026"}`, "11-21-2026", "# November 21st, 2026 <roam uid=\"11-21-2026\"/>\n\n- Morning <roam uid=U heading=\"1\"/>\n  - baked <roam uid=U/>"},
		{"a deletion of a page", "page.delete", `{"page": {"uid": "page-wate"}}`, `{"deleted":true}`, "page-wate", ""},
		{"a deletion of no page", "page.delete", `{"page": {"uid": "page-wate"}}`, `{"deleted":false,"reason":"not-found"}`, "page-wate", ""},
	} {
		if result := c.do("data."+step.action, step.argument); result != step.result {
			t.Fatalf("%s: result %q, want %q", step.name, result, step.result)
		}
		got := maskUIDs(c.markdown(step.uid))
		got = strings.ReplaceAll(got, `# Water <roam uid="page-wate" refs="2"/>`, "# Water R2")
		got = strings.ReplaceAll(got, `# Water <roam uid="page-wate" refs="1"/>`, "# Water R2")
		if got != step.markdown {
			t.Fatalf("%s:\n%s\nwant\n%s", step.name, got, step.markdown)
		}
	}
}

// maskUIDs hides the uids that are made up by chance: ours have a dash.
func maskUIDs(s string) string {
	parts := strings.Split(s, `<roam uid="`)
	for i := 1; i < len(parts); i++ {
		uid, rest, _ := strings.Cut(parts[i], `"`)
		if strings.HasPrefix(uid, "blk-") || strings.HasPrefix(uid, "page-") || strings.HasPrefix(uid, "11-") {
			parts[i] = `<roam uid="` + uid + `"` + rest
		} else {
			parts[i] = `<roam uid=U` + rest
		}
	}
	return strings.Join(parts, "")
}

func TestMarkdownGoesWhereItIsSent(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	for name, step := range map[string]struct{ location, page, want string }{
		"a daily note":         {`{"page-title": {"daily-note-page": "11-20-2026"}, "order": "last"}`, "November 20th, 2026", "- a <roam"},
		"a page that is new":   {`{"page-title": "Quite new"}`, "Quite new", "- a <roam"},
		"under a new heading":  {`{"parent-uid": "page-guid", "order": 0, "nest-under-str": "Rules"}`, "roam/agent guidelines", "- Rules <roam uid=U/>\n  - a <roam"},
		"under one that is so": {`{"parent-uid": "page-brea", "nest-under-str": "Flour and [[Water]]"}`, "Bread", "child <roam uid=\"blk-child\"/>\n  - a <roam"},
	} {
		t.Run(name, func(t *testing.T) {
			var created struct{ UIDs []string }
			argument := fmt.Sprintf(`{"location": %s, "markdown-string": "- a\n  - b", "open": false}`, step.location)
			if err := json.Unmarshal([]byte(c.do("data.block.fromMarkdown", argument)), &created); err != nil || len(created.UIDs) != 1 {
				t.Fatalf("%+v, %v", created, err)
			}
			page := c.do("data.ai.getPage", fmt.Sprintf(`{"title": %q}`, step.page))
			var read struct{ Markdown string }
			if err := json.Unmarshal([]byte(page), &read); err != nil || !strings.Contains(maskUIDs(read.Markdown), step.want) {
				t.Errorf("%s lacks %s", read.Markdown, step.want)
			}
		})
	}
}

func TestHandlersRefuseWithAServerError(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	for name, call := range map[string]struct {
		action, argument string
		code             localapi.Code
		text             string
	}{
		"a page of no name":          {"data.ai.getPage", `{}`, localapi.CodeInternal, "uid or title is required"},
		"a block of no uid":          {"data.ai.getBlock", `{}`, localapi.CodeInternal, "uid is required"},
		"backlinks of nothing":       {"data.ai.getBacklinks", `{}`, localapi.CodeInternal, "uid or title"},
		"an order that is none":      {"data.ai.getBacklinks", `{"title": "Water", "sortOrder": "up"}`, localapi.CodeInternal, "asc or desc"},
		"a sort that is none":        {"data.ai.getBacklinks", `{"title": "Water", "sort": "size"}`, localapi.CodeInternal, "created-date"},
		"a scope that is none":       {"data.ai.search", `{"query": "x", "scope": "world"}`, localapi.CodeInternal, "scope is"},
		"a limit that is a word":     {"data.ai.search", `{"query": "x", "limit": "ten"}`, localapi.CodeInternal, "a number is expected"},
		"an argument that is text":   {"data.ai.search", `"x"`, localapi.CodeInternal, "it is a JSON string"},
		"an argument that is null":   {"data.ai.search", `null`, localapi.CodeInternal, "an object is expected"},
		"a block of no string":       {"data.block.create", `{"location": {"parent-uid": "page-wate", "order": 0}, "block": {}}`, localapi.CodeInternal, "block.string is required"},
		"a block of no place":        {"data.block.create", `{"location": {}, "block": {"string": "x"}}`, localapi.CodeInternal, "exactly one"},
		"a block of two places":      {"data.block.create", `{"location": {"parent-uid": "page-wate", "page-title": "Water"}, "block": {"string": "x"}}`, localapi.CodeInternal, "exactly one"},
		"a negative order":           {"data.block.create", `{"location": {"parent-uid": "page-wate", "order": -1}, "block": {"string": "x"}}`, localapi.CodeInternal, "order is a number"},
		"an order in words":          {"data.block.create", `{"location": {"parent-uid": "page-wate", "order": "middle"}, "block": {"string": "x"}}`, localapi.CodeInternal, "order is a number"},
		"a parent that is not there": {"data.block.create", `{"location": {"parent-uid": "none"}, "block": {"string": "x"}}`, localapi.CodeNotFound, "doesn't exist"},
		"a uid that is taken":        {"data.block.create", `{"location": {"parent-uid": "page-wate"}, "block": {"string": "x", "uid": "blk-flour"}}`, localapi.CodeAlreadyExists, "already exists"},
		"a heading of four":          {"data.block.create", `{"location": {"parent-uid": "page-wate"}, "block": {"string": "x", "heading": 4}}`, localapi.CodeInternal, "heading"},
		"props that are a list":      {"data.block.create", `{"location": {"parent-uid": "page-wate"}, "block": {"string": "x", "props": [1]}}`, localapi.CodeInternal, "props is an object"},
		"a page title that is 7":     {"data.block.fromMarkdown", `{"location": {"page-title": 7}, "markdown-string": "x"}`, localapi.CodeInternal, "page-title is"},
		"no day":                     {"data.block.fromMarkdown", `{"location": {"page-title": {"daily-note-page": "02-30-2026"}}, "markdown-string": "x"}`, localapi.CodeInternal, "is no day"},
		"no markdown":                {"data.block.fromMarkdown", `{"location": {"page-title": "Water"}}`, localapi.CodeInternal, "markdown-string is required"},
		"an update of a page":        {"data.block.update", `{"block": {"uid": "page-wate", "string": "x"}}`, localapi.CodeInternal, "is a page, not a block"},
		"an update of nothing":       {"data.block.update", `{"block": {"uid": "none", "string": "x"}}`, localapi.CodeNotFound, "doesn't exist"},
		"an update of no uid":        {"data.block.update", `{"block": {}}`, localapi.CodeInternal, "block.uid is required"},
		"a deletion of no uid":       {"data.block.delete", `{}`, localapi.CodeInternal, "block.uid is required"},
		"a move of no uid":           {"data.block.move", `{}`, localapi.CodeInternal, "block.uid is required"},
		"a move under itself":        {"data.block.move", `{"location": {"parent-uid": "blk-child", "order": 0}, "block": {"uid": "blk-flour"}}`, localapi.CodeInternal, "under itself"},
		"a move to nowhere":          {"data.block.move", `{"location": {"parent-uid": "none", "order": 0}, "block": {"uid": "blk-flour"}}`, localapi.CodeNotFound, "doesn't exist"},
		"a page without a title":     {"data.page.create", `{"page": {}}`, localapi.CodeInternal, "page.title is required"},
		"a page twice":               {"data.page.fromMarkdown", `{"page": {"title": "Water"}, "markdown-string": "x"}`, localapi.CodeAlreadyExists, "already exists"},
		"a title of another page":    {"data.page.update", `{"page": {"uid": "page-brea", "title": "Water"}}`, localapi.CodeAlreadyExists, "already exists"},
		"a page update of no uid":    {"data.page.update", `{"page": {}}`, localapi.CodeInternal, "page.uid is required"},
		"a page deletion of no uid":  {"data.page.delete", `{}`, localapi.CodeInternal, "page.uid is required"},
		"a token as a title":         {"data.block.create", `{"location": {"parent-uid": "roam-graph-local-token-aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}, "block": {"string": "x"}}`, localapi.CodeInternal, "the action failed"},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.Graphs()
			_, err := c.try(call.action, call.argument)
			e, ok := err.(*localapi.Error)
			if !ok || e.Status != 500 || e.Code != call.code || !strings.Contains(e.RoamText, call.text) {
				t.Errorf("%v, want %s with %q", err, call.code, call.text)
			}
			if after := s.Graphs(); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("something was written: %v", after)
			}
		})
	}
}

func TestWritesAreAttributedToTheTokensUser(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	grant, err := s.Desk().RequestAccess(t.Context(), desk.Access{Graph: small, AccessLevel: localapi.Full, Description: "a person's"})
	if err != nil {
		t.Fatal(err)
	}
	ai := callerOf(t, s, small)
	person := &caller{t, ai.client, small, grant.Token}
	for c, want := range map[*caller]string{ai: aiName, person: humanName} {
		c.do("data.block.update", `{"block": {"uid": "blk-see-1", "string": "by `+want+`"}}`)
		if got := c.do("data.ai.search", `{"query": ""}`); !strings.Contains(got, `"title":"Bread","editedBy":"`+want+`"`) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func FuzzRequestBody(f *testing.F) {
	s := bare(f)
	s.maxBody = maxBody
	grant, err := s.Desk().RequestAccess(f.Context(), desk.Access{Graph: small, AccessLevel: localapi.Full, Description: "x"})
	if err != nil {
		f.Fatal(err)
	}
	s.graphs = fuzzLibrary(f)
	handler := s.handler()
	for action := range s.actions {
		f.Add("/api/small", `{"action":"`+action+`","args":[{"uid":"page-brea","title":"Bread","query":"x","location":{"parent-uid":"page-wate","order":1},`+
			`"markdown-string":"# a\n- b","block":{"uid":"blk-flour","string":"[[x]] ((blk-child))"},"page":{"uid":"page-wate","title":"N"}}],"expectedApiVersion":"1.1.5"}`)
	}
	f.Add("/api/graphs/tokens/request", `{"graph":"small","description":"x","accessLevel":"full"}`)
	f.Add("/api/graphs/tokens/info", `{"token":"roam-graph-local-token-x","graph":"small"}`)
	f.Add("/api/small", `[`)
	f.Fuzz(func(t *testing.T, path, body string) {
		if path != "/api/small" && path != "/api/graphs/tokens/request" && path != "/api/graphs/tokens/info" {
			t.Skip()
		}
		request := httptest.NewRequest("POST", "http://127.0.0.1"+path, strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+grant.Token.Reveal())
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		var answer struct {
			Success    bool
			APIVersion string
			Error      *struct{ Code string }
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil || answer.APIVersion == "" || answer.Success != (recorder.Code == 200) {
			t.Errorf("%d %s", recorder.Code, recorder.Body)
		}
		if answer.Error != nil && answer.Error.Code == string(localapi.CodeInternal) && path == "/api/small" {
			t.Errorf("a panic: %s", recorder.Body) // guard answers panics with this code
		}
	})
}

// fuzzLibrary is the small graph in a folder of its own.
func fuzzLibrary(f *testing.F) *library {
	folder, err := store.OpenFolder(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	data, err := createFromExport(f.Context(), folder, small, strings.NewReader(smallExport), Options{Now: clock})
	if err != nil {
		f.Fatal(err)
	}
	l := &library{}
	l.add(small, data, true)
	f.Cleanup(func() { _ = l.close(); _ = folder.Close() })
	return l
}
