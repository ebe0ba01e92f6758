//lint:file-ignore SA1019 clients of the versions before 2026-07-28 set a level

package mcpserve

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/require"
)

func TestALevelOfLoggingThatThereIsNoneOfIsRefused(t *testing.T) {
	c := newWorld(t, configText("Work")).connect()
	require.NoError(t, c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "notice"}))
	for _, level := range []mcp.LoggingLevel{"nonsense", ""} {
		refusesParams(t, c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: level}), "notice")
	}
}
