package plain

import (
	"context"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/history"
	"roam-mcp/localapi"
)

// unkeptHistory tells that no texts of Reading were kept.
type unkeptHistory struct{ fakeHistory }

func (unkeptHistory) Notices(context.Context) ([]history.Notice, error) {
	return []history.Notice{history.TextsUnsaid(history.Graph{Name: "reading", Type: "hosted"}, "Reading")}, nil
}

func TestTexts(t *testing.T) {
	says := func(said localapi.Encryption) func(*world) {
		return func(w *world) {
			w.graphs.Encryption = func(context.Context, configstore.Entry) (localapi.Encryption, error) { return said, nil }
		}
	}
	encrypted, unsaid := says(localapi.Encrypted), says(localapi.EncryptionUnsaid)
	unkept := func(w *world) { w.ports.History = unkeptHistory{} }
	for name, tc := range map[string]struct {
		change func(*world)
		lines  []string
		told   []string
		want   configstore.Switch // of the last graph
	}{
		"what is kept is told before Roam is asked": {nil, connecting(), []string{
			"What agents write is recorded in /var/lib/history, with the texts that it\nreplaces, for 90 days.", "roam-mcp history off"}, ""},
		"of an encrypted graph none are kept unless the person says so": {encrypted, connecting(""), []string{
			"Roam calls this graph encrypted", "Keep texts of Archive in the history? (default: 1, no):", "No new texts of Archive are kept."}, configstore.Off},
		"of an encrypted graph they are kept where the person says so": {encrypted, connecting("yes"), []string{"Texts of Archive are kept for 90 days."}, configstore.On},
		"of a graph of which Roam does not say none are kept unless the person says so": {unsaid, connecting(""), []string{
			"Roam does not say whether this graph is encrypted", "Keep texts of Archive, so that changes can be undone? (default: 1, no):", "No new texts of Archive are kept."}, configstore.Off},
		"of a graph of which Roam does not say are kept where the person says so":    {unsaid, connecting("yes"), []string{"Texts of Archive are kept for 90 days."}, configstore.On},
		"of a graph of which Roam says that it is not encrypted are not asked about": {says(localapi.NotEncrypted), connecting(), nil, ""},
		"that were not kept, since Roam does not say, are asked about in the history": {unkept, []string{"history", "yes", "back"}, []string{
			"Roam does not say whether this graph is encrypted", "Keep texts of Reading, so that changes can be undone? (default: 1, no):", "Texts of Reading are kept for 90 days."}, configstore.On},
		"of a graph can be kept or not at any time": {nil, []string{"texts", "Reading", "no", "texts", "reading", "yes", "texts", "Reading", "no"}, []string{
			"Of Reading, texts are kept if not encrypted.", "Of Reading, no texts are kept.", "Keep texts of Reading in the history (default: 1, no):", "Of Reading, texts are kept for 90 days."}, configstore.Off},
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
