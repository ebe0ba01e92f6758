package undotest

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/rebuild"
	"roam-mcp/internal/testutil/require"
)

var (
	dryRunSeed  = flag.Uint64("dryrun.seed", 1, "first seed of the calls that are tried before they are made")
	dryRunCount = flag.Int("dryrun.count", dryRunCalls(), "number of such calls")
)

// dryRunCalls is how many calls are tried in every run.
func dryRunCalls() int {
	if race.Enabled {
		return 40
	}
	return 200
}

// told is the effect that a reply tells.
type told struct {
	BlocksGone, HiddenGone, Rewritten, PagesRewritten int
	Shortcut                                          bool
	Lacks                                             []string
	Undoable                                          string
}

// TestDryRunTellsWhatARealCallDoes tries random deletions, renames and merges, makes them, and
// compares what is told with what is different in the graph.
func TestDryRunTellsWhatARealCallDoes(t *testing.T) {
	var all dryRunTally
	for from := 0; from < *dryRunCount; from += dryRunRound {
		w := newRebuildWorld(t, rebuildPlan{profiles: []string{"roam"}, agents: []int{0}})
		for i := from; i < min(from+dryRunRound, *dryRunCount); i++ {
			w.tryAndDo(*dryRunSeed+uint64(i), &all)
		}
		w.closeServers()
		w.close()
	}
	t.Logf("%+v", all)
	if all.calls < *dryRunCount*2/3 || all.hidden == 0 || all.pages == 0 {
		t.Errorf("%d calls were to be made, and these were: %+v", *dryRunCount, all)
	}
}

// dryRunRound is how many calls are made in one graph.
const dryRunRound = 25

// dryRunTally counts calls that were made, and what they did.
type dryRunTally struct{ calls, hidden, pages int }

// tryAndDo has a call tried, and makes it.
func (w *rebuildWorld) tryAndDo(seed uint64, all *dryRunTally) {
	w.t.Helper()
	random := rand.New(rand.NewPCG(seed, 31))
	w.advance()
	w.scatter(random)
	tool, args, target := w.destruction(&choice{Rand: random}, seed)
	before, newest := w.read(), w.newest()
	tried, ok := w.tell(tool, args, true)
	if seed%8 == 0 {
		if after := w.read(); !reflect.DeepEqual(after, before) {
			w.t.Fatalf("seed %d: a dry run of %s %v has written: %v", seed, tool, args, rebuild.Differences(after, before))
		}
	}
	if now := w.newest(); now != newest {
		w.t.Fatalf("seed %d: a dry run of %s %v is call %d of the journal", seed, tool, args, now)
	}
	made, also := w.tell(tool, args, false)
	if ok != also {
		w.t.Errorf("seed %d: of %s %v a dry run says %v, and the call %v", seed, tool, args, tried, made)
	}
	if !ok || !also {
		return
	}
	after := w.read()
	want, got := differing(before, after, target, tool == "update_page"), tried
	got.Lacks, got.Undoable = nil, ""
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(tried, made) {
		w.t.Errorf("seed %d: %s %v told %+v, then %+v; the graph tells %+v\n%s", seed, tool, args, tried, made, want, strings.Join(rebuild.Differences(after, before), "\n"))
	}
	all.calls++
	all.hidden += got.HiddenGone
	all.pages += got.PagesRewritten
}

// scatter makes some pages and blocks that refer to others.
func (w *rebuildWorld) scatter(random *rand.Rand) {
	c := &choice{Rand: random}
	found := w.choice(random.Uint64())
	c.blocks, c.pages = found.blocks, found.pages
	title := c.newTitle()
	if strings.Contains(title, "((") { // which no rename or deletion takes away
		title = "no reference"
	}
	page := fmt.Sprintf("page%05d", random.IntN(1e5))
	if _, err := w.ask(w.ctx, "data.page.create", fields{"page": fields{"title": title, "uid": page}}); err != nil {
		page = c.pages[random.IntN(len(c.pages))].uid
	} else if random.IntN(3) == 0 {
		w.must("data.page.addShortcut", page)
	}
	places := []string{page}
	for range 5 {
		uid := fmt.Sprintf("made%05d", random.IntN(1e5))
		_, err := w.ask(w.ctx, "data.block.create", fields{"location": fields{"parent-uid": places[random.IntN(len(places))], "order": "last"}, "block": fields{"uid": uid, "string": c.scattered()}})
		if err == nil {
			places = append(places, uid)
		}
	}
}

// scattered is a text that refers to something, or hides itself.
func (c *choice) scattered() string {
	block, page := "none00000", "none"
	if b, ok := c.block(); ok {
		block = b.uid
	}
	if p, ok := c.page(); ok && !strings.HasPrefix(p.text, ".rm-") {
		page = p.text
	}
	return "text " + pick(c, "[["+page+"]]", "#[["+page+"]]", page+":: value", "(("+block+"))", "{{embed: (("+block+"))}}", "[label](("+"("+block+")))",
		"`[["+page+"]]`", page, "#.rm-hide", "{{[[TODO]]}} [["+page+"]]", "(("+block+")) [["+page+"]] #.rm-private")
}

// destruction returns a call that takes something away, or has something rewritten, and the uid of the
// page that gets another title.
func (w *rebuildWorld) destruction(c *choice, seed uint64) (tool string, args fields, target string) {
	found := w.choice(seed)
	c.blocks = found.blocks
	c.pages = slices.DeleteFunc(found.pages, func(p rebuildThing) bool { return strings.HasPrefix(p.text, ".rm-") })
	page, _ := c.page()
	block, _ := c.block()
	other, _ := c.page()
	switch c.IntN(6) {
	case 0:
		return "delete_block", fields{"uid": block.uid}, ""
	case 1:
		more, _ := c.block()
		return "delete_blocks", fields{"uids": []string{block.uid, more.uid}}, ""
	case 2:
		return "delete_page", fields{"uid": page.uid}, page.uid
	case 3:
		if strings.Contains(other.text, page.text) { // which is nothing to do, or names what goes
			break
		}
		return "update_page", fields{"uid": page.uid, "title": other.text, "mergePages": true}, page.uid
	}
	return "update_page", fields{"uid": page.uid, "title": fmt.Sprintf("Another %d", seed)}, page.uid
}

// tell makes a call and returns the effect that it tells; false where it is refused.
func (w *rebuildWorld) tell(tool string, args fields, dry bool) (told, bool) {
	w.t.Helper()
	args = maps.Clone(args)
	if dry {
		args["dryRun"] = true
	}
	result, err := w.agents[0].CallTool(w.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(w.t, err)
	var reply struct {
		DryRun  bool
		Effect  told
		Success *bool
	}
	text := result.Content[0].(*mcp.TextContent).Text
	require.NoError(w.t, json.Unmarshal([]byte(text), &reply))
	if !result.IsError && reply.DryRun != dry {
		w.t.Fatalf("%s %v is answered with %s", tool, args, text)
	}
	return reply.Effect, !result.IsError
}

// differing tells what is different in a graph: what has gone, and what has another text or title, but
// for the page that was to get one or to go. A page that goes into another one, since its new title is
// that one's, has got a title.
func differing(before, after rebuild.Graph, target string, renamed bool) (d told) {
	d.Shortcut = len(after.Shortcuts) < len(before.Shortcuts)
	for uid, was := range before.Nodes {
		is := after.Nodes[uid]
		text, title := was.Attrs[":block/string"], was.Attrs[":node/title"]
		switch {
		case is == nil && text != "" && hiddenIn(before, uid):
			d.HiddenGone++
		case is == nil && text != "":
			d.BlocksGone++
		case is == nil && uid != target && (renamed || !strings.HasPrefix(title, `"[[`)):
			d.PagesRewritten++
			d.Shortcut = d.Shortcut && !slices.Contains(before.Shortcuts, uid)
		case is != nil && text != is.Attrs[":block/string"]:
			d.Rewritten++
		case is != nil && title != is.Attrs[":node/title"] && uid != target:
			d.PagesRewritten++
		}
	}
	return d
}

func hiddenIn(g rebuild.Graph, uid string) bool {
	for node := g.Nodes[uid]; node != nil; node = g.Nodes[node.Parent] {
		if text := node.Attrs[":block/string"]; strings.Contains(text, "#.rm-") || strings.Contains(text, "[[.rm-") {
			return true
		}
	}
	return false
}
