package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

// Words and phrases are found in the notes in which SQLite's FTS5 finds them.
func TestWordsAndPhrasesAreFoundWhereFTS5FindsThem(t *testing.T) {
	runsAlone(t)
	for graph, docs := range map[string]func(t *testing.T) []Doc{
		"help":      func(t *testing.T) []Doc { return docsOf(graphtest.FromJSON(t, helpgraph.Read(t, "help.json"))) },
		"generated": func(t *testing.T) []Doc { return generatedDocs(t, 3000) },
	} {
		t.Run(graph, func(t *testing.T) {
			all := docs(t)
			x := indexed(all)
			conn, texts := fts5(t, all)
			random := rand.New(rand.NewPCG(1, 2))
			for range 300 {
				words := slowTokens(texts[random.IntN(len(texts))])
				if len(words) == 0 {
					continue
				}
				from := random.IntN(len(words))
				phrase := strings.Join(words[from:min(len(words), from+1+random.IntN(3))], " ")
				if strings.ContainsFunc(phrase, unspaced) {
					continue // FTS5 takes it for words
				}
				got := keys(t, x, `"`+phrase+`"`)
				slices.Sort(got)
				if want := matching(t, conn, phrase); !slices.Equal(got, want) {
					t.Errorf("%q is found in %q, want %q", phrase, got, want)
				}
			}
		})
	}
}

// fts5 puts the titles and blocks of notes into a table of SQLite, and returns their
// texts.
func fts5(t *testing.T, docs []Doc) (*sqlite.Conn, []string) {
	t.Helper()
	conn, err := sqlite.OpenConn(":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, sqlitex.ExecuteScript(conn, `CREATE VIRTUAL TABLE texts USING fts5(key UNINDEXED, text, tokenize='unicode61 remove_diacritics 2')`, nil))
	var texts []string
	end, err := sqlitex.ImmediateTransaction(conn)
	require.NoError(t, err)
	for _, d := range docs {
		for _, text := range append([]string{d.Title}, d.Blocks...) {
			shown, _ := readable(text)
			texts = append(texts, shown)
			require.NoError(t, sqlitex.Execute(conn, `INSERT INTO texts VALUES (?, ?)`, &sqlitex.ExecOptions{Args: []any{d.Key, shown}}))
		}
	}
	end(&err)
	require.NoError(t, err)
	return conn, texts
}

// matching returns the keys of the notes that have a phrase.
func matching(t *testing.T, conn *sqlite.Conn, phrase string) []string {
	t.Helper()
	found := []string{}
	require.NoError(t, sqlitex.Execute(conn, `SELECT DISTINCT key FROM texts WHERE texts MATCH ? ORDER BY key`, &sqlitex.ExecOptions{
		Args:       []any{fmt.Sprintf("text : %q", phrase)},
		ResultFunc: func(row *sqlite.Stmt) error { found = append(found, row.ColumnText(0)); return nil },
	}))
	return found
}
