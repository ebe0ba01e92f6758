package semantic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"roam-mcp/graphdb/outline"
)

// prose is a graph of blocks whose words are as frequent as in a language.
func prose(b *testing.B, blocks int) *graph {
	g := newGraph(b)
	r := rand.New(rand.NewPCG(5, 6))
	zipf := rand.NewZipf(r, 1.1, 2, uint64(20*math.Sqrt(float64(blocks))))
	g.do(func(w *outline.Writer) error {
		for page := range blocks / 50 {
			list := make([]outline.Block, 50)
			for i := range list {
				var text []string
				for range 5 + r.IntN(15) {
					text = append(text, fmt.Sprintf("w%dx", zipf.Uint64()))
				}
				list[i].String = strings.Join(text, " ")
			}
			if _, err := w.CreateBlocks(outline.Location{PageTitle: fmt.Sprintf("page w%dx", page)}, list); err != nil {
				return err
			}
		}
		return nil
	})
	return g
}

func BenchmarkFirstSearch(b *testing.B) {
	for _, blocks := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(blocks), func(b *testing.B) {
			db := prose(b, blocks).DB()
			for b.Loop() {
				search(b, New(), db, Query{Text: "w3x w50x w200x"})
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, blocks := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(blocks), func(b *testing.B) {
			g := prose(b, blocks)
			x := New()
			search(b, x, g.DB(), Query{Text: "w3x"})
			b.Run("unchanged", func(b *testing.B) {
				for b.Loop() {
					search(b, x, g.DB(), Query{Text: "w3x w50x w200x"})
				}
			})
			b.Run("afterWrite", func(b *testing.B) {
				for b.Loop() {
					g.page("page w1x", "w3x again")
					search(b, x, g.DB(), Query{Text: "w3x w50x w200x"})
				}
			})
		})
	}
}

func BenchmarkMentions(b *testing.B) {
	g := newGraph(b)
	g.do(func(w *outline.Writer) error {
		for i := range 30_000 {
			if _, err := w.EnsurePage(fmt.Sprintf("topic w%dx w%dx", i%900, i)); err != nil {
				return err
			}
		}
		return nil
	})
	db := g.DB()
	text := strings.Repeat("a text about topic w3x w903x and others ", 20)
	for b.Loop() {
		if _, err := Mentions(b.Context(), db, text, 20); err != nil {
			b.Fatal(err)
		}
	}
}
