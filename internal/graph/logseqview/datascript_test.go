package logseqview_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"slices"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/difftest"
	"roam-mcp/internal/testutil/require"
)

// DataScript was asked the same over the same datoms; tools/datascript/goldens does so
// anew. The graphs are the folder testdata/logseq and the sample graph.
func TestViewsAnswerAsDataScriptDoes(t *testing.T) {
	for name, dump := range map[string]string{"folder": "testdata/datascript/folder.edn.gz", "sample": "../datalog/testdata/datascript/demo.edn.gz"} {
		t.Run(name, func(t *testing.T) {
			packed, err := os.ReadFile(dump)
			require.NoError(t, err)
			text, err := gzip.NewReader(bytes.NewReader(packed))
			require.NoError(t, err)
			datoms, err := difftest.ReadDump(text)
			require.NoError(t, err)
			roam, err := difftest.Load(t.Context(), graphdb.RoamSchema(), datoms)
			require.NoError(t, err)
			db := view(t, roam)
			cases, err := difftest.OfLogseq(slices.Collect(db.All()), db.Schema())
			require.NoError(t, err)
			packed, err = os.ReadFile("testdata/datascript/" + name + ".gz")
			require.NoError(t, err)
			goldens, err := difftest.ReadGoldens(bytes.NewReader(packed))
			require.NoError(t, err)
			if len(goldens) != len(cases) {
				t.Fatalf("%d cases and %d goldens: run tools/datascript/goldens", len(cases), len(goldens))
			}
			same, rows := 0, 0
			for i, c := range cases {
				got, err := c.Answer(t.Context(), db)
				have, _ := difftest.GoldenOf(c, got)
				switch want := goldens[i]; {
				case want.Case != c.Hash():
					t.Fatal("the goldens were made for other cases: run tools/datascript/goldens")
				case want.Failed && err != nil: // refused by both
				case err == nil && have == want:
					same++
					rows += have.Rows
				case c.Deviation == "":
					t.Errorf("%s%s: %d rows in DataScript, refused %v; here %.300s %v", c.Query, c.Pattern, want.Rows, want.Failed, got, err)
				}
			}
			if t.Logf("%d of %d agree, %d rows", same, len(cases), rows); same < len(cases)*9/10 {
				t.Errorf("%d of %d agree", same, len(cases))
			}
		})
	}
}
