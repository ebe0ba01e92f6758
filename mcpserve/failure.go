package mcpserve

import (
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// The codes of this package's own errors (TOOLS.md, "Errors of our own"). Roam's
// come as they are, those of other packages too.
const (
	CodeGraphNotSelected problem.Code = "GRAPH_NOT_SELECTED"
	CodeGraphDisabled    problem.Code = "GRAPH_DISABLED"
	CodeTicketRequired   problem.Code = "TICKET_REQUIRED"
	CodeTicketWrongGraph problem.Code = "TICKET_WRONG_GRAPH"
	CodeTicketStale      problem.Code = "TICKET_STALE"
	CodeReadOnly                      = surface.CodeReadOnly
	CodeWritesPaused                  = surface.CodeWritesPaused
	CodeToolNotOffered                = surface.CodeToolNotOffered
	CodeUnknownProfile   problem.Code = "UNKNOWN_PROFILE"
)
