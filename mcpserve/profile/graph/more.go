package graph

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// nodeList is a part of a list of nodes.
type nodeList struct {
	Nodes []linkInfo `json:"nodes"`
	Total int        `json:"total"`
}

// resolvedName is the node that a name means; Match is null where there is none.
type resolvedName struct {
	Query string   `json:"query"`
	Match *string  `json:"match"`
	Score *float64 `json:"score"`
}

// cluster is a group of nodes that links connect.
type cluster struct {
	Size  int        `json:"size"`
	Nodes []linkInfo `json:"nodes"`
}

// clusterNodes is how many nodes of a cluster are listed.
const clusterNodes = 20

func infosOf(pages []mirror.Page) []linkInfo {
	list := []linkInfo{}
	for _, each := range pages {
		list = append(list, linkInfo{each.UID, each.Title})
	}
	return list
}

// among returns the nodes that the arguments tag and path let through, in node order.
func (o opened) among(c surface.Call) []mirror.Page {
	tagged := map[string]bool{}
	tag, path := note.Key(c.Args().Text("tag")), strings.Trim(c.Args().Text("path"), "/ ")
	if tag != "" {
		for _, each := range o.view.Tagged(tag) {
			tagged[each.UID] = true
		}
	}
	var list []mirror.Page
	for at := range o.view.Links().Len() {
		each := o.view.PageAt(int32(at))
		if tag != "" && !tagged[each.UID] || path != "" && !within(each.Title, path) {
			continue
		}
		list = append(list, each)
	}
	return list
}

// within reports whether a title is in a path, segment by segment, without regard to
// case.
func within(title, path string) bool {
	segments, wanted := strings.Split(title, "/"), strings.Split(path, "/")
	if len(segments) <= len(wanted) {
		return false
	}
	return slices.EqualFunc(segments[:len(wanted)], wanted, strings.EqualFold)
}

// listNodes answers list_nodes.
func listNodes(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(o.among(c), func(p mirror.Page) bool { return !p.Exists })
	offset, limit := window(c, 100)
	return rawjson.Encode(nodeList{infosOf(page(list, offset, limit)), len(list)}), nil
}

// resolveNodes answers resolve_nodes.
func resolveNodes(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	names, err := some(c, "names", c.Args().List("names"))
	if err != nil {
		return nil, err
	}
	need, strategy := mirror.Links, c.Args().Text("strategy")
	if strategy == strategySemantic {
		need = mirror.Texts
	}
	o, err := open(ctx, c, need)
	if err != nil {
		return nil, err
	}
	m, threshold := meaning{opened: o, strategy: strategy, pages: o.among(c), allowed: map[string]bool{}}, c.Args().Float("threshold", defaultThreshold)
	for _, each := range m.pages {
		m.allowed[each.UID] = true
	}
	if strategy == "" || strategy == strategyFuzzy {
		m.spelling = newSpelling(m.pages)
	}
	var list []resolvedName
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		uid, score, err := m.of(ctx, name)
		if err != nil {
			return nil, err
		}
		resolved := resolvedName{Query: name}
		if score = rounded(score, 4); uid != "" && score >= threshold {
			resolved.Match, resolved.Score = &uid, &score
		}
		list = append(list, resolved)
	}
	return rawjson.Encode(list), nil
}

// meaning finds the one of some pages that a name means.
type meaning struct {
	opened
	strategy string
	pages    []mirror.Page
	allowed  map[string]bool // their uids
	spelling *spelling       // for names that are spelled alike
}

// of returns the page that a name means, and how sure that is, from 0 to 1; the uid is
// empty where there is none.
func (m meaning) of(ctx context.Context, name string) (uid string, score float64, err error) {
	if uid := m.view.Names().Resolve(name, m.Now(), true).UID; m.allowed[uid] {
		return uid, 1, nil
	}
	if m.strategy == strategySemantic {
		found, err := m.meant(ctx, name, 50)
		for _, each := range found {
			if m.allowed[each.uid] {
				return each.uid, each.score, nil
			}
		}
		return "", 0, err
	}
	if m.spelling == nil {
		return "", 0, nil
	}
	best, score := m.spelling.likest(name)
	return best.UID, score, nil
}

// nodesExist answers nodes_exist.
func nodesExist(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	ids, err := some(c, "ids", c.Args().List("ids"))
	if err != nil {
		return nil, err
	}
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return nil, err
	}
	reply := rawjson.Object{}
	for _, id := range ids {
		reply = reply.With(id, o.view.Names().Resolve(id, o.Now(), true).UID != "")
	}
	return reply.JSON(), nil
}

// some refuses a list that is empty or longer than 100.
func some(c surface.Call, name string, list []string) ([]string, error) {
	if len(list) == 0 || len(list) > 100 {
		return nil, surface.Invalid(c.ToolName(), "%s has %d elements; it takes 1 to 100.", name, len(list))
	}
	return list, nil
}

// getOrphans answers get_orphans.
func getOrphans(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return nil, err
	}
	orphans := o.pagesAt(o.view.Links().Orphans())
	offset, limit := window(c, 100)
	return rawjson.Encode(nodeList{infosOf(page(orphans, offset, limit)), len(orphans)}), nil
}

func (o opened) pagesAt(nodes []int32) []mirror.Page {
	list := make([]mirror.Page, len(nodes))
	for i, at := range nodes {
		list[i] = o.view.PageAt(at)
	}
	return list
}

// getClusters answers get_clusters.
func getClusters(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	o, err := open(ctx, c, mirror.Links)
	if err != nil {
		return nil, err
	}
	links := o.view.Links()
	clusters := links.Clusters()
	offset, limit := window(c, 10)
	list := []cluster{}
	for _, nodes := range page(clusters, offset, limit) {
		most := byWeight(nodes, func(at int32) int32 { return int32(len(links.In(at)) + len(links.Out(at))) })
		list = append(list, cluster{len(nodes), infosOf(o.pagesAt(most[:min(len(most), clusterNodes)]))})
	}
	return rawjson.With("clusters", list).With("total", len(clusters)).JSON(), nil
}
