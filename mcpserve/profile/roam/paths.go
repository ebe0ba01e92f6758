package roam

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/linkgraph"
	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// linkTools answer from the links of the whole graph.
func linkTools() []surface.Tool {
	lowest, highest := surface.Between(1, 10)
	return []surface.Tool{{
		Name: "find_path", Task: problem.FindPath, Title: "Path", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
		Description: say("Finds how two pages are connected: the shortest ways over links, with the blocks that link."),
		Cuts:        []surface.Cut{surface.CutList{Field: "ways", Rest: surface.Always(say("%s with a smaller limit.", problem.FindPath))}},
		Params: []surface.Param{
			{Name: "from", Kind: surface.String, Required: true, NonEmpty: true, Named: true, About: say("Title, day or uid")},
			{Name: "to", Kind: surface.String, Required: true, NonEmpty: true, Named: true, About: say("As from")},
			{Name: "direction", Kind: surface.String, Choices: []string{"any", "out"}, Default: "any"},
			{Name: "limit", Kind: surface.Integer, Min: lowest, Max: highest, Clamp: true, Default: 3, About: say("Ways")},
		},
		Run: surface.JSON(findPath),
	}}
}

// linked is the link graph of a call.
type linked struct {
	surface.Call
	view  *mirror.View
	links *linkgraph.Graph
	any   bool // links are walked both ways
}

// end is one end of a way.
type end struct {
	mirror.Page
	node   int32
	isNode bool // Roam's own pages make no links
}

// way is a way from one page to another.
type way struct {
	Pages []string  `json:"pages"`
	Steps []linkHop `json:"steps"`
}

// linkHop is one link of a way. Out: the first page links to the second, in: the second to
// the first.
type linkHop struct {
	As       string `json:"as"`
	UID      string `json:"uid,omitempty"`
	Markdown string `json:"markdown,omitempty"`
	link     ops.PageLink
}

// findPath answers find_path.
func findPath(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	view, err := c.Mirror(ctx, mirror.Links)
	if err != nil {
		return nil, err
	}
	l := linked{Call: c, view: view, links: view.Links(), any: c.Args().Text("direction") != "out"}
	from, missing, err := l.end(ctx, c.Args().Text("from"))
	if err != nil || missing != nil {
		return missing, err
	}
	to, missing, err := l.end(ctx, c.Args().Text("to"))
	if err != nil || missing != nil {
		return missing, err
	}
	var found [][]int32
	switch {
	case from.UID == to.UID:
		return rawjson.With("length", 0).With("ways", []way{{Pages: []string{from.Title}, Steps: []linkHop{}}}).JSON(), nil
	case from.isNode && to.isNode:
		found = l.links.Ways(from.node, to.node, l.any, c.Args().Number("limit", 3))
	}
	if len(found) == 0 {
		return rawjson.With("length", nil).With("ways", []way{}).With("note", l.noWay(from, to)).JSON(), nil
	}
	ways, err := l.show(ctx, found)
	return rawjson.With("length", len(found[0])-1).With("ways", ways).JSON(), err
}

// end returns the page that a name means, or that the block is on which it names; missing
// is the reply where there is none.
func (l linked) end(ctx context.Context, said string) (e end, missing json.RawMessage, err error) {
	uid := ""
	switch m := l.view.Names().Resolve(said, l.Now(), false); {
	case m.Several:
		return end{}, nil, ops.AnyOf(said, m.Candidates)
	case m.UID != "":
		uid = m.UID
	default:
		name := note.ParseName(said, l.Now())
		if at := name.Reference(); at != "" || ops.LooksLikeUID(said) {
			at = cmp.Or(at, said)
			page, there, err := l.Graph().PageOfBlock(ctx, at)
			if err != nil {
				return end{}, nil, err
			}
			if there {
				uid = page.UID
			}
		}
		if uid == "" {
			return end{}, l.missing(ctx, said, name).JSON(), nil
		}
	}
	e.Page, _ = l.view.Page(uid)
	e.node, e.isNode = l.view.NodeOf(uid)
	return e, nil, nil
}

// missing says that there is no page of a name, and what is near.
func (l linked) missing(ctx context.Context, said string, name note.Name) rawjson.Object {
	ref := ops.PageRef{Title: cmp.Or(name.Day(), name.Inside(), said)}
	reply := notThere(ctx, l.Call, ref).With("page", ref.Title)
	if reply.Get("near") == nil {
		near := []ops.PageFound{}
		// Where Roam can't say what is near, the page is not there all the same.
		if found, err := l.Graph().NearTitles(ctx, ref.Title); err == nil && len(found) > 0 {
			near = found
		}
		reply = reply.With("near", near)
	}
	return reply
}

// noWay says that no links lead from one page to another, and why.
func (l linked) noWay(from, to end) string {
	note := "No links lead from %s to %s in any direction. %s; %s."
	if !l.any {
		note = "No links lead from %s to %s in their direction. %s; %s."
		if from.isNode && to.isNode {
			if back := l.links.Ways(from.node, to.node, true, 1); len(back) > 0 {
				note += fmt.Sprintf(" In any direction there is a way of length %d.", len(back[0])-1)
			}
		}
	}
	return fmt.Sprintf(note, textsafe.Quote(from.Title), textsafe.Quote(to.Title), l.degree(from, true), l.degree(to, false))
}

// degree says how many pages an end is linked with, as far as a way can begin or end
// there.
func (l linked) degree(e end, begins bool) string {
	if !e.isNode {
		return textsafe.Quote(e.Title) + ": none counted, as a page of Roam's own or a mere attribute"
	}
	near, what := l.links.Out(e.node), "links out"
	switch {
	case l.any:
		near, what = slices.Concat(near, l.links.In(e.node)), "links"
		slices.Sort(near)
		near = slices.Compact(near)
	case !begins:
		near, what = l.links.In(e.node), "links to it"
	}
	switch len(near) {
	case 0:
		return textsafe.Quote(e.Title) + ": none"
	case 1:
		what = strings.Replace(what, "links", "link", 1)
	}
	return fmt.Sprintf("%s: %d %s", textsafe.Quote(e.Title), len(near), what)
}

// show returns ways with the blocks that make their links.
func (l linked) show(ctx context.Context, found [][]int32) ([]way, error) {
	ways, links := make([]way, len(found)), []ops.PageLink{}
	for i, nodes := range found {
		for at, node := range nodes {
			page := l.view.PageAt(node)
			ways[i].Pages = append(ways[i].Pages, page.Title)
			if at == 0 {
				continue
			}
			before := l.view.PageAt(nodes[at-1])
			hop := linkHop{As: "out", link: ops.PageLink{From: note.Page{UID: before.UID, Title: before.Title}, To: note.Page{UID: page.UID, Title: page.Title}}}
			if l.links.Weight(nodes[at-1], node) == 0 {
				hop.As, hop.link = "in", ops.PageLink{From: hop.link.To, To: hop.link.From}
			}
			ways[i].Steps, links = append(ways[i].Steps, hop), append(links, hop.link)
		}
	}
	blocks, err := l.Graph().LinksBetween(ctx, links)
	for _, each := range ways {
		for i, hop := range each.Steps {
			if block, there := blocks[hop.link]; there {
				each.Steps[i].UID, each.Steps[i].Markdown = block.UID, block.Line()
			}
		}
	}
	return ways, err
}
