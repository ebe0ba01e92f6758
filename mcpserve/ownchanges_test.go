package mcpserve_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

const planExport = `[{"title":"Plan Q4","uid":"planq4000","children":[
	{"string":"one","uid":"one000001"},{"string":"two","uid":"two000001","children":[{"string":"below two","uid":"below0001"}]},{"string":"three","uid":"three0001"}]},
	{"title":"Other","uid":"other0001","children":[{"string":"away","uid":"away00001"}]}]`

// ownWorld is a world whose journal keeps texts.
type ownWorld struct{ *profiletest.World }

// fields are those of an argument of an action.
type fields = map[string]any

func newOwnWorld(t *testing.T, change func(*profiletest.Options)) ownWorld {
	t.Helper()
	options := profiletest.Options{Export: planExport, History: true}
	if change != nil {
		change(&options)
	}
	w := ownWorld{profiletest.NewSuite(t, options).World(t)}
	require.NoError(t, w.Store.SetHistory(t.Context(), profiletest.MainGraph, configstore.On))
	return w
}

// as starts another server, whose agent has a name that the user gave.
func (w ownWorld) as(name string) *profiletest.Client {
	w.T.Helper()
	c, end := w.Serve(func(o *mcpserve.Options) { o.Agent = name })
	w.T.Cleanup(end)
	return c
}

// stdio connects a client that names itself.
func (w ownWorld) stdio(name string) *profiletest.Client {
	w.T.Helper()
	return w.ConnectAs(profiletest.Ways()[0], name)
}

// person sets the text of a block.
func (w ownWorld) person(uid, text string) {
	w.T.Helper()
	w.Roam("data.block.update", fields{"block": fields{"uid": uid, "string": text}})
}

// texts returns all texts and titles of the graph, in order.
func (w ownWorld) texts() string {
	w.T.Helper()
	var rows [][2]string
	w.Query(&rows, `[:find ?u ?s :where (or [?b :block/string ?s] [?b :node/title ?s]) [?b :block/uid ?u]]`)
	rows = slices.DeleteFunc(rows, func(row [2]string) bool { return row[1] == "Sandbox user (AI)" }) // the page of who writes
	slices.SortFunc(rows, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return fmt.Sprint(rows)
}

// writes counts what was sent that changes a graph.
func (w ownWorld) writes() (n int) {
	for action, times := range w.Calls() {
		if strings.HasPrefix(action, "data.block.") || strings.HasPrefix(action, "data.page.") {
			n += times
		}
	}
	return n
}

type ownList struct {
	Changes []struct {
		Change, Tool, Summary, State, Undone string
		Undoable                             *bool
	}
	Next int64
	Note string
}

func (l ownList) numbers() (numbers []string) {
	for _, each := range l.Changes {
		numbers = append(numbers, each.Change)
	}
	return numbers
}

func listOwn(t *testing.T, c *profiletest.Client, arguments string) (list ownList) {
	t.Helper()
	c.Call("my_changes", arguments).Decode(t, &list)
	return list
}

type ownUndone struct {
	Undone, AlreadyUndone []string
	Left                  []struct{ Change, UID, Field, Was, Left, Is, Why, ChangedBy string }
	NotShown              int
	Change                string
	DryRun                bool
	Renewed               map[string]string
}

func undoOwn(t *testing.T, c *profiletest.Client, arguments string) (undone ownUndone) {
	t.Helper()
	c.Call("undo_changes", arguments).Decode(t, &undone)
	return undone
}

// does calls a tool that must succeed.
func does(t *testing.T, c *profiletest.Client, tool, arguments string) {
	t.Helper()
	if result := c.Call(tool, arguments); result.IsError || result.RPC != nil {
		t.Fatalf("%s: %s", tool, result)
	}
}

// refuses calls a tool whose error must have a code.
func refuses(t *testing.T, c *profiletest.Client, code, tool, arguments string) string {
	t.Helper()
	result := c.Call(tool, arguments)
	if !result.IsError || !strings.Contains(result.Text(), `"code":"`+code+`"`) {
		t.Fatalf("%s %s: %s, not %s", tool, arguments, result, code)
	}
	return result.Text()
}

func TestAnAgentTakesItsOwnChangesBack(t *testing.T) {
	w := newOwnWorld(t, nil)
	c := w.as("claude")
	before := w.texts()
	does(t, c, "update_block", `{"uid":"one000001","string":"uno"}`)
	does(t, c, "delete_block", `{"uid":"two000001"}`)
	does(t, c, "create_page", `{"title":"Fresh","markdown":"- a\n  - b [[Fresher]]"}`)
	does(t, c, "update_page", `{"uid":"planq4000","title":"Plan Q5"}`)

	list := listOwn(t, c, `{}`)
	if got := strings.Join(list.numbers(), " "); got != "4 3 2 1" {
		t.Fatalf("its changes are %s", got)
	}
	if s := list.Changes[2]; s.Tool != "delete_block" || s.State != "done" || s.Summary != "a block and 1 below" || s.Undoable != nil {
		t.Errorf("the deletion is %+v", s)
	}
	if got := listOwn(t, c, `{"page":"Plan Q5","limit":1}`); len(got.Changes) != 1 || got.Next != 4 {
		t.Errorf("of the page there are %+v", got)
	}
	for arguments, want := range map[string]string{`{"uid":"one000001"}`: "1", `{"page":"planq4000","before":"4"}`: "2 1", `{"since":"today"}`: "4 3 2 1", `{"since":"3"}`: "4 3", `{"page":"nowhere"}`: ""} {
		if got := strings.Join(listOwn(t, c, arguments).numbers(), " "); got != want {
			t.Errorf("%s: %s, not %s", arguments, got, want)
		}
	}

	planned := undoOwn(t, c, `{"changes":["2","3"],"dryRun":true}`)
	if got := fmt.Sprint(planned.Undone, planned.Left, planned.DryRun, planned.Change); got != "[3 2] [] true" {
		t.Errorf("the plan is %s", got)
	}
	if undone := undoOwn(t, c, `{"changes":["1"]}`); fmt.Sprint(undone.Undone, undone.Left) != "[1] []" || undone.Change != "5" {
		t.Errorf("undone is %+v", undone)
	}
	if undone := undoOwn(t, c, `{}`); fmt.Sprint(undone.Undone) != "[4]" {
		t.Errorf("the newest is %+v", undone)
	}
	if undone := undoOwn(t, c, `{"changes":["2.1","3"]}`); fmt.Sprint(undone.Undone, undone.Left) != "[3 2.1] []" {
		t.Errorf("undone is %+v", undone)
	}
	if after := w.texts(); after != before {
		t.Errorf("the graph is\n%s\nand was\n%s", after, before)
	}
	list = listOwn(t, c, `{}`)
	if newest := list.Changes[0]; newest.Tool != history.ToolUndoChanges || newest.Undoable == nil || *newest.Undoable {
		t.Errorf("the undo is %+v", newest)
	}
	if oldest := list.Changes[len(list.Changes)-1]; oldest.Undone != "5" {
		t.Errorf("the first change is %+v", oldest)
	}
}

func TestAChangeIsShownWithWhatBecameOfIt(t *testing.T) {
	w := newOwnWorld(t, nil)
	c := w.as("claude")
	does(t, c, "update_blocks", `{"updates":[{"uid":"one000001","string":"uno","heading":2},{"uid":"two000001","string":"due"},{"uid":"three0001","string":"tre"},{"uid":"below0001","string":"sotto"}]}`)
	w.person("two000001", "zwei")
	w.Roam("data.block.delete", fields{"block": fields{"uid": "three0001"}})
	var change struct {
		Change, Tool, State string
		Blocks              []struct {
			UID, Was, Is, Now string
			Path, Changed     []string
		}
		Lacks    []string
		NotShown int
	}
	c.Call("get_change", `{"change":"1"}`).Decode(t, &change)
	if got, want := fmt.Sprint(change), "{1 update_blocks done [{below0001 below two sotto as left [Plan Q4 zwei] []} {one000001 one uno as left [Plan Q4] [heading]} {three0001 three tre gone [Plan Q4] []} {two000001 two due changed since [Plan Q4] []}] [] 0}"; got != want {
		t.Errorf("it is\n%s, not\n%s", got, want)
	}
}

func TestWhatOthersChangedIsNotAnAgentsOwn(t *testing.T) {
	w := newOwnWorld(t, nil)
	claude, codex := w.as("claude"), w.as("codex")
	does(t, claude, "update_block", `{"uid":"one000001","string":"uno"}`)
	does(t, codex, "update_block", `{"uid":"two000001","string":"due"}`)
	if got := listOwn(t, codex, `{}`).numbers(); fmt.Sprint(got) != "[2]" {
		t.Errorf("codex has made %v", got)
	}
	for _, tool := range []string{"get_change", "undo_changes"} {
		arguments := map[string]string{"get_change": `{"change":%q}`, "undo_changes": `{"changes":[%q]}`}[tool]
		of := func(number string) string {
			return strings.ReplaceAll(refuses(t, codex, "NOT_FOUND", tool, fmt.Sprintf(arguments, number)), number, "N")
		}
		if other, missing := of("1"), of("99"); other != missing {
			t.Errorf("%s: what is another's is told as %s, what is not there as %s", tool, other, missing)
		}
	}
	if undone := undoOwn(t, codex, `{}`); fmt.Sprint(undone.Undone) != "[2]" {
		t.Errorf("undone is %+v", undone)
	}
	if undone := undoOwn(t, codex, `{}`); len(undone.Undone)+len(undone.Left) > 0 {
		t.Errorf("nothing is left to undo, and it is %+v", undone)
	}
	again := w.as("claude") // another server
	if undone := undoOwn(t, again, `{}`); fmt.Sprint(undone.Undone) != "[1]" {
		t.Errorf("undone is %+v", undone)
	}
}

func TestAnAgentThatNamesItselfHasItsSessionAlone(t *testing.T) {
	w := newOwnWorld(t, nil)
	first, second := w.stdio("claude"), w.stdio("claude")
	if list := listOwn(t, first, `{}`); len(list.Changes) > 0 || list.Note != "" {
		t.Errorf("before all there is %+v", list)
	}
	does(t, first, "update_block", `{"uid":"one000001","string":"uno"}`)
	does(t, second, "update_block", `{"uid":"two000001","string":"due"}`)
	does(t, second, "update_block", `{"uid":"three0001","string":"tre"}`)
	if got := listOwn(t, first, `{}`).numbers(); fmt.Sprint(got) != "[1]" {
		t.Errorf("the first has made %v", got)
	}
	refuses(t, first, "NOT_FOUND", "undo_changes", `{"changes":["2"]}`)
	if undone := undoOwn(t, second, `{"session":"this"}`); fmt.Sprint(undone.Undone) != "[3 2]" {
		t.Errorf("undone is %+v", undone)
	}
	named := w.as("test")
	does(t, named, "update_block", `{"uid":"away00001","string":"here"}`)
	if undone := undoOwn(t, named, `{"session":"this"}`); fmt.Sprint(undone.Undone) != "[5]" {
		t.Errorf("undone is %+v", undone)
	}
}

func TestAPersonsUndoIsNotTheAgents(t *testing.T) {
	w := newOwnWorld(t, nil)
	c := w.as("you") // as people are called in the journal
	does(t, c, "update_block", `{"uid":"one000001","string":"uno"}`)
	person := w.Journal()
	defer func() { require.NoError(t, person.Close(t.Context())) }()
	change, err := person.Intend(t.Context(), history.Intent{Who: history.Who{Agent: "you"}, Graph: history.Graph{Name: profiletest.MainGraph, Type: "hosted"}, Tool: history.ToolUndo, Action: "data.block.update", Class: "text"})
	require.NoError(t, err)
	if got := listOwn(t, c, `{}`).numbers(); fmt.Sprint(got) != "[1]" {
		t.Errorf("the agent has made %v", got)
	}
	refuses(t, c, "NOT_FOUND", "undo_changes", fmt.Sprintf(`{"changes":["%d"]}`, change.Call))
	own := undoOwn(t, c, `{}`)
	if fmt.Sprint(own.Undone) != "[1]" {
		t.Errorf("undone is %+v", own)
	}
	refuses(t, c, "UNDO_NOT_POSSIBLE", "undo_changes", fmt.Sprintf(`{"changes":[%q]}`, own.Change)) // there is no redo
	refuses(t, c, "INVALID_PARAMS", "undo_changes", `{"changes":["1"],"session":"this"}`)
}

func TestWhatWasChangedSinceIsLeftAndTold(t *testing.T) {
	w := newOwnWorld(t, nil)
	c, other := w.as("claude"), w.as("codex")
	does(t, c, "update_blocks", `{"updates":[{"uid":"one000001","string":"uno"},{"uid":"two000001","string":"due"},{"uid":"three0001","string":"tre"},{"uid":"away00001","string":"via"}]}`)
	w.person("one000001", "mine")
	does(t, other, "update_block", `{"uid":"two000001","string":"theirs"}`)
	does(t, c, "update_block", `{"uid":"three0001","string":"own"}`)
	undone := undoOwn(t, c, `{"changes":["1"]}`)
	if got, want := fmt.Sprint(undone.Undone, undone.Left), "[1] [{1.1 one000001 text one uno mine it was changed since a person} {1.1 three0001 text three tre own it was changed since this agent} {1.1 two000001 text two due theirs it was changed since another agent}]"; got != want {
		t.Errorf("it is\n%s, not\n%s", got, want)
	}
	for uid, want := range map[string]string{"one000001": "mine", "two000001": "theirs", "three0001": "own", "away00001": "away"} {
		if text, _ := w.Text(uid); text != want {
			t.Errorf("%s is %q, not %q", uid, text, want)
		}
	}
	w.ResetCalls()
	if again := undoOwn(t, c, `{"changes":["1"]}`); fmt.Sprint(again.Undone, again.AlreadyUndone) != "[] [1]" || w.writes() > 0 {
		t.Errorf("again it is %+v, with %d writes", again, w.writes())
	}
}

func TestAPlanOfAnUndoSendsNothing(t *testing.T) {
	w := newOwnWorld(t, nil)
	c := w.as("claude")
	does(t, c, "delete_block", `{"uid":"two000001"}`)
	does(t, c, "create_block", `{"parentUid":"planq4000","markdown":"- four"}`)
	before := w.texts()
	w.ResetCalls()
	if planned := undoOwn(t, c, `{"session":"this","dryRun":true}`); fmt.Sprint(planned.Undone) != "[2 1]" || planned.Change != "" {
		t.Errorf("the plan is %+v", planned)
	}
	if w.writes() > 0 || w.texts() != before || len(listOwn(t, c, `{}`).Changes) != 2 {
		t.Errorf("it has sent %v", w.Calls())
	}
}

func TestTwoUndosAtOnceUndoNothingTwice(t *testing.T) {
	w := newOwnWorld(t, nil)
	first, second := w.as("claude"), w.as("claude")
	before := w.texts()
	for i := range 6 {
		does(t, first, "create_block", fmt.Sprintf(`{"parentUid":"planq4000","markdown":"- new %d\n  - below"}`, i))
	}
	var results [4]profiletest.Result
	var running sync.WaitGroup
	for i, c := range []*profiletest.Client{first, second, first, second} {
		running.Go(func() { results[i] = c.CallAtOnce(t.Context(), "undo_changes", `{"session":"this"}`) })
		if i > 1 {
			continue
		}
		running.Go(func() { c.CallAtOnce(t.Context(), "undo_changes", `{"changes":["1","2","3","4","5","6"]}`) })
	}
	running.Wait()
	for _, each := range results {
		if each.IsError || each.RPC != nil {
			t.Errorf("an undo ends with %s", each)
		}
	}
	if after := w.texts(); after != before {
		t.Errorf("the graph is\n%s\nand was\n%s", after, before)
	}
	deleted := 0
	for _, request := range exported(t, w) {
		deleted += strings.Count(request, `"data.block.delete"`)
	}
	if deleted != 6 {
		t.Errorf("%d deletions of six blocks are recorded", deleted)
	}
}

// exported returns the lines of the journal.
func exported(t *testing.T, w ownWorld) []string {
	t.Helper()
	journal := w.Journal()
	defer func() { require.NoError(t, journal.Close(t.Context())) }()
	var out strings.Builder
	require.NoError(t, journal.Export(t.Context(), &out, history.Filter{}))
	return strings.Split(out.String(), "\n")
}

func TestAStatelessConnectionOverHTTPHasNoChangesOfItsOwn(t *testing.T) {
	w := newOwnWorld(t, nil)
	c := w.ConnectAs(profiletest.Way{HTTP: true, Era: profiletest.StatelessEra}, "claude")
	does(t, c, "update_block", `{"uid":"one000001","string":"uno"}`)
	if list := listOwn(t, c, `{}`); len(list.Changes) > 0 || !strings.Contains(list.Note, "keeps no session") {
		t.Errorf("it has made %+v", list)
	}
	refuses(t, c, "NOT_FOUND", "get_change", `{"change":"1"}`)
	refuses(t, c, "NOT_FOUND", "undo_changes", `{"changes":["1"]}`)
	for _, arguments := range []string{`{}`, `{"session":"this"}`} {
		refuses(t, c, "UNDO_NOT_POSSIBLE", "undo_changes", arguments)
	}
	stream := newOwnWorld(t, nil).ConnectAs(profiletest.Way{Era: profiletest.StatelessEra}, "claude") // which has one client
	does(t, stream, "update_block", `{"uid":"one000001","string":"uno"}`)
	if undone := undoOwn(t, stream, `{"session":"this"}`); fmt.Sprint(undone.Undone) != "[1]" {
		t.Errorf("over a stream undone is %+v", undone)
	}
	named := newOwnWorld(t, func(o *profiletest.Options) { o.Server = func(o *mcpserve.Options) { o.Agent = "claude" } })
	c = named.ConnectAs(profiletest.Way{HTTP: true, Era: profiletest.StatelessEra}, "whoever")
	does(t, c, "update_block", `{"uid":"one000001","string":"uno"}`)
	if undone := undoOwn(t, c, `{}`); fmt.Sprint(undone.Undone) != "[1]" {
		t.Errorf("undone is %+v", undone)
	}
	refuses(t, c, "UNDO_NOT_POSSIBLE", "undo_changes", `{"session":"this"}`)
}

func TestWhatMayBeUndoneIsForTheTokenToSay(t *testing.T) {
	w := newOwnWorld(t, func(o *profiletest.Options) { o.Level = localapi.ReadAppend })
	c := w.stdio("claude")
	does(t, c, "create_block", `{"parentUid":"planq4000","markdown":"- four"}`)
	w.ResetCalls()
	refuses(t, c, "UNDO_NEEDS_EDIT", "undo_changes", `{}`)
	if w.writes() > 0 {
		t.Errorf("it has sent %v", w.Calls())
	}
	if got := listOwn(t, c, `{}`).numbers(); len(got) != 1 {
		t.Errorf("it has made %v", got)
	}
	reading, end := w.Serve(func(o *mcpserve.Options) { o.ReadOnly, o.Agent = true, "claude" })
	defer end()
	offered, err := reading.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, each := range offered.Tools {
		names = append(names, each.Name)
	}
	if !slices.Contains(names, "my_changes") || slices.Contains(names, "undo_changes") {
		t.Errorf("a server for reading offers %v", names)
	}
	refuses(t, reading, "READ_ONLY", "undo_changes", `{}`)
}

func TestOfAnAppendTokenAmongSeveralGraphsNothingIsUndone(t *testing.T) {
	w := newOwnWorld(t, func(o *profiletest.Options) { o.Level, o.Second = localapi.ReadAppend, true })
	c := w.stdio("claude")
	var guidelines struct{ Ticket string }
	c.Call("get_graph_guidelines", `{"graph":"work"}`).Decode(t, &guidelines)
	ticket := fmt.Sprintf(`"ticket":%q`, guidelines.Ticket)
	does(t, c, "create_block", `{"parentUid":"planq4000","markdown":"- four",`+ticket+`}`)
	w.ResetCalls()
	refuses(t, c, "TICKET_REQUIRED", "undo_changes", `{"graph":"work"}`)
	refuses(t, c, "UNDO_NEEDS_EDIT", "undo_changes", `{`+ticket+`}`)
	if w.writes() > 0 {
		t.Errorf("it has sent %v", w.Calls())
	}
	refuses(t, c, "NOT_FOUND", "get_change", `{"change":"1","graph":"other"}`)
}

func TestWithoutTextsNothingIsUndone(t *testing.T) {
	w := newOwnWorld(t, nil)
	require.NoError(t, w.Store.SetHistory(t.Context(), profiletest.MainGraph, configstore.Off))
	c := w.as("claude")
	does(t, c, "update_block", `{"uid":"one000001","string":"uno"}`)
	if list := listOwn(t, c, `{}`); len(list.Changes) != 1 || list.Changes[0].Undoable == nil || *list.Changes[0].Undoable {
		t.Errorf("it has made %+v", list)
	}
	if said := refuses(t, c, "UNDO_NOT_POSSIBLE", "undo_changes", `{"changes":["1"]}`); !strings.Contains(said, "its texts are not kept") {
		t.Errorf("it says %s", said)
	}
	var change struct{ Lacks []string }
	c.Call("get_change", `{"change":"1"}`).Decode(t, &change)
	if fmt.Sprint(change.Lacks) != "[its texts are not kept]" {
		t.Errorf("it lacks %v", change.Lacks)
	}
	none, end := w.Serve(func(o *mcpserve.Options) { o.Journal = nil })
	defer end()
	for tool, arguments := range map[string]string{"my_changes": `{}`, "get_change": `{"change":"1"}`, "undo_changes": `{}`} {
		refuses(t, none, "HISTORY_UNAVAILABLE", tool, arguments)
	}
}

func TestEachProfileHasTheToolsWhereTheyAreNamed(t *testing.T) {
	for profile, write := range map[string][2]string{
		"roam":    {"create_page", `{"title":"Fresh","markdown":"- a"}`},
		"graph":   {"create_node", `{"title":"Fresh","content":"a"}`},
		"notes":   {"create_note", `{"title":"Fresh","content":"a"}`},
		"outline": {"create_page", `{"title":"Fresh","content":"a"}`},
		"wiki":    {"create_note", `{"path":"Fresh","title":"Fresh","content":"a"}`},
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			w := newOwnWorld(t, func(o *profiletest.Options) {
				o.Profile = profile
				if profile != "roam" {
					o.Server = func(o *mcpserve.Options) { o.Toolsets = []string{"core", "history"} }
				}
			})
			before := w.texts()
			c := w.stdio("claude")
			does(t, c, write[0], write[1])
			list := listOwn(t, c, `{}`)
			if len(list.Changes) != 1 || list.Changes[0].Tool != write[0] {
				t.Fatalf("it has made %+v", list)
			}
			var change struct{ Blocks []json.RawMessage }
			c.Call("get_change", `{"change":"`+list.Changes[0].Change+`"}`).Decode(t, &change)
			if len(change.Blocks) == 0 {
				t.Error("nothing of it is shown")
			}
			if undone := undoOwn(t, c, `{}`); len(undone.Undone) != 1 || len(undone.Left) > 0 {
				t.Errorf("undone is %+v", undone)
			}
			if after := w.texts(); after != before {
				t.Errorf("the graph is\n%s\nand was\n%s", after, before)
			}
			refuses(t, c, "NOT_FOUND", "undo_changes", `{"changes":["99"]}`)
		})
	}
}
