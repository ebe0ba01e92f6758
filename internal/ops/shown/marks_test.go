package shown_test

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

const markedGraph = `[{"title":"Notes","uid":"notespage","children":[{"uid":"userblock","string":"See ((ruleblock)) now"},{"uid":"typedmark","string":"See ((missing11))<ref>typed</ref> now"},{"uid":"dashblock","string":"- item"}]},
{"title":"Rules","uid":"rulespage","children":[{"uid":"ruleblock","string":"Ask first"}]}]`

// What a read adds is no text of the block that it stands in: only what this connection was
// shown is taken out of what it sends, and what Roam would take out besides is refused.
func TestAMarkIsTakenOutWhereThisConnectionWasShownIt(t *testing.T) {
	const read = `get_page {"title":"Notes"}`
	for name, tc := range map[string]struct {
		profile, read, write string
		uid, want            string // "": it stays as it was
		told                 string // what a refusal says
	}{
		"a preview and the tag that were shown, update_block":     {"roam", read, `update_block {"uid":"userblock","string":"- See ((ruleblock))<ref>Ask first</ref> today <roam uid=\"userblock\"/>"}`, "userblock", "See ((ruleblock)) today", ""},
		"a preview that was shown, in a part of the text":         {"roam", read, `update_block {"uid":"userblock","find":"now","replace":"as ((ruleblock))<ref>Ask first</ref>"}`, "userblock", "See ((ruleblock)) as ((ruleblock))", ""},
		"a preview that was shown, in what is looked for":         {"roam", read, `update_block {"uid":"userblock","find":"((ruleblock))<ref>Ask first</ref> now","replace":"it"}`, "userblock", "See it", ""},
		"a preview that was shown, between backticks":             {"roam", read, "update_block {\"uid\":\"userblock\",\"string\":\"`((ruleblock))<ref>Ask first</ref>`\"}", "userblock", "`((ruleblock))<ref>Ask first</ref>`", ""},
		"a preview that was shown, between backticks, of several": {"roam", read, "update_blocks {\"updates\":[{\"uid\":\"userblock\",\"string\":\"`((ruleblock))<ref>Ask first</ref>`\"}]}", "userblock", "`((ruleblock))<ref>Ask first</ref>`", ""},
		"a preview that was not shown":                            {"roam", "", `update_block {"uid":"userblock","string":"See ((ruleblock))<ref>Ask first</ref> today"}`, "userblock", "", "removes from what is written"},
		"a preview with another text, update_block":               {"roam", read, `update_block {"uid":"userblock","string":"See ((ruleblock))<ref>Ask never</ref> now"}`, "userblock", "", "Change the block ruleblock"},
		"a preview with another text, graph":                      {"graph", `get_node {"id":"notespage"}`, `update_node {"id":"notespage","content":"See ((ruleblock))<ref>Ask never</ref> now\n\nx"}`, "userblock", "", "ruleblock"},
		"a preview that was shown, graph":                         {"graph", `get_node {"id":"notespage"}`, `update_node {"id":"notespage","content":"- See ((ruleblock))<ref>Ask first</ref> today\n- See ((missing11))<\\ref>typed<\\/ref> now\n- \\- item"}`, "userblock", "See ((ruleblock)) today", ""},
		"a preview that was shown, wiki":                          {"wiki", `get_note {"path":"Notes"}`, `edit_note {"path":"Notes","find":"((ruleblock))<ref>Ask first</ref> now","replace":"((ruleblock))<ref>Ask first</ref> today"}`, "userblock", "See ((ruleblock)) today", ""},
		"a preview that was not shown, wiki":                      {"wiki", "", `edit_note {"path":"Notes","append":"((ruleblock))<ref>Ask first</ref>"}`, "userblock", "", "removes from what is written"},
		"a word beside a mark that a person typed, roam":          {"roam", read, `update_block {"uid":"typedmark","string":"See ((missing11))‹U+003C›ref>typed‹U+003C›/ref> today"}`, "typedmark", "", "removes from what is written"},
		"a part of a text with a mark that a person typed":        {"roam", read, `update_block {"uid":"typedmark","find":"now","replace":"today"}`, "typedmark", "", "removes from what is written"},
		"a mark that a person typed goes":                         {"roam", read, `update_block {"uid":"typedmark","find":"((missing11))‹U+003C›ref>typed‹U+003C›/ref>","replace":"it"}`, "typedmark", "See it now", ""},
		"a whole text in the place of a mark that a person typed": {"roam", read, `update_block {"uid":"typedmark","string":"new"}`, "typedmark", "new", ""},
		"a word beside a mark that a person typed, outline":       {"outline", `get_page_content {"page_name":"Notes"}`, `update_block {"block_uuid":"typedmark","content":"See ((missing11))‹U+003C›ref>typed‹U+003C›/ref> today"}`, "typedmark", "", "removes from what is written"},
		"a word beside a mark that a person typed, wiki":          {"wiki", `get_note {"path":"Notes"}`, `edit_note {"path":"Notes","find":"typed<\\/ref> now","replace":"typed<\\/ref> today"}`, "typedmark", "", "removes from what is written"},
		"a bullet without a tag":                                  {"roam", "", `update_block {"uid":"dashblock","string":"- item two"}`, "dashblock", "- item two", ""},
		"bullets in two lines":                                    {"roam", "", `update_block {"uid":"dashblock","string":"- a\n- b"}`, "dashblock", "- a\n- b", ""},
		"a bullet in a bullet":                                    {"roam", "", `update_blocks {"updates":[{"uid":"dashblock","string":"- - x"}]}`, "dashblock", "- - x", ""},
		"a bullet, as it was read":                                {"roam", read, `update_block {"uid":"dashblock","string":"- - item two <roam uid=\"dashblock\"/>"}`, "dashblock", "- item two", ""},
	} {
		ways := profiletest.Ways()
		for _, way := range []profiletest.Way{ways[0], ways[len(ways)-1]} {
			t.Run(fmt.Sprintf("%s, %s", name, way), func(t *testing.T) {
				w := profiletest.NewSuite(t, profiletest.Options{Profile: tc.profile, Export: markedGraph, Server: moreTools}).World(t)
				c := w.Connect(way)
				call := func(line string) profiletest.Result {
					tool, arguments, _ := strings.Cut(line, " ")
					return c.Call(tool, arguments)
				}
				if tc.read != "" {
					call(tc.read)
				}
				before, _ := w.Text(tc.uid)
				r := call(tc.write)
				if tc.want == "" {
					tc.want = before
				}
				expectText(t, w, tc.uid, tc.want)
				if refused := r.IsError || r.RPC != nil; refused != (tc.told != "") || !strings.Contains(r.String(), tc.told) {
					t.Errorf("it answers %s", r)
				}
			})
		}
	}
}

func moreTools(o *mcpserve.Options) {
	if o.Profile == "wiki" {
		o.Toolsets = []string{"all"}
	}
}

func TestAMarkThatAnotherConnectionWasShownIsNotTakenOut(t *testing.T) {
	w, c := profiletest.Connect(t, profiletest.Options{Profile: "roam", Export: markedGraph})
	c.Call("get_page", `{"title":"Notes"}`)
	other, end := w.Fresh()
	defer end()
	other.Call("update_block", `{"uid":"userblock","string":"See ((ruleblock))<ref>Ask first</ref> today"}`)
	expectText(t, w, "userblock", "See ((ruleblock)) now")
}

// With --overwrite-unread what is true counts as shown.
func TestWhereAllCountsAsShownOnlyTruePreviewsAreTakenOut(t *testing.T) {
	w, c := profiletest.Connect(t, profiletest.Options{Profile: "roam", Export: markedGraph, Server: func(o *mcpserve.Options) { o.OverwriteUnread = true }})
	c.Call("update_block", `{"uid":"userblock","string":"See ((ruleblock))<ref>Ask never</ref> today"}`)
	expectText(t, w, "userblock", "See ((ruleblock)) now")
	c.Call("update_block", `{"uid":"userblock","string":"See ((ruleblock))<ref>Ask first</ref> today"}`)
	expectText(t, w, "userblock", "See ((ruleblock)) today")
}
