package notes

import (
	"context"
	"hash/maphash"
	"strings"
	"time"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
)

// listedNote is what a note is found and sorted by.
type listedNote struct {
	uid              string
	folded           string   // title and content in lower case, a line each
	labels           []string // their keys
	pinned, archived bool
	order            int
	created, updated int64
}

// index holds all notes of a graph as lists need them. It is kept with the mirror of the
// graph, and follows it: only pages that have changed are read again. It never changes.
type index struct {
	seed  maphash.Seed
	notes []*listedNote
	pages map[string]indexedPage // by uid
}

// indexedPage is a page with its own note and its quick notes, as it was when print was
// its fingerprint.
type indexedPage struct {
	print uint64
	notes []*listedNote
}

// everyNote returns all notes of a graph, archived ones too.
func everyNote(ctx context.Context, view *mirror.View) ([]*listedNote, error) {
	x, err := mirror.Derived[*index]{Name: "notes", Update: reindexed, Size: (*index).size}.Of(ctx, view)
	if err != nil {
		return nil, err
	}
	return x.notes, nil
}

// reindexed returns an index as it is after a change. What a page lists depends on pages that it
// refers to as well, so all are compared once one has changed.
func reindexed(_ context.Context, x *index, view *mirror.View, change mirror.Change) (*index, error) {
	switch {
	case change.Anew:
		x = &index{seed: maphash.MakeSeed()}
	case change.Empty():
		return x, nil
	}
	now := &index{seed: x.seed, notes: []*listedNote{}, pages: make(map[string]indexedPage, len(x.pages))}
	for page := range view.Pages() {
		n, ok := view.Note(page.UID)
		if !ok || !page.Exists {
			continue
		}
		print := x.print(n)
		on := x.pages[page.UID]
		if on.notes == nil || on.print != print {
			on = indexedPage{print, listedOn(n)}
		}
		now.pages[page.UID] = on
		now.notes = append(now.notes, on.notes...)
	}
	return now, nil
}

// size returns about how many bytes the index holds.
func (x *index) size() int64 {
	const perPage, perNote = 96, 96
	size := perPage*len(x.pages) + 8*cap(x.notes)
	for _, n := range x.notes {
		size += perNote + len(n.folded) + 16*cap(n.labels)
	}
	return int64(size)
}

// listedOn returns the notes that a page holds: its own, and its quick notes.
func listedOn(page note.Node) []*listedNote {
	listed := []*listedNote{}
	add := func(n note.Node) []part {
		e := newEntry(n, time.UTC) // where days begin makes no difference here
		if e.exists() {
			title, _ := e.title()
			listed = append(listed, &listedNote{
				uid: n.UID, folded: strings.ToLower(title + "\n" + e.content()), labels: labelKeys(e.labels), pinned: e.pinned(), archived: e.is(propArchived),
				order: e.order(), created: e.created(), updated: e.updated(),
			})
		}
		return e.parts
	}
	for _, p := range add(page) {
		if p.role == roleSection {
			for _, quick := range p.node.Children {
				add(quick)
			}
		}
	}
	return listed
}

// print returns a fingerprint of all of a node that a listedNote depends on.
func (x *index) print(n note.Node) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	write := func(text string) { _, _ = h.WriteString(text); _ = h.WriteByte(0) }
	number := func(numbers ...int64) {
		for _, n := range numbers {
			maphash.WriteComparable(&h, n)
		}
	}
	flags := func(flags ...bool) {
		for _, flag := range flags {
			maphash.WriteComparable(&h, flag)
		}
	}
	var walk func(n *note.Node)
	walk = func(n *note.Node) {
		write(n.UID)
		write(n.Title)
		write(n.Text)
		write(n.View)
		number(int64(n.Heading), n.Created, n.Edited, int64(n.Shortcut), int64(len(n.Refs)), int64(len(n.Children)))
		flags(n.Hidden)
		for _, ref := range n.Refs {
			write(ref.UID)
			write(ref.Title)
			write(ref.Text)
			flags(ref.Hidden)
		}
		for i := range n.Children {
			walk(&n.Children[i])
		}
	}
	walk(&n)
	return h.Sum64()
}
