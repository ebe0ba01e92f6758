package roam

import (
	"strings"

	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
)

// optional returns an argument, nil where the caller sent none.
func optional[T any](args surface.Arguments, name string) *T {
	if value, ok := args[name].(T); ok {
		return &value
	}
	return nil
}

// unlessBlank returns a text, empty where it holds nothing but space.
func unlessBlank(c surface.Call, name string) string {
	if text := c.Args().Text(name); strings.TrimSpace(text) != "" {
		return text
	}
	return ""
}

// orderOf returns a place among siblings: the last one where the caller sent none.
func orderOf(args surface.Arguments) ops.Order {
	return ops.Order{First: args["order"] == "first", Index: optional[int](args, "order")}
}
