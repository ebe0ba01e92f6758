package actions

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestComments(t *testing.T) {
	c := start(t, Options{})
	comment := func(argument string) (parent string) {
		t.Helper()
		var made struct{ ParentUID string }
		require.NoError(t, json.Unmarshal([]byte(c.do("data.block.addComment", argument)), &made))
		return made.ParentUID
	}
	first := comment(`{"block-uid":"blk-child","reply-string":"one","reply-uid":"rep-00001"}`)
	c.Now = c.Now.Add(2 * time.Hour)
	if again := comment(`{"block-uid":"blk-child","reply-markdown":"- two\n  - deeper","reply-uid":"rep-00002"}`); again != first {
		t.Errorf("a second comment of the day went to %s, not %s", again, first)
	}
	c.Now = c.Now.Add(24 * time.Hour)
	next := comment(`{"block-uid":"blk-child","reply-string":"three","reply-uid":"rep-00003","open-comment":true}`)
	if next == first {
		t.Error("a comment of the next day went to the old thread")
	}
	comment(`{"block-uid":"blk-child","reply-string":"#.rm-private four","reply-uid":"rep-00004"}`)
	got := maskUIDs(c.do("data.ai.getComments", `{"uid":"blk-child","maxDepth":0}`))
	want := fmt.Sprintf(`"total":2,"comments":[{"parentUid":%q,"author":%q,"createdTime":"2026-11-21T09:30:00.000Z","editedTime":"2026-11-21T11:30:00.000Z",`+
		`"markdown":"- one <roam uid=\"rep-00001\"/>\n- two <roam uid=\"rep-00002\" hiddenChildren=\"1\"/>","singleEditableUid":null},`+
		`{"parentUid":%q,"author":%q,"createdTime":"2026-11-22T11:30:00.000Z","editedTime":"2026-11-22T11:30:00.000Z",`+
		`"markdown":"- three <roam uid=\"rep-00003\"/>","singleEditableUid":"rep-00003"}]`, first, ai.name, next, ai.name)
	if !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if read := c.do("data.ai.getBlock", `{"uid":"blk-child"}`); !strings.Contains(read, `"linkedReferences":{"total":2,`) {
		t.Errorf("comments are no references: %s", read)
	}
	if panes := c.do("ui.rightSidebar.getWindows", ""); !strings.Contains(panes, next) {
		t.Errorf("the comment was not opened: %s", panes)
	}
	if hidden := c.do("data.ai.getComments", `{"uid":"blk-priva"}`); !strings.Contains(hidden, `"total":0`) {
		t.Errorf("comments of a hidden block: %s", hidden)
	}
}

func TestAddCommentNeedsText(t *testing.T) {
	c := start(t, Options{})
	for name, text := range map[string]string{
		"nothing": `"reply-string":""`, "white space": `"reply-string":" \n"`, "empty markdown": `"reply-markdown":""`,
		"markdown of a byte order mark alone": `"reply-markdown":"\ufeff"`,
	} {
		_, err := c.try("data.block.addComment", `{"block-uid":"blk-child","reply-uid":"rep-00001",`+text+`}`)
		if err == nil || !strings.Contains(err.Error(), "a comment needs text") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSearchTemplates(t *testing.T) {
	c := start(t, Options{})
	c.do("data.block.fromMarkdown", `{"location":{"page-title":"Forms"},"markdown-string":"- Daily Review #[[roam/templates]]\n  - What went well?\n    - secret #.rm-private\n- [[roam/templates]] Meeting\n- Daily bread"}`)
	var found struct{ Results []template }
	if err := json.Unmarshal([]byte(c.do("data.ai.searchTemplates", `{"query":"review DAILY"}`)), &found); err != nil || len(found.Results) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if got := found.Results[0]; got.Name != "Daily Review" || got.UID == "" || got.Content != "- What went well?\n  - secret #.rm-private" {
		t.Errorf("%+v", got)
	}
	if all := c.do("data.ai.searchTemplates", ""); strings.Count(all, `"name":`) != 2 {
		t.Errorf("without a query: %s", all)
	}
}
