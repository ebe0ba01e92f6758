// Package roundtriptest holds the tools of all profiles to two laws: what was read and is
// written back changes nothing, and what is created has every character that was sent but for
// the structure. It sees what a client sees and what the sandbox stores, and knows no parser.
package roundtriptest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/rebuild"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// profiles are all of them.
var profiles = []string{"roam", "graph", "notes", "outline", "wiki"}

// world is a server of a profile over a sandbox with a graph, and a client of it.
type world struct {
	*profiletest.World
	client  *profiletest.Client
	profile string
}

// newWorld starts a world that ends with the test.
func newWorld(t testing.TB, profile, export string) *world {
	t.Helper()
	all := func(o *mcpserve.Options) { o.Toolsets, o.MaxReply = []string{"all"}, 1<<20 }
	w, c := profiletest.Connect(t, profiletest.Options{Profile: profile, Export: export, Server: all})
	return &world{w, c, profile}
}

// arguments are those of a tool, by name.
type arguments map[string]any

// call calls a tool. The error has the code and the message of a refusal.
func (w *world) call(tool string, args arguments) (profiletest.Result, error) {
	w.T.Helper()
	r := w.client.Call(tool, string(rawjson.Encode(args)))
	if r.IsError || r.RPC != nil {
		return r, fmt.Errorf("%s refuses: %.300s", tool, r)
	}
	return r, nil
}

// stored is a page or block as the sandbox has it.
type stored struct {
	UID      string
	Text     string
	Heading  int
	Extra    string // view, alignment, folding
	Children []stored
}

// String shows a tree in lines, texts quoted.
func (s stored) String() string {
	var out strings.Builder
	s.write(&out, 0)
	return out.String()
}

func (s stored) write(out *strings.Builder, depth int) {
	fmt.Fprintf(out, "%s%s h%d%s %q\n", strings.Repeat("  ", depth), s.UID, s.Heading, s.Extra, s.Text)
	for _, child := range s.Children {
		child.write(out, depth+1)
	}
}

const pattern = `[:block/uid :node/title :block/string :block/heading :block/order :block/open :block/text-align :children/view-type {:block/children ...}]`

type pulled struct {
	UID      string   `json:":block/uid"`
	Title    string   `json:":node/title"`
	Text     string   `json:":block/string"`
	Heading  int      `json:":block/heading"`
	Order    int      `json:":block/order"`
	Open     *bool    `json:":block/open"`
	Align    string   `json:":block/text-align"`
	View     string   `json:":children/view-type"`
	Children []pulled `json:":block/children"`
}

func (p pulled) stored() stored {
	s := stored{UID: p.UID, Text: p.Text + p.Title, Heading: p.Heading}
	if p.Align != "" {
		s.Extra += " " + p.Align
	}
	if p.View != "" && p.View != "bullet" && p.View != ":bullet" {
		s.Extra += " " + p.View
	}
	if p.Open != nil && !*p.Open {
		s.Extra += " folded"
	}
	slices.SortFunc(p.Children, func(a, b pulled) int { return a.Order - b.Order })
	for _, child := range p.Children {
		s.Children = append(s.Children, child.stored())
	}
	return s
}

// page reads a page or block from the sandbox by its uid; it has no uid where there is none.
func (w *world) page(uid string) stored {
	w.T.Helper()
	reply, err := w.Ask(w.T.Context(), profiletest.MainGraph, "data.pull", pattern, fmt.Sprintf("[:block/uid %q]", uid))
	require.NoError(w.T, err)
	var p pulled
	require.NoError(w.T, json.Unmarshal(reply, &p))
	return p.stored()
}

// graph reads all of the graph.
func (w *world) graph() rebuild.Graph {
	w.T.Helper()
	ask := func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
		return w.Ask(ctx, profiletest.MainGraph, action, args...)
	}
	g, err := rebuild.Read(w.T.Context(), ask)
	require.NoError(w.T, err)
	return g
}

// wrote lists the actions that write which the server has sent since the calls were reset.
func (w *world) wrote() []string {
	var list []string
	for action, n := range w.Calls() {
		reads := action == "data.block.pull" || action == "data.page.get" || action == "data.block.get"
		if !reads && (strings.HasPrefix(action, "data.block.") || strings.HasPrefix(action, "data.page.") || action == "batchActions") {
			list = append(list, fmt.Sprintf("%d %s", n, action))
		}
	}
	slices.Sort(list)
	return list
}

// textsIn returns the texts of all blocks below, in reading order.
func textsIn(blocks []stored) []string {
	var texts []string
	for _, each := range blocks {
		texts = append(append(texts, each.Text), textsIn(each.Children)...)
	}
	return texts
}

// firstDifference is the first line in which two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("is   %s\n     want %s", x, y)
		}
	}
	return ""
}
