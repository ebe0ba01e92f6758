package outline

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"roam-mcp/graphdb"
	"roam-mcp/internal/testutil/helpgraph"
)

// load imports an export, with the pages that it mentions and lacks.
func (n *notebook) load(export string) Imported {
	n.t.Helper()
	var done Imported
	n.do(func(w *Writer) (err error) {
		done, err = w.ImportJSON(n.t.Context(), strings.NewReader(export), ImportOptions{MakeMissing: true})
		return err
	})
	return done
}

const smallExport = `[
 {"title": "March 17th, 2026", "create-time": 10, "children": [
   {"string": "see [[Plan]], ((later)) and [[Nowhere]]", "uid": "a", "heading": 2, "text-align": "center", "open": false,
    ":children/view-type": ":numbered", ":create/user": {":user/uid": "ann"}, "create-time": 5, "edit-time": 7.0, "props": {"k": [1, 2.5]},
    "refs": [{"uid": "x"}], "children": [{"string": "deep"}]},
   {"string": "second", "heading": 0}]},
 {"title": "Plan", "uid": "plan", "children": [{"string": "later", "uid": "later"}]}
]`

func TestAnExportIsImportedWithAllThatItHolds(t *testing.T) {
	n := newNotebook(t)
	if done := n.load(smallExport); done != (Imported{Pages: 2, Blocks: 4, Mentioned: 1}) {
		t.Errorf("%+v", done)
	}
	db := n.DB()
	if got := ReadBlock(db, ByUID(db, "a")); got.Heading != 2 || got.TextAlign != "center" || !got.Collapsed || got.ChildrenViewType != "numbered" || got.Props != `{"k": [1, 2.5]}` {
		t.Errorf("%+v", got)
	}
	if got := n.refsOf("a"); !slices.Equal(got, []string{"Nowhere", "Plan", "later"}) {
		t.Errorf("references %q", got)
	}
	if got := db.String(db.Ref(ByUID(db, "a"), graphdb.CreateUser), graphdb.UserUID); got != "ann" {
		t.Errorf("created by %q", got)
	}
	if at, _ := db.Int(ByUID(db, "a"), graphdb.EditTime); at != 7 {
		t.Errorf("edited at %d", at)
	}
	if day := ByUID(db, "03-17-2026"); day != PageByTitle(db, "March 17th, 2026") || !db.Has(day, graphdb.LogID) {
		t.Error("the daily note has not its uid and mark")
	}
	var out bytes.Buffer
	if err := ExportJSON(t.Context(), &out, db); err != nil {
		t.Fatal(err)
	}
	again := newNotebook(t)
	again.load(out.String())
	var second bytes.Buffer
	if err := ExportJSON(t.Context(), &second, again.DB()); err != nil || out.String() != second.String() {
		t.Errorf("%v; an export and that of its import differ:\n%s\n%s", err, out.String(), second.String())
	}
}

func TestAViewTypeThatAnExportNamesTwiceIsTakenOnce(t *testing.T) {
	n := newNotebook(t)
	n.load(`[{"title": "P", "uid": "p", ":children/view-type": ":numbered", "children-view-type": "numbered"}]`)
	if view := n.DB().String(ByUID(n.DB(), "p"), graphdb.ChildrenViewType); view != ":numbered" {
		t.Errorf("its view is %s", view)
	}
}

func TestAnExportThatCannotBeImportedIsRefusedWithThePlace(t *testing.T) {
	deep := strings.Repeat(`{"string":"x","children":[`, MaxDepth+1) + `{"string":"x"}` + strings.Repeat(`]}`, MaxDepth+1)
	for name, c := range map[string]struct{ export, text string }{
		"nothing":              {"", "list of pages"},
		"no list":              {`{"title":"x"}`, "list of pages"},
		"no JSON":              {"hello", "list of pages"},
		"half a file":          {`[{"title":"a"},{"title":"b","chil`, "Page 2"},
		"a list left open":     {`[{"title":"a"}`, "ends early"},
		"something after it":   {`[] []`, "follows"},
		"a page without title": {`[{"uid":"x"}]`, "no title"},
		"a title twice":        {`[{"title":"a"},{"title":"a"}]`, `page 2 of the export ("a")`},
		"a uid twice":          {`[{"title":"a","uid":"u","children":[{"string":"","uid":"u"}]}]`, "uid \"u\" already exists"},
		"a string of numbers":  {`[{"title":"a","children":[{"string":5}]}]`, "string"},
		"too deep":             {`[{"title":"a","children":[` + deep + `]}]`, "levels deep"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			err := n.try(func(w *Writer) error {
				_, err := w.ImportJSON(t.Context(), strings.NewReader(c.export), ImportOptions{})
				return err
			})
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %q in it", err, c.text)
			}
			if n.DB().BasisTx() != 0 {
				t.Error("something was imported")
			}
		})
	}
	err := newNotebook(t).try(func(w *Writer) error {
		_, err := w.ImportJSON(t.Context(), strings.NewReader(smallExport), ImportOptions{MaxBytes: 100})
		return err
	})
	wantError(t, err, CodeInvalid, "larger than 100 bytes")
}

func TestTheHelpGraphImports(t *testing.T) {
	help := helpgraph.Read(t, "help.json")
	n := newNotebook(t)
	var done Imported
	err := n.try(func(w *Writer) (err error) {
		done, err = w.ImportJSON(t.Context(), strings.NewReader(help), ImportOptions{})
		return err
	})
	if err != nil || done != (Imported{Pages: 1030, Blocks: 4115}) {
		t.Fatalf("%+v, %v", done, err)
	}
	if pages, blocks := n.DB().Count(graphdb.NodeTitle), n.DB().Count(graphdb.BlockString); pages != 1030 || blocks != 4115 {
		t.Errorf("%d pages and %d blocks in the graph", pages, blocks)
	}
	whole := newNotebook(t)
	if done := whole.load(help); done.Mentioned > 3 {
		t.Errorf("%d pages are mentioned and not in the export: Roam found fewer references", done.Mentioned)
	}
	var out, second bytes.Buffer
	again := newNotebook(t)
	if err := ExportJSON(t.Context(), &out, whole.DB()); err != nil {
		t.Fatal(err)
	}
	again.load(out.String())
	if err := ExportJSON(t.Context(), &second, again.DB()); err != nil || !bytes.Equal(out.Bytes(), second.Bytes()) {
		t.Errorf("an export and that of its import differ: %v", err)
	}
	roundTripHelp(t, whole)
}

// roundTripHelp writes each page as markdown and reads it back: plain, as agents
// do, where white space at the ends of a text may be lost, and annotated, as
// exports are, where nothing may.
func roundTripHelp(t *testing.T, n *notebook) {
	rr := renderer{r: n.DB()}
	for _, text := range n.DB().Entities(graphdb.BlockString) {
		read := rr.previews(text.Text())
		if strings.Contains(text.Text(), "<ref>") {
			continue // a text on this very notation
		}
		if got := DecodeAnnotations(read); got != DecodeAnnotations(text.Text()) {
			t.Errorf("%q is read as %q and written back as %q", text.Text(), read, got)
		}
	}
	same, total := 0, 0
	for e := range n.DB().Entities(graphdb.NodeTitle) {
		tree := ReadTree(n.DB(), e)
		got := ParseMarkdown(Markdown(tree))
		if shape(got, "") == shape(tree, "") {
			same++
		}
		if got, want := shape(trimmed(got), ""), shape(trimmed(tree), ""); got != want {
			i := 0
			for i < len(got) && i < len(want) && got[i] == want[i] {
				i++
			}
			t.Errorf("%q comes back with %.80q, want %.80q", TextOf(n.DB(), e), got[i:], want[i:])
		}
		total++
	}
	if same < total*98/100 {
		t.Errorf("%d of %d pages come back as they were", same, total)
	}
	for e := range n.DB().Entities(graphdb.NodeTitle) { // annotated, all do
		tree := annotatedOnly(ReadTree(n.DB(), e))
		text, err := AnnotatedMarkdown(tree)
		if err != nil || shape(ParseAnnotated(text), "") != shape(tree, "") {
			t.Errorf("%q: %v", TextOf(n.DB(), e), err)
		}
	}
}

// trimmed is a tree without the white space that plain markdown can't show:
// that at the ends of a text.
func trimmed(blocks []Block) []Block {
	var out []Block
	for _, b := range blocks {
		b.String = strings.TrimSpace(b.String)
		b.Children = trimmed(b.Children)
		out = append(out, b)
	}
	return out
}

func FuzzImportJSON(f *testing.F) {
	f.Add(smallExport)
	f.Add(`[{"title":"[[a]] #b","children":[{"string":"((a)) c::","uid":"a"}]}]`)
	f.Fuzz(func(t *testing.T, export string) {
		n := newNotebook(t)
		err := n.try(func(w *Writer) error {
			_, err := w.ImportJSON(t.Context(), strings.NewReader(export), ImportOptions{MakeMissing: true})
			return err
		})
		if err == nil {
			checkWhole(t, n.DB())
			for e := range n.DB().Entities(graphdb.NodeTitle) {
				_ = Render(n.DB(), e, RenderOptions{MaxDepth: AllLevels})
			}
		}
	})
}
