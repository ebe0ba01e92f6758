package mdfolder

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// pagesOf is a graph as a JSON export, a page under its title.
func pagesOf(t testing.TB, db *graphdb.DB) map[string]string {
	t.Helper()
	var all bytes.Buffer
	require.NoError(t, outline.ExportJSON(t.Context(), &all, db))
	pages := map[string]string{}
	err := readPages(t.Context(), &all, func(n node) error {
		var one bytes.Buffer
		w := newPageWriter(&one)
		if err := w.page(n); err != nil {
			return err
		}
		pages[n.Title] = one.String()
		return w.close()
	})
	require.NoError(t, err)
	return pages
}

// roundTrip writes a graph as a folder and reads it into another.
func roundTrip(t testing.TB, db *graphdb.DB) (again *graphdb.DB, folder string) {
	t.Helper()
	var export bytes.Buffer
	require.NoError(t, outline.ExportJSON(t.Context(), &export, db))
	folder = filepath.Join(t.TempDir(), "notes")
	pages, err := Write(t.Context(), folder, &export)
	if err != nil || pages != db.Count(graphdb.NodeTitle) {
		t.Fatalf("%d pages, %v", pages, err)
	}
	return graphtest.FromJSON(t, exportOf(t, folder)), folder
}

func exportOf(t testing.TB, folder string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Read(t.Context(), os.DirFS(folder), &out, Options{}))
	return out.String()
}

// compare finds a difference of pages, trees and references.
func compare(t testing.TB, a, b *graphdb.DB) {
	t.Helper()
	pages, others := pagesOf(t, a), pagesOf(t, b)
	for title, text := range pages {
		if others[title] != text {
			t.Errorf("page %q\n%s\nbecomes\n%s", title, text, others[title])
			return
		}
	}
	if len(pages) != len(others) {
		t.Errorf("%d pages become %d", len(pages), len(others))
	}
	if x, y := a.Count(graphdb.BlockRefs), b.Count(graphdb.BlockRefs); x != y {
		t.Errorf("%d references become %d", x, y)
	}
}

const smallExport = `[
 {"title": "March 17th, 2026", "uid": "03-17-2026", ":log/id": 5, "create-time": 10, ":create/user": {":user/uid": "ann"}, ":page/sidebar": 0, ":children/view-type": ":document", "children": [
   {"string": "see [[a/b: \"c\"]] and ((later))", "uid": "a", "heading": 2, "text-align": "center", "open": false,
    ":children/view-type": ":numbered", ":block/view-type": ":side", ":create/user": {":user/uid": "bob"}, "create-time": 5, "edit-time": 7,
    "props": {"k": [1, 2.5, "<\"&|>"]}, "children": [{"string": "deep\n- no item", "uid": "d"}]},
   {"string": "` + "```js\\n- x\\n```" + `", "uid": "b", ":create/user": {":user/uid": "ann"}}]},
 {"title": "a/b: \"c\"", "uid": "p", "create-time": 1, "edit-time": 2, "children": [{"string": "later", "uid": "later", "create-time": 0, "edit-time": 0}]},
 {"title": "A/B: \"C\"", "uid": "q"},
 {"title": "CON", "uid": "r"}, {"title": ".", "uid": "s"}, {"title": " \n\t", "uid": "t"}]`

func TestAGraphIsWrittenAsAFolderAndReadBack(t *testing.T) {
	db := graphtest.FromJSON(t, smallExport)
	again, _ := roundTrip(t, db)
	compare(t, db, again)
}

func TestAFolderIsForPeopleToRead(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "notes")
	if _, err := Write(t.Context(), folder, strings.NewReader(smallExport)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := "A_B_ _C_ (2).md March 17th, 2026.md _.md _CON.md __.md a_b_ _c_.md"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	text, err := os.ReadFile(filepath.Join(folder, "March 17th, 2026.md"))
	require.NoError(t, err)
	for _, line := range []string{
		"roam-title: \"March 17th, 2026\"\n", "roam-uid: \"03-17-2026\"\n",
		"\n- ## see [[a/b: \"c\"]] and ((later)) <roam uid=\"a\" blockViewType=\"side\"",
		"\n- ```js\n  - x\n  ``` <roam uid=\"b\"/>\n",
	} {
		if !strings.Contains(string(text), line) {
			t.Errorf("%q is not in\n%s", line, text)
		}
	}
}

func TestAFolderWithFilesIsNotWrittenTo(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "x"), nil, 0o600))
	if _, err := Write(t.Context(), folder, strings.NewReader(smallExport)); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("error %v", err)
	}
}

func TestAWriteThatFailsLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	if _, err := Write(t.Context(), filepath.Join(parent, "notes"), strings.NewReader(`[{"title":"a"},{"title":5}]`)); err == nil {
		t.Error("no error")
	}
	if left, _ := os.ReadDir(parent); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// outlineOf is a page of an export as lines nested by two spaces.
func outlineOf(t testing.TB, db *graphdb.DB, title string) string {
	t.Helper()
	page := outline.PageByTitle(db, title)
	if page == 0 {
		t.Fatalf("there is no page %q", title)
	}
	return markdown.Bullets(outline.ReadTree(db, page))
}

func TestAFolderFromElsewhereIsRead(t *testing.T) {
	folder := fstest.MapFS{}
	for name, text := range map[string]string{
		"Home.md":               "---\ntitle: Not this\ntags: [a]\n---\n# Start\n\nSee [[Plan|the plan]], [[Plan#Costs]], [[deep/down/Log]], #[[Log|x]], `[[no|link]]`.\n\n![[Plan]] ![[picture.png]]\n\n- [ ] open\n- [x] done\n",
		"work/Plan.markdown":    "- *one*\n  - [[Home]]\n",
		"deep/down/Log.md":      "",
		"a/Same.md":             "1",
		"b/Same.md":             "[[ns/Page]]",
		"ns/Page.md":            "x",
		".obsidian/app.md":      "hidden",
		"picture.png":           "\xff",
		"Cafe\u0301.md":         "---\nonly a rule",
		"journal/2026-03-18.md": "after [[2026-03-17]], before [[2026_03_19|tomorrow]] and [[2026-03-20]]",
		"2026_03_19.md":         "",
		"March 17th, 2026.md":   "today",
		"tagged.md":             "- a <roam uid=\"u1\"/>\n  - b\n",
	} {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	var out bytes.Buffer
	require.NoError(t, Read(t.Context(), folder, &out, Options{}))
	db := graphtest.FromJSON(t, out.String())
	for title, want := range map[string]string{
		"Home": "- title:: Not this\n- tags:: #[[a]]\n- # Start\n  - See [the plan]([[Plan]]), [Plan > Costs]([[Plan]]), [[Log]], #[[Log]], `[[no|link]]`.\n" +
			"  - {{[[embed]]: [[Plan]]}} ![[picture.png]]\n  - {{[[TODO]]}} open\n  - {{[[DONE]]}} done",
		"Plan":             "- __one__\n  - [[Home]]",
		"Log":              "",
		"a/Same":           "- 1",
		"b/Same":           "- [[ns/Page]]",
		"ns/Page":          "- x",
		"Café":             "- ---\n- only a rule",
		"March 17th, 2026": "- today",
		"March 18th, 2026": "- after [[March 17th, 2026]], before [tomorrow]([[March 19th, 2026]]) and [[March 20th, 2026]]",
		"tagged":           "- a\n  - b",
	} {
		if got := outlineOf(t, db, title); got != want {
			t.Errorf("page %q is\n%s\nwant\n%s", title, got, want)
		}
	}
	// Beside the files there are pages that they mention: embed, TODO, DONE,
	// picture.png, title, tags, a and a day.
	if n := db.Count(graphdb.NodeTitle); n != 19 {
		t.Errorf("%d pages", n)
	}
	if outline.ByUID(db, "03-17-2026") == 0 || outline.ByUID(db, "u1") == 0 {
		t.Error("the uids of the daily note or of a tagged block are lost")
	}
}

func TestAFolderThatCannotBeReadIsRefusedWithTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		text  string
	}{
		"no files":           {map[string]string{"x.txt": ""}, "no markdown files"},
		"not UTF-8":          {map[string]string{"x.md": "\xff"}, "x.md: the file is not UTF-8"},
		"a title twice":      {map[string]string{"a.md": "---\nroam-title: \"b\"\n---\n", "b.md": ""}, `a.md and b.md are both the page "b"`},
		"a bad title":        {map[string]string{"x.md": "---\nroam-title: b\n---\n"}, "x.md: line 2: roam-title"},
		"a bad time":         {map[string]string{"x.md": "---\nroam-title: \"b\"\nroam-create-time: \"5\"\n---\n"}, "x.md: line 3: roam-create-time"},
		"a bad time in tags": {map[string]string{"x.md": `- b <roam createTime="x"/>`}, `x.md: the block "b": createTime`},
		"bad props":          {map[string]string{"x.md": `- b <roam props="{"/>`}, "not JSON"},
		"a large file":       {map[string]string{"x.md": strings.Repeat("x", 101)}, "x.md: the file is larger than 100 bytes"},
		"large files":        {map[string]string{"x.md": strings.Repeat("x", 90), "y.md": strings.Repeat("x", 90)}, "y.md: the files are larger than 150 bytes in all"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := fstest.MapFS{}
			for file, text := range c.files {
				folder[file] = &fstest.MapFile{Data: []byte(text)}
			}
			r := NewReader(t.Context(), folder, Options{MaxFileBytes: 100, MaxBytes: 150})
			defer r.Close()
			conn := graphdb.NewConn(graphdb.RoamSchema())
			_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
				_, err := outline.NewWriter(tx, outline.Author{}, graphtest.UIDs(1)).ImportJSON(t.Context(), r, outline.ImportOptions{})
				return err
			})
			if err == nil || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "export") {
				t.Errorf("error %v, want %q in it", err, c.text)
			}
		})
	}
}

func TestReadingEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Read(ctx, fstest.MapFS{"x.md": {}}, &bytes.Buffer{}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := Write(ctx, filepath.Join(t.TempDir(), "x"), strings.NewReader(smallExport)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
