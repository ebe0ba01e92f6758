//lint:file-ignore SA1019 clients of the versions before 2026-07-28 set a level

package mcpserve

import (
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/textsafe"
)

// refuseLevel refuses a level of logging that there is none of, which the library takes.
func refuseLevel(request mcp.Request) error {
	levels := []mcp.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	if params, ok := request.GetParams().(*mcp.SetLoggingLevelParams); ok && params != nil && !slices.Contains(levels, params.Level) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("There is no level %s; there are %q.", textsafe.Quote(string(params.Level)), levels)}
	}
	return nil
}
