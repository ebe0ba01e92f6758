// Package rebuild takes a graph back to what it was before changes of a journal, from
// what the journal has of them alone. Tests hold the result against the graph as it was.
//
// It reads graphs by their datoms, and so by another way than the facts in the journal
// are read.
package rebuild

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
)

// Node is a page or a block.
type Node struct {
	Attrs    map[string]string // values as JSON by attribute; places, references, times and users are none
	Parent   string
	Children []string // uids

	created int64 // ms, where facts that brought it back say so
}

// Graph is a graph but for its times and users.
type Graph struct {
	Nodes     map[string]*Node // by uid
	Shortcuts []string
}

// Read reads a graph.
func Read(ctx context.Context, ask fact.Ask) (Graph, error) {
	answer, err := ask(ctx, "data.fast.q", `[:find ?e ?a ?v :where [?e ?a ?v]]`)
	if err != nil {
		return Graph{}, err
	}
	var datoms [][3]json.RawMessage
	if err := json.Unmarshal(answer, &datoms); err != nil {
		return Graph{}, err
	}
	return graphOf(datoms)
}

// place is where an entity is among others.
type place struct{ number, entity int64 }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.number, q.number), cmp.Compare(p.entity, q.entity))
}

func graphOf(datoms [][3]json.RawMessage) (Graph, error) {
	attrs, children, orders, shortcuts := map[int64]map[string]string{}, map[int64][]int64{}, map[int64]int64{}, map[int64]int64{}
	for _, d := range datoms {
		var e, number int64
		var name string
		if json.Unmarshal(d[0], &e) != nil || json.Unmarshal(d[1], &name) != nil {
			return Graph{}, fmt.Errorf("%s is no datom", d)
		}
		numeric := json.Unmarshal(d[2], &number) == nil
		if attrs[e] == nil {
			attrs[e] = map[string]string{}
		}
		switch {
		case name == ":block/children" && numeric:
			children[e] = append(children[e], number)
		case name == ":block/order" && numeric:
			orders[e] = number
		case name == ":page/sidebar" && numeric:
			shortcuts[e] = number
		case name == ":log/id":
			attrs[e][name] = "true"
		case !derived(name):
			attrs[e][name] = plain(d[2])
		}
	}
	uids := map[int64]string{}
	for e, of := range attrs {
		var uid string
		if json.Unmarshal([]byte(of[":block/uid"]), &uid) == nil {
			uids[e] = uid
		}
	}
	g := Graph{Nodes: map[string]*Node{}}
	for e, uid := range uids {
		delete(attrs[e], ":block/uid")
		g.Nodes[uid] = &Node{Attrs: attrs[e]}
	}
	inOrder := func(entities []int64, numbers map[int64]int64) (list []string) {
		slices.SortFunc(entities, func(a, b int64) int { return place{numbers[a], a}.compare(place{numbers[b], b}) })
		for _, e := range entities {
			list = append(list, uids[e])
		}
		return list
	}
	for e, below := range children {
		for _, child := range append(below, e) {
			if uids[child] == "" {
				return Graph{}, fmt.Errorf("entity %d is a child or a parent (%d has %v), and has no uid: %v", child, e, below, attrs[child])
			}
		}
		list := inOrder(below, orders)
		g.Nodes[uids[e]].Children = list
		for _, child := range list {
			g.Nodes[child].Parent = uids[e]
		}
	}
	g.Shortcuts = inOrder(slices.Collect(maps.Keys(shortcuts)), shortcuts)
	return g, nil
}

// derived reports whether an attribute is a time, a user, or follows from others.
func derived(name string) bool {
	switch name {
	case ":block/parents", ":block/page", ":block/refs", ":entity/attrs", ":attrs/lookup", ":page/word-count", ":page/edit-time", ":page/edit-user":
		return true
	}
	return strings.HasPrefix(name, ":create/") || strings.HasPrefix(name, ":edit/") || strings.HasPrefix(name, ":user/")
}

// plain returns a value without the colon of a keyword, with members in order.
func plain(value json.RawMessage) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return string(value)
	}
	if text, ok := v.(string); ok && strings.HasPrefix(text, ":") {
		v = text[1:]
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// Clone returns a copy that shares nothing with g.
func (g Graph) Clone() Graph {
	c := Graph{Nodes: make(map[string]*Node, len(g.Nodes)), Shortcuts: slices.Clone(g.Shortcuts)}
	for uid, n := range g.Nodes {
		c.Nodes[uid] = &Node{Attrs: maps.Clone(n.Attrs), Parent: n.Parent, Children: slices.Clone(n.Children)}
	}
	return c
}

// Differences says how a graph differs from another one, in lines; nil where it does
// not.
func Differences(got, want Graph) []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, uid := range slices.Sorted(maps.Keys(want.Nodes)) {
		w, g := want.Nodes[uid], got.Nodes[uid]
		if g == nil {
			say("%s is missing: %v", uid, w.Attrs)
			continue
		}
		if !maps.Equal(g.Attrs, w.Attrs) {
			say("%s is %v, was %v", uid, g.Attrs, w.Attrs)
		}
		if g.Parent != w.Parent {
			say("%s is below %q, was below %q", uid, g.Parent, w.Parent)
		}
		if !slices.Equal(g.Children, w.Children) {
			say("%s has the children %v, had %v", uid, g.Children, w.Children)
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(got.Nodes)) {
		if want.Nodes[uid] == nil {
			say("%s is there still: %v", uid, got.Nodes[uid].Attrs)
		}
	}
	if !slices.Equal(got.Shortcuts, want.Shortcuts) {
		say("the shortcuts are %v, were %v", got.Shortcuts, want.Shortcuts)
	}
	return lines
}
