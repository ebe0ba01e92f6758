package search

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// randomDoc returns a note with words of a few letters.
func randomDoc(random *rand.Rand, key int) Doc {
	words := func(n int) string {
		var list []string
		for range n {
			list = append(list, string(rune('a'+random.IntN(6)))+string(rune('a'+random.IntN(6))))
		}
		return strings.Join(list, " ")
	}
	d := Doc{Key: fmt.Sprint(key), Path: fmt.Sprintf("f%d/%d", random.IntN(3), key), Title: words(2), Updated: int64(random.IntN(5))}
	for range random.IntN(4) {
		d.Blocks = append(d.Blocks, words(random.IntN(8)))
	}
	if random.IntN(2) == 0 {
		d.Tags = []string{words(1)}
	}
	return d
}

// What was added, changed and removed before makes no difference to what is found.
func TestApply(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	x, now := NewWordIndex(), map[string]Doc{}
	for round := range 60 {
		var changed []Doc
		var gone []string
		for range random.IntN(30) {
			d := randomDoc(random, random.IntN(200))
			if random.IntN(4) == 0 {
				gone = append(gone, d.Key)
				delete(now, d.Key)
			} else if !slices.Contains(gone, d.Key) {
				changed = append(changed, d)
				now[d.Key] = d
			}
		}
		for i, key := range gone { // of one that is in both lists it is the last word that it is there
			if _, there := now[key]; there {
				gone[i] = ""
			}
		}
		changed = slices.DeleteFunc(changed, func(d Doc) bool { _, there := now[d.Key]; return !there })
		x.Apply(changed, gone)
		if round%6 != 5 {
			continue
		}
		fresh := indexed(slices.Collect(maps.Values(now)))
		for _, query := range []string{"aa", "ab OR b*", `"aa bb" OR "cc dd" OR "ef"`, "-aa -b*", "tag:a* aa", "folder:f1", "title:c*", "zz*", "aaing"} {
			q, err := ParseWordQuery(query)
			require.NoError(t, err)
			got, err := x.Search(t.Context(), q, 0, 300)
			require.NoError(t, err)
			want, err := fresh.Search(t.Context(), q, 0, 300)
			require.NoError(t, err)
			compareHits(t, query, got.Hits, want.Hits)
		}
		if x.Len() != len(now) || x.void > 64 && x.void > len(x.docs)/10 {
			t.Fatalf("%d notes, %d in the index, %d of %d are gone", len(now), x.Len(), x.void, len(x.docs))
		}
	}
	x.Apply(nil, slices.Collect(func(yield func(string) bool) {
		for key := range now {
			if !yield(key) {
				return
			}
		}
	}))
	if len(x.terms) > 0 && x.void > 64 || x.Len() != 0 || len(keys(t, x, "-zz")) != 0 {
		t.Errorf("%d terms of an empty index", len(x.terms))
	}
}

func TestSearchesAndChangesMayRunAtTheSameTime(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	x := NewWordIndex()
	q, err := ParseWordQuery("aa OR b* -cc")
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 50 {
				if _, err := x.Search(t.Context(), q, 0, 10); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 50 {
		x.Apply([]Doc{randomDoc(random, random.IntN(20))}, nil)
	}
	group.Wait()
}

// Pages of hits are parts of the whole list.
func TestPagesOfHits(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var docs []Doc
	for i := range 100 {
		docs = append(docs, randomDoc(random, i))
	}
	x := indexed(docs)
	for _, query := range []string{"a* OR b*", "-zz", "aa"} {
		q, err := ParseWordQuery(query)
		require.NoError(t, err)
		whole, err := x.Search(t.Context(), q, 0, 1000)
		require.NoError(t, err)
		var parts []Hit
		for offset := 0; offset <= whole.Total+7; offset += 7 {
			part, err := x.Search(t.Context(), q, offset, 7)
			require.NoError(t, err)
			parts = append(parts, part.Hits...)
		}
		compareHits(t, query, parts, whole.Hits)
	}
}
