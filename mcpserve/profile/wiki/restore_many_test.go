package wiki_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

// manyBlocks is a note of blocks in nests.
func manyBlocks(n int) string {
	block := func(i int) map[string]any {
		return map[string]any{"string": fmt.Sprintf("line %d", i), "uid": fmt.Sprintf("many%05d", i)}
	}
	var top []map[string]any
	for i := 0; i < n; i += 10 {
		one := block(i)
		var below []map[string]any
		for j := i + 1; j < min(i+10, n); j++ {
			below = append(below, block(j))
		}
		one["children"] = below
		top = append(top, one)
	}
	export, _ := json.Marshal([]map[string]any{{"title": "Many", "uid": "manypage1", "children": top}})
	return string(export)
}

// A restore that fails says how many blocks are back, and the same call does the rest. The
// client is told how far it is, and the journal calls it a restore.
func TestARestoreOfManyBlocksThatFailsGoesOn(t *testing.T) {
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "wiki", Export: manyBlocks(200), History: true}).World(t)
	told := make(chan string, 100)
	c := w.ConnectWith(profiletest.Ways()[0], &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		told <- r.Params.Message
	}})
	before := tree(w, "manypage1")
	ask(t, c, "delete_note", `{"path":"Many"}`)
	version := versionsOf(t, c, "Many")[1]
	var batches atomic.Int32
	w.Fault(func(r faultproxy.Request) faultproxy.Fault {
		if r.Action == "batchActions" && batches.Add(1) == 3 {
			return faultproxy.Fault{Kind: faultproxy.ResetBefore}
		}
		return faultproxy.Fault{}
	})
	params := &mcp.CallToolParams{Name: "restore_note_version", Arguments: map[string]any{"path": "Many", "version": version}}
	params.SetProgressToken("p")
	r, err := c.CallTool(t.Context(), params)
	require.NoError(t, err)
	const want = "Error: At least 50 of 200 blocks are back. What followed failed: <more>\nThe same call goes on where this one ended."
	if text := r.Content[0].(*mcp.TextContent).Text; !r.IsError || profiletest.MatchProse(want, text) != nil {
		t.Errorf("it says %s", text)
	}
	if got := await.Value(t, "how far it is", told); got != "25 of 200 blocks are back" {
		t.Errorf("it told %s", got)
	}
	w.Fault(nil)
	if got := ask(t, c, "restore_note_version", fmt.Sprintf(`{"path":"Many","version":%q}`, version)); got != "Restored note 'Many' to version "+version {
		t.Error(got)
	}
	if after := tree(w, "manypage1"); after != before {
		t.Errorf("it is\n%s", after)
	}
	if got := messages(t, c, "Many"); !strings.HasPrefix(got, "Restore note: Many to version "+version) {
		t.Error(got)
	}
	journal := w.Journal()
	defer journal.Close(context.Background())
	await.Condition(t, "the journal to call both a restore", func() bool {
		page, err := journal.Calls(t.Context(), history.Filter{Tool: "restore_note_version", Limit: 10})
		require.NoError(t, err)
		said := ""
		for _, call := range page.Calls {
			said += fmt.Sprintf("%s %s\n", call.State, call.Summary)
		}
		return said == "done restored: 150 blocks on \"Many\"\nunknown restored: 50 blocks on \"Many\"; page \"Many\"\n"
	})
}
