package search

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"roam-mcp/graphdb"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// generatedGraph is a graph of the help graph's shape.
func generatedGraph(b *testing.B, blocks int) *graph {
	conn, err := graphdb.Load(b.Context(), graphdb.RoamSchema(), graphtest.Datoms(graphtest.Options{Blocks: blocks}))
	require.NoError(b, err)
	return &graph{conn, b, rand.NewChaCha8([32]byte{1})}
}

// someWords are asked for: a frequent one and two that are not.
func someWords() string {
	return graphtest.Word(3) + " " + graphtest.Word(50) + " " + graphtest.Word(200)
}

func BenchmarkFirstSearch(b *testing.B) {
	for _, blocks := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(blocks), func(b *testing.B) {
			db := generatedGraph(b, blocks).DB()
			for b.Loop() {
				searchMeaning(b, NewMeaningIndex(), db, MeaningQuery{Text: someWords()})
			}
		})
	}
}

func BenchmarkMeaningSearch(b *testing.B) {
	for _, blocks := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(blocks), func(b *testing.B) {
			g := generatedGraph(b, blocks)
			x := NewMeaningIndex()
			searchMeaning(b, x, g.DB(), MeaningQuery{Text: someWords()})
			b.Run("unchanged", func(b *testing.B) {
				for b.Loop() {
					searchMeaning(b, x, g.DB(), MeaningQuery{Text: someWords()})
				}
			})
			b.Run("afterWrite", func(b *testing.B) {
				for b.Loop() {
					g.page(graphtest.Title(1), someWords())
					searchMeaning(b, x, g.DB(), MeaningQuery{Text: someWords()})
				}
			})
		})
	}
}
