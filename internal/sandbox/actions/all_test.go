package actions

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/sandbox/desk"
)

// invocation is one action with arguments that work and some that do not.
type invocation struct {
	scope desk.Scope
	args  string   // a JSON array
	want  string   // the result: all of it, or after "~" a part; empty: undefined
	bad   []string // JSON arrays that the action refuses
}

// everyAction walks the actions of LOCAL_API.md 2 that this package's other
// tables do not.
func everyAction() map[string]invocation {
	all := map[string]invocation{}
	for _, part := range []map[string]invocation{writingActions(), readingActions(), showingActions(), queryingActions()} {
		maps.Copy(all, part)
	}
	return all
}

func writingActions() map[string]invocation {
	const noArgument, noUID = `[]`, `[{}]`
	return map[string]invocation{
		"data.block.updateBlocks": {desk.Edit, `[{"updates":[{"uid":"blk-child","string":"x"},{"uid":"none","string":"y"},{"uid":"blk-flour","heading":9},{"uid":"page-wate","open":true},{"uid":"blk-see-1","props":3}]}]`,
			`{"results":[{"uid":"blk-child","ok":true},{"uid":"none","ok":false,"code":"NOT_FOUND","message":"Block with uid \"none\" doesn't exist."},` +
				`{"uid":"blk-flour","ok":false,"code":"VALIDATION_ERROR","message":"A heading is 0 (none), 1, 2 or 3, not 9."},` +
				`{"uid":"page-wate","ok":false,"code":"VALIDATION_ERROR","message":"\"page-wate\" is a page, not a block."},` +
				`{"uid":"blk-see-1","ok":false,"code":"VALIDATION_ERROR","message":"props is an object"}]}`,
			[]string{noArgument, noUID, `[{"updates":[{"string":"x"}]}]`, `[{"updates":[{"uid":"blk-child"},{"uid":"blk-child"}]}]`, `[{"updates":[` + strings.Repeat(`{"uid":"a"},`, 25) + `{"uid":"a"}]}]`}},
		"data.block.deleteBlocks": {desk.Edit, `[{"uids":["blk-child","blk-flour","none","blk-flour","page-wate"]}]`,
			`{"results":[{"uid":"blk-child","ok":true,"deleted":true,"note":"deleted with its ancestor 'blk-flour'"},{"uid":"blk-flour","ok":true,"deleted":true},` +
				`{"uid":"none","ok":false,"deleted":false,"reason":"not-found"},{"uid":"blk-flour","ok":true,"deleted":true},` +
				`{"uid":"page-wate","ok":false,"deleted":false,"code":"VALIDATION_ERROR","message":"\"page-wate\" is a page, not a block."}]}`,
			[]string{noArgument, noUID, `[{"uids":"blk-child"}]`}},
		"data.block.reorderBlocks": {desk.Edit, `[{"location":{"parent-uid":"page-brea"},"blocks":["blk-priva","blk-see-1","blk-flour"]}]`, ``,
			[]string{noArgument, noUID, `[{"location":{"parent-uid":"page-brea"},"blocks":["blk-priva"]}]`, `[{"location":{"parent-uid":"page-brea"},"blocks":["blk-priva","blk-priva","blk-flour"]}]`,
				`[{"location":{"parent-uid":"page-brea"},"blocks":["blk-priva","blk-child","blk-flour"]}]`, `[{"location":{"parent-uid":"none"},"blocks":[]}]`}},
		"data.block.addComment": {desk.Append, `[{"block-uid":"blk-child","reply-string":"so so","reply-uid":"rep-00001"}]`, `~{"uids":["rep-00001"],"parentUid":"`,
			[]string{noArgument, noUID, `[{"block-uid":"blk-child"}]`, `[{"block-uid":"blk-child","reply-string":"a","reply-markdown":"b"}]`, `[{"block-uid":"none","reply-string":"a"}]`,
				`[{"block-uid":"page-wate","reply-string":"a"}]`, `[{"block-uid":"blk-child","reply-markdown":" "}]`, `[{"block-uid":"blk-child","reply-string":"a","reply-uid":"blk-flour"}]`}},
		"data.page.addShortcut":    {desk.Edit, `["page-brea",7]`, ``, []string{noArgument, `[""]`, `["none"]`, `["blk-child"]`, `["page-brea","first"]`}},
		"data.page.removeShortcut": {desk.Edit, `["page-brea"]`, ``, []string{noArgument, `["none"]`, `[3]`}},
		"data.user.upsert":         {desk.Append, `[{"user-uid":"u-ana","display-name":"Ana","photo-url":"https://example.org/a.png"}]`, ``, []string{noArgument, noUID}},
		"util.generateUID":         {desk.Read, `[]`, `~"`, nil},

		"createBlock": {desk.Append, `[{"location":{"parent-uid":"page-wate","order":0},"block":{"string":"x"}}]`, ``, []string{noArgument, noUID}},
		"createPage":  {desk.Append, `[{"page":{"title":"New"}}]`, ``, []string{noArgument, noUID}},
		"updateBlock": {desk.Edit, `[{"block":{"uid":"blk-child","string":"x"}}]`, `null`, []string{noArgument, noUID}},
		"deleteBlock": {desk.Edit, `[{"block":{"uid":"blk-child"}}]`, `{"deleted":true}`, []string{noArgument, noUID}},
		"moveBlock":   {desk.Edit, `[{"location":{"parent-uid":"page-wate","order":0},"block":{"uid":"blk-child"}}]`, `null`, []string{noArgument, noUID}},
		"updatePage":  {desk.Edit, `[{"page":{"uid":"page-wate","title":"Rain"}}]`, `null`, []string{noArgument, noUID}},
		"deletePage":  {desk.Edit, `[{"page":{"uid":"page-wate"}}]`, `{"deleted":true}`, []string{noArgument, noUID}},
		"batchActions": {desk.Append, `[{"actions":[{"action":"create-page","page":{"title":"Rye","uid":"page-rye0"}},{"action":"create-block","location":{"parent-uid":"page-rye0","order":0},"block":{"string":"a","uid":"blk-rye-a"}},
			{"action":"update-block","block":{"uid":"blk-rye-a","string":"b"}},{"action":"move-block","location":{"parent-uid":"page-wate","order":0},"block":{"uid":"blk-rye-a"}},
			{"action":"delete-block","block":{"uid":"blk-child"}},{"action":"update-page","page":{"uid":"page-rye0","title":"Oats"}},{"action":"delete-page","page":{"uid":"page-rye0"}}]}]`, ``,
			[]string{noArgument, noUID, `[{"actions":[{"action":"create-page","page":{"title":"Rye"}},{"action":"paint"}]}]`, `[{"actions":[{"action":"create-page","page":{"title":"Rye"}},{"action":"create-page","page":{"title":"Rye"}}]}]`,
				`[{"actions":[3]}]`, `[{"actions":[{"action":"create-block","block":{}}]}]`, `[{"actions":[{"action":"delete-block"}]}]`, `[{"actions":[{"action":"delete-page"}]}]`, `[{"actions":[{"action":"create-page"}]}]`}},

		"file.upload": {desk.Append, `[{"base64":"iVBORw==","mimetype":"image/png","filename":"../my pic.png"}]`, `~"![](https://files.sandbox.invalid/hosted/small/`,
			[]string{noArgument, noUID, `[{"base64":"iVBORw=="}]`, `[{"base64":"%%","mimetype":"image/png"}]`, `[{"base64":"iVBORw==","mimetype":"///"}]`}},
		"util.uploadFile": {desk.Append, `[{"base64":"","mimetype":"application/pdf"}]`, `~"{{[[pdf]]: https://`, []string{noUID}},
		"file.delete":     {desk.Edit, `[{"url":"https://files.sandbox.invalid/hosted/small/abc/x.png"}]`, ``, []string{noArgument, noUID, `[{"url":"%zz"}]`}},
	}
}

func readingActions() map[string]invocation {
	const at = `"queriedAt":"2026-11-21T09:30:00.000Z"`
	return map[string]invocation{
		"data.ai.getComments":     {desk.Read, `[{"uid":"blk-child"}]`, `{` + at + `,"total":0,"comments":[]}`, []string{`[]`, `[{}]`, `[{"uid":"page-wate"}]`}},
		"data.ai.searchTemplates": {desk.Read, `[{"query":"daily"}]`, `{` + at + `,"results":[]}`, []string{`[{"query":3}]`}},
		"data.ai.callExtensionTool": {desk.Read, `[{"tool":"cards/make","args":{"front":"a"}}]`, `{"tool":"cards/make","result":{"card":"a"},` + at + `}`,
			[]string{`[]`, `[{}]`, `[{"tool":"cards/none"}]`, `[{"tool":"cards/make"}]`, `[{"tool":"cards/make","args":{"front":1}}]`, `[{"tool":"cards/make","args":{"front":"fail"}}]`}},
		"depot.getInstalledExtensions":    {desk.Read, `[]`, `{"cards":{"id":"cards","name":"Cards"}}`, nil},
		"depot.reloadDeveloperExtensions": {desk.Read, `[]`, `{"reloaded":[{"id":"cards","name":"Cards"}]}`, nil},
		"data.semanticSearchEnabled":      {desk.Read, `[]`, `false`, nil},
		"graph.name":                      {desk.Read, `[]`, `"small"`, nil},
		"graph.type":                      {desk.Read, `[]`, `"hosted"`, nil},
		"graph.isEncrypted":               {desk.Read, `[]`, `false`, nil},
		"user.uid":                        {desk.Read, `[]`, `"` + human.uid + `"`, nil},
		"user.isAdmin":                    {desk.Read, `[]`, `true`, nil},
		"util.dateToPageTitle":            {desk.Read, `["2026-11-21T23:30:00.000Z"]`, `"November 21st, 2026"`, []string{`[]`, `["soon"]`, `[{}]`, `[1e300]`}},
		"util.dateToPageUid":              {desk.Read, `[1795303800000]`, `"11-21-2026"`, []string{`[]`, `["November 21st, 2026"]`, `[true]`}},
		"util.pageTitleToDate":            {desk.Read, `["November 21st, 2026"]`, `"2026-11-21T00:00:00.000Z"`, []string{`[7]`}},
		"data.async.roamQuery":            {desk.Read, `[{"query":"{and: [[Water]]}"}]`, `~"total":`, []string{`[]`, `[{}]`}},
		"file.get":                        {desk.Read, ``, ``, []string{`[]`, `[{}]`, `[{"url":"https://files.sandbox.invalid/hosted/small/none/x"}]`, `[{"url":"https://files.sandbox.invalid/hosted/demo/none/x"}]`, `[{"url":"https://example.org/a.png"}]`, `[{"url":"https://files.sandbox.invalid/hosted/small/..%2Fdemo/x"}]`, `[{"url":"x","format":"hex"}]`}},
	}
}

func showingActions() map[string]invocation {
	none := []string{`[]`, `[{}]`}
	const pane = `[{"window":{"type":"outline","block-uid":"page-brea"}}]`
	return map[string]invocation{
		"ui.mainWindow.getOpenView":                {desk.Read, `[]`, `{"type":"log","uids":["11-21-2026"]}`, nil},
		"ui.mainWindow.getOpenPageOrBlockUid":      {desk.Read, `[]`, `null`, nil},
		"ui.mainWindow.openBlock":                  {desk.Read, `[{"block":{"uid":"blk-child"}}]`, ``, none},
		"ui.mainWindow.openPage":                   {desk.Read, `[{"page":{"title":"Bread"}}]`, ``, none},
		"ui.mainWindow.openDailyNotes":             {desk.Read, `[]`, ``, nil},
		"ui.mainWindow.focusFirstBlock":            {desk.Read, `[]`, ``, nil},
		"ui.getFocusedBlock":                       {desk.Read, `[]`, `null`, nil},
		"ui.setBlockFocusAndSelection":             {desk.Read, `[{"location":{"block-uid":"blk-child"}}]`, ``, none},
		"ui.multiselect.getSelected":               {desk.Read, `[]`, `[]`, nil},
		"ui.individualMultiselect.getSelectedUids": {desk.Read, `[]`, `[]`, nil},
		"ui.rightSidebar.getWindows":               {desk.Read, `[]`, `[]`, nil},
		"ui.rightSidebar.addWindow":                {desk.Read, pane, ``, append(none, `[{"window":{"type":"block"}}]`, `[{"window":{"type":"search-query"}}]`, `[{"window":{"window-id":"x"}}]`)},
		"ui.rightSidebar.removeWindow":             {desk.Read, pane, ``, none},
		"ui.rightSidebar.expandWindow":             {desk.Read, pane, ``, none},
		"ui.rightSidebar.collapseWindow":           {desk.Read, pane, ``, none},
		"ui.rightSidebar.pinWindow":                {desk.Read, pane, ``, none},
		"ui.rightSidebar.unpinWindow":              {desk.Read, pane, ``, none},
		"ui.rightSidebar.setWindowOrder":           {desk.Read, `[{"window":{"type":"outline","block-uid":"page-brea","order":1}}]`, ``, append(none, pane)},
		"ui.rightSidebar.open":                     {desk.Read, `[]`, ``, nil},
		"ui.rightSidebar.close":                    {desk.Read, `[]`, ``, nil},
		"ui.leftSidebar.open":                      {desk.Read, `[]`, ``, nil},
		"ui.leftSidebar.close":                     {desk.Read, `[]`, ``, nil},
		"ui.filters.getGlobalFilters":              {desk.Read, `[]`, `{"includes":[],"removes":[]}`, nil},
		"ui.filters.addGlobalFilter":               {desk.Read, `[{"title":"Water","type":"includes"}]`, ``, append(none, `[{"title":"Water","type":"some"}]`)},
		"ui.filters.removeGlobalFilter":            {desk.Read, `[{"title":"Water","type":"removes"}]`, ``, none},
		"ui.filters.getPageFilters":                {desk.Read, `[{"page":{"title":"Bread"}}]`, `{"includes":[],"removes":[]}`, append(none, `[{"page":{"uid":"none"}}]`)},
		"ui.filters.setPageFilters":                {desk.Read, `[{"page":{"title":"Bread"},"filters":{"includes":["Water"]}}]`, ``, append(none, `[{"page":{"title":"Bread"}}]`)},
		"ui.filters.getPageLinkedRefsFilters":      {desk.Read, `[{"page":{"title":"Bread"}}]`, `{"includes":[],"removes":[]}`, none},
		"ui.filters.setPageLinkedRefsFilters":      {desk.Read, `[{"page":{"title":"Bread"},"filters":{}}]`, ``, none},
		"ui.filters.getSidebarWindowFilters":       {desk.Read, pane, `{"includes":[],"removes":[]}`, append(none, `[{"window":{"type":"search-query","search-query-str":"x"}}]`)},
		"ui.filters.setSidebarWindowFilters":       {desk.Read, `[{"window":{"type":"outline","block-uid":"page-brea"},"filters":{"removes":["Water"]}}]`, ``, append(none, pane)},
	}
}

func queryingActions() map[string]invocation {
	const title = `["[:find (pull ?p [:block/uid :children/view-type]) . :in $ ?t :where [?p :node/title ?t]]","Bread"]`
	bad := []string{`[]`, `[7]`, `["[:find ?x"]`, `["[:find ?x :in $ ?t :where [?x :node/title ?t]]"]`, `["[:find ?x :where [(no-such ?x) ?x]]"]`, `["[:find ?x :where [?x :create/time ms/never]]"]`}
	const entity = `["[:block/uid {:block/page [:node/title]}]",[":block/uid","blk-child"]]`
	badPull := []string{`[]`, `["[*]"]`, `[null,1]`, `["[",1]`, `["[*]","what"]`}
	const stripped, qualified = `{"uid":"page-brea"}`, `{":block/uid":"page-brea"}`
	const pulled = `{":block/uid":"blk-child",":block/page":{":node/title":"Bread"}}`
	all := map[string]invocation{}
	for _, name := range []string{"q", "data.q", "data.backend.q", "data.async.q"} {
		all[name] = invocation{desk.Read, title, stripped, bad}
	}
	for _, name := range []string{"data.fast.q", "data.async.fast.q"} {
		all[name] = invocation{desk.Read, title, qualified, bad}
	}
	for _, name := range []string{"pull", "data.pull", "data.async.pull"} {
		all[name] = invocation{desk.Read, entity, pulled, badPull}
	}
	for _, name := range []string{"data.pull_many", "data.pull-many", "data.async.pull_many"} {
		all[name] = invocation{desk.Read, `["[:block/uid]",["[:block/uid \"blk-child\"]",[":block/uid","none"]]]`, `[{":block/uid":"blk-child"},null]`, append(badPull, `["[*]",1]`)}
	}
	return all
}

// cardsExtension makes cards, and fails when it is asked to.
func cardsExtension() Extension {
	return Extension{ID: "cards", Name: "Cards", Developer: true, Tools: []ExtensionTool{{
		Name: "make", Description: "Makes a card.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"front":{"type":"string"}},"required":["front"]}`),
		Run:         makeCard,
	}, {
		Name: "shred", Description: "Destroys all cards.", Scope: desk.Edit, Run: makeCard,
	}}}
}

func TestEveryAction(t *testing.T) {
	options := Options{Extensions: []Extension{cardsExtension()}}
	all := everyAction()
	t.Run("asks for its scope", func(t *testing.T) {
		for action, step := range all {
			if scope, ok := New(options).Scope(action); !ok || scope != step.scope {
				t.Errorf("%s needs %q, want %s", action, scope, step.scope)
			}
		}
	})
	t.Run("refuses what it can't use", func(t *testing.T) {
		c := start(t, options)
		for action, step := range all {
			for _, args := range step.bad {
				if _, err := c.tryArgs(action, args); err == nil || err.Error() == "" {
					t.Errorf("%s %s: %v, want an error that says what is wrong", action, args, err)
				}
			}
		}
		if db := c.Graph.Data.DB(); db.Count(graphdb.BlockString) != 5 || db.Count(graphdb.NodeTitle) != 4 {
			t.Error("a refused call has written")
		}
	})
	t.Run("does its work", func(t *testing.T) {
		shared, writes := start(t, options), writingActions()
		// Those with a result come first: they tell the state before the others
		// change what the window shows.
		order := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(all[b].want), len(all[a].want)), cmp.Compare(a, b))
		})
		for _, action := range order {
			step := all[action]
			if step.args == "" {
				continue
			}
			c := shared
			if _, write := writes[action]; write {
				c = start(t, options)
			}
			got, err := c.tryArgs(action, step.args)
			part, partial := strings.CutPrefix(step.want, "~")
			if err != nil || !partial && got != step.want || partial && !strings.Contains(got, part) {
				t.Errorf("%s gives %s, %v\nwant %s", action, got, err, step.want)
			}
		}
	})
}
