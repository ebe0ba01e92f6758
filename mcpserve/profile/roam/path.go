package roam

import (
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// pathText is how many characters of a text in a path are shown.
const pathText = 80

// pathOf reads a path of Roam's, a list or one text, as a list: the title of the page, and
// the texts from there down as plain text.
func pathOf(raw json.RawMessage) []string {
	var path []string
	if json.Unmarshal(raw, &path) != nil {
		var whole string
		if json.Unmarshal(raw, &whole) != nil || whole == "" {
			return nil
		}
		path = strings.Split(whole, " > ")
	}
	return shortPath(path)
}

// shortPath returns a path whose texts are short and plain. A title is a name, and stays.
func shortPath(path []string) []string {
	short := slices.Clone(path)
	for i := 1; i < len(path); i++ {
		short[i] = surface.CutCharacters(strings.Join(strings.Fields(outline.Words(path[i])), " "), pathText)
	}
	return short
}

// withPath returns a result with its path in the one form that there is.
func withPath(thing rawjson.Object) rawjson.Object {
	if path := pathOf(thing.Get("path")); path != nil {
		return thing.With("path", path)
	}
	return thing
}

// withPaths returns a list of Roam's whose results have paths in that form.
func withPaths(list rawjson.Object) rawjson.Object {
	results := rawjson.Elements(list.Get("results"))
	if len(results) == 0 {
		return list
	}
	for i, each := range results {
		if result := rawjson.Parse(each); result.Get("path") != nil {
			results[i] = withPath(result).JSON()
		}
	}
	return list.With("results", rawjson.Array(results))
}
