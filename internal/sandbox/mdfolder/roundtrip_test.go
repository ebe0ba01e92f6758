package mdfolder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
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
		_, err := graphdb.ImportEDN(t.Context(), tx, strings.NewReader(text), graphdb.ImportOptions{})
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
	f.Add("", "tags:: a, #b\ntitle:: T/x\n\n- TODO [#A] x\n  key:: v [[y]]\n  id:: 65f0c1d2-0000-4000-8000-00000000000a\n  collapsed:: true\n  - DONE z")
	f.Fuzz(func(t *testing.T, text, other string) {
		folder := fstest.MapFS{"pages/other.md": {Data: []byte(other)}, "notes/page.md": {Data: []byte(text)}}
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

// Titles whose files some disk would take for one, or not take at all, get files that
// every disk tells apart, always the same, and are read back as they were.
func TestEveryDiskTellsTheFilesApart(t *testing.T) {
	titles := []string{
		"Plan", "plan", "PLAN", "plan (2)", "Plan.", "Plan ", "Plan. .", "plan\u200b", "pl\u0131n", "PLIN", "plin",
		"Café", "Cafe\u0301", "CAFÉ", "CAFE\u0301", "ﬁn", "fin", "Straße", "STRASSE", "strasse", "ſoul", "soul", "\u212aelvin", "kelvin",
		"Σίσυφος", "ΣΊΣΥΦΟΣ", "σίσυφοσ", "İ", "i̇", "I", "i", "Å", "\u212b", "A\u030a", "ǅ", "ǆ", "Ǆ",
		"CON", "con", "Con.txt", "CON .txt", "aux", "COM1", "com¹", "COM\u00b2.x", "lpt9", "CONIN$", "nul", "_nul", ".hidden", "_.hidden",
		"a/b", "a:b", "a\\b", "a?b", "a_b", "..", ".", "...", "_", "\uac00", "\u1100\u1161",
		strings.Repeat("x", 200), strings.Repeat("x", 201), strings.Repeat("X", 200),
	}
	var export []map[string]any
	for _, title := range titles {
		export = append(export, map[string]any{"title": title, "children": []map[string]any{{"string": "on " + title}}})
	}
	text, err := json.Marshal(export)
	require.NoError(t, err)
	var before []string
	for range 2 {
		folder := filepath.Join(t.TempDir(), "notes")
		_, err := Write(t.Context(), folder, bytes.NewReader(text))
		require.NoError(t, err)
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if before != nil && !slices.Equal(names, before) {
			t.Errorf("first %q, then %q", before, names)
		}
		before = names
		seen := map[string]string{}
		for _, name := range names {
			stem := strings.TrimSuffix(name, ".md")
			if strings.TrimRight(stem, " .") != stem || strings.HasPrefix(name, ".") || len(name) > 255 {
				t.Errorf("the name %q", name)
			}
			if device := regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)`); device.MatchString(name) {
				t.Errorf("%q is a device on Windows", name)
			}
			for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD} {
				for way, fold := range map[string]func(string) string{"upper": strings.ToUpper, "lower": strings.ToLower, "fold": cases.Fold().String} {
					key := fmt.Sprint(form, way, fold(form.String(name)))
					if other, taken := seen[key]; taken && other != name {
						t.Errorf("%q and %q are one by %s", name, other, way)
					}
					seen[key] = name
				}
			}
		}
		db := graphtest.FromJSON(t, exportOf(t, folder))
		for _, title := range titles {
			if got := outlineOf(t, db, title); got != "- on "+title && got != "- on "+title+"\n" {
				t.Errorf("%q holds %q", title, got)
			}
		}
	}
}
