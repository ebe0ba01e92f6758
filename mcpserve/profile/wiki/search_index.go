package wiki

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/search"
	"roam-mcp/mcpserve/surface"
)

// searchIndex is the full text of a graph. It is kept with the mirror of the graph, and
// follows it: only pages that have changed are read again.
type searchIndex struct {
	index *search.WordIndex
	left  []string // uids of pages that are not read yet
}

// indexBatch is how many pages are read at a time.
const indexBatch = 500

// indexOf returns the full text of a graph as a View has it. A call that ends while it is
// made leaves what there is to the next one.
func indexOf(ctx context.Context, c surface.Call, view *mirror.View) (*search.WordIndex, error) {
	s, err := mirror.Derived[*searchIndex]{
		Name: "full text",
		Update: func(ctx context.Context, s *searchIndex, view *mirror.View, change mirror.Change) (*searchIndex, error) {
			if change.Anew {
				s = &searchIndex{index: search.NewWordIndex()}
			}
			return s, s.follow(ctx, view, change, c.Progress)
		},
		Size: func(s *searchIndex) int64 { return s.index.Size() },
	}.Of(ctx, view)
	if err != nil {
		return nil, err
	}
	return s.index, nil
}

// follow brings the index in step with a View.
func (s *searchIndex) follow(ctx context.Context, view pages, change mirror.Change, progress func(text string)) error {
	s.left = append(s.left, changedPages(view, change)...)
	total := len(s.left)
	for len(s.left) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := s.left[:min(len(s.left), indexBatch)]
		var docs []search.Doc
		var gone []string
		for _, uid := range batch {
			if page, ok := view.Note(uid); ok && isNote(page) {
				docs = append(docs, docOf(newFound(page)))
			} else {
				gone = append(gone, uid)
			}
		}
		s.index.Apply(docs, gone)
		if s.left = s.left[len(batch):]; len(s.left) > 0 {
			progress(fmt.Sprintf("Indexing the notes: %s of %s", humanize.Comma(int64(total-len(s.left))), humanize.Comma(int64(total))))
		}
	}
	s.left = nil
	return nil
}

// docOf returns a note as it is indexed.
func docOf(f found) search.Doc {
	return search.Doc{
		Key: f.whole.UID, Path: f.path, Title: f.title, Tags: f.tags.All(),
		Created: f.node.CreatedAt(), Updated: f.node.UpdatedAt(), Blocks: blocksOf(f.node),
	}
}
