package mirror

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"roam-mcp/internal/testutil/race"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/demograph"
)

// editor makes random edits of a graph, as another client of Roam.
type editor struct {
	*world
	*rand.Rand
	made    int
	deleted []string // uids
	// silent: the last edit has left no time, so that large graphs see it later.
	silent bool
}

// one makes an edit of what the snapshot shows, and says which.
func (e *editor) one(db *graphdb.DB) string {
	e.t.Helper()
	e.silent = false
	var pages, blocks []graphdb.EID
	for p := range db.Entities(graphdb.NodeTitle) {
		pages = append(pages, p)
	}
	for b := range db.Entities(graphdb.BlockString) {
		blocks = append(blocks, b)
	}
	uid := func(x graphdb.EID) string { return db.String(x, graphdb.BlockUID) }
	page := pages[e.IntN(len(pages))]
	block := blocks[e.IntN(len(blocks))]
	above := page
	if e.IntN(2) == 0 {
		above = blocks[e.IntN(len(blocks))]
	}
	e.made++
	fresh := fmt.Sprintf("new%06d", e.made)
	switch n := e.IntN(100); {
	case n < 25:
		text := e.text(db, pages, blocks)
		e.create(uid(above), fresh, text)
		return "create " + fresh + " below " + uid(above) + ": " + text
	case n < 50:
		text := e.text(db, pages, blocks)
		e.update(uid(block), text)
		return "update " + uid(block) + ": " + text
	case n < 68:
		if above == block || slices.Contains(outline.Ancestors(db, above), block) {
			return "no move"
		}
		e.silent = true
		e.do("data.block.move", m{"location": m{"parent-uid": uid(above), "order": []any{"first", "last", 1}[e.IntN(3)]}, "block": m{"uid": uid(block)}})
		return "move " + uid(block) + " below " + uid(above)
	case n < 74:
		return e.reorder(db, outline.Parent(db, block))
	case n < 80:
		if len(blocks) < 15 {
			return "no delete"
		}
		e.silent = true
		e.do("data.block.delete", m{"block": m{"uid": uid(block)}})
		e.deleted = append(e.deleted, uid(block))
		return "delete " + uid(block)
	case n < 82:
		if len(e.deleted) == 0 {
			return "nothing to make again"
		}
		again := e.deleted[len(e.deleted)-1] // as undoing in Roam does
		e.deleted = e.deleted[:len(e.deleted)-1]
		e.create(uid(above), again, "made again")
		return "make " + again + " again below " + uid(above)
	case n < 84:
		title := fmt.Sprintf("Page %d", e.made)
		e.do("data.page.create", m{"page": m{"title": title, "uid": fresh}})
		return "page " + title
	case n < 90:
		if title := db.String(page, graphdb.NodeTitle); title == ".rm-private" || title == "Tags" || note.KindOfTitle(title) == note.Daily {
			return "no rename"
		}
		title := fmt.Sprintf("Renamed %d", e.made)
		if into := db.String(pages[e.IntN(len(pages))], graphdb.NodeTitle); n < 86 && len(pages) > 8 && into != ".rm-private" && into != "Tags" && note.KindOfTitle(into) != note.Daily {
			title, e.silent = into, true // merges the two
		}
		e.do("data.page.update", m{"page": m{"uid": uid(page), "title": title}, "merge-pages": true})
		return "rename " + db.String(page, graphdb.NodeTitle) + " to " + title
	case n < 93:
		if len(pages) < 8 {
			return "no delete"
		}
		e.silent = true
		e.do("data.page.delete", m{"page": m{"uid": uid(page)}})
		return "delete page " + db.String(page, graphdb.NodeTitle)
	case n < 97:
		e.do("data.block.update", m{"block": m{"uid": uid(block), "heading": e.IntN(4), "open": e.IntN(2) == 0}})
		return "heading of " + uid(block)
	}
	e.silent = true
	e.do("data.page.addShortcut", uid(page))
	return "shortcut to " + uid(page)
}

func (e *editor) reorder(db *graphdb.DB, above graphdb.EID) string {
	siblings := outline.Children(db, above)
	if len(siblings) < 2 {
		return "no reorder"
	}
	e.Shuffle(len(siblings), func(i, j int) { siblings[i], siblings[j] = siblings[j], siblings[i] })
	var uids []string
	for _, s := range siblings {
		uids = append(uids, db.String(s, graphdb.BlockUID))
	}
	e.silent = true
	e.do("data.block.reorderBlocks", m{"location": m{"parent-uid": db.String(above, graphdb.BlockUID)}, "blocks": uids})
	return "reorder " + db.String(above, graphdb.BlockUID)
}

// text makes up the text of a block.
func (e *editor) text(db *graphdb.DB, pages, blocks []graphdb.EID) string {
	title := db.String(pages[e.IntN(len(pages))], graphdb.NodeTitle)
	uid := db.String(blocks[e.IntN(len(blocks))], graphdb.BlockUID)
	e.made++
	return []string{
		fmt.Sprintf("plain %d", e.made), "see [[" + title + "]] and [[" + title + "]]", "#[[" + title + "]] is a tag", "as in ((" + uid + "))",
		"Tags:: #[[" + title + "]] two, three", fmt.Sprintf("a new [[Mentioned %d]]", e.made), "[[" + title + "]] ((" + uid + ")) #.rm-private",
		"{{[[TODO]]}} " + title, fmt.Sprintf("Attribute %d:: [[%s]]", e.made%3, title), "a \"quoted\"\nline \\ [[" + title + "]]", "",
	}[e.IntN(11)]
}

// series is a series of edits with a question after each.
type series struct {
	options  Options
	need     Need
	switches []string
	renumber bool // entities get other ids now and then
	restart  bool // Roam moves to another port now and then
	exact    bool // what leaves no time is seen at once too
}

func allSeries() map[string]series {
	large := Options{small: -1}
	linked := Options{small: -1, few: -1}
	return map[string]series{
		"a small graph": {need: Texts, exact: true},
		"a small graph where moves leave no time":          {need: Texts, exact: true, switches: []string{"no-move-stamp"}},
		"a small graph with other entity ids":              {need: Texts, exact: true, renumber: true},
		"a large graph":                                    {options: large, need: Texts},
		"a large graph where moves leave no time":          {options: large, need: Texts, switches: []string{"no-move-stamp"}},
		"a large graph with other entity ids":              {options: large, need: Texts, renumber: true},
		"a large graph on changing ports":                  {options: large, need: Texts, restart: true},
		"links of a large graph":                           {options: linked, need: Links},
		"links of a large graph where moves leave no time": {options: linked, need: Links, switches: []string{"no-move-stamp"}},
		"links of a large graph with other entity ids":     {options: linked, need: Links, renumber: true},
	}
}

func (s series) run(t *testing.T, edits int, seed uint64) {
	w := newWorld(t, demograph.JSON)
	w.set(s.switches...)
	e := &editor{world: w, Rand: rand.New(rand.NewPCG(seed, 1))}
	k := w.keeper(s.options)
	w.view(k, s.need)
	fresh := w.view(w.keeper(Options{}), Texts)
	followed := follower{}
	for n := range edits {
		w.clock.Advance(time.Duration(e.IntN(3)) * 40 * time.Millisecond)
		said := e.one(fresh.DB())
		if e.silent && !s.exact {
			w.clock.Advance(scanEvery)
		}
		switch {
		case s.renumber && n%10 == 9:
			w.set("new-ids=off")
			w.set("new-ids")
			said += ", other ids"
		case s.restart && n%50 == 49:
			w.restart()
			said += ", another port"
		}
		got := w.view(k, s.need)
		oracle := New(Options{Now: w.clock.Now})
		fresh = w.view(oracle, Texts)
		oracle.Close()
		d := differ(links(got), links(fresh))
		if s.need == Texts {
			d += differ(texts(got), texts(fresh)) + followed.differ(got)
		}
		if d != "" {
			t.Fatalf("after edit %d, %s:\n%s", n, said, d)
		}
	}
}

func TestEveryAnswerIsThatOfAFreshLoad(t *testing.T) {
	for name, s := range allSeries() {
		edits := 150
		if len(s.switches) > 0 || s.renumber || s.restart {
			edits = 51
		}
		if race.Enabled {
			edits /= 3
		}
		t.Run(name, func(t *testing.T) { s.run(t, edits, 11) })
	}
}
