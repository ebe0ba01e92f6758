package history

import (
	"context"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// TestTextsUnsaid: a notice tells that texts are not kept as long as that is so.
func TestTextsUnsaid(t *testing.T) {
	const want = "HISTORY_TEXTS_UNSAID: Roam does not say whether the graph my-notes is encrypted, so no texts of it are kept. > To keep them, so that changes can be undone: roam-mcp history on --graph my-notes. To keep none: roam-mcp history off --graph my-notes."
	unsaid := someIntent("a")
	unsaid.TextsUnsaid = true
	other := someIntent("a")
	other.Graph.Type = "offline"
	for name, tc := range map[string]struct {
		then func(*Journal) error
		want string
	}{
		"is told": {func(*Journal) error { return nil }, want},
		"is told once for each graph": {func(j *Journal) error {
			_, err := j.Intend(context.Background(), unsaid)
			return err
		}, want},
		"is told after it was read": {func(j *Journal) error { return j.DismissNotices(context.Background()) }, want},
		"is told while another graph's are kept": {func(j *Journal) error {
			_, err := j.Intend(context.Background(), other)
			return err
		}, want},
		"is not told once they are kept, or not for another reason": {func(j *Journal) error {
			_, err := j.Intend(context.Background(), someIntent("b"))
			return err
		}, ""},
		"is forgotten with a purge": {func(j *Journal) error {
			_, err := j.Purge(context.Background(), Purge{Graphs: []Graph{unsaid.Graph}})
			return err
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			j := open(t, newFolder(t))
			finish(t, j, intend(t, j, unsaid), StateDone)
			require.NoError(t, tc.then(j))
			if got := notices(t, j); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if list, err := j.Notices(t.Context()); err != nil || len(list) == 1 && list[0].Graph != unsaid.Graph {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
}
