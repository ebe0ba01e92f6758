package actions

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestRead(t *testing.T) {
	c := start(t, Options{})
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

func TestBacklinksArePaged(t *testing.T) {
	c := start(t, Options{})
	c.do("data.block.fromMarkdown", `{"location": {"page-title": "Log"}, "markdown-string": "`+strings.Repeat(`- drank [[Water]]\n`, 24)+`"}`)
	var first, second referencesFound
	require.NoError(t, json.Unmarshal([]byte(c.do("data.ai.getBacklinks", `{"title": "Water"}`)), &first))
	if first.Total != 25 || first.Shown != 20 || first.NextOffset != 20 || first.Note == "" {
		t.Errorf("total %d, shown %d, next %d, note %q", first.Total, first.Shown, first.NextOffset, first.Note)
	}
	require.NoError(t, json.Unmarshal([]byte(c.do("data.ai.getBacklinks", `{"title": "Water", "offset": 20.9, "sortOrder": "desc"}`)), &second))
	if second.Shown != 5 || second.NextOffset != 0 || second.Note != "" || second.Results[4].UID != "blk-flour" {
		t.Errorf("%+v", second)
	}
	var page struct {
		LinkedReferences preview `json:"linkedReferences"`
	}
	require.NoError(t, json.Unmarshal([]byte(c.do("data.ai.getPage", `{"title": "Water"}`)), &page))
	if got := page.LinkedReferences; got.Total != 25 || got.Shown != 5 || got.Note == "" {
		t.Errorf("%+v", got)
	}
}

func TestSuggestEdited(t *testing.T) {
	c := start(t, Options{})
	c.Now = c.Now.Add(time.Hour)
	c.do("data.block.update", `{"block": {"uid": "blk-child", "string": "a finer child"}}`)
	var got suggested
	require.NoError(t, json.Unmarshal([]byte(c.do("data.ai.search", `{"query": " "}`)), &got))
	if got.Suggestions.Opened == nil || len(got.Suggestions.Edited) == 0 {
		t.Fatalf("%+v", got)
	}
	want := editedPage{UID: "page-brea", Title: "Bread", EditedBy: ai.name, EditedAt: "2026-11-21T10:30:00.000Z"}
	if first := got.Suggestions.Edited[0]; first != want {
		t.Errorf("%+v, want %+v", first, want)
	}
}

func TestSuggestOpened(t *testing.T) {
	c := start(t, Options{})
	for _, step := range []struct{ action, argument string }{
		{"openDailyNotes", ""}, {"openPage", `{"page":{"title":"Bread"}}`}, {"openBlock", `{"block":{"uid":"blk-child"}}`},
		{"openBlock", `{"block":{"uid":"blk-priva"}}`}, {"openPage", `{"page":{"title":"Water"}}`}, {"openPage", `{"page":{"title":"Bread"}}`},
	} {
		c.do("ui.mainWindow."+step.action, step.argument)
		c.Now = c.Now.Add(time.Minute)
	}
	const want = `"recentlyOpenedByUser":[{"uid":"page-brea","title":"Bread","type":"page","openedAt":"2026-11-21T09:35:00.000Z","visitCount":3,"totalDurationMs":180000,"currentlyOpen":true,` +
		`"blocks":[{"uid":"blk-child","string":"a fine child","openedAt":"2026-11-21T09:32:00.000Z","path":"Bread > Flour and [[Water]]"}]},` +
		`{"uid":"page-wate","title":"Water","type":"page","openedAt":"2026-11-21T09:34:00.000Z","visitCount":1,"totalDurationMs":60000,"currentlyOpen":false},` +
		`{"type":"dailyNotePagesView","totalDurationMs":60000,"currentlyOpen":false}]`
	if got := c.do("data.ai.search", `{"query":""}`); !strings.Contains(got, want) {
		t.Errorf("%s lacks %s", got, want)
	}
}

func TestDaysAreThoseOfTheUsersTimeZone(t *testing.T) {
	c := start(t, Options{})
	c.Now = c.Now.In(time.FixedZone("east", 3*60*60))
	for _, ask := range []struct{ action, args, want string }{
		{"dateToPageUid", `["2026-11-21T23:30:00.000Z"]`, `"11-22-2026"`},
		{"dateToPageTitle", `["2026-11-21"]`, `"November 21st, 2026"`},
		{"pageTitleToDate", `["June 12th, 2026"]`, `"2026-06-11T21:00:00.000Z"`},
		{"pageTitleToDate", `["Bread"]`, `null`},
		{"pageTitleToDate", `[]`, `null`},
	} {
		if got, err := c.tryArgs("util."+ask.action, ask.args); err != nil || got != ask.want {
			t.Errorf("%s %s: %s, %v; want %s", ask.action, ask.args, got, err, ask.want)
		}
	}
}
