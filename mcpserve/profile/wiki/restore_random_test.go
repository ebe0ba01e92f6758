package wiki_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/race"
)

// TestRestoresOfRandomVersions changes notes in all ways, by tools and by hand in Roam, and
// restores versions of them: each time the note is what the version was, with the uids and
// the looks of its blocks. Blocks that are hidden by now stay as they are.
func TestRestoresOfRandomVersions(t *testing.T) {
	restores := 25
	if race.Enabled {
		restores = 5
	}
	testRandomRestores(t, restores)
}

func testRandomRestores(t *testing.T, restores int) {
	const perNote = 25
	suite := profiletest.NewSuite(t, journaled(t, profiletest.Options{}))
	for seed := 0; seed*perNote < restores; seed++ {
		w := suite.World(t)
		r := &restorer{T: t, w: w, c: w.Connect(profiletest.Ways()[0]), Rand: rand.New(rand.NewPCG(uint64(seed), 13)), path: "Note", seen: map[string][]seenBlock{}}
		ask(t, r.c, "create_note", fmt.Sprintf(`{"path":"Note","title":"A note","tags":["a"],"content":%q}`, r.content()))
		r.uid = w.PageUID("Note")
		r.see()
		for n := range min(perNote, restores-seed*perNote) {
			for range 1 + r.IntN(3) {
				r.change()
			}
			if r.restore(); t.Failed() {
				t.Fatalf("seed %d, restore %d, after %v", seed, n, r.done)
			}
		}
	}
}

// restorer changes one note and restores it.
type restorer struct {
	*rand.Rand
	T    *testing.T
	w    *profiletest.World
	c    *profiletest.Client
	path string
	uid  string                 // of its page
	seen map[string][]seenBlock // what the note was, by version
	done []string
}

// seenBlock is a block of the note in reading order, with all that a version holds of it.
type seenBlock struct {
	uid, line string
	depth     int
	hidden    bool
}

// blocks reads the note past the server.
func (r *restorer) blocks() (blocks []seenBlock) {
	type pulled struct {
		UID, String, View, Align string
		Order, Heading           int
		Open                     *bool
		Children                 []pulled
	}
	var found []pulled
	r.w.Query(&found, `[:find [(pull ?e [:block/uid :block/string :block/order :block/heading :block/open [:children/view-type :as "view"] [:block/text-align :as "align"] {:block/children ...}]) ...] :in $ ?u :where [?e :block/uid ?u]]`, r.uid)
	var add func(list []pulled, depth int, hidden bool)
	add = func(list []pulled, depth int, hidden bool) {
		for order := range list {
			for _, b := range list {
				if b.Order != order {
					continue
				}
				look := strings.TrimPrefix(b.View, ":") + "/" + b.Align
				look = strings.NewReplacer("bullet", "", "left", "").Replace(look)
				hides := hidden || strings.Contains(b.String, "#.rm-hide")
				blocks = append(blocks, seenBlock{b.UID, fmt.Sprintf("%d %s %d %v %s %s", depth, b.UID, b.Heading, b.Open == nil || *b.Open, look, b.String), depth, hides})
				add(b.Children, depth+1, hides)
			}
		}
	}
	for _, page := range found {
		add(page.Children, 0, false)
	}
	return blocks
}

// lines returns what is visible of blocks, without those that have some uids and what is
// below them.
func lines(blocks []seenBlock, without map[string]bool) string {
	var out []string
	below := -1
	for _, b := range blocks {
		if below >= 0 && b.depth > below {
			continue
		}
		if below = -1; b.hidden || without[b.uid] {
			below = b.depth
			continue
		}
		out = append(out, b.line)
	}
	return strings.Join(out, "\n")
}

func hiddenOf(blocks []seenBlock) map[string]bool {
	hidden := map[string]bool{}
	for _, b := range blocks {
		if b.hidden {
			hidden[b.uid] = true
		}
	}
	return hidden
}

// see has the server read the note, and notes which version it is.
func (r *restorer) see() {
	if result := r.c.Call("get_note", fmt.Sprintf(`{"path":%q}`, r.path)); result.IsError {
		return // nothing of it is visible
	}
	id := versionsOf(r.T, r.c, r.path)[0]
	r.seen[id] = r.blocks()
}

func (r *restorer) word() string {
	words := []string{"tea", "milk", "[[Ada]]", "#engine", "bread", "**bold**", "x\ny", "((sv0000001))"}
	return fmt.Sprintf("w%d %s", r.IntN(30), words[r.IntN(len(words))])
}

// content makes markdown of a few blocks.
func (r *restorer) content() string {
	var b strings.Builder
	depth := 0
	for i := range 1 + r.IntN(6) {
		if i > 0 {
			depth = r.IntN(depth + 2)
		}
		b.WriteString(strings.Repeat("  ", depth) + "- " + strings.ReplaceAll(r.word(), "\n", " ") + "\n")
	}
	return b.String()
}

// change changes the note in one way.
func (r *restorer) change() {
	if r.w.PageUID(r.path) == "" { // it was deleted
		return
	}
	blocks := r.blocks()
	uid, one := r.uid, seenBlock{}
	if len(blocks) > 0 {
		one = blocks[r.IntN(len(blocks))]
		uid = one.uid
	}
	block := func(action string, arguments map[string]any) { r.w.Roam("data.block."+action, arguments) }
	how := r.IntN(12)
	switch {
	case how == 0 && one.uid != "":
		block("update", map[string]any{"block": map[string]any{"uid": uid, "string": r.word()}})
	case how == 1 && one.uid != "":
		block("update", map[string]any{"block": map[string]any{"uid": uid, "heading": r.IntN(4), "open": r.IntN(2) == 0, "text-align": []string{"left", "center"}[r.IntN(2)], "children-view-type": []string{"bullet", "numbered", "document"}[r.IntN(3)]}})
	case how == 2 && one.uid != "" && !one.hidden:
		block("delete", map[string]any{"block": map[string]any{"uid": uid}})
	case how == 3:
		block("create", map[string]any{"location": map[string]any{"parent-uid": uid, "order": 0}, "block": map[string]any{"string": r.word()}})
	case how == 4 && one.uid != "":
		block("move", map[string]any{"location": map[string]any{"parent-uid": r.uid, "order": "last"}, "block": map[string]any{"uid": uid}})
	case how == 5 && one.uid != "" && r.IntN(4) == 0:
		block("update", map[string]any{"block": map[string]any{"uid": uid, "string": r.word() + " #.rm-hide"}})
	case how == 6:
		r.c.Call("update_note", fmt.Sprintf(`{"path":%q,"tags":["t%d"],"title":"T%d"}`, r.path, r.IntN(3), r.IntN(3)))
	case how == 7:
		r.c.Call("edit_note", fmt.Sprintf(`{"path":%q,"append":%q}`, r.path, r.content()))
	case how == 8:
		path := fmt.Sprintf("Note/%d", r.IntN(5))
		if result := r.c.Call("update_note", fmt.Sprintf(`{"path":%q,"new_path":%q}`, r.path, path)); !result.IsError {
			r.path = path
		}
	case how == 9:
		r.c.Call("delete_note", fmt.Sprintf(`{"path":%q}`, r.path)) // hidden blocks are in its way
	default:
		r.c.Call("update_note", fmt.Sprintf(`{"path":%q,"content":%q}`, r.path, r.content()))
	}
	r.done = append(r.done, fmt.Sprint(how))
	r.see()
}

// restore restores one of the versions.
func (r *restorer) restore() {
	ids := slices.Sorted(maps.Keys(r.seen))
	id := ids[r.IntN(len(ids))]
	before := r.blocks()
	result := r.c.Call("restore_note_version", fmt.Sprintf(`{"path":%q,"version":%q}`, r.path, id))
	r.done = append(r.done, "to "+id)
	if want := fmt.Sprintf("Restored note '%s' to version %s", r.path, id); result.IsError || !strings.HasPrefix(result.Text(), want) {
		r.T.Error(result)
		return
	}
	hidden, after := hiddenOf(before), r.blocks()
	if got, want := lines(after, nil), lines(r.seen[id], hidden); got != want {
		r.T.Errorf("it is\n%s\nand the version\n%s\nit was\n%s", got, want, lines(before, nil))
	}
	if is := hiddenOf(after); !maps.Equal(is, hidden) {
		r.T.Errorf("hidden is %v, was %v", is, hidden)
	}
	r.see()
}
