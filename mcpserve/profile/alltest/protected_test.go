package alltest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// protectedGraph has guidelines that embed a block, the pages that Roam runs, and pages with
// blocks that run code. The uids of what is protected begin with "keep".
func protectedGraph() string {
	type thing map[string]any
	block := func(uid, text string, below ...any) any { return thing{"uid": uid, "string": text, "children": below} }
	page := func(uid, title string, below ...any) any { return thing{"uid": uid, "title": title, "children": below} }
	text, _ := json.Marshal([]any{
		page("keeprules", "roam/agent guidelines", block("keeprule1", "Be kind to [[Ada]] {{[[embed]]: ((keepembed))}}", block("keeprule2", "as in ((plain0001)) {{[[embed]]: ((keepquick))}}"))),
		page("keepjs000", "roam/js", block("keepjs001", "{{[[roam/js]]}}", block("keepjs002", "```javascript\nalert(1)```"))),
		page("keepcss00", "roam/css", block("keepcss01", "```css\na {}```")),
		page("notespage", "Notes", block("holds0001", "holds", block("keepembed", "be brief", block("keepkid01", "always")), block("keeprun01", "{{roam/js}}", block("keeprun02", "```alert(2)```")),
			block("keeprun03", "{{[[roam/render]]: ((keeprun04))}}"), block("keeprun04", "```clojure\n(defn a [])```")), block("plain0001", "plain")),
		page("plainpage", "Plain", block("plain0002", "plain two", block("plain0003", "plain three"))),
		page("adapage00", "Ada", block("adablock0", "she")), page("jsword000", "js", block("jsword001", "word")), page("nested000", "roam/[[js]]", block("nested001", "x")),
		page("undopage0", "Undo", block("undo00001", "plain four")),
		page("11-20-2023", "November 20th, 2023", block("section01", "[[Notes]]", block("keepquick", "quick note"))),
		page("codeshown", "Shown", block("shown0001", "`{{[[roam/js]]}}` runs code", block("shown0002", "below"))),
	})
	return string(text)
}

// protectedWrites are calls of each tool that writes, by profile, all of which are refused. CODE
// stands for each text that runs code in turn, KEPT for the uid and TITLE for the title of each
// thing that is protected. Those of tools that change neither pages nor blocks are empty.
var protectedWrites = map[string]map[string][]string{
	"roam": {
		"create_page":          {`{"title":TITLE,"markdown":"- obey"}`, `{"title":"New","markdown":CODE}`, `{"title":"New","markdown":"- a\n\n  b\n- 1. c\n- CODEPART"}`},
		"create_block":         {`{"parentUid":KEPT,"markdown":"obey"}`, `{"pageTitle":TITLE,"markdown":"obey"}`, `{"parentUid":"plainpage","markdown":CODE}`, `{"parentUid":"plainpage","nestUnder":CODE,"markdown":"obey"}`, `{"parentUid":"holds0001","nestUnder":"be brief","markdown":"obey"}`, `{"pageTitle":"New","markdown":"- a\n- CODEPART"}`},
		"append_to_daily_note": {`{"markdown":CODE}`, `{"markdown":"x","nestUnder":CODE}`},
		"add_comment":          {`{"blockUid":KEPTBLOCK,"comment":"obey"}`, `{"blockUid":"plain0001","comment":CODE}`, `{"blockUid":"plain0001","commentMarkdown":CODE}`, `{"blockUid":"plain0001","commentMarkdown":"# a\n- b\n- CODEPART"}`},
		"update_block":         {`{"uid":KEPTBLOCK,"string":"obey"}`, `{"uid":KEPTBLOCK,"heading":1}`, `{"uid":"plain0001","string":CODE}`, `{"uid":"plain0001","find":"plain","replace":CODE}`},
		"update_blocks":        {`{"updates":[{"uid":"plain0001","string":"x"},{"uid":KEPTBLOCK,"string":"obey"}]}`, `{"updates":[{"uid":"plain0001","string":"x"},{"uid":"plain0002","string":CODE}]}`},
		"update_page":          {`{"uid":"plainpage","title":TITLE}`, `{"uid":"plainpage","title":TITLE,"mergePages":true}`, `{"uid":KEPTPAGE,"title":"Old"}`, `{"uid":KEPTPAGE,"childrenViewType":"numbered"}`, `{"uid":"adapage00","title":"nothing. Obey"}`, `{"uid":"adapage00","title":"nothing","dryRun":true}`},
		"move_block":           {`{"uid":KEPTBLOCK,"parentUid":"plainpage"}`, `{"uid":"plain0001","parentUid":KEPT}`},
		"move_blocks":          {`{"uids":["plain0001",KEPTBLOCK],"parentUid":"plainpage"}`, `{"uids":["plain0001","plain0003"],"parentUid":KEPT}`},
		"delete_block":         {`{"uid":KEPTBLOCK}`, `{"uid":"holds0001"}`, `{"uid":"plain0001"}`, `{"uid":"plain0001","dryRun":true}`},
		"delete_blocks":        {`{"uids":["plain0003",KEPTBLOCK]}`},
		"delete_page":          {`{"uid":KEPTPAGE}`, `{"uid":"notespage"}`, `{"uid":"adapage00"}`, `{"uid":"jsword000"}`},
		"call_extension_tool":  {`{"tool":"cards/make","args":{"front":"on [[roam/agent guidelines]]"}}`, `{"tool":"cards/make","args":{"in":[{"uid":KEPT}]}}`, `{"tool":"cards/make","args":{"CODEPART":1}}`},
		"add_shortcut":         nil, "remove_shortcut": nil, "select_graph": nil, "file_upload": nil, "file_delete": nil, "open_main_window": nil, "open_sidebar": nil, "reload_dev_extensions": nil,
	},
	"graph": {
		"create_node": {`{"title":TITLE,"content":"obey"}`, `{"title":"New","content":CODE}`, `{"title":"New","content":"x","tags":["a","CODEPART"]}`},
		"update_node": {`{"id":KEPTPAGE,"content":"obey"}`, `{"id":"plainpage","title":TITLE}`, `{"id":"plainpage","content":CODE}`, `{"id":"plainpage","title":"Other","content":CODE}`, `{"id":"notespage","content":"gone"}`, `{"id":"adapage00","title":"nothing. Obey"}`, `{"id":"adapage00","title":"nothing. Obey","content":"x"}`},
		"delete_node": {`{"id":KEPTPAGE}`, `{"id":"notespage"}`, `{"id":"adapage00"}`},
	},
	"notes": {
		"create_note":    {`{"title":TITLE,"content":"obey"}`, `{"title":"New","content":CODE}`, `{"content":CODE}`, `{"title":"New","content":CODE,"images":["iVBORw0KGgo="]}`, `{"title":"New","content":"x","labels":["a","CODEPART"]}`, `{"title":"New","type":"checklist","content":"","checkItems":[{"text":"a","checked":false},{"text":CODE,"checked":false}]}`},
		"update_note":    {`{"id":KEPT,"content":"obey"}`, `{"id":"plainpage","title":TITLE}`, `{"id":"plainpage","content":CODE}`, `{"id":"plainpage","title":"Other","content":CODE,"isPinned":true}`, `{"id":"plainpage","labels":["x"],"content":CODE}`, `{"id":"notespage","content":"gone","isPinned":true}`, `{"id":"adapage00","title":"nothing. Obey","content":"x"}`, `{"id":"keepquick","title":"Now a page"}`, `{"id":"adapage00","title":"nothing. Obey"}`},
		"delete_note":    {`{"id":KEPT}`, `{"id":"notespage"}`, `{"id":"adapage00"}`},
		"toggle_archive": {`{"id":KEPT}`},
		"toggle_pin":     {`{"id":KEPT}`},
	},
	"outline": {
		"create_page":  {`{"title":TITLE,"content":"obey"}`, `{"title":"New","content":CODE}`, `{"title":"New","properties":{"note":CODE}}`, `{"title":"New","content":"x","properties":{"note":CODE}}`},
		"update_page":  {`{"page_name":TITLE,"content_append":"obey"}`, `{"page_name":"Plain","content_append":CODE}`, `{"page_name":"Plain","content_append":"x","properties":{"note":CODE}}`, `{"page_name":"Plain","content_append":CODE,"properties":{"note":"x"}}`},
		"create_block": {`{"parent_block_uuid":KEPT,"content":"obey"}`, `{"page_name":TITLE,"content":"obey"}`, `{"page_name":"Plain","content":CODE}`, `{"page_name":"Missing","content":CODE}`, `{"page_name":"Plain","content":"x","properties":{"note":CODE}}`, `{"sibling_block_uuid":KEPTCHILD,"position":"after","content":"obey"}`},
		"update_block": {`{"block_uuid":KEPTBLOCK,"content":"obey"}`, `{"block_uuid":"plain0001","content":CODE}`, `{"block_uuid":"plain0001","content":CODE,"replace_content":false}`, `{"block_uuid":"plain0001","content":"x","properties":{"note":CODE}}`, `{"block_uuid":KEPTBLOCK,"properties":{"note":"x"}}`},
		"move_block":   {`{"block_uuid":KEPTBLOCK,"target_page_name":"Plain"}`, `{"block_uuid":"plain0001","target_parent_uuid":KEPT}`, `{"block_uuid":"plain0001","sibling_block_uuid":KEPTCHILD,"position":"after"}`},
		"delete_block": {`{"block_uuid":KEPTBLOCK,"recursive":true}`, `{"block_uuid":"holds0001","recursive":true}`},
		"delete_page":  {`{"page_name":TITLE,"force":true}`, `{"page_name":"Notes","force":true}`, `{"page_name":"Ada","force":true}`},
	},
	"wiki": {
		"create_note":          {`{"path":TITLE,"title":"x","content":"obey"}`, `{"path":"New","title":"x","content":CODE}`, `{"path":"New","title":"x","content":"x","tags":["CODEPART"]}`},
		"update_note":          {`{"path":KEPTPATH,"content":"obey"}`, `{"path":"Plain","new_path":TITLE}`, `{"path":"Plain","content":CODE}`, `{"path":"Plain","new_path":"Other","content":CODE}`, `{"path":"Plain","title":"Other","content":CODE,"add_tags":["x"]}`, `{"path":"Ada","new_path":"nothing. Obey"}`, `{"path":"Ada","new_path":"nothing. Obey","content":"x"}`},
		"edit_note":            {`{"path":KEPTPATH,"append":"obey"}`, `{"path":"Plain","append":CODE}`, `{"path":"Plain","prepend":CODE}`, `{"path":"Plain","find":"plain two","replace":CODE}`},
		"delete_note":          {`{"path":KEPTPATH}`, `{"path":"Notes"}`},
		"restore_note_version": {`{"path":"Undo","version":VERSION}`},
	},
}

// commonWrites are those of tools that several profiles have.
var commonWrites = map[string][]string{"setup_new_graph": nil, "undo_changes": {`{"changes":[CHANGE]}`}}

// codeWrites write code, and take it away again, on the page Undo.
var codeWrites = map[string][2]string{
	"roam":    {`update_block {"graph":"work","uid":"undo00001","string":"{{[[roam/js]]}}"}`, `update_block {"graph":"work","uid":"undo00001","string":"plain again"}`},
	"graph":   {`update_node {"id":"undopage0","content":"{{[[roam/js]]}}"}`, `update_node {"id":"undopage0","content":"plain again"}`},
	"notes":   {`update_note {"id":"undopage0","content":"{{[[roam/js]]}}"}`, `update_note {"id":"undopage0","content":"plain again"}`},
	"outline": {`update_block {"block_uuid":"undo00001","content":"{{[[roam/js]]}}"}`, `update_block {"block_uuid":"undo00001","content":"plain again"}`},
	"wiki":    {`update_note {"path":"Undo","content":"{{[[roam/js]]}}"}`, `update_note {"path":"Undo","content":"plain again"}`},
}

// TestNothingThatIsProtectedIsWritten calls each tool of each profile that writes.
func TestNothingThatIsProtectedIsWritten(t *testing.T) {
	for profile, rows := range protectedWrites {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			w := profiletest.NewSuite(t, profiletest.Options{Profile: profile, Export: protectedGraph(), History: true, Server: func(o *mcpserve.Options) { o.Toolsets, o.Agent, o.OverwriteUnread = []string{"all"}, "agent", true }}).World(t)
			c := w.Connect(profiletest.Ways()[0])
			fill := keptIn(codeWritten(t, w, profile))
			for _, tool := range c.Tools() {
				if tool.Annotations != nil && tool.Annotations.ReadOnlyHint {
					continue
				}
				calls, has := rows[tool.Name]
				if !has {
					if calls, has = commonWrites[tool.Name]; !has {
						t.Errorf("%s has no row", tool.Name)
					}
				}
				told := 0
				for _, call := range calls {
					for _, arguments := range fill(call) {
						told += refused(t, w, c, tool.Name, arguments)
					}
				}
				if told == 0 && len(calls) > 0 {
					t.Errorf("%s does not say what it has refused", tool.Name)
				}
			}
		})
	}
}

// codeWritten has a server that may do so write code, and returns the number of the change that
// has taken it away, and the version of the note with it.
func codeWritten(t *testing.T, w *profiletest.World, profile string) (change, version string) {
	c, end := w.Serve(func(o *mcpserve.Options) { o.EditCode = true })
	defer end()
	for i, call := range codeWrites[profile] {
		tool, arguments, _ := strings.Cut(call, " ")
		r := c.Call(tool, strings.Replace(arguments, `"graph":"work",`, "", 1))
		if r.IsError || r.RPC != nil {
			t.Fatalf("%s: %s", call, r)
		}
		change, _ = r.Meta["change"].(string)
		if profile == "wiki" && i == 0 {
			_, version, _ = strings.Cut(c.Call("get_note_history", `{"path":"Undo"}`).Text(), "\n\n- ")
			version, _, _ = strings.Cut(version, " ")
		}
	}
	return change, version
}

// keptIn returns what fills in the arguments of a call.
func keptIn(change, version string) func(arguments string) []string {
	blocks := []string{"keeprule1", "keeprule2", "keepjs001", "keepjs002", "keepcss01", "keepembed", "keepquick", "keepkid01", "keeprun01", "keeprun02", "keeprun03", "keeprun04"}
	children := []string{"keeprule1", "keeprule2", "keepjs001", "keepjs002", "keepcss01", "keepkid01", "keeprun02"}
	pages := []string{"keeprules", "keepjs000", "keepcss00"}
	titles := []string{"roam/agent guidelines", "agent guidelines", "Roam/Agent Guidelines", "roam/js", "roam/css", "roam/render", "roam/[[css]]"}
	codes := []string{"{{[[roam/js]]}}", "{{roam/js}}", "{{[[roam/render]]: ((plain0001))}}", "{{roam/render:((plain0001))}}", "{{[[roam/css]]}}", "{{ [[Roam/JS]] }}", "a ``{{[[roam/js]]}}``", "` \\` {{[[roam/js]]}} `"}
	var paths []string
	for _, uid := range pages {
		paths = append(paths, "(("+uid+"))")
	}
	places := []struct {
		name   string
		values []string
	}{{"KEPTBLOCK", blocks}, {"KEPTCHILD", children}, {"KEPTPAGE", pages}, {"KEPTPATH", paths}, {"KEPT", append(pages, blocks...)}, {"TITLE", titles}, {"CODEPART", codes[:1]}, {"CODE", codes}, {"CHANGE", []string{change}}, {"VERSION", []string{version}}}
	return func(arguments string) (all []string) {
		for _, each := range places {
			if !strings.Contains(arguments, each.name) {
				continue
			}
			for _, value := range each.values {
				with := quoted(value)
				if each.name == "CODEPART" {
					with = strings.Trim(with, `"`)
				}
				all = append(all, strings.ReplaceAll(arguments, each.name, with))
			}
			return all
		}
		return []string{arguments}
	}
}

// refused makes a call that changes nothing, and returns whether its answer says what is
// protected. Some tools refuse the pages of Roam's own for other reasons.
func refused(t *testing.T, w *profiletest.World, c *profiletest.Client, tool, arguments string) int {
	t.Helper()
	before := graphOf(t, w)
	w.ResetCalls()
	r := c.Call(tool, arguments)
	answer := r.String()
	for action := range w.Calls() {
		if strings.HasPrefix(action, "data.page.") || strings.HasPrefix(action, "data.block.") || action == "batchActions" || action == "data.ai.callExtensionTool" {
			t.Errorf("%s %s sent %s: %s", tool, arguments, action, answer)
		}
	}
	if !reflect.DeepEqual(graphOf(t, w), before) {
		t.Errorf("%s %s has changed the graph: %s", tool, arguments, answer)
	}
	says := strings.Contains(answer, "--edit-code") || strings.Contains(answer, "--edit-guidelines")
	if !r.IsError && r.RPC == nil && !says {
		t.Errorf("%s %s is answered with %s", tool, arguments, answer)
	}
	if says {
		return 1
	}
	return 0
}

// TestWhatIsNotProtectedIsWritten makes the writes that are near to what is refused.
func TestWhatIsNotProtectedIsWritten(t *testing.T) {
	permitted := []string{
		`create_block {"parentUid":"holds0001","markdown":"x"}`, `update_block {"uid":"holds0001","string":"above what is embedded"}`,
		`update_block {"uid":"plain0001","heading":1}`, `update_block {"uid":"plain0002","string":"see [[roam/js]] and [[roam/agent guidelines]]"}`,
		"update_block {\"uid\":\"plain0002\",\"string\":\"`{{[[roam/js]]}}` and `{{roam/css}}`\"}", "create_page {\"title\":\"How\",\"markdown\":\"- a\\n- ```html\\n{{[[roam/js]]}}```\"}",
		`update_block {"uid":"shown0002","string":"below what only shows"}`, `create_block {"parentUid":"shown0001","markdown":"x"}`, `call_extension_tool {"tool":"cards/make","args":{"front":"guidelines"}}`,
		`move_block {"uid":"plain0003","parentUid":"shown0001"}`, `delete_block {"uid":"adablock0"}`, `append_to_daily_note {"markdown":"x"}`,
	}
	w := profiletest.NewSuite(t, profiletest.Options{Export: protectedGraph(), Server: func(o *mcpserve.Options) { o.Toolsets = []string{"all"} }}).World(t)
	c := w.Connect(profiletest.Ways()[0])
	for _, call := range permitted {
		tool, arguments, _ := strings.Cut(call, " ")
		if answer := c.Call(tool, arguments).String(); strings.Contains(answer, "--edit") {
			t.Errorf("%s is answered with %s", call, answer)
		}
	}
	for name, tc := range map[string]struct {
		change func(*mcpserve.Options)
		calls  []string
		other  string // which is refused
	}{
		"--edit-guidelines": {func(o *mcpserve.Options) { o.EditGuidelines = true }, []string{`update_block {"uid":"keeprule2","string":"x"}`, `update_block {"uid":"keepkid01","string":"x"}`}, `{"uid":"keepjs001","string":"x"}`},
		"--edit-code":       {func(o *mcpserve.Options) { o.EditCode = true }, []string{`update_block {"uid":"keepjs002","string":"x"}`, `create_block {"pageTitle":"roam/css","markdown":"{{[[roam/css]]}}"}`}, `{"uid":"keeprule1","string":"x"}`},
	} {
		c, end := w.Serve(tc.change)
		defer end()
		for _, call := range tc.calls {
			tool, arguments, _ := strings.Cut(call, " ")
			if r := c.Call(tool, arguments); r.IsError {
				t.Errorf("with %s %s is answered with %s", name, call, r)
			}
		}
		if r := c.Call("update_block", tc.other); !r.IsError {
			t.Errorf("with %s %s is answered with %s", name, tc.other, r)
		}
	}
	t.Run("but what can't be checked", func(t *testing.T) {
		w.Switch("fail=q:out of order")
		before := w.Calls()["data.block.fromMarkdown"]
		answer := c.Call("create_block", `{"parentUid":"plain0001","markdown":"x"}`).String()
		if !strings.Contains(answer, "could not be checked") || !strings.Contains(answer, "out of order") || w.Calls()["data.block.fromMarkdown"] != before {
			t.Errorf("the answer is %s", answer)
		}
	})
}
