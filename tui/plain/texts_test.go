package plain

import (
	"context"
	"testing"

	"roam-mcp/configstore"
)

func TestTexts(t *testing.T) {
	encrypted := func(w *world) {
		w.graphs.Encrypted = func(context.Context, configstore.Entry) (bool, error) { return true, nil }
	}
	for name, tc := range map[string]struct {
		change func(*world)
		lines  []string
		told   []string
		want   configstore.Switch // of the last graph
	}{
		"what is kept is told before Roam is asked": {nil, connecting(), []string{
			"What agents write is recorded in /var/lib/history, with the texts that it\nreplaces, for 90 days.", "To keep no texts: roam-mcp history off"}, ""},
		"of an encrypted graph none are kept unless the person says so": {encrypted, connecting(""), []string{
			"Roam calls this graph encrypted", "Keep texts of Archive in the history? (default: 1, no):", "No new texts of Archive are kept."}, configstore.Off},
		"of an encrypted graph they are kept where the person says so": {encrypted, connecting("yes"), []string{"Texts of Archive are kept for 90 days."}, configstore.On},
		"of a graph can be kept or not at any time": {nil, []string{"texts", "Reading", "no", "texts", "reading", "yes", "texts", "Reading", "no"}, []string{
			"Of Reading, texts are kept, unless encrypted.", "Of Reading, no texts are kept.", "Keep texts of Reading in the history (default: 1, no):", "Of Reading, texts are kept for 90 days."}, configstore.Off},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.options.HistoryFolder = "/var/lib/history"
			if tc.change != nil {
				tc.change(w)
			}
			w.says(tc.lines, tc.told...)
			entries := w.config().Entries
			if got := entries[len(entries)-1].History; got != tc.want {
				t.Errorf("the file says %q", got)
			}
		})
	}
}
