package mcpserve

import (
	"path/filepath"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

// historyRows are the tools of the toolset history. What they do of changes that were made is in
// ownchanges_test.go; what becomes of an undo whose steps fail, in undo_test.go.
func historyRows() []matrixRow {
	recorded, unrecorded := place{recorded: true}, place{}
	none := []matrixCell{{name: "nothing is recorded", place: unrecorded, code: history.CodeUnavailable, wants: []string{"--no-journal"}}}
	missing := func(args string) []matrixCell {
		return append([]matrixCell{{name: "there is no such change", args: args, place: recorded, code: localapi.CodeNotFound, wants: []string{"my_changes"}}}, none...)
	}
	return []matrixRow{
		{
			tool: "my_changes", place: recorded, args: `{}`, wants: []string{`"changes":[{"change":"1","at":"2026-11-15T12:00:00Z","tool":"update_block","summary":"1 block on \"Water\"","state":"done"}]`},
			more: []matrixCell{
				{name: "of a page that was not touched", args: `{"page":"Bread"}`, place: recorded, wants: []string{`"changes":[]`}},
				{name: "before the first", args: `{"before":"1"}`, place: recorded, wants: []string{`"changes":[]`}},
			},
			errors: none, bad: map[string]string{`{"since":"soon"}`: "since", `{"before":"soon"}`: "before", `{"limit":"all"}`: "limit"},
		},
		{
			tool: "get_change", place: recorded, routes: true, args: `{"change":"1"}`,
			wants:  []string{`"blocks":[{"uid":"blk-boils","path":["Water"],"was":"Boils","is":"Boils, see [[Bread]]","now":"as left"}]`},
			errors: missing(`{"change":"2"}`), bad: map[string]string{`{}`: "change is missing"},
		},
		{
			tool: "undo_changes", place: recorded, routes: true, adding: undo.CodeNeedsEdit, args: `{"changes":["1"]}`,
			wants: []string{`"undone":["1"],"left":[],"change":"2"`}, holds: []string{`["blk-boils","Boils",`}, lacks: []string{"Boils, see"},
			more:   []matrixCell{{name: "as a plan", args: `{"dryRun":true}`, place: recorded, wants: []string{`"dryRun":true,"undone":["1"],"left":[]`}, holds: []string{"Boils, see"}}},
			errors: missing(`{"changes":["1","2"]}`), bad: map[string]string{`{"session":"that"}`: "session", `{"session":"this","changes":["1"]}`: "not both"},
		},
	}
}

// withChange returns a journal in which an agent has changed a block of alpha.
func withChange(t *testing.T, agent string) *history.Journal {
	t.Helper()
	journal := history.New(history.Options{Folder: filepath.Join(t.TempDir(), "history"), Kind: history.KindStdio, Now: november15})
	state := func(text string) []byte {
		return fact.State{Things: map[string]fact.Fact{"blk-boils": {UID: "blk-boils", Text: text, Parent: "page-wate", Page: "page-wate"}}}.JSON()
	}
	touches := []fact.Touch{{UID: "blk-boils", Role: fact.RoleTarget, Page: "page-wate"}}
	change, err := journal.Intend(t.Context(), history.Intent{
		Who: history.Who{Agent: agent}, Graph: history.Graph{Name: "alpha", Type: string(localapi.Hosted)}, Tool: "update_block", Args: []byte(`{}`),
		Action: "data.block.update", Class: fact.ClassText, Request: []byte(`[{"block":{"uid":"blk-boils","string":"Boils, see [[Bread]]"}}]`), Before: state("Boils"), BeforeBy: history.ByLook, Touches: touches,
	})
	require.NoError(t, err)
	require.NoError(t, journal.Finish(t.Context(), change, history.Outcome{State: history.StateDone}))
	require.NoError(t, journal.After(t.Context(), change, history.Aftermath{Facts: state("Boils, see [[Bread]]"), By: history.BySoon, Touches: touches, Pages: map[string]string{"page-wate": "Water"}}))
	return journal
}
