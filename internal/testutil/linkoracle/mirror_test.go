package linkoracle_test

import (
	"context"
	"encoding/json"
	"testing"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/linkoracle"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

func TestTheMirrorLinksAsTheOracleSays(t *testing.T) {
	for name, export := range exports() {
		t.Run(name, func(t *testing.T) {
			text := export(t)
			oracle, err := linkoracle.Read(text)
			require.NoError(t, err)
			w := profiletest.NewSuite(t, profiletest.Options{Export: text}).World(t)
			keeper := mirror.New(mirror.Options{Now: w.Clock.Now})
			defer keeper.Close()
			source := mirror.Source{Graph: localapi.Graph{Name: profiletest.MainGraph}, Ask: func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
				return w.Ask(ctx, profiletest.MainGraph, action, args...)
			}}
			for _, need := range []mirror.Need{mirror.Links, mirror.Texts} {
				view, err := keeper.View(t.Context(), source, need)
				require.NoError(t, err)
				product := links{Graph: view.Links()}
				for node := range int32(view.Links().Len()) {
					product.titles = append(product.titles, view.PageAt(node).Title)
				}
				product.comparePages(t, oracle)
				product.compareRanks(t, oracle)
			}
		})
	}
}
