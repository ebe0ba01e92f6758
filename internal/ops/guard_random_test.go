package ops

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// rules is a graph as the model of these tests sees it. It shares nothing with the guard: it
// reads all blocks of the graph, and expands texts with expressions of its own.
type rules struct {
	text, title, parent map[string]string
	kids                map[string][]string
	byTitle             map[string]string
}

func (b *box) rules() rules {
	b.t.Helper()
	g := New(Options{}).On(boxGraph, b)
	r := rules{map[string]string{}, map[string]string{}, map[string]string{}, map[string][]string{}, map[string]string{}}
	for _, part := range []struct {
		query string
		take  func(a, b string)
	}{
		{`[:find ?u ?s :where [?e :block/uid ?u] [?e :block/string ?s]]`, func(u, s string) { r.text[u] = s }},
		{`[:find ?u ?s :where [?e :block/uid ?u] [?e :node/title ?s]]`, func(u, s string) { r.title[u], r.byTitle[s] = s, u }},
		{`[:find ?p ?u :where [?e :block/children ?c] [?c :block/uid ?u] [?e :block/uid ?p]]`, func(p, u string) { r.parent[u] = p }},
	} {
		rows, err := g.rows(b.t.Context(), part.query)
		require.NoError(b.t, err)
		for _, row := range rows {
			part.take(row[0].(string), row[1].(string))
		}
	}
	order, err := g.rows(b.t.Context(), `[:find ?u ?o :where [?e :block/uid ?u] [?e :block/order ?o] [?e :block/string]]`)
	require.NoError(b.t, err)
	at := map[string]float64{}
	for _, row := range order {
		at[row[0].(string)] = row[1].(float64)
	}
	for uid, parent := range r.parent {
		r.kids[parent] = append(r.kids[parent], uid)
	}
	for _, kids := range r.kids {
		slices.SortFunc(kids, func(a, b string) int { return int(at[a] - at[b]) })
	}
	return r
}

var modelEmbed = regexp.MustCompile(`(?i)\{\{\s*(?:\[\[)?embed[a-z-]*(?:\]\])?\s*:\s*\(\(([^()\s]+)\)\)\s*\}\}`)

// kept returns all that no write may change: the pages that are protected, what the guidelines
// embed, and what runs code with what is below it.
func (r rules) kept() string {
	var out strings.Builder
	var tree func(uid string, depth int, embeds bool)
	tree = func(uid string, depth int, embeds bool) {
		text := r.text[uid] + r.title[uid]
		fmt.Fprintf(&out, "%*s%s\n", depth, "", text)
		for _, m := range modelEmbed.FindAllStringSubmatch(text, -1) {
			if embeds {
				tree(m[1], depth+4, false)
			}
		}
		for _, kid := range r.kids[uid] {
			tree(kid, depth+2, embeds)
		}
	}
	for _, title := range append(guidelinesTitles(), codeTitles()...) {
		fmt.Fprintf(&out, "= %s\n", title)
		if uid := r.byTitle[title]; uid != "" {
			tree(uid, 0, slices.Contains(guidelinesTitles(), title))
		}
	}
	for _, uid := range sortedKeys(r.text) {
		if strings.Contains(r.text[uid], "{{[[roam/js]]}}") {
			fmt.Fprintf(&out, "= %s\n", uid)
			tree(uid, 0, false)
		}
	}
	return out.String()
}

// pick returns one of some values.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomText returns a text, which may run code.
func randomText(r *rand.Rand) string {
	return fmt.Sprintf("t%d ", r.IntN(1000)) + pick(r, "", "", "", "{{[[roam/js]]}}", "`{{[[roam/css]]}}`")
}

// randomWrite makes one write of any kind of those that profiles make.
func randomWrite(r *rand.Rand, g *Graph, t *testing.T, uids, pages, titles []string) error {
	ctx, uid, parent, text := t.Context(), pick(r, uids...), pick(r, append(slices.Clone(uids), pages...)...), randomText(r)
	title := pick(r, append(slices.Clone(titles), "roam/agent guidelines", "Agent Guidelines", "roam/js", "roam/[[P0]]", fmt.Sprintf("N%d", r.IntN(9)), "roam/agent [[P0]]")...)
	var err error
	switch r.IntN(13) {
	case 0:
		_, err = g.UpdateBlock(ctx, BlockUpdate{UID: uid, String: &text})
	case 1:
		_, err = g.UpdateBlocks(ctx, BlockUpdates{{UID: uid, String: &text}, {UID: pick(r, uids...), Heading: ptr(2)}})
	case 2:
		_, err = g.MoveBlock(ctx, BlockMove{UID: uid, ParentUID: parent})
	case 3:
		_, err = g.Remove(ctx, Block, uid)
	case 4:
		_, err = g.RemoveBlocks(ctx, []string{uid, pick(r, uids...)})
	case 5:
		_, err = g.Remove(ctx, Page, pick(r, pages...))
	case 6:
		_, err = g.UpdatePage(ctx, PageUpdate{UID: pick(r, pages...), Title: title, Merge: r.IntN(2) == 0})
	case 7:
		_, err = g.CreateBlocks(ctx, NewBlocks{Location: Location{ParentUID: parent, NestUnder: pick(r, "", "", "leaf")}, Markdown: text}, "")
	case 8:
		_, err = g.CreateBlocks(ctx, NewBlocks{Location: Location{PageTitle: title, NestUnder: pick(r, "", "leaf")}, Markdown: text}, "")
	case 9:
		_, err = g.CreatePage(ctx, NewPage{Title: title, Markdown: text})
	case 10:
		err = g.CreateBlock(ctx, NewBlock{UID: pick(r, "gone00001", fmt.Sprintf("new%06d", r.IntN(1e6))), ParentUID: parent, Block: outline.Block{String: text}})
	case 11:
		if note, there, _ := g.ReadNote(ctx, parent); there {
			_, err = g.Revise(ctx, note, nil)
		}
	case 12:
		_, err = g.AddComment(ctx, NewComment{BlockUID: uid, Text: text})
	}
	return err
}

// TestNoWriteChangesWhatIsProtected makes random graphs and writes, and compares what is
// protected after each write with what it was before.
func TestNoWriteChangesWhatIsProtected(t *testing.T) {
	done, refused := 0, 0
	for seed := range 6 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		b := newBox(t)
		titles := []string{"P0", "P1", "P2", "A [[P0]] b"}
		for i, title := range titles {
			b.page(title, fmt.Sprintf("- leaf\n  - inner %d\n- other\n  - run %d\n    - ```alert(%d)```", i, i, i))
		}
		now := b.rules()
		for uid, text := range now.text {
			if strings.HasPrefix(text, "run ") && r.IntN(2) == 0 {
				b.do("data.block.update", map[string]any{"block": map[string]any{"uid": uid, "string": "{{[[roam/js]]}}"}})
			}
		}
		uids := sortedKeys(now.text)
		b.page("roam/agent guidelines", fmt.Sprintf("- {{[[embed]]: ((%s))}}\n  - [[%s]] ((%s))\n- {{embed-path: ((%s))}}", pick(r, uids...), pick(r, titles...), pick(r, uids...), pick(r, uids...)))
		b.page("roam/css", "- ```css\na {}```")
		g := New(Options{Protect: Protection{Guidelines: true, Code: true}})
		was := b.rules()
		for range 12 {
			before := was.kept()
			err := randomWrite(r, g.On(boxGraph, b), t, append(sortedKeys(was.text), "gone00001"), sortedKeys(was.title), titles)
			if code := problem.CodeOf(err); code == CodeGuidelinesProtected || code == CodeCodeProtected {
				refused++
			} else if err == nil {
				done++
			}
			if was = b.rules(); was.kept() != before {
				t.Fatalf("seed %d: there was\n%s\nand is after an answer of %v\n%s", seed, before, err, was.kept())
			}
		}
	}
	t.Logf("%d writes done, %d refused", done, refused)
	if done < 12 || refused < 12 {
		t.Errorf("too few of both: %d writes done, %d refused", done, refused)
	}
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
