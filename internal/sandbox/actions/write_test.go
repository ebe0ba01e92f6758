package actions

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/sandbox/desk"
)

func TestWrite(t *testing.T) {
	c := start(t, Options{})
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

func TestFromMarkdown(t *testing.T) {
	c := start(t, Options{})
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

func TestRepliesSayThatTextWasFlattened(t *testing.T) {
	c := start(t, Options{})
	var deep strings.Builder
	for i := range outline.MaxDepth + 7 {
		deep.WriteString(strings.Repeat(" ", i) + "- x\n")
	}
	for action, arguments := range map[string][2]string{
		"data.block.fromMarkdown": {`{"location": {"page-title": "Deep"}, "markdown-string": %q}`, "and 7 of"},
		"data.page.fromMarkdown":  {`{"page": {"title": "Deeper"}, "markdown-string": %q}`, "and 7 of"},
		"data.block.addComment":   {`{"block-uid": "blk-flour", "reply-markdown": %q}`, "and 8 of"},
	} {
		if got := c.do(action, fmt.Sprintf(arguments[0], deep.String())); !strings.Contains(got, "at most 200 levels, "+arguments[1]) {
			t.Errorf("%s: %s", action, got)
		}
	}
	if got := c.do("data.block.fromMarkdown", `{"location": {"page-title": "Flat"}, "markdown-string": "- x"}`); strings.Contains(got, "note") {
		t.Errorf("%s", got)
	}
}

func TestPropertiesHaveKeywordsAsKeys(t *testing.T) {
	c := start(t, Options{})
	c.do("data.block.update", `{"block": {"uid": "blk-flour", "props": {"size": {"https://x/y": {"width": 3}}, ":seen": true}}}`)
	for _, ask := range []struct{ action, arguments, want string }{
		{"data.pull", `["[:block/props]", "[:block/uid \"blk-flour\"]"]`, `{":block/props":{":seen":true,":size":{"https://x/y":{":width":3}}}}`},
		{"data.q", `["[:find (pull ?b [:block/props]) . :where [?b :block/uid \"blk-flour\"]]"]`, `{"props":{"seen":true,"size":{"https://x/y":{"width":3}}}}`},
		{"data.q", `["[:find ?s . :where [_ :block/props ?p] [(get ?p :seen) ?s]]"]`, `true`},
	} {
		if got, err := c.tryArgs(ask.action, ask.arguments); err != nil || got != ask.want {
			t.Errorf("%s %s: %s, %v; want %s", ask.action, ask.arguments, got, err, ask.want)
		}
	}
}

func TestAUserHasADisplayPageFromTheFirstWriteOn(t *testing.T) {
	c := start(t, Options{})
	const ask = `["[:find ?t . :where [?u :user/uid \"sandbox-user-ai\"] [?u :user/display-page ?p] [?p :node/title ?t]]"]`
	c.do("data.block.delete", `{"block": {"uid": "no-such"}}`)
	if got, err := c.tryArgs("q", ask); err != nil || got != "null" {
		t.Errorf("after a call that wrote nothing: %s, %v", got, err)
	}
	c.do("data.block.update", `{"block": {"uid": "blk-child", "string": "x"}}`)
	if got, err := c.tryArgs("q", ask); err != nil || got != `"`+ai.name+`"` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := c.tryArgs("data.pull", `["[:page/word-count]", "[:block/uid \"page-brea\"]"]`); err != nil || got != `{":page/word-count":9}` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestReorderBlocks(t *testing.T) {
	c := start(t, Options{})
	c.do("data.block.reorderBlocks", `{"location":{"parent-uid":"page-brea"},"blocks":["blk-see-1","blk-priva","blk-flour"]}`)
	if got, err := c.tryArgs("q", `["[:find ?u ?o :where [?p :block/uid \"page-brea\"] [?p :block/children ?c] [?c :block/uid ?u] [?c :block/order ?o]]"]`); err != nil || !sameSet(got, `[["blk-see-1",0],["blk-priva",1],["blk-flour",2]]`) {
		t.Errorf("%s, %v", got, err)
	}
}

func TestShortcuts(t *testing.T) {
	c := start(t, Options{})
	for _, step := range []struct{ action, args, want string }{
		{"addShortcut", `["page-brea"]`, `"starredPages":["Bread"]`},
		{"addShortcut", `["page-wate"]`, `"starredPages":["Bread","Water"]`},
		{"addShortcut", `["page-guid",0]`, `"starredPages":["roam/agent guidelines","Bread","Water"]`},
		{"addShortcut", `["page-guid",99]`, `"starredPages":["Bread","Water","roam/agent guidelines"]`},
		{"addShortcut", `["page-wate",-4]`, `"starredPages":["Water","Bread","roam/agent guidelines"]`},
		{"removeShortcut", `["page-brea"]`, `"starredPages":["Water","roam/agent guidelines"]`},
		{"removeShortcut", `["page-brea"]`, `"starredPages":["Water","roam/agent guidelines"]`},
	} {
		if _, err := c.tryArgs("data.page."+step.action, step.args); err != nil {
			t.Fatal(err)
		}
		if got := c.do("data.ai.getGraphGuidelines", ""); !strings.Contains(got, step.want) {
			t.Errorf("%s %s: %s, want %s", step.action, step.args, got, step.want)
		}
	}
}

func TestUndoAndRedo(t *testing.T) {
	c := start(t, Options{})
	read := func() string { return c.do("data.ai.getPage", `{"title": "Bread"}`) }
	before := read()
	c.do("data.undo", "") // nothing yet
	if read() != before {
		t.Error("an undo without a write changed something")
	}
	c.do("data.block.delete", `{"block": {"uid": "blk-flour"}}`)
	deleted := read()
	c.do("data.page.update", `{"page": {"uid": "page-brea", "title": "Loaves"}}`)
	c.do("data.undo", "")
	if read() != deleted {
		t.Error("the new title is still there")
	}
	c.do("data.undo", "")
	if read() != before {
		t.Errorf("what was deleted is not back: %s", read())
	}
	c.do("data.redo", "")
	if read() != deleted {
		t.Error("the deletion is not done again")
	}
	c.do("data.redo", "")
	if got := c.do("data.ai.getPage", `{"title": "Loaves"}`); !strings.Contains(got, "# Loaves") {
		t.Errorf("the renaming is not done again: %s", got)
	}
	for _, action := range []string{"data.undo", "data.redo"} {
		if scope, _ := c.registry.Scope(action); scope != desk.Edit {
			t.Errorf("%s needs %s", action, scope)
		}
	}
}
