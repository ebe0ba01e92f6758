package search

import (
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/require"

	"roam-mcp/internal/testutil/graphtest"
)

// docsOf returns the notes of a graph, as a wiki has them.
func docsOf(db *graphdb.DB) []Doc {
	var docs []Doc
	for e := range db.Entities(graphdb.NodeTitle) {
		n, _ := note.FromDB(db, e)
		if n = n.Visible(); !n.Exists() || note.KindOfTitle(n.Title) == note.System {
			continue
		}
		d := Doc{Key: n.UID, Path: n.Title, Title: n.Title[strings.LastIndexByte(n.Title, '/')+1:], Tags: note.TagsOf(n).All(), Created: n.CreatedAt(), Updated: n.UpdatedAt()}
		if day, ok := outline.ParseDailyTitle(n.Title); ok {
			d.Path = "daily/" + day.Format(time.DateOnly)
		}
		var below func(nodes []note.Node)
		below = func(nodes []note.Node) {
			for _, each := range nodes {
				if !strings.HasPrefix(each.Text, "Tags::") {
					d.Blocks = append(d.Blocks, each.Text)
					below(each.Children)
				}
			}
		}
		below(n.Children)
		docs = append(docs, d)
	}
	return docs
}

// generatedDocs returns the notes of a generated graph.
func generatedDocs(t testing.TB, blocks int) []Doc {
	t.Helper()
	conn, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), graphtest.Datoms(graphtest.Options{Blocks: blocks, Seed: 1}))
	require.NoError(t, err)
	return docsOf(conn.DB())
}

// indexed returns an index of notes.
func indexed(docs []Doc) *WordIndex {
	x := NewWordIndex()
	x.Apply(docs, nil)
	return x
}
