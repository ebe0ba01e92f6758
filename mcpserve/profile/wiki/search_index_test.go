package wiki

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/search"
	"roam-mcp/internal/testutil/require"
)

// manyPages are pages with a block each, which counts how often each was read.
type manyPages struct {
	count int
	read  map[string]int
}

func (p *manyPages) Pages() iter.Seq[mirror.Page] {
	return func(yield func(mirror.Page) bool) {
		for i := range p.count {
			if !yield(mirror.Page{UID: fmt.Sprint(i), Title: fmt.Sprint("page ", i), Exists: true}) {
				return
			}
		}
	}
}

func (p *manyPages) Note(uid string) (note.Node, bool) {
	p.read[uid]++
	return note.Node{UID: uid, Title: "page " + uid, Children: []note.Node{{Text: "kerosene"}}}, true
}

// An index that is cancelled half way goes on where it was, and then reads what has
// changed alone.
func TestAnIndexGoesOnWhereItWasCancelled(t *testing.T) {
	view := &manyPages{count: 3*indexBatch + 10, read: map[string]int{}}
	s := &searchIndex{index: search.NewWordIndex()}
	ctx, cancel := context.WithCancel(t.Context())
	told := ""
	err := s.follow(ctx, view, mirror.Change{Anew: true}, func(text string) { told = text; cancel() })
	if !errors.Is(err, context.Canceled) || told != "Indexing the notes: 500 of 1,510" || s.index.Len() != indexBatch {
		t.Fatalf("%v after %q, with %d notes", err, told, s.index.Len())
	}
	edited := mirror.Change{Pages: []string{"1505"}}
	require.NoError(t, s.follow(t.Context(), view, edited, func(string) {}))
	if s.index.Len() != view.count {
		t.Errorf("%d notes of %d", s.index.Len(), view.count)
	}
	for uid, times := range view.read {
		if times > 1 && uid != "1505" {
			t.Errorf("page %s was read %d times", uid, times)
		}
	}
	clear(view.read)
	require.NoError(t, s.follow(t.Context(), view, edited, func(text string) { t.Error(text) }))
	if len(view.read) != 1 || s.index.Len() != view.count {
		t.Errorf("%v were read", view.read)
	}
}
