package outline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
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
	if got := ReadBlock(db, ByUID(db, "a")); got.Heading != 2 || got.TextAlign != "center" || !got.Collapsed || got.ChildrenViewType != "numbered" || got.Props != `{"k":[1,2.5]}` {
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
	require.NoError(t, ExportJSON(t.Context(), &out, db))
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
	for name, c := range map[string]struct{ export, text string }{
		"nothing":            {"", "list of pages"},
		"no list":            {`{"title":"x"}`, "list of pages"},
		"no JSON":            {"hello", "list of pages"},
		"half a file":        {`[{"title":"a"},{"title":"b","chil`, "Page 2"},
		"a list left open":   {`[{"title":"a"}`, "ends early"},
		"something after it": {`[] []`, "follows"},
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
}

func TestAnImportPastItsBoundsIsRefused(t *testing.T) {
	wide := `[{"title":"a","children":[` + strings.Repeat(`{},`, 300) + `{}]},{"title":"b","children":[` + strings.Repeat("1,", 300) + `1]}]`
	for name, c := range map[string]struct {
		export  string
		options ImportOptions
		want    string
	}{
		"its bytes":            {smallExport, ImportOptions{MaxBytes: 100}, "larger than 100 bytes"},
		"the bytes of a page":  {`[{"title":"` + strings.Repeat("x", 2<<20) + `"}]`, ImportOptions{MaxPageBytes: 1 << 20}, "Page 1 of the export is larger than 1 MB"},
		"the space after it":   {`[{"title":"x"}` + strings.Repeat(" ", 2<<20) + `]`, ImportOptions{MaxPageBytes: 1 << 20}, "too large"},
		"the blocks of a page": {wide, ImportOptions{MaxPageBlocks: 300}, "has more than 300 blocks"},
		"what is no block":     {"[" + wide[strings.Index(wide, `{"title":"b"`):], ImportOptions{MaxPageBlocks: 300}, "has more than 300 blocks"},
		"the facts":            {wide, ImportOptions{MaxDatoms: 1000}, "more than 1000 facts"},
		"the pages mentioned":  {`[{"title":"a","children":[{"string":"` + manyReferences(400) + `"},` + strings.Repeat(`{},`, 300) + `{}]}]`, ImportOptions{MaxDatoms: 3000, MakeMissing: true}, "more than 3000 facts"},
		"references in a text": {`[{"title":"a","children":[{"string":"` + manyReferences(MaxReferences+1) + `"}]}]`, ImportOptions{MakeMissing: true}, "refers to more than"},
	} {
		t.Run(name, func(t *testing.T) {
			err := newNotebook(t).try(func(w *Writer) error {
				_, err := w.ImportJSON(t.Context(), strings.NewReader(c.export), c.options)
				return err
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func manyReferences(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[[%d]]", i)
	}
	return b.String()
}

func TestImportKeepsWhatAGraphCannotHold(t *testing.T) {
	levels := MaxDepth + 3
	deep := strings.Repeat(`{"string":"x","children":[`, levels-1) + `{"string":"x"}` + strings.Repeat(`]}`, levels-1)
	for name, c := range map[string]struct {
		export string
		done   Imported
		pages  map[string]string // the texts of all blocks of a page, by title
		report string
	}{
		"a page with an empty title": {`[{"title":"a"},{"title":"","uid":"e","children":[{"string":"kept"}]},{"title":"Untitled"}]`, Imported{Pages: 3, Blocks: 1},
			map[string]string{"a": "", "Untitled": "", "Untitled 2": "kept"}, `page 2 of the export: it has no title, so it is the page "Untitled 2"`},
		"pages without titles": {`[{"uid":"x"},{"children":[{"string":"b"}]}]`, Imported{Pages: 2, Blocks: 1},
			map[string]string{"Untitled": "", "Untitled 2": "b"}, "page 2 of the export: it has no title"},
		"a title twice": {`[{"title":"a","children":[{"string":"1"}]},{"title":"a","children":[{"string":"2"},{"string":"3"}]}]`, Imported{Pages: 1, Blocks: 3},
			map[string]string{"a": "123"}, `page 2 of the export ("a"): a page of this title`},
		"a uid twice": {`[{"title":"a","uid":"u","children":[{"string":"1","uid":"u"},{"string":"2"}]}]`, Imported{Pages: 1, Blocks: 2},
			map[string]string{"a": "12"}, `the uid "u" is taken`},
		"a text that is a number": {`[{"title":"a","children":[{"string":5},{"string":"2"}]},{"title":"b"}]`, Imported{Pages: 2, Blocks: 2},
			map[string]string{"a": "2", "b": ""}, "string is a number"},
		"what is no page": {`[5,"x",null,{"title":"b"}]`, Imported{Pages: 2}, map[string]string{"Untitled": "", "b": ""}, "page 1 of the export: it is a number and no page"},
		"blocks too deep": {`[{"title":"a","children":[` + deep + `,{"string":"y"}]}]`, Imported{Pages: 1, Blocks: levels + 1},
			map[string]string{"a": strings.Repeat("x", levels) + "y"}, "more than 200 levels deep"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			var done Imported
			var reports []string
			n.do(func(w *Writer) (err error) {
				done, err = w.ImportJSON(t.Context(), strings.NewReader(c.export), ImportOptions{Report: func(s string) { reports = append(reports, s) }})
				return err
			})
			db := n.DB()
			checkWhole(t, db)
			if done != c.done || db.Count(graphdb.NodeTitle) != len(c.pages) {
				t.Errorf("%+v, %d pages", done, db.Count(graphdb.NodeTitle))
			}
			for title, want := range c.pages {
				var texts func([]Block) string
				texts = func(blocks []Block) (all string) {
					for _, b := range blocks {
						all += b.String + texts(b.Children)
					}
					return all
				}
				if got := texts(ReadTree(db, PageByTitle(db, title))); got != want {
					t.Errorf("%s has %q, want %q", title, got, want)
				}
			}
			if !strings.Contains(strings.Join(reports, "\n"), c.report) {
				t.Errorf("%q", reports)
			}
		})
	}
}

func TestImportMakesNoTimes(t *testing.T) {
	const export = `[{"title":"a","children":[{"string":"b"},{"string":"c","uid":"c","create-time":5}]}]`
	for _, stamp := range []bool{false, true} {
		n := newNotebook(t)
		n.do(func(w *Writer) error {
			_, err := w.ImportJSON(t.Context(), strings.NewReader(export), ImportOptions{Stamp: stamp})
			return err
		})
		db := n.DB()
		page := PageByTitle(db, "a")
		for _, e := range []graphdb.EID{page, Children(db, page)[0]} {
			if db.Has(e, graphdb.CreateTime) != stamp || db.Has(e, graphdb.EditTime) != stamp {
				t.Errorf("stamped %v: %v", stamp, slices.Collect(db.Datoms(e)))
			}
		}
		created, _ := db.Int(ByUID(db, "c"), graphdb.CreateTime)
		if created != 5 || db.Has(ByUID(db, "c"), graphdb.EditTime) {
			t.Errorf("stamped %v: %v", stamp, slices.Collect(db.Datoms(ByUID(db, "c"))))
		}
	}
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
	require.NoError(t, ExportJSON(t.Context(), &out, whole.DB()))
	again.load(out.String())
	if err := ExportJSON(t.Context(), &second, again.DB()); err != nil || !bytes.Equal(out.Bytes(), second.Bytes()) {
		t.Errorf("an export and that of its import differ: %v", err)
	}
	roundTripHelp(t, whole)
}

// roundTripHelp reads the text of each block as a read shows it.
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
