package search

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// benchQueries returns queries as people and agents write them, with frequent and with
// rare words of a generated graph.
func benchQueries(number int) []string {
	random := rand.New(rand.NewPCG(9, 10))
	zipf := rand.NewZipf(random, 1.1, 3, 5000)
	word := func() string { return graphtest.Word(int(zipf.Uint64())) }
	var list []string
	for i := range number {
		switch i % 10 {
		case 0, 1, 2:
			list = append(list, word()+" "+word())
		case 3:
			list = append(list, word())
		case 4:
			list = append(list, fmt.Sprintf("%q", word()+" "+word()))
		case 5:
			list = append(list, fmt.Sprintf("(%s OR %s) -%s", word(), word(), word()))
		case 6:
			list = append(list, word()+" folder:daily")
		case 7:
			list = append(list, word()+"*")
		case 8:
			list = append(list, "title:"+word()+" OR "+word()+" "+word()+" "+word())
		default:
			list = append(list, "-"+word()+" has:link updated:>=1950")
		}
	}
	return list
}

// BenchmarkWordSearch reports percentiles of a search in ms, the memory of the index, and how
// many times longer a walk through the texts takes that looks for one word without regard
// to case, as LIKE does.
func BenchmarkWordSearch(b *testing.B) {
	for _, blocks := range []int{200_000, 1_000_000} {
		b.Run(fmt.Sprintf("50,000 pages, %d blocks", blocks), func(b *testing.B) {
			docs := dealt(b, blocks)
			before := heap()
			start := time.Now()
			x := indexed(docs)
			built := time.Since(start)
			size := heap() - before
			list := benchQueries(1000)
			var took []time.Duration
			for b.Loop() {
				for _, query := range list {
					start := time.Now()
					q, err := ParseWordQuery(query)
					require.NoError(b, err)
					_, err = x.Search(b.Context(), q, 0, 10)
					require.NoError(b, err)
					took = append(took, time.Since(start))
				}
			}
			slices.Sort(took)
			at := func(share float64) float64 {
				return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
			}
			start = time.Now()
			found := 0
			for _, d := range docs {
				if slices.ContainsFunc(d.Blocks, func(text string) bool { return strings.Contains(strings.ToLower(text), "nebe") }) {
					found++
				}
			}
			scan := float64(time.Since(start).Microseconds()) / 1000
			b.ReportMetric(at(0.5), "p50-ms")
			b.ReportMetric(at(0.99), "p99-ms")
			b.ReportMetric(at(1), "max-ms")
			b.ReportMetric(scan/at(0.5), "scan/p50")
			b.ReportMetric(float64(size>>20), "MiB")
			b.ReportMetric(float64(x.Size()>>20), "Size-MiB")
			b.ReportMetric(built.Seconds(), "build-s")
			b.ReportMetric(float64(len(docs)), "notes")
			runtime.KeepAlive(x)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// dealt returns 50,000 notes with so many blocks, in the order of those of a generated
// graph.
func dealt(b *testing.B, blocks int) []Doc {
	const notes = 50_000
	var texts []string
	for _, d := range generatedDocs(b, blocks) {
		texts = append(texts, d.Blocks...)
	}
	docs := make([]Doc, notes)
	for i := range docs {
		from, to := len(texts)*i/notes, len(texts)*(i+1)/notes
		title := graphtest.Title(i)
		docs[i] = Doc{Key: graphtest.PageUID(i), Path: title, Title: title, Created: int64(i), Updated: int64(i), Blocks: texts[from:to]}
		if i%3 == 0 {
			docs[i].Path = "daily/" + title
		}
	}
	return docs
}
