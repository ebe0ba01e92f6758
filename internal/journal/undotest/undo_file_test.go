package undotest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// TestUndoOfAnUpload takes an upload back: the file goes where no text has its address any more.
func TestUndoOfAnUpload(t *testing.T) {
	for name, tc := range map[string]struct {
		shown func(w *rebuildWorld, address string) // shows the file somewhere
		left  []undo.Reason
	}{
		"that nothing shows deletes the file": {func(*rebuildWorld, string) {}, nil},
		"leaves a file that a block shows": {func(w *rebuildWorld, address string) {
			w.must("data.block.create", fields{"location": fields{"parent-uid": "alpha0001", "order": "last"}, "block": fields{"uid": "shows0001", "string": "see ![](" + address + ")"}})
		}, []undo.Reason{undo.FileHeld}},
		"leaves a file that a title names": {func(w *rebuildWorld, address string) {
			w.must("data.page.create", fields{"page": fields{"title": "of " + address}})
		}, []undo.Reason{undo.FileHeld}},
		"deletes it with the block that showed it": {func(w *rebuildWorld, address string) {
			w.call("create_block", fields{"parentUid": "alpha0001", "markdown": "![](" + address + ")"})
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newDryRunWorld(t, "roam", "write", "files")
			result := w.call("file_upload", fields{"base64": "iVBORw0KGgo=", "mimetype": "image/png", "filename": "dot.png"})
			var uploaded struct{ URL string }
			text := result.Content[0].(*mcp.TextContent).Text
			require.NoError(t, json.Unmarshal([]byte(text), &uploaded))
			if uploaded.URL == "" {
				t.Fatal(text)
			}
			tc.shown(w, uploaded.URL)
			w.closeServers()
			calls := w.recorded()
			upload := w.changesOf(calls[len(calls)-1:])[0]
			left, err := fact.Parse(upload.After)
			require.NoError(t, err)
			if left.File != uploaded.URL || upload.Class != fact.ClassFile {
				t.Fatalf("recorded is %s, and the address is %s", upload.After, uploaded.URL)
			}
			planned := w.planUndo(calls)
			undone := w.undo(calls, "undo")
			var reasons, expected []undo.Reason
			for _, each := range undone.Left {
				reasons = append(reasons, each.Why)
			}
			for _, each := range planned.Left {
				expected = append(expected, each.Why)
			}
			if !slices.Equal(reasons, tc.left) || !slices.Equal(expected, tc.left) {
				t.Errorf("it leaves %v, and was to leave %v", reasons, expected)
			}
			_, err = w.ask(w.ctx, "file.get", fields{"url": uploaded.URL, "format": "base64"})
			if gone := problem.CodeOf(err) == localapi.CodeNotFound; gone != (tc.left == nil) {
				t.Errorf("the file is gone: %v (%v)", gone, err)
			}
			if tc.left != nil {
				return
			}
			redone := w.undo([]int64{undone.Call}, "redo")
			if len(redone.Left) == 0 || redone.Left[len(redone.Left)-1].Why != undo.FileGone {
				t.Errorf("a redo leaves %v", redone.Left)
			}
		})
	}
}
