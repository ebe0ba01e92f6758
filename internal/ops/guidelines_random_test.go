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

// rules is a graph as the model of these tests sees it: which texts a person who follows
// everything that the guidelines embed or refer to reads there. It shares nothing with the
// guard: it reads all blocks of the graph, and expands texts with expressions of its own.
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

var (
	modelRef   = regexp.MustCompile(`\(\(([^()\s]+)\)\)`)
	modelEmbed = regexp.MustCompile(`(?i)\{\{\s*(?:\[\[)?embed[a-z-]*(?:\]\])?\s*:\s*\[\[([^\[\]]+)\]\]\s*\}\}`)
	modelPath  = regexp.MustCompile(`(?i)\{\{\s*(?:\[\[)?embed-path(?:\]\])?\s*:\s*\(\(([^()\s]+)\)\)\s*\}\}`)
)

// shown returns all that is read from the page with the guidelines.
func (r rules) shown() string {
	var out strings.Builder
	var thing func(uid string, depth int, on []string)
	thing = func(uid string, depth int, on []string) {
		if slices.Contains(on, uid) {
			fmt.Fprintf(&out, "%*s^%s\n", depth, "", uid)
			return
		}
		on = append(slices.Clone(on), uid)
		text := r.text[uid] + r.title[uid]
		fmt.Fprintf(&out, "%*s%s\n", depth, "", text)
		for _, m := range modelRef.FindAllStringSubmatch(text, -1) {
			thing(m[1], depth+4, on)
		}
		for _, m := range modelEmbed.FindAllStringSubmatch(text, -1) {
			thing(r.byTitle[m[1]], depth+4, on)
		}
		for _, m := range modelPath.FindAllStringSubmatch(text, -1) {
			for above := r.parent[m[1]]; above != ""; above = r.parent[above] {
				fmt.Fprintf(&out, "%*s< %s\n", depth, "", r.text[above]+r.title[above])
			}
		}
		for _, kid := range r.kids[uid] {
			thing(kid, depth+2, on)
		}
	}
	for _, title := range guidelinesTitles() {
		if uid := r.byTitle[title]; uid != "" {
			thing(uid, 0, nil)
		}
	}
	return out.String()
}

// pick returns one of some values.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomText returns a text that may embed or refer to things in any spelling.
func randomText(r *rand.Rand, uids, titles []string) string {
	uid, title := pick(r, uids...), pick(r, titles...)
	return fmt.Sprintf("t%d ", r.IntN(1000)) + pick(r, "", "", "(("+uid+"))", "{{embed: (("+uid+"))}}", "{{[[embed]]: (("+uid+"))}}", "{{[[embed-path]]: (("+uid+"))}}",
		"{{EMBED: [["+title+"]]}}", "{{[[embed]]: [["+title+"]]}}", "[["+title+"]]", "#[["+title+"]]", "[x]((("+uid+")))", "{{[[embed-children]]: (("+uid+"))}}")
}

// randomWrite makes one write of any kind of those that profiles make.
func randomWrite(r *rand.Rand, g *Graph, t *testing.T, uids, pages, titles []string) error {
	ctx, uid, parent, text := t.Context(), pick(r, uids...), pick(r, append(slices.Clone(uids), pages...)...), randomText(r, uids, titles)
	title := pick(r, append(slices.Clone(titles), "roam/agent guidelines", "Agent Guidelines", fmt.Sprintf("N%d", r.IntN(9)), "roam/agent [[P0]]")...)
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
		_, err = g.CreateBlock(ctx, NewBlock{UID: pick(r, "gone00001", fmt.Sprintf("new%06d", r.IntN(1e6))), ParentUID: parent, Block: outline.Block{String: text}})
	case 11:
		if note, there, _ := g.ReadNote(ctx, parent); there {
			_, err = g.Revise(ctx, note, nil)
		}
	case 12:
		_, err = g.AddComment(ctx, NewComment{BlockUID: uid, Text: text})
	}
	return err
}

// sequencesOfRules makes random graphs and writes without consent, and compares what the
// guidelines show after each write with what they showed before.
func sequencesOfRules(t *testing.T, seeds, writes int) {
	done, refused := 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		b := newBox(t)
		titles := []string{"P0", "P1", "P2", "A [[P0]] b"}
		for i, title := range titles {
			b.page(title, fmt.Sprintf("- leaf\n  - inner %d\n- other", i))
		}
		now := b.rules()
		for range 6 {
			uids := append(sortedKeys(now.text), "gone00001")
			b.do("data.block.create", map[string]any{"location": map[string]any{"parent-uid": now.byTitle[pick(r, titles...)], "order": "last"}, "block": map[string]any{"string": randomText(r, uids, titles)}})
			now = b.rules()
		}
		uids := append(sortedKeys(now.text), "gone00001")
		b.page("roam/agent guidelines", "- "+randomText(r, uids, titles)+"\n  - "+randomText(r, uids, titles)+"\n- "+randomText(r, uids, titles))
		g := New(Options{Guards: []Guard{NewProtectGuidelines(noon)}})
		was := b.rules()
		for range writes {
			before := was.shown()
			err := randomWrite(r, g.On(boxGraph, b), t, append(sortedKeys(was.text), "gone00001"), sortedKeys(was.title), titles)
			if problem.CodeOf(err) == CodeGuidelinesProtected {
				refused++
			} else if err == nil {
				done++
			}
			if was = b.rules(); was.shown() != before {
				t.Fatalf("seed %d: the rules were\n%s\nand are after an answer of %v\n%s", seed, before, err, was.shown())
			}
		}
	}
	t.Logf("%d writes done, %d refused", done, refused)
	if done < seeds || refused < seeds {
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

func TestNoWriteWithoutConsentChangesWhatTheGuidelinesShow(t *testing.T) { sequencesOfRules(t, 3, 8) }
