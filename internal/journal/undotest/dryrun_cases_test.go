package undotest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/require"
)

// call makes a call of the agent.
func (w *rebuildWorld) call(tool string, args fields) *mcp.CallToolResult {
	w.t.Helper()
	result, err := w.agents[0].CallTool(w.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(w.t, err)
	return result
}

// newDryRunWorld is a rebuildWorld of one agent.
func newDryRunWorld(t *testing.T, profile string, toolsets ...string) *rebuildWorld {
	t.Helper()
	w := newRebuildWorld(t, rebuildPlan{profiles: []string{profile}, agents: []int{0}, toolsets: toolsets})
	t.Cleanup(w.close)
	t.Cleanup(w.closeServers)
	return w
}

// TestADeletionTellsItsEffectAndItsNumber deletes the same page in each profile.
func TestADeletionTellsItsEffectAndItsNumber(t *testing.T) {
	for profile, step := range map[string]step{
		"roam":    {"delete_page", fields{"uid": "alpha0001"}},
		"graph":   {"delete_node", fields{"id": "alpha0001"}},
		"notes":   {"delete_note", fields{"id": "alpha0001"}},
		"outline": {"delete_page", fields{"page_name": "Alpha", "force": true}},
		"wiki":    {"delete_note", fields{"path": "Alpha"}},
	} {
		t.Run(profile, func(t *testing.T) {
			w := newDryRunWorld(t, profile)
			before := w.read()
			result := w.call(step.name, step.args)
			if result.IsError {
				t.Fatal(result.Content[0].(*mcp.TextContent).Text)
			}
			want := differing(before, w.read(), "alpha0001", false)
			want.Undoable = "yes"
			var reply struct{ Effect told }
			text, _ := json.Marshal(result.Meta)
			if profile == "roam" {
				text = []byte(result.Content[0].(*mcp.TextContent).Text)
			}
			require.NoError(t, json.Unmarshal(text, &reply))
			if !reflect.DeepEqual(reply.Effect, want) || profile != "wiki" && want.PagesRewritten != 2 { // which keeps a page that others link
				t.Errorf("the effect is %+v, want %+v; the reply is %s", reply.Effect, want, text)
			}
			if number := strconv.FormatInt(w.newest(), 10); result.Meta["change"] != number {
				t.Errorf("the change is %v, and the newest call is %s", result.Meta["change"], number)
			}
		})
	}
}

// TestTheEffectHasWhatNoLinkShows deletes the page of a component, which is no link in the profile graph.
func TestTheEffectHasWhatNoLinkShows(t *testing.T) {
	w := newDryRunWorld(t, "graph")
	w.must("data.page.create", fields{"page": fields{"title": "TODO", "uid": "todo00001"}})
	for range 3 {
		w.must("data.block.create", fields{"location": fields{"parent-uid": "alpha0001", "order": "last"}, "block": fields{"string": "{{[[TODO]]}} bake"}})
	}
	result := w.call("delete_node", fields{"id": "todo00001"})
	text, _ := json.Marshal(result.Meta)
	var meta struct{ Effect told }
	require.NoError(t, json.Unmarshal(text, &meta))
	if meta.Effect.Rewritten != 3 {
		t.Errorf("it tells %s", text)
	}
}

// TestAWriteTellsNoEffectWhereThereIsNone makes writes that take nothing away.
func TestAWriteTellsNoEffectWhereThereIsNone(t *testing.T) {
	w := newDryRunWorld(t, "roam")
	result := w.call("create_block", fields{"parentUid": "alpha0001", "markdown": "more"})
	reply := result.Content[0].(*mcp.TextContent).Text
	var told struct{ Effect *told }
	require.NoError(t, json.Unmarshal([]byte(reply), &told))
	if told.Effect != nil || result.Meta["change"] != strconv.FormatInt(w.newest(), 10) {
		t.Errorf("it tells %s, and %v", reply, result.Meta)
	}
	failed := w.call("create_block", fields{"parentUid": "nowhere01", "markdown": "more"})
	if !failed.IsError || failed.Meta["change"] != strconv.FormatInt(w.newest(), 10) {
		t.Errorf("a failure tells %v", failed.Meta)
	}
	if read := w.call("get_block", fields{"uid": "alpha0001"}); read.Meta["change"] != nil {
		t.Errorf("a read tells %v", read.Meta)
	}
}

// TestADryRunLeavesNoTrace tries what is refused, and what is done: nothing is in the journal, which is
// not even made.
func TestADryRunLeavesNoTrace(t *testing.T) {
	w := newDryRunWorld(t, "roam")
	w.must("data.page.create", fields{"page": fields{"title": "roam/agent guidelines", "uid": "rules0001"}})
	w.must("data.block.create", fields{"location": fields{"parent-uid": "rules0001", "order": "last"}, "block": fields{"uid": "rule00001", "string": "Be brief"}})
	before := w.read()
	for _, step := range []step{
		{"delete_block", fields{"uid": "rule00001"}},
		{"delete_blocks", fields{"uids": []string{"look00001", "rule00001"}}},
		{"delete_page", fields{"uid": "rules0001"}},
		{"delete_page", fields{"uid": "beta00001"}},
		{"update_page", fields{"uid": "beta00001", "title": "Alpha"}},
		{"update_page", fields{"uid": "beta00001", "title": "Alpha", "mergePages": true}},
	} {
		step.args["dryRun"] = true
		w.call(step.name, step.args)
	}
	if after := w.read(); !reflect.DeepEqual(after, before) {
		t.Error("the graph is another one")
	}
	if _, err := os.Stat(filepath.Join(w.folder, "journal.db")); !os.IsNotExist(err) {
		t.Errorf("there is a journal: %v", err)
	}
}

// TestARenameToTheTitleThatAPageHasIsNone gives a page its own title.
func TestARenameToTheTitleThatAPageHasIsNone(t *testing.T) {
	for name, tc := range map[string]struct {
		args  fields
		title string
		calls int // of the journal
	}{
		"nothing is sent":                             {fields{"title": "Beta"}, "Beta", 0},
		"nothing is merged":                           {fields{"title": "Beta", "mergePages": true}, "Beta", 0},
		"how its blocks are listed is changed alone":  {fields{"title": "Beta", "childrenViewType": "numbered"}, "Beta", 1},
		"another spelling is another title":           {fields{"title": "beta"}, "beta", 1},
		"what merges it into another page still does": {fields{"title": "Alpha", "mergePages": true}, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newDryRunWorld(t, "roam")
			before := w.read()
			tc.args["uid"] = "beta00001"
			result := w.call("update_page", tc.args)
			text := result.Content[0].(*mcp.TextContent).Text
			var reply struct{ Success bool }
			if err := json.Unmarshal([]byte(text), &reply); err != nil || !reply.Success {
				t.Errorf("the reply is %s", text)
			}
			after := w.read()
			title := ""
			if page := after.Nodes["beta00001"]; page != nil {
				title, _ = strconv.Unquote(page.Attrs[":node/title"])
			}
			if len(w.recorded()) != tc.calls || title != tc.title {
				t.Errorf("the journal has %v, and the title is %q", w.recorded(), title)
			}
			for _, change := range w.changes() {
				if tc.args["childrenViewType"] != nil && change.Class != "look" {
					t.Errorf("it is recorded as %s", change.Class)
				}
			}
			if tc.calls == 0 && (!reflect.DeepEqual(after, before) || result.Meta["change"] != nil) {
				t.Errorf("it tells %v", result.Meta)
			}
		})
	}
}
