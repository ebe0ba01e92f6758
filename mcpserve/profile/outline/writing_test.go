package outline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// writing are the examples of the tools that write (docs/profiles/outline.md).
// Those with a number are run in all ways; they, and those that say so, are the
// same on every build of Roam.
func writing() []profiletest.Example {
	return slices.Concat(writingPages(), writingBlocks(), writingProperties(), moving())
}

// numbered reports whether an example has a number.
func numbered(e profiletest.Example) bool { return e.Name[0] >= '0' && e.Name[0] <= '9' }

// those returns the examples for which wanted is true.
func those(examples []profiletest.Example, wanted func(profiletest.Example) bool) []profiletest.Example {
	return slices.DeleteFunc(examples, func(e profiletest.Example) bool { return !wanted(e) })
}

func writingPages() []profiletest.Example {
	return []profiletest.Example{
		{
			Name: "4: create_page writes properties and content, once",
			Calls: []profiletest.Call{
				{Tool: "create_page", Arguments: `{"title":"Trip","content":"- pack\n  - socks","properties":{"status":"open"}}`, Want: `{"page_name":"Trip","success":true,"page_uuid":"<any>","block_uuids":["<any>","<any>"]}`},
				{Tool: "create_page", Arguments: `{"title":"trip"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has There is a page \"Trip\" already>","page_uuid":"<any>","...":"..."}}`},
			},
			After: texts("Trip", "status:: open", "pack", "  socks"),
		},
		{
			Name: "5: create_page makes an empty first block, or a page without any",
			Calls: []profiletest.Call{
				{Tool: "create_page", Arguments: `{"title":"Empty","create_first_block":true}`, Want: `{"page_name":"Empty","success":true,"page_uuid":"<any>","block_uuids":["<any>"]}`},
				{Tool: "create_page", Arguments: `{"title":"Bare"}`, Want: `{"page_name":"Bare","success":true,"page_uuid":"<any>","block_uuids":[]}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				texts("Empty", "")(t, w)
				texts("Bare")(t, w)
			},
		},
		{
			Name: "create_page fills a page that is only mentioned, and makes a day of the name of one",
			Calls: []profiletest.Call{
				{Tool: "create_page", Arguments: `{"title":"Computing","content":"a field"}`, Want: `{"page_name":"computing","success":true,"page_uuid":"stub00004","block_uuids":["<any>"]}`},
				{Tool: "create_page", Arguments: `{"title":"2024-01-20","content":"a day"}`, Want: `{"page_name":"January 20th, 2024","success":true,"page_uuid":"01-20-2024","block_uuids":["<any>"]}`},
				{Tool: "create_page", Arguments: `{"title":"2024-01-15","content":"a day"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has January 15th, 2024>","...":"..."}}`},
				{Tool: "create_page", Arguments: `{"title":"a\nb"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has title takes the name of a page>","...":"..."}}`},
			},
			After: texts("computing", "a field"),
		},
		{
			Name: "content is the same wherever it is written, numbers of lists included",
			Calls: []profiletest.Call{
				{Tool: "create_page", Arguments: `{"title":"Made","content":"1. a\n2. b\n\n# H\n\ntext"}`, Want: `{"block_uuids":["<any>","<any>","<any>","<any>"],"...":"..."}`},
				{Tool: "create_page", Arguments: `{"title":"Added"}`, Want: `{"block_uuids":[],"...":"..."}`},
				{Tool: "update_page", Arguments: `{"page_name":"Added","content_append":"1. a\n2. b\n\n# H\n\ntext"}`, Want: `{"block_uuids":["<any>","<any>","<any>","<any>"],"...":"..."}`},
				{Tool: "update_page", Arguments: `{"page_name":"Added","content_append":"- *x*\n- \n- y"}`, Want: `{"block_uuids":["<any>","<any>","<any>"],"...":"..."}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				texts("Made", "1. a", "2. b", "H", "  text")(t, w)
				texts("Added", "1. a", "2. b", "H", "  text", "__x__", "", "y")(t, w)
			},
		},
		{
			Name: "the user's rules for agents are not changed",
			Calls: []profiletest.Call{
				{Tool: "create_block", Arguments: `{"content":"x","page_name":"roam/agent guidelines"}`, IsError: true, Want: `{"error":{"code":"CAPABILITY_MISSING","message":"<has the user's rules for agents>","cause":"GUIDELINES_PROTECTED","hint":"<has --edit-guidelines>","...":"..."}}`},
				{Tool: "move_block", Arguments: `{"block_uuid":"ad0000001","target_page_name":"roam/agent guidelines"}`, IsError: true, Want: `{"error":{"cause":"GUIDELINES_PROTECTED","...":"..."}}`},
			},
		},
		{
			Name: "create_page writes what no markdown says, block by block",
			Calls: []profiletest.Call{
				{Tool: "create_page", Arguments: `{"title":"Odd","content":"- plain\n- # a heading","properties":{"note":"two\nlines","n":3,"ok":true}}`, Want: `{"page_name":"Odd","block_uuids":["<any>","<any>"],"...":"..."}`},
			},
			After: texts("Odd", "note:: two\nlines", "n:: 3", "ok:: true", "plain", "a heading"),
		},
		{
			Name: "6: update_page adds content and sets a property, and takes it away again",
			Calls: []profiletest.Call{
				{Tool: "update_page", Arguments: `{"page_name":"Ada","content_append":"- new fact","properties":{"Role":"engineer"}}`, Want: `{"page_name":"Ada","success":true,"page_uuid":"ada000001","block_uuids":["<any>"],"properties_set":["Role"]}`, Check: sees("Ada", "Role:: engineer", "Met at the [[Projects/Apollo]] review", "Likes #tea", "new fact")},
				{Tool: "update_page", Arguments: `{"page_name":"ada","properties":{"role":null}}`, Want: `{"page_name":"Ada","success":true,"page_uuid":"ada000001","block_uuids":[],"properties_set":[],"properties_deleted":["Role"]}`},
				{Tool: "update_page", Arguments: `{"page_name":"Ada","properties":{"role":null}}`, Want: `{"properties_set":[],"warnings":["There was no property \"role\"."],"...":"..."}`},
				{Tool: "update_page", Arguments: `{"page_name":"Ada","content_append":" ","properties":{}}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has content_append, properties or both>","...":"..."}}`},
				{Tool: "update_page", Arguments: `{"page_name":"Adda","content_append":"x"}`, IsError: true, Want: `{"error":{"code":"NOT_FOUND","message":"<has Adda>","...":"..."}}`},
			},
			After: texts("Ada", "Met at the [[Projects/Apollo]] review", "Likes #tea", "new fact"),
		},
		{
			Name: "7: delete_page wants to be told twice of a page that is mentioned",
			Calls: []profiletest.Call{
				{Tool: "delete_page", Arguments: `{"page_name":"Ada"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has is mentioned by 3 blocks on 3 pages>","hint":"<has force true>","...":"..."}}`},
				{Tool: "delete_page", Arguments: `{"page_name":"Ada","force":true}`, Want: `{"page_name":"Ada","success":true,"deleted_blocks":2,"references":3,"page_uuid":"ada000001"}`},
				{Tool: "delete_page", Arguments: `{"page_name":"Ada","force":true}`, IsError: true, Want: `{"error":{"code":"NOT_FOUND","...":"..."}}`},
			},
			After: hasText("ap0000002", "Budget is tight, ask Ada"),
		},
		{
			Name: "delete_page counts what refers to its blocks, and no hidden blocks",
			Calls: []profiletest.Call{
				{Tool: "delete_page", Arguments: `{"page_name":"Saturn V"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has by 3 blocks on 2 pages>","...":"..."}}`},
				{Tool: "delete_page", Arguments: `{"page_name":"Orphan"}`, Want: `{"page_name":"Orphan","success":true,"deleted_blocks":1,"references":0,"page_uuid":"orphan001"}`},
				{Tool: "delete_page", Arguments: `{"page_name":"roam/agent guidelines"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has a page of Roam's own>","...":"..."}}`},
			},
		},
		{
			Name: "delete_page takes a daily note with force, and one with hidden blocks never",
			Calls: []profiletest.Call{
				{Tool: "delete_page", Arguments: `{"page_name":"2024-01-15","force":true}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has hidden from agents>","hint":"The user can delete it in Roam.","cause":"INVALID_PARAMS"}}`},
				{Tool: "create_page", Arguments: `{"title":"2024-01-20","content":"a day"}`, Want: `{"success":true,"...":"..."}`},
				{Tool: "delete_page", Arguments: `{"page_name":"2024-01-20"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has is a daily note>","...":"..."}}`},
				{Tool: "delete_page", Arguments: `{"page_name":"2024-01-20","force":true}`, Want: `{"page_name":"January 20th, 2024","success":true,"deleted_blocks":1,"references":0,"page_uuid":"01-20-2024","date":"2024-01-20"}`},
			},
			After: hasText("da0000002", "private thing [[Orphan]] #.rm-private"),
		},
	}
}

func writingBlocks() []profiletest.Example {
	return []profiletest.Example{
		{
			Name: "9: create_block puts one block where it is wanted",
			Calls: []profiletest.Call{
				{Tool: "create_block", Arguments: `{"content":"first","page_name":"Ada","position":"first"}`, Want: `{"block_uuid":"<any>","success":true,"page_name":"Ada","parent_uuid":"ada000001","order":0}`},
				{Tool: "create_block", Arguments: `{"content":"mid","sibling_block_uuid":"ap0000003","position":"before"}`, Want: `{"block_uuid":"<any>","success":true,"page_name":"Projects/Apollo","parent_uuid":"apollo001","order":2}`},
				{Tool: "create_block", Arguments: `{"content":"deep","parent_block_uuid":"ap0000001"}`, Want: `{"page_name":"Projects/Apollo","parent_uuid":"ap0000001","order":1,"...":"..."}`},
				{Tool: "create_block", Arguments: `{"content":"next","sibling_block_uuid":"ap0000003","page_name":"projects/apollo","parent_block_uuid":"apollo001"}`, Want: `{"order":4,"...":"..."}`},
				{Tool: "create_block", Arguments: `{"content":"by uid","parent_block_uuid":"ada000001","position":"last"}`, Want: `{"page_name":"Ada","order":3,"...":"..."}`},
				{Tool: "create_block", Arguments: `{"content":"x"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has give parent_block_uuid, page_name or sibling_block_uuid>","...":"..."}}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				texts("Ada", "first", "Met at the [[Projects/Apollo]] review", "Likes #tea", "by uid")(t, w)
				texts("Projects/Apollo", "Tags:: #project #[[in progress]]", "Goal: land on the moon, see [[Saturn V]]", "  Budget is tight, ask [[Ada]]", "  deep",
					"mid", "{{[[TODO]]}} Write to [[Grace]]", "next", "See ((sv0000001)) for the engine")(t, w)
			},
		},
		{
			Name: "create_block stores the text as it is, with properties below, on a page that it makes",
			Calls: []profiletest.Call{
				{Tool: "create_block", Arguments: `{"content":"- [ ] *a*\n# b","page_name":"New page","properties":{"id":"7","tags":["In-Progress","x y"],"alias":["A","[[B]]"],"list":[1,"two",true]}}`,
					Want: `{"block_uuid":"<any>","success":true,"page_name":"New page","parent_uuid":"<any>","order":0,"warnings":["The page \"New page\" was not there, and was created."]}`},
				{Tool: "create_block", Arguments: `{"content":"","page_name":"tomorrow"}`, Want: `{"page_name":"January 17th, 2024","parent_uuid":"01-17-2024","...":"..."}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				texts("New page", "- [ ] *a*\n# b", "  id:: 7", "  tags:: #[[in progress]] #[[x y]]", "  alias:: [[A]], [[B]]", "  list:: 1, two, true")(t, w)
				texts("January 17th, 2024", "")(t, w)
			},
		},
		{
			Name: "create_block refuses places that are none",
			Calls: refusals("create_block", map[string]string{
				`{"content":"x","position":"before","page_name":"Ada"}`:                            "INVALID_INPUT position before needs sibling_block_uuid",
				`{"content":"x","position":"last","sibling_block_uuid":"ap0000003"}`:               "INVALID_INPUT goes with position before or after",
				`{"content":"x","page_name":"Ada","parent_block_uuid":"ap0000001"}`:                "INVALID_INPUT not both",
				`{"content":"x","sibling_block_uuid":"ap0000003","parent_block_uuid":"ap0000001"}`: "INVALID_INPUT is below \\\"apollo001\\\"",
				`{"content":"x","sibling_block_uuid":"ap0000003","page_name":"Ada"}`:               "INVALID_INPUT but on \\\"Projects/Apollo\\\"",
				`{"content":"x","sibling_block_uuid":"apollo001","position":"after"}`:              "INVALID_INPUT names the page \\\"Projects/Apollo\\\"",
				`{"content":"x","sibling_block_uuid":"da0000002"}`:                                 "NOT_FOUND da0000002",
				`{"content":"x","parent_block_uuid":"da0000002"}`:                                  "NOT_FOUND da0000002",
				`{"content":"x","parent_block_uuid":"nobody001"}`:                                  "NOT_FOUND no block or page with the uid \\\"nobody001\\\"; the name of a page goes into page_name",
				`{"content":"x","sibling_block_uuid":"nobody001","position":"before"}`:             "NOT_FOUND nobody001",
				`{"content":"x","page_name":"Ada","properties":{"a":{"b":1}}}`:                     "INVALID_INPUT the value of the property \\\"a\\\"",
				`{"content":"x","page_name":"Ada","properties":{"a::b":"c"}}`:                      "INVALID_INPUT can't be the name of a property",
				`{"content":"x","page_name":"Ada","properties":{"a":"b","A":"c"}}`:                 "INVALID_INPUT has \\\"A\\\" twice",
				`{"content":"x","page_name":"Ada","properties":{"alias":["a]] [[b"]}}`:             "INVALID_INPUT can't be the name of a page",
				`{"content":"x","page_name":"Ada","properties":["a"]}`:                             "INVALID_INPUT properties",
				`{"content":"x","page_name":"Ada","position":"third"}`:                             "INVALID_INPUT position",
			}),
			After: texts("Ada", "Met at the [[Projects/Apollo]] review", "Likes #tea"),
		},
		{
			Name: "the order that is told counts no hidden block",
			Calls: []profiletest.Call{
				{Tool: "create_block", Arguments: `{"content":"after notes","sibling_block_uuid":"da0000003","position":"after"}`, Want: `{"order":2,"...":"..."}`},
				{Tool: "create_block", Arguments: `{"content":"before notes","sibling_block_uuid":"da0000003","position":"before"}`, Want: `{"order":1,"...":"..."}`},
				{Tool: "create_block", Arguments: `{"content":"end","page_name":"2024-01-15"}`, Want: `{"order":4,"...":"..."}`},
			},
			After: texts("January 15th, 2024", "Review of [[Projects/Apollo]] with [[Grace]] #meeting", "private thing [[Orphan]] #.rm-private", "before notes", "[[Notes]]", "  call the bank", "after notes", "end"),
		},
		{
			Name: "10: update_block replaces a text, or adds to it",
			Calls: []profiletest.Call{
				{Tool: "update_block", Arguments: `{"block_uuid":"gr0000001","content":"more","replace_content":false}`, Want: `{"block_uuid":"gr0000001","success":true}`, Check: sees("Grace", "Compilers #computing\nmore")},
				{Tool: "update_block", Arguments: `{"block_uuid":"((gr0000001))","content":"- as it is"}`, Want: `{"block_uuid":"gr0000001","success":true}`},
				{Tool: "update_block", Arguments: `{"block_uuid":"ap0000001","properties":{"by":"Ada"}}`, Want: `{"block_uuid":"ap0000001","success":true,"properties_set":["by"]}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				texts("Grace", "- as it is")(t, w)
				texts("Projects/Apollo", "Tags:: #project #[[in progress]]", "Goal: land on the moon, see [[Saturn V]]", "  by:: Ada", "  Budget is tight, ask [[Ada]]",
					"{{[[TODO]]}} Write to [[Grace]]", "See ((sv0000001)) for the engine")(t, w)
			},
		},
		{
			Name: "update_block refuses what it can't change",
			Calls: refusals("update_block", map[string]string{
				`{"block_uuid":"gr0000001"}`:                                       "INVALID_INPUT content, properties or both",
				`{"block_uuid":"grace0001","content":"x"}`:                         "INVALID_INPUT is the uid of the page \\\"Grace\\\"",
				`{"block_uuid":"nobody001","content":"x"}`:                         "NOT_FOUND nobody001",
				`{"block_uuid":"da0000002","content":"x"}`:                         "NOT_FOUND da0000002",
				`{"block_uuid":"gr0000001","content":"Compilers ... [truncated]"}`: "INVALID_INPUT it was cut when it was read",
			}),
			After: texts("Grace", "Compilers #computing"),
		},
		{
			Name: "11: delete_block takes what is below a block only if it is told to",
			Calls: []profiletest.Call{
				{Tool: "delete_block", Arguments: `{"block_uuid":"ap0000001"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has 1 block below>","hint":"<has recursive true>","...":"..."}}`},
				{Tool: "delete_block", Arguments: `{"block_uuid":"ap0000001","recursive":true}`, Want: `{"block_uuid":"ap0000001","success":true,"deleted_blocks":2,"references":0,"page_name":"Projects/Apollo"}`},
				{Tool: "delete_block", Arguments: `{"block_uuid":"sv0000001"}`, Want: `{"block_uuid":"sv0000001","success":true,"deleted_blocks":1,"references":1,"page_name":"Saturn V"}`},
				{Tool: "delete_block", Arguments: `{"block_uuid":"sv0000001"}`, IsError: true, Want: `{"error":{"code":"NOT_FOUND","...":"..."}}`},
				{Tool: "delete_block", Arguments: `{"block_uuid":"ada000001"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","...":"..."}}`},
				{Tool: "delete_block", Arguments: `{"block_uuid":"da0000002"}`, IsError: true, Want: `{"error":{"code":"NOT_FOUND","...":"..."}}`},
				{Before: func(w *profiletest.World) { w.AddBlock("ap0000004", "secret #.rm-hide") },
					Tool: "delete_block", Arguments: `{"block_uuid":"ap0000004","recursive":true}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has hidden from agents>","...":"..."}}`},
			},
			After: texts("Projects/Apollo", "Tags:: #project #[[in progress]]", "{{[[TODO]]}} Write to [[Grace]]", "See The F-1 engine burns kerosene for the engine", "  secret #.rm-hide"),
		},
	}
}

func writingProperties() []profiletest.Example {
	return []profiletest.Example{
		{
			Name: "properties keep their spelling and their form, and new ones stand behind those that are there",
			Calls: []profiletest.Call{
				{Tool: "update_page", Arguments: `{"page_name":"Projects/Apollo","properties":{"tags":["Rocket","new one"],"Lead":"[[Ada]]","See":["x"]}}`, Want: `{"properties_set":["Tags","Lead","See"],"...":"..."}`},
				{Tool: "update_page", Arguments: `{"page_name":"Projects/Apollo","properties":{"lead":["Ada","Grace"],"SEE":["x","y"],"Tags":[]}}`, Want: `{"properties_set":["Lead","See"],"properties_deleted":["Tags"],"...":"..."}`},
			},
			After: texts("Projects/Apollo", "Lead:: [[Ada]], [[Grace]]", "See:: x, y", "Goal: land on the moon, see [[Saturn V]]", "  Budget is tight, ask [[Ada]]", "{{[[TODO]]}} Write to [[Grace]]", "See ((sv0000001)) for the engine"),
		},
		{
			Name: "of two lines of one key the first is the property, and one with blocks below it stays",
			Calls: []profiletest.Call{
				{Before: func(w *profiletest.World) {
					w.AddBlock("ada000001", "Role:: one")
					w.AddBlock("ada000001", "role:: two")
				},
					Tool: "update_page", Arguments: `{"page_name":"Ada","properties":{"ROLE":"three"}}`, Want: `{"properties_set":["Role"],"warnings":["There are 2 lines \"ROLE::\"; the others stay."],"...":"..."}`},
				{Before: func(w *profiletest.World) { w.AddBlock("ap0000000", "below") },
					Tool: "update_page", Arguments: `{"page_name":"Projects/Apollo","content_append":"x","properties":{"Tags":null}}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has has 1 block below it, so nothing was changed>","...":"..."}}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				texts("Ada", "Met at the [[Projects/Apollo]] review", "Likes #tea", "Role:: three", "role:: two")(t, w)
				hasText("ap0000000", "Tags:: #project #[[in progress]]")(t, w)
			},
		},
	}
}

func moving() []profiletest.Example {
	return []profiletest.Example{
		{
			Name: "12: move_block moves a block with all below it, and not below itself",
			Calls: []profiletest.Call{
				{Tool: "move_block", Arguments: `{"block_uuid":"ad0000002","target_page_name":"Grace","position":"last"}`, Want: `{"block_uuid":"ad0000002","success":true,"parent_uuid":"grace0001","order":1}`},
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000001","target_parent_uuid":"ap0000002"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has below itself>","...":"..."}}`},
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000001","target_parent_uuid":"ap0000001"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","message":"<has below itself>","...":"..."}}`},
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000001","target_page_name":"Nowhere"}`, IsError: true, Want: `{"error":{"code":"NOT_FOUND","message":"<has Nowhere>","...":"..."}}`},
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000001","sibling_block_uuid":"ap0000001","position":"after"}`, IsError: true, Want: `{"error":{"code":"INVALID_INPUT","...":"..."}}`},
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000001","sibling_block_uuid":"sv0000001","position":"before"}`, Want: `{"block_uuid":"ap0000001","success":true,"parent_uuid":"saturnv01","order":1}`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				texts("Grace", "Compilers #computing", "Likes #tea")(t, w)
				texts("Saturn V", "Tags:: #rocket", "Goal: land on the moon, see [[Saturn V]]", "  Budget is tight, ask [[Ada]]", "The F-1 engine burns kerosene", "Built by [[Ada]] and [[Grace]]")(t, w)
			},
		},
		{
			Name: "move_block moves among siblings, up, down and nowhere, on all builds",
			Calls: []profiletest.Call{
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000000","sibling_block_uuid":"ap0000003","position":"after"}`, Want: `{"parent_uuid":"apollo001","order":2,"...":"..."}`, Check: order("apollo001", "ap0000001", "ap0000003", "ap0000000", "ap0000004")},
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000000","sibling_block_uuid":"ap0000001","position":"before"}`, Want: `{"order":0,"...":"..."}`, Check: order("apollo001", "ap0000000", "ap0000001", "ap0000003", "ap0000004")},
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000000","sibling_block_uuid":"ap0000003","position":"before"}`, Want: `{"order":1,"...":"..."}`, Check: order("apollo001", "ap0000001", "ap0000000", "ap0000003", "ap0000004")},
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000000","target_parent_uuid":"apollo001"}`, Want: `{"order":3,"...":"..."}`, Check: order("apollo001", "ap0000001", "ap0000003", "ap0000004", "ap0000000")},
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000000","target_page_name":"Projects/Apollo","position":"first"}`, Want: `{"order":0,"...":"..."}`, Check: order("apollo001", "ap0000000", "ap0000001", "ap0000003", "ap0000004")},
				{Tool: "move_block", Arguments: `{"block_uuid":"ap0000000","sibling_block_uuid":"ap0000001","position":"before"}`, Want: `{"order":0,"...":"..."}`, Check: order("apollo001", "ap0000000", "ap0000001", "ap0000003", "ap0000004")},
				{Tool: "move_block", Arguments: `{"block_uuid":"da0000001","sibling_block_uuid":"da0000003","position":"after"}`, Want: `{"order":1,"...":"..."}`, Check: order("01-15-2024", "da0000002", "da0000003", "da0000001")},
			},
		},
	}
}

// refusals are calls that are refused: by arguments the code, and what the message has
// in it.
func refusals(tool string, refused map[string]string) []profiletest.Call {
	var calls []profiletest.Call
	for arguments, want := range refused {
		code, message, _ := strings.Cut(want, " ")
		calls = append(calls, profiletest.Call{Tool: tool, Arguments: arguments, IsError: true, Want: fmt.Sprintf(`{"error":{"code":%q,"message":"<has %s>","...":"..."}}`, code, message)})
	}
	return calls
}

// order returns a check that the children of a page or block are these, in order.
func order(parent string, want ...string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
		t.Helper()
		var got []string
		for _, each := range outlineOf(w, parent) {
			if !strings.HasPrefix(each.text, "  ") {
				got = append(got, each.uid)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the children of %s are %q, not %q", parent, got, want)
		}
	}
}

// sees returns a check of what texts finds.
func sees(title string, want ...string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
		t.Helper()
		texts(title, want...)(t, w)
	}
}

// texts returns a look at the graph that finds exactly these texts on a page, in its
// order, with two blanks a level in front.
func texts(title string, want ...string) func(testing.TB, *profiletest.World) {
	return func(t testing.TB, w *profiletest.World) {
		t.Helper()
		var rows [][]string
		w.Query(&rows, `[:find ?u :in $ ?t :where [?p :node/title ?t] [?p :block/uid ?u]]`, title)
		if len(rows) != 1 {
			t.Fatalf("there are %d pages %s", len(rows), title)
		}
		var got []string
		for _, each := range outlineOf(w, rows[0][0]) {
			got = append(got, each.text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has\n%q, not\n%q", title, got, want)
		}
	}
}

// hasText returns a look at the graph that finds a block with a text.
func hasText(uid, want string) func(testing.TB, *profiletest.World) {
	return func(t testing.TB, w *profiletest.World) {
		t.Helper()
		if got, _ := w.Text(uid); got != want {
			t.Errorf("%s is %q, not %q", uid, got, want)
		}
	}
}

// line is a block in reading order.
type line struct{ uid, text string }

// outlineOf returns the blocks below a page or block, with two blanks a level.
func outlineOf(w *profiletest.World, parent string) []line {
	var rows [][3]any
	w.Query(&rows, `[:find ?o ?u ?s :in $ ?p :where [?e :block/uid ?p] [?e :block/children ?c] [?c :block/order ?o] [?c :block/uid ?u] [?c :block/string ?s]]`, parent)
	slices.SortFunc(rows, func(a, b [3]any) int { return int(a[0].(float64) - b[0].(float64)) })
	var lines []line
	for _, row := range rows {
		lines = append(lines, line{row[1].(string), row[2].(string)})
		for _, below := range outlineOf(w, row[1].(string)) {
			lines = append(lines, line{below.uid, "  " + below.text})
		}
	}
	return lines
}

func TestWriting(t *testing.T) {
	profiletest.Run(t, profiletest.Options{Profile: "outline"}, those(writing(), numbered)...)
}

func TestMoreOfWriting(t *testing.T) {
	more := those(writing(), func(e profiletest.Example) bool { return !numbered(e) })
	profiletest.RunOnce(t, profiletest.Options{Profile: "outline"}, more...)
}

// Example 18: builds that lack something give the same.
func TestWritingOnOldBuilds(t *testing.T) {
	same := those(writing(), func(e profiletest.Example) bool { return numbered(e) || strings.HasSuffix(e.Name, "on all builds") })
	profiletest.RunOnOldBuild(t, profiletest.Options{Profile: "outline"}, same...)
}

// Where a call comes half way, the error says what was done, and what stays undone.
func TestACallThatComesHalfWaySaysWhatWasDone(t *testing.T) {
	w, c := connect(t, profiletest.Options{})
	w.Fault(func(r faultproxy.Request) faultproxy.Fault {
		if r.Action == "data.block.fromMarkdown" {
			return faultproxy.Fault{Kind: faultproxy.Fail, Status: 500, Text: "Invalid arguments"}
		}
		return faultproxy.Fault{}
	})
	r := c.Call("update_page", `{"page_name":"Projects/Apollo","content_append":"- new","properties":{"tags":["project"],"by":"Ada"}}`)
	want := `{"error":{"code":"INTERNAL","message":"<has Only a part was written (1 inserted, 1 updated)>","done":{"inserted":["<any>"],"updated":["ap0000000"]},"retryable":false,"...":"..."}}`
	if err := profiletest.Match(want, r.Text()); err != nil || !r.IsError {
		t.Errorf("%v: %s", err, r)
	}
	texts("Projects/Apollo", "Tags:: #project", "by:: Ada", "Goal: land on the moon, see [[Saturn V]]", "  Budget is tight, ask [[Ada]]", "{{[[TODO]]}} Write to [[Grace]]", "See ((sv0000001)) for the engine")(t, w)
}

// What was made is named in the order of the content, so that its blocks can be changed
// without reading the page.
func TestAWriteNamesAllBlocksThatItMade(t *testing.T) {
	const content = `- one\n  - two\n    - three\n- four`
	for name, call := range map[string][2]string{
		"create_page":                       {"create_page", `{"title":"New","content":"` + content + `","properties":{"k":"v"}}`},
		"create_page, block by block":       {"create_page", `{"title":"New","content":"` + content + `","properties":{"k":"two\nlines"}}`},
		"create_page, of a page without":    {"create_page", `{"title":"Computing","content":"` + content + `"}`},
		"update_page":                       {"update_page", `{"page_name":"Ada","content_append":"` + content + `","properties":{"k":"v"}}`},
		"update_page, of a page of nothing": {"update_page", `{"page_name":"Computing","content_append":"` + content + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := connect(t, profiletest.Options{})
			var made struct {
				UIDs []string `json:"block_uuids"`
			}
			c.Call(call[0], call[1]).Decode(t, &made)
			var got []string
			for _, uid := range made.UIDs {
				text, _ := w.Text(uid)
				got = append(got, text)
			}
			if want := []string{"one", "two", "three", "four"}; !slices.Equal(got, want) {
				t.Errorf("it names %q, not %q", got, want)
			}
		})
	}
	t.Run("as many as there is room for", func(t *testing.T) {
		_, c := connect(t, profiletest.Options{Server: func(o *mcpserve.Options) { o.MaxReply = mcpserve.SmallestReply }})
		r := c.Call("create_page", `{"title":"Long","content":"`+strings.Repeat(content+`\n`, 100)+`"}`)
		var made struct {
			UIDs []string `json:"block_uuids"`
		}
		if r.Decode(t, &made); len(made.UIDs) == 0 || len(made.UIDs) == 400 || len(r.Texts) != 2 || !strings.HasSuffix(r.Texts[1], "of 400 block_uuids; get_page_content with format json tells all.") {
			t.Errorf("%d uids: %q", len(made.UIDs), r.Texts[1:])
		}
	})
}

// A text with several bullets is one block, and the reply says so.
func TestSeveralBulletsInOneBlockAreTold(t *testing.T) {
	_, c := connect(t, profiletest.Options{})
	for content, told := range map[string]bool{
		`- one\n- two`: true, `Things:\n* one\n  * two`: true,
		`- one`: false, `one\ntwo`: false, "```\\n- one\\n- two\\n```": false, `- one\n-two`: false,
	} {
		r := c.Call("create_block", `{"page_name":"Ada","content":"`+content+`"}`)
		if got := strings.Contains(r.Text(), `"warnings":["The 2 bullets of the content are one block; content_append of update_page makes a block of each."]`); got != told {
			t.Errorf("%s: %s", content, r)
		}
	}
}
