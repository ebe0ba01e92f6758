package logseqview_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/logseqview"
	"roam-mcp/internal/sandbox/mdfolder"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// asked is a query of testdata/queries.txt, with what is to be answered.
type asked struct {
	name, query, rules string
	refused, warns     string // a part of the refusal, the key that is not run
	want               []string
}

func readQueries(t testing.TB) []asked {
	t.Helper()
	text, err := os.ReadFile("testdata/queries.txt")
	require.NoError(t, err)
	var all []asked
	_, rest, _ := strings.Cut(string(text), "\n== ")
	for part := range strings.SplitSeq(rest, "\n== ") {
		var a asked
		var query []string
		answers := false
		for line := range strings.Lines(strings.TrimSpace(part)) {
			line = strings.TrimSuffix(line, "\n")
			told, mark := strings.CutPrefix(line, "--")
			switch {
			case a.name == "":
				a.name = line
			case mark:
				answers = true
				for prefix, into := range map[string]*string{" refused: ": &a.refused, " warns of ": &a.warns, " rules ": &a.rules} {
					if value, ok := strings.CutPrefix(told, prefix); ok {
						*into = value
					}
				}
			case answers && line != "":
				a.want = append(a.want, strings.ReplaceAll(line, `\n`, "\n"))
			default:
				query = append(query, line)
			}
		}
		a.query = strings.Join(query, "\n")
		slices.Sort(a.want)
		all = append(all, a)
	}
	return all
}

// folderOf returns the folder testdata/logseq in Roam's schema, as the sandbox imports it.
func folderOf(t testing.TB) *graphdb.DB {
	t.Helper()
	var export bytes.Buffer
	require.NoError(t, mdfolder.Read(t.Context(), os.DirFS("testdata/logseq"), &export, mdfolder.Options{}))
	return graphtest.FromJSON(t, export.String())
}

func TestQueriesOfLogseqsDocumentation(t *testing.T) {
	db := view(t, folderOf(t))
	for _, a := range readQueries(t) {
		t.Run(a.name, func(t *testing.T) {
			var inputs []any
			if a.rules != "" {
				inputs = []any{a.rules}
			}
			rows, err := answer(t, db, a.query, inputs...)
			if a.refused != "" {
				if err == nil || !strings.Contains(err.Error(), a.refused) {
					t.Fatalf("not refused: %v %v", rows, err)
				}
				return
			}
			require.NoError(t, err)
			if got := shown(t, rows); !slices.Equal(got, a.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(a.want, "\n"))
			}
			q, err := logseqview.Parse(a.query, inputs)
			require.NoError(t, err)
			if got := strings.Join(q.NotRun, " "); got != a.warns {
				t.Errorf("not run: %q", got)
			}
		})
	}
}

// shown returns rows as the file has them: of a pulled map its text or its name.
func shown(t *testing.T, rows []string) []string {
	t.Helper()
	var out []string
	for _, row := range rows {
		var pulled []struct {
			Content string
			Name    string `json:"original-name"`
		}
		if json.Unmarshal([]byte(row), &pulled) == nil && len(pulled) == 1 && pulled[0].Content+pulled[0].Name != "" {
			row = pulled[0].Content + pulled[0].Name
		}
		out = append(out, row)
	}
	slices.Sort(out)
	return out
}
