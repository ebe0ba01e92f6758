package mdfolder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/dump"
	"roam-mcp/graphdb/outline"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

func TestTheHelpGraphSurvivesAFolder(t *testing.T) {
	db := graphtest.FromJSON(t, helpgraph.Read(t, "help.json"))
	again, folder := roundTrip(t, db)
	compare(t, db, again)

	plain, inTag := 0, 0
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		inTag += strings.Count(string(text), ` text="`)
		plain += strings.Count(string(text), "<roam ")
	}
	if plain < 4000 || inTag > plain/100 {
		t.Errorf("the text of %d of %d blocks stands in their tags, where few people look", inTag, plain)
	}
}

func TestTheDumpOfTheHelpGraphSurvivesBothExports(t *testing.T) {
	text := helpgraph.Read(t, "help.edn")
	conn := graphdb.NewConn(graphdb.RoamSchema())
	_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
		_, err := dump.Import(t.Context(), tx, strings.NewReader(text), dump.Options{})
		return err
	})
	require.NoError(t, err)
	var export bytes.Buffer
	require.NoError(t, outline.ExportJSON(t.Context(), &export, conn.DB()))
	db := graphtest.FromJSON(t, export.String())
	compareTrees(t, conn.DB(), db)
	again, _ := roundTrip(t, db)
	compare(t, db, again)
}

// compareTrees compares what all ways of import have in common: the dump lacks
// some times, and an export has none of its orphans.
func compareTrees(t *testing.T, a, b *graphdb.DB) {
	t.Helper()
	if x, y := a.Count(graphdb.NodeTitle), b.Count(graphdb.NodeTitle); x != y+1 {
		t.Errorf("%d pages, one of them without a title, become %d", x, y)
	}
	for page, title := range a.Entities(graphdb.NodeTitle) {
		if title.Text() == "" {
			continue
		}
		x, y := outline.ReadTree(a, page), outline.ReadTree(b, outline.PageByTitle(b, title.Text()))
		if text, other := fmt.Sprintf("%+v", x), fmt.Sprintf("%+v", y); text != other {
			t.Errorf("page %s\n%s\nbecomes\n%s", title, text, other)
		}
	}
}

// texts are the parts of random outlines: what Roam knows and what markdown
// takes for its own.
var texts = []string{
	"plain", "[[Page 1]]", "#[[Page 2]]", "((uid-1))", "Attr:: x", "{{[[TODO]]}} x", "**b** __i__ *s* _u_", "`code`", "```js\n- a\n\nb\n```",
	"two\nlines", "- item", "# no heading", "> q", "| a | b |\n|---|---|", "---", " space ", "", "\n", "```open", "<roam uid=\"x\"/>",
	"((uid-1))<ref>x</ref>", "a\n- b", "1. one", "日本 😀", "\ufeff", "a\r\nb", "\x00", "&quot;\"", "[x] y", "![[Page 1]]", "[[Page 1|x]]",
}

func randomBlocks(rng *rand.Rand, count *int, depth int) []node {
	var nodes []node
	for range rng.IntN(5) {
		*count++
		text := texts[rng.IntN(len(texts))] + texts[rng.IntN(len(texts))]
		n := node{String: &text, UID: fmt.Sprintf("uid-%d", *count)}
		number := json.Number(fmt.Sprint(rng.IntN(3)))
		switch rng.IntN(8) {
		case 0:
			n.Heading = float64(1 + rng.IntN(3))
		case 1:
			n.Open, n.ChildrenViewType = new(bool), ":numbered"
		case 2:
			n.CreateTime, n.CreateUser = &number, &user{UID: "ann"}
		case 3:
			n.EditTime, n.EditUser, n.Props = &number, &user{UID: "bob"}, json.RawMessage(`{"a":"<>\"&"}`)
		case 4:
			n.TextAlign, n.BlockViewType = "right", ":tabs"
		}
		if depth > 0 {
			n.Children = randomBlocks(rng, count, depth-1)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func TestRandomOutlinesSurviveAFolder(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var export bytes.Buffer
		w := newPageWriter(&export)
		count := 0
		for i := range 1 + rng.IntN(5) {
			p := node{Title: fmt.Sprint("Page ", i), UID: fmt.Sprint("p", i), Children: randomBlocks(rng, &count, 4)}
			if rng.IntN(2) == 0 {
				p.Title += "/\"" + texts[rng.IntN(len(texts))]
				p.CreateUser, p.EditUser = &user{UID: "ann"}, &user{UID: "bob"}
			}
			require.NoError(t, w.page(p))
		}
		require.NoError(t, w.close())
		db := graphtest.FromJSON(t, export.String())
		again, _ := roundTrip(t, db)
		compare(t, db, again)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("---\nroam-title: \"x\"\nroam-uid: \"u\"\n---\n\n- a <roam uid=\"u\" createTime=\"5\"/>\n  - b\n", "[[a|b]] [ ] ![[page]] [[page#c]]")
	f.Add("---\ntags: x\n---\n[[notes/page]]", "- [x] a\n\n```\n[[a|b]]\n```")
	f.Add("# h\n## i\nx\n- | a | b |\n  |---|---|\n  | c | d |", "- <roam text=\"&#10;\" heading=\"-2\" open=\"false\" props=\"{}\"/>")
	f.Fuzz(func(t *testing.T, text, other string) {
		folder := fstest.MapFS{"other.md": {Data: []byte(other)}, "notes/page.md": {Data: []byte(text)}}
		var first bytes.Buffer
		if Read(t.Context(), folder, &first, Options{}) != nil {
			return
		}
		again := filepath.Join(t.TempDir(), "again")
		if _, err := Write(t.Context(), again, bytes.NewReader(first.Bytes())); err != nil {
			t.Fatalf("%v in %s", err, first.Bytes())
		}
		a, b := sortedPages(t, first.String()), sortedPages(t, exportOf(t, again))
		if !slices.Equal(a, b) {
			t.Fatalf("%s\nbecomes\n%s", a, b)
		}
	})
}

func sortedPages(t *testing.T, export string) []string {
	t.Helper()
	var pages []string
	err := readPages(t.Context(), strings.NewReader(export), func(n node) error {
		text, err := json.Marshal(n)
		pages = append(pages, string(text))
		return err
	})
	require.NoError(t, err)
	slices.Sort(pages)
	return pages
}
