package wiki

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// listTags answers list_tags.
func listTags(ctx context.Context, c surface.Call) (surface.Reply, error) {
	view, err := c.Mirror(ctx, mirror.Links)
	if err != nil {
		return surface.Reply{}, err
	}
	type tag struct {
		title string
		notes int
	}
	var tags []tag
	for title, notes := range view.Tags() {
		tags = append(tags, tag{title, notes})
	}
	slices.SortFunc(tags, func(a, b tag) int { return cmp.Or(cmp.Compare(b.notes, a.notes), byPath(a.title, b.title)) })
	if len(tags) == 0 {
		return surface.Reply{Text: "No tags in use yet."}, nil
	}
	l := listing{head: "Tags in use:\n\n"}
	for _, each := range tags {
		l.add("", fmt.Sprintf("- %s (%s)\n", textsafe.Title(each.title), count(each.notes, "note")))
	}
	return l.reply(c, c.Args().Number("limit", maxEntries)), nil
}
