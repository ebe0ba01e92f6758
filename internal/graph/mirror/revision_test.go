package mirror

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/graphtest"
)

// follower keeps something of each page, and looks at what has changed alone.
type follower struct {
	at    Revision
	pages map[string]string // by uid
	read  int
}

func (f *follower) follow(v *View) {
	uids, ok := v.ChangedSince(f.at)
	if !ok {
		f.pages, uids = map[string]string{}, nil
		for p := range v.Pages() {
			uids = append(uids, p.UID)
		}
	}
	for _, uid := range uids {
		delete(f.pages, uid)
		if n, ok := v.Note(uid); ok {
			f.pages[uid] = printed(n)
		}
	}
	f.at, f.read = v.Revision(), f.read+len(uids)
}

// printed is what a page has of its own.
func printed(n note.Node) string {
	text := fmt.Sprintf("%s %q %q %d %d %v %v\n", n.UID, n.Title, n.Text, n.Heading, n.Edited, n.Collapsed, n.Hidden)
	for _, below := range n.Children {
		text += printed(below)
	}
	return text + ".\n"
}

// differ follows a View, and says how that differs from all pages of it.
func (f *follower) differ(v *View) string {
	f.follow(v)
	var whole follower
	whole.follow(v)
	return differ(slices.Sorted(maps.Values(f.pages)), slices.Sorted(maps.Values(whole.pages)))
}

func TestChangedSince(t *testing.T) {
	r := newMemory(t, graphtest.Options{Blocks: 3000, Seed: 1})
	k := New(Options{Now: still, small: -1})
	defer k.Close()
	first := r.view(k, Texts)
	f := follower{}
	f.follow(first)
	f.read = 0
	write := func(number int, text string) *View {
		r.edit(still(), func(w *outline.Writer) error {
			return w.UpdateBlock(graphtest.BlockUID(number), outline.BlockUpdate{String: &text})
		})
		return r.view(k, Texts)
	}
	write(5, "one")
	newest := write(5, "two")
	if d := f.differ(newest); d != "" || f.read != 1 {
		t.Errorf("an edit made it read %d pages:\n%s", f.read, d)
	}
	if uids, ok := first.ChangedSince(newest.Revision()); !ok || len(uids) > 0 {
		t.Errorf("to an older View %v, %v have changed", uids, ok)
	}
	if _, ok := newest.ChangedSince(Revision{}); ok {
		t.Error("what has changed since nothing is known")
	}
	k.Close()
	if _, ok := r.view(New(Options{Now: still}), Texts).ChangedSince(newest.Revision()); ok {
		t.Error("what has changed in a graph that was loaded anew is known")
	}
	if at := r.view(New(Options{Now: still, small: -1, few: -1}), Links).Revision(); at != (Revision{}) {
		t.Errorf("links have the revision %v", at)
	}

	s := newStore(Texts)
	s.complete = true
	s.log.uids = slices.Repeat([]string{"page"}, mostLogged)
	old := View{log: s.log}
	if err := s.transact(t.Context(), func(tx *graphdb.Tx) error {
		return tx.SetAll(1, map[graphdb.Attr]graphdb.Value{graphdb.BlockUID: graphdb.StringValue("uid1"), graphdb.NodeTitle: graphdb.StringValue("Page")})
	}); err != nil {
		t.Fatal(err)
	}
	if _, ok := (&View{log: s.log}).ChangedSince(Revision{s.log.of, 0}); ok || len(s.log.uids) > mostLogged {
		t.Errorf("%d changes are kept", len(s.log.uids))
	}
	if uids, ok := (&View{log: s.log}).ChangedSince(old.Revision()); !ok || !slices.Equal(uids, []string{"uid1"}) {
		t.Errorf("got %v, %v", uids, ok)
	}
}
