package ops

import (
	"context"
	"slices"
	"strings"

	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
)

// SetProperty sets the line "name:: value" that is a direct child of a page or block;
// the value "" removes it, with what is below it. Names are equal without regard to
// case. A line that is there keeps its place and the spelling of its name; a new one
// becomes the first child, behind the lines with reserved names that the children begin
// with. Further lines with the name go, so that one is left. fresh is a read of it right
// before. Errors are those of Rewrite.
func (g *Graph) SetProperty(ctx context.Context, fresh note.Node, name, value string, reserved ...string) error {
	visible := fresh.Visible().Outline()
	var want []outline.Block
	set, front := value == "", 0
	for _, b := range visible {
		line, _, ok := note.SplitProperty(b.String)
		if ok && strings.EqualFold(line, name) {
			if set {
				continue
			}
			b.String, set = property(line, value), true
		}
		if ok && front == len(want) && slices.ContainsFunc(reserved, func(each string) bool { return strings.EqualFold(each, line) }) {
			front++
		}
		want = append(want, b)
	}
	if !set {
		want = slices.Insert(want, front, outline.Block{String: property(name, value)})
	}
	_, err := g.Rewrite(ctx, fresh, want, nil)
	return err
}

func property(name, value string) string { return name + ":: " + value }
