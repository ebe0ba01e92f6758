package mcpserve

import (
	"context"
	"encoding/json"

	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// restoreData puts whole data: addresses in the place of those that a reply has shortened,
// from the graph's blocks. It refuses a call with one that no block has, so that none is
// written as it was shown.
func restoreData(ctx context.Context, c *call) error {
	known := map[string][]string{} // texts by the head of the addresses in them
	texts := func(head string) ([]string, error) {
		if found, ok := known[head]; ok {
			return found, nil
		}
		found, err := c.Graph().TextsWith(ctx, head)
		known[head] = found
		return found, err
	}
	var failed error
	restored := surface.Arguments{}
	for name, value := range c.args {
		restored[name] = changeTexts(value, func(text string) string {
			whole, missing, err := textsafe.RestoreData(text, texts)
			if failed == nil {
				failed = err
			}
			if missing != "" && failed == nil {
				refused := surface.Invalid(c.tool.Name, "%s has %s, which is shortened, and no block has the whole.", name, textsafe.Quote(missing))
				refused.Hint = problem.Say("Read the block again, and send the address as it is shown, or whole, or leave it out.")
				failed = refused
			}
			return whole
		})
	}
	if failed == nil {
		c.args = restored
	}
	return failed
}

// changeTexts returns an argument with its texts changed; those in JSON as they are there.
func changeTexts(value any, change func(string) string) any {
	switch v := value.(type) {
	case string:
		return change(v)
	case json.RawMessage:
		return json.RawMessage(change(string(v)))
	case []string:
		return changeAll(v, change)
	case []json.RawMessage:
		return changeAll(v, change)
	case []surface.Arguments:
		out := make([]surface.Arguments, len(v))
		for i, each := range v {
			out[i] = surface.Arguments{}
			for name, inside := range each {
				out[i][name] = changeTexts(inside, change)
			}
		}
		return out
	}
	return value
}

func changeAll[T ~string | ~[]byte](list []T, change func(string) string) []T {
	out := make([]T, len(list))
	for i, each := range list {
		out[i] = T(change(string(each)))
	}
	return out
}
