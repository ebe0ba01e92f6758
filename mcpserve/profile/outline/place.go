package outline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// place is where a block goes, as a read right before shows it.
type place struct {
	parent  note.Node // a page or a block, hidden blocks included; zero: the page is missing
	missing string    // the title of that page
	index   int       // among all children of the parent; Roam counts hidden ones
	end     bool      // it is the last place
}

// placing are the names of the parameters that say where a block goes.
type placing struct{ parent, page string }

// placeOf returns the place that a call names. A page that is missing is a place where
// the call may create it, else NOT_FOUND.
func placeOf(ctx context.Context, c surface.Call, names placing, mayCreate bool) (place, error) {
	args := c.Args()
	position := cmp.Or(args.Text(paramPosition), map[bool]string{true: placeAfter, false: placeLast}[args.Has(paramSibling)])
	besides := position == placeBefore || position == placeAfter
	switch {
	case besides && !args.Has(paramSibling):
		return place{}, surface.Invalid(c.ToolName(), "position %s needs %s, the block that it goes there of; first and last need %s or %s.", position, paramSibling, names.parent, names.page)
	case besides:
		return besidesSibling(ctx, c, names, position)
	case args.Has(paramSibling):
		return place{}, surface.Invalid(c.ToolName(), "%s goes with position before or after, and not with %s.", paramSibling, position)
	case args.Has(names.parent) && args.Has(names.page):
		return place{}, surface.Invalid(c.ToolName(), "give %s or %s, not both.", names.parent, names.page)
	case !args.Has(names.parent) && !args.Has(names.page):
		return place{}, surface.Invalid(c.ToolName(), "say where: give %s, %s or %s.", names.parent, names.page, paramSibling)
	}
	at, err := placeBelow(ctx, c, names, mayCreate)
	if position == placeLast {
		at.index, at.end = len(at.parent.Children), true
	}
	return at, err
}

// placeBelow returns the first place below the parent or the page that a call names.
func placeBelow(ctx context.Context, c surface.Call, names placing, mayCreate bool) (place, error) {
	if uid := c.Args().Text(names.parent); uid != "" {
		parent, err := readVisible(ctx, c, uid)
		if missing, ok := problem.As(err); ok && missing.Code == localapi.CodeNotFound {
			missing.Message = fmt.Sprintf("There is no block or page with the uid %s; the name of a page goes into %s.", textsafe.Quote(uid), names.page)
		}
		return place{parent: parent}, err
	}
	name := c.Args().Text(names.page)
	page, ok, err := lookForPage(ctx, c, name)
	switch {
	case err != nil || ok:
		return place{parent: page.whole}, err
	case !mayCreate:
		return place{}, pageMissing(ctx, c, name)
	}
	title, err := newTitle(c, names.page, name)
	return place{missing: title}, err
}

// besidesSibling returns the place before or after a block, with which a parent and a
// page that the call names besides have to agree.
func besidesSibling(ctx context.Context, c surface.Call, names placing, position string) (place, error) {
	args := c.Args()
	sibling := args.Text(paramSibling)
	uid, err := c.Graph().ParentOf(ctx, sibling)
	if err != nil {
		return place{}, err
	}
	if uid == "" {
		return place{}, noBesides(ctx, c, sibling)
	}
	parent, err := readVisible(ctx, c, uid)
	at := slices.IndexFunc(parent.Children, func(n note.Node) bool { return n.UID == sibling })
	switch {
	case err != nil:
		return place{}, err
	case at < 0 || parent.Children[at].Hidden:
		return place{}, blockMissing(sibling)
	case args.Has(names.parent) && args.Text(names.parent) != parent.UID:
		return place{}, surface.Invalid(c.ToolName(), "%s is below %s, and not below %s %s; leave out one of them.", paramSibling, textsafe.Quote(parent.UID), names.parent, textsafe.Quote(args.Text(names.parent)))
	case args.Has(names.page):
		if err := checkPage(ctx, c, names.page, parent); err != nil {
			return place{}, err
		}
	}
	if position == placeAfter {
		at++
	}
	return place{parent: parent, index: at, end: at == len(parent.Children)}, nil
}

// noBesides is the error of a sibling that nothing is above: a page, or nothing at all.
func noBesides(ctx context.Context, c surface.Call, uid string) error {
	if n, ok, err := c.Graph().ReadNote(ctx, uid); err != nil {
		return err
	} else if ok && n.IsPage() {
		return surface.Invalid(c.ToolName(), "%s names the page %s; it takes a block.", paramSibling, textsafe.Quote(n.Title))
	}
	return blockMissing(uid)
}

// checkPage refuses a page on which the parent of a sibling is not.
func checkPage(ctx context.Context, c surface.Call, param string, parent note.Node) error {
	name := c.Args().Text(param)
	uid, err := c.Graph().UIDNamed(ctx, note.ParseName(name, c.Now()), nil)
	if err != nil {
		return err
	}
	if on := parent.Page(); uid != on {
		return surface.Invalid(c.ToolName(), "%s is not on the page %s %s but on %s; leave out one of them.", paramSibling, param, textsafe.Quote(name), textsafe.Quote(titleOf(parent)))
	}
	return nil
}

// titleOf returns the title of the page that a node is, or is on.
func titleOf(n note.Node) string { return cmp.Or(n.Title, n.PageTitle) }

// readVisible reads a page or block with all below it, hidden blocks included. One that
// is not there or hidden itself is NOT_FOUND.
func readVisible(ctx context.Context, c surface.Call, uid string) (note.Node, error) {
	n, ok, err := c.Graph().ReadNote(ctx, uid)
	switch {
	case err != nil:
		return note.Node{}, err
	case !ok || n.Hidden:
		return note.Node{}, blockMissing(uid)
	}
	return n, nil
}

// readBlock reads the block that a call is about, hidden blocks below it included.
func readBlock(ctx context.Context, c surface.Call) (note.Node, error) {
	n, err := readVisible(ctx, c, c.Args().Text(paramBlock))
	if err == nil && n.IsPage() {
		refused := surface.Invalid(c.ToolName(), "%s is the uid of the page %s; it takes that of a block.", paramBlock, textsafe.Quote(n.Title))
		refused.Hint = say("%s and %s change pages.", problem.UpdatePage, problem.DeletePage)
		return note.Node{}, refused
	}
	return n, err
}

// blockMissing is the error of a uid that names nothing that agents see.
func blockMissing(uid string) error {
	return &problem.Error{
		Code: localapi.CodeNotFound, Message: fmt.Sprintf("There is no block %s.", textsafe.Quote(uid)), Retry: problem.RetryNever,
		Hint: say("Find it with %s.", problem.Search), Next: problem.Search, Details: []problem.Detail{{Name: ops.DetailUID, Value: uid}},
	}
}

// newTitle returns the title of a page that is to be created: that of a daily note for a
// name that means a day, and is no page's.
func newTitle(c surface.Call, param, name string) (string, error) {
	title := barePage(name)
	if title == "" || strings.ContainsAny(title, "\n\r") {
		return "", surface.Invalid(c.ToolName(), "%s takes the name of a page: one line of text, not empty.", param)
	}
	return cmp.Or(note.ParseName(name, c.Now()).Day(), title), nil
}

// order returns the place as Roam takes it.
func (p place) order() ops.Order {
	if p.end {
		return ops.Order{}
	}
	return ops.Order{Index: &p.index}
}

// shown returns the place among the siblings that agents see, from 0. without is the uid
// of a block that leaves them.
func (p place) shown(without string) int {
	before := 0
	for _, child := range p.parent.Children[:min(p.index, len(p.parent.Children))] {
		if !child.Hidden && child.UID != without {
			before++
		}
	}
	return before
}
