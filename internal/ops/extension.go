package ops

import (
	"context"
	"encoding/json"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/rawjson"
)

// ReloadExtensions loads the extensions anew that the user develops from local
// folders. It returns Roam's list of them, nil where there is none.
func (g Desktop) ReloadExtensions(ctx context.Context) (rawjson.Object, error) {
	return g.askObject(ctx, "depot.reloadDeveloperExtensions")
}

// ExtensionCall runs a tool of a Roam extension. An extension does what it wants,
// whatever scope it declares, so it counts as a write that nothing shows.
type ExtensionCall struct {
	Tool string          // as Roam's guidelines name it
	Args json.RawMessage // an object; nil: none. Roam checks it
}

// Request implements Write.
func (c ExtensionCall) Request() (action string, args []any) {
	request := request{"tool": c.Tool}
	if c.Args != nil {
		request["args"] = c.Args
	}
	return "data.ai.callExtensionTool", []any{request}
}

// Footprint implements Write: whatever the arguments say may name what the
// extension changes.
func (c ExtensionCall) Footprint() Footprint {
	reach := Footprint{Restructures: true}
	if c.Args != nil {
		reach.Mentions = textsIn(c.Args)
	}
	return reach
}

// Capture implements Write: an extension does what it wants.
func (c ExtensionCall) Capture() Capture { return Capture{Class: fact.ClassOpaque} }

// Done implements Write.
func (c ExtensionCall) Done(json.RawMessage) Done { return Done{} }

// textsIn returns all texts in a JSON value, keys included; the JSON itself where
// it is none.
func textsIn(raw json.RawMessage) []string {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return []string{string(raw)}
	}
	var texts []string
	var collect func(any)
	collect = func(value any) {
		switch value := value.(type) {
		case string:
			texts = append(texts, value)
		case []any:
			for _, each := range value {
				collect(each)
			}
		case map[string]any:
			for key, each := range value {
				texts = append(texts, key)
				collect(each)
			}
		}
	}
	collect(value)
	return texts
}

// CallExtension runs a tool of a Roam extension. It returns Roam's reply, nil
// where that is no object.
func (g Desktop) CallExtension(ctx context.Context, call ExtensionCall) (rawjson.Object, error) {
	result, err := g.write(ctx, call)
	return rawjson.Parse(result), err
}
