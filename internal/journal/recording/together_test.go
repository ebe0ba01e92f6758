package recording_test

import (
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

// While something is read that one creation left, others come; what they left is read at
// once, and each has its own.
func TestSeveralCreationsAreReadAtOnce(t *testing.T) {
	w := newWorld(t, profiletest.NewSuite(t, profiletest.Options{Export: export}))
	reads := make(chan bool)
	w.fail = func(action string) error {
		if action == "data.pull_many" {
			<-reads
		}
		return nil
	}
	var last string
	for _, blocks := range []ops.NewBlocks{
		{Location: ops.Location{ParentUID: "list"}, Markdown: "first"},
		{Location: ops.Location{PageTitle: "Fresh", NestUnder: "Section"}, Markdown: "second about [[Mars]]"},
		{Location: ops.Location{PageTitle: "Fresh", NestUnder: "Section"}, Markdown: "third about [[Mars]] and [[Moons of [[Mars]]]]"},
		{Location: ops.Location{ParentUID: "last of those before"}, Markdown: "- fourth\n  - below it"},
	} {
		if blocks.Location.ParentUID == "last of those before" {
			blocks.Location.ParentUID = last
		}
		g, _ := w.call(recording.All)
		made, err := g.CreateBlocks(t.Context(), blocks, "")
		require.NoError(t, err)
		last = strings.Trim(string(made.Reply.Get("uids")), `[]"`)
		await.Condition(t, "the first is being read", func() bool { return strings.Contains(w.sent(), "data.pull_many") })
	}
	w.mu.Lock()
	w.calls = nil
	w.mu.Unlock()
	close(reads)
	recorded := w.recorded(t)
	golden.File(t, filepath.Join("testdata", "several-creations.golden"), "then: "+w.sent()+"\n"+recorded)
}
