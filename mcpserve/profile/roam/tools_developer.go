package roam

import (
	"context"
	"encoding/json"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// developerTools work with Roam's extensions.
func developerTools() []surface.Tool {
	return []surface.Tool{
		{
			Name: "reload_dev_extensions", Task: problem.ReloadExtensions, Title: "Reload developer extensions", Toolset: "developer", Effects: surface.Shows(), Scope: surface.ScopeRead, OnGraph: true,
			Description: say("Loads the extensions anew that the user develops from local folders, after a change of their code."),
			Run:         surface.JSON(reloadDevExtensions),
		},
		{
			// An extension does what it wants, whatever scope it declares: so it
			// counts as a write, with a ticket and not with a token for reading.
			Name: "call_extension_tool", Task: problem.CallExtension, Title: "Call extension AI tool", Toolset: "developer", Scope: surface.ScopeAppend, OnGraph: true,
			Effects:     surface.Effects{Destructive: true, OpenWorld: true},
			Description: say("Runs a tool of a Roam extension; %s lists them in extensionTools, with the schema of their arguments. After a timeout do not call again blindly: the tool may still be at work.", problem.ReadGuidelines),
			Cuts:        cutRun(),
			Params: []surface.Param{
				{Name: "tool", Kind: surface.String, Required: true, NonEmpty: true, About: say("Id from extensionTools, unchanged.")},
				{Name: "args", Kind: surface.Object, About: say("Arguments as the tool's inputSchema says.")},
			},
			Output: []surface.Param{{Name: "tool", Kind: surface.String}},
			Run:    surface.JSON(callExtensionTool),
		},
	}
}

func reloadDevExtensions(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	reloaded, err := c.Graph().ReloadExtensions(ctx)
	return orEmpty(reloaded, rawjson.With("reloaded", []string{})), err
}

func callExtensionTool(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	call := ops.ExtensionCall{Tool: c.Args().Text("tool")}
	call.Args, _ = c.Args()["args"].(json.RawMessage)
	said, err := c.Graph().CallExtension(ctx, call)
	return said.JSON(), err
}
