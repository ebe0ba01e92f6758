package logseqview_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/logseqview"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// FuzzQuery checks that a query is taken or refused with an error of its own, and that
// what is taken is one for package datalog.
func FuzzQuery(f *testing.F) {
	for _, a := range readQueries(f) {
		f.Add(a.query, a.rules)
	}
	f.Add("{:query [:find ?b :in $ % :where (page ?b \"x\")] :inputs [[]] :rules \"[[(page ?b ?n) [?b :page/_name ?n]]]\"}", ":7d")
	f.Add("[:find (pull ?b [*]) :in $ ?x :where [?b :block/_refs ?x] ['(a) #(b) \\' \\( \"'[\" ; '[\n]]", "[[X]]")
	db, err := logseqview.Build(context.Background(), folderOf(f))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text, input string) {
		q, err := logseqview.Parse(text, []any{input})
		var refused *logseqview.Error
		if err != nil {
			if !errors.As(err, &refused) || refused.Message == "" {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		q.Attributes()
		query, inputs, err := q.Datalog(now)
		if err != nil {
			if !errors.As(err, &refused) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		parsed, err := datalog.Parse(query)
		if err != nil {
			return
		}
		_, _ = datalog.Run(t.Context(), db, parsed, inputs, datalog.Options{RowBudget: 20_000, Timeout: 2 * time.Second, Memory: datalog.NewMemory(16 << 20).Open()})
	})
}

// FuzzBuild checks that a view of any texts can be made, in which each block has its text
// and properties that can be read.
func FuzzBuild(f *testing.F) {
	f.Add("A/b", "TODO [#A] x\nSCHEDULED: <2024-01-05 Fri>", "key:: [[v]], #t", "tags:: a, #[[b]]")
	f.Add("January 5th, 2024", "{{[[DOING]]}} x", "a_B c:: 007", "alias:: \"x\", [[A]]")
	f.Add("/", "#.rm-hide", "a\"b:: -1", "::")
	f.Fuzz(func(t *testing.T, title, one, two, three string) {
		conn := graphdb.NewConn(graphdb.RoamSchema())
		_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
			w := outline.NewWriter(tx, outline.Author{Now: time.UnixMilli(1)}, graphtest.UIDs(1))
			for _, page := range []string{title, "Other"} {
				blocks := []outline.Block{{String: two}, {String: one, Children: []outline.Block{{String: two}, {String: three}}}, {String: three, Collapsed: true}}
				if _, err := w.CreateBlocks(outline.Location{PageTitle: page, Order: outline.Last}, blocks); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return // the title is none
		}
		roam := conn.DB()
		db := view(t, roam)
		for e, text := range db.Entities(logseqview.Content) {
			if title, ok := db.Get(e, logseqview.Title); !ok || title != text || outline.Hidden(roam, e) || db.Ref(e, logseqview.Parent) == 0 {
				t.Errorf("block %d %s: title %s", e, text, title)
			}
		}
		for e, properties := range db.Entities(logseqview.Properties) {
			form, err := edn.Parse(properties.Text(), edn.Limits{})
			if m, ok := form.(*edn.Map); err != nil || !ok || len(m.Keys) == 0 {
				t.Errorf("properties of %d: %s %v", e, properties, err)
			}
		}
	})
}
