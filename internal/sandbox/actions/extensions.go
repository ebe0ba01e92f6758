package actions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"roam-mcp/internal/sandbox/desk"
)

// Extension is a Roam extension, which adds tools for agents (LOCAL_API.md 2.1,
// callExtensionTool).
type Extension struct {
	ID        string // such as "cards"
	Name      string // as people see it
	Developer bool   // loaded from a folder, so that it can be reloaded
	Tools     []ExtensionTool
}

// ExtensionTool is what an agent calls as "<extension id>/<name>".
type ExtensionTool struct {
	Name        string
	Description string
	Scope       desk.Scope      // that a token needs; empty: read
	InputSchema json.RawMessage // JSON Schema, draft 7; empty: any object
	// Run does it. The arguments fit the schema; the result is encoded as JSON.
	Run func(ctx context.Context, args map[string]any) (any, error)
}

// extensionToolLimit is how long a tool may take (LOCAL_API.md 1.7).
const extensionToolLimit = 60 * time.Second

func extensionActions() map[string]action {
	return map[string]action{
		"data.ai.callExtensionTool":       {desk.Read, on(callExtensionTool)},
		"depot.getInstalledExtensions":    {desk.Read, getInstalledExtensions},
		"depot.reloadDeveloperExtensions": {desk.Read, reloadDeveloperExtensions},
	}
}

// offeredTool is a tool as it is listed in the guidelines.
type offeredTool struct {
	Tool        string          `json:"tool"`
	Description string          `json:"description"`
	Scope       desk.Scope      `json:"scope"`
	Extension   string          `json:"extension"`
	InputSchema json.RawMessage `json:"inputSchema"`

	run func(context.Context, map[string]any) (any, error)
}

func (r *Registry) extensionTools() []offeredTool {
	var tools []offeredTool
	for _, extension := range r.options.Extensions {
		for _, tool := range extension.Tools {
			schema := tool.InputSchema
			if len(schema) == 0 {
				schema = json.RawMessage(`{"type":"object"}`)
			}
			tools = append(tools, offeredTool{
				Tool: extension.ID + "/" + tool.Name, Description: tool.Description, Scope: cmp.Or(tool.Scope, desk.Read),
				Extension: extension.Name, InputSchema: schema, run: tool.Run,
			})
		}
	}
	return tools
}

// callExtensionTool is data.ai.callExtensionTool. Its errors list the tools there
// are, or show the schema, so that an agent can correct its call.
func callExtensionTool(c *call, asked struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}) (any, error) {
	if asked.Tool == "" {
		return nil, c.missing("tool")
	}
	tools := c.registry.extensionTools()
	at := slices.IndexFunc(tools, func(t offeredTool) bool { return t.Tool == asked.Tool })
	if at < 0 {
		return nil, unknownTool(asked.Tool, tools)
	}
	tool := tools[at]
	if err := c.Permit("The extension tool "+tool.Tool, tool.Scope); err != nil {
		return nil, err
	}
	if asked.Args == nil {
		asked.Args = map[string]any{}
	}
	if err := checkSchema(tool.InputSchema, asked.Args); err != nil {
		return nil, fmt.Errorf("the arguments don't match the input schema of %s: %v; the schema is %s", tool.Tool, err, tool.InputSchema)
	}
	ctx, cancel := context.WithTimeout(c.ctx, extensionToolLimit)
	defer cancel()
	result, err := tool.run(ctx, asked.Args)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && c.ctx.Err() == nil:
		return nil, fmt.Errorf("the extension tool %s did not end within %v; what it began may still happen", tool.Tool, extensionToolLimit)
	case err != nil:
		return nil, fmt.Errorf("the extension tool %s failed: %w", tool.Tool, err)
	}
	return struct {
		Tool      string `json:"tool"`
		Result    any    `json:"result"`
		QueriedAt string `json:"queriedAt"`
	}{tool.Tool, result, c.queriedAt()}, nil
}

func unknownTool(name string, tools []offeredTool) error {
	if len(tools) == 0 {
		return fmt.Errorf("unknown extension tool %q: no extension of this graph offers tools", Loggable(name))
	}
	ids := make([]string, 0, len(tools))
	for _, tool := range tools {
		ids = append(ids, tool.Tool)
	}
	return fmt.Errorf("unknown extension tool %q; the tools are: %s", Loggable(name), strings.Join(ids, ", "))
}

func checkSchema(schema json.RawMessage, args map[string]any) error {
	var parsed jsonschema.Schema
	if err := json.Unmarshal(schema, &parsed); err != nil {
		return fmt.Errorf("the schema itself is broken: %w", err)
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		return fmt.Errorf("the schema itself is broken: %w", err)
	}
	return resolved.Validate(args)
}

// installed is an extension as the depot lists it.
type installed struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// getInstalledExtensions is depot.getInstalledExtensions: by id.
func getInstalledExtensions(c *call) (any, error) {
	byID := map[string]installed{}
	for _, extension := range c.registry.options.Extensions {
		byID[extension.ID] = installed{extension.ID, extension.Name}
	}
	return byID, nil
}

// reloadDeveloperExtensions is depot.reloadDeveloperExtensions. Extensions are part
// of the program here, so there is nothing to reload.
func reloadDeveloperExtensions(c *call) (any, error) {
	reloaded := struct {
		Reloaded []installed `json:"reloaded"`
	}{[]installed{}}
	for _, extension := range c.registry.options.Extensions {
		if extension.Developer {
			reloaded.Reloaded = append(reloaded.Reloaded, installed{extension.ID, extension.Name})
		}
	}
	return reloaded, nil
}
