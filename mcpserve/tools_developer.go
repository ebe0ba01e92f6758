package mcpserve

import (
	"context"
	"encoding/json"
)

// developerTools work with Roam's extensions.
func developerTools() []tool {
	return []tool{
		{
			name: "reload_dev_extensions", title: "Reload developer extensions", toolset: "developer", effects: shows(), scope: scopeRead, onGraph: true,
			description: "Loads the extensions anew that the user develops from local folders, after a change of their code.",
			handle:      reloadDevExtensions,
		},
		{
			// An extension does what it wants, whatever scope it declares: so it
			// counts as a write, with a ticket and not with a token for reading.
			name: "call_extension_tool", title: "Call extension AI tool", toolset: "developer", scope: scopeAppend, onGraph: true,
			effects:     effects{destructive: true, openWorld: true},
			description: "Runs a tool of a Roam extension; get_graph_guidelines lists them in extensionTools, with the schema of their arguments. After a timeout do not call again blindly: the tool may still be at work.",
			params: []param{
				{name: "tool", kind: kindString, required: true, nonEmpty: true, about: "Id from extensionTools, unchanged."},
				{name: "args", kind: kindObject, about: "Arguments as the tool's inputSchema says."},
			},
			output: []param{{name: "tool", kind: kindString}},
			handle: callExtensionTool,
		},
	}
}

func reloadDevExtensions(ctx context.Context, c *call) (json.RawMessage, error) {
	result, err := c.roam(ctx, "depot.reloadDeveloperExtensions")
	if err != nil {
		return nil, err
	}
	return listOr(result, `{"reloaded":[]}`), nil
}

// callExtensionTool leaves the check of the arguments to Roam, which answers
// with the schema where they are wrong.
func callExtensionTool(ctx context.Context, c *call) (json.RawMessage, error) {
	args := c.args.pick(map[string]any{}, "tool", "tool", "args", "args")
	result, err := c.write(ctx, "data.ai.callExtensionTool", []any{args}, nil)
	if err != nil {
		return nil, err
	}
	return listOr(result, `{}`), nil
}
