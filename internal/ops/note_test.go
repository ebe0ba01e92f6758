package ops

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// looks is an export of a page with all that a block can have.
const looks = `[{"title":"Looks","uid":"looks0001","create-time":1700000000000,"edit-time":1700000001000,"children-view-type":"document","children":[
	{"string":"second","uid":"looks0002","heading":2,"text-align":"center","open":false,"children-view-type":"numbered",":create/user":{":user/uid":"u1"},
		"create-time":1700000002000,"edit-time":1700000003000,"children":[{"string":"below [[Looks]] and [[Nowhere]]","uid":"looks0003"}]},
	{"string":"hidden #.rm-private","uid":"looks0004","children":[{"string":"below hidden","uid":"looks0005"}]},
	{"string":"((looks0005)) and ((looks0004)) and ((looks0003)) and [[Only hidden]]","uid":"looks0006"},
	{"string":"((looks0006)) #[[.rm-hide]]","uid":"looks0007"}]},
	{"title":"Only hidden","uid":"looks0008","children":[{"string":"x [[.rm-hide]]","uid":"looks0009"}]},
	{"title":"Nowhere","uid":"looks0010"},{"title":".rm-hide","uid":"looks0011"}]`

// allNotes returns all pages and blocks of an export, by uid.
func allNotes(t *testing.T, export string) map[string]note.Node {
	t.Helper()
	db := graphtest.FromJSON(t, export)
	notes := map[string]note.Node{}
	for _, title := range []string{"Projects/Apollo", "January 15th, 2024", "Looks", "Only hidden", "Grace", "tea", "Shopping"} {
		for _, each := range outline.Subtree(db, outline.PageByTitle(db, title)) {
			if n, ok := note.FromDB(db, each); ok {
				sortRefs(&n)
				notes[n.UID] = n
			}
		}
	}
	return notes
}

// sortRefs puts references, which have no order, in one.
func sortRefs(n *note.Node) {
	slices.SortFunc(n.Refs, func(a, b note.Ref) int { return cmp.Compare(a.UID, b.UID) })
	for i := range n.Children {
		sortRefs(&n.Children[i])
	}
}

func TestReadNotes(t *testing.T) {
	export := strings.TrimSuffix(strings.TrimSpace(demograph.JSON), "]") + "," + looks[1:]
	want := allNotes(t, export)
	uids := []string{"nowhere01"}
	for uid := range want {
		uids = append(uids, uid)
	}
	t.Run("reads what there is in one query", func(t *testing.T) {
		b := newBoxOf(t, export)
		g := b.graph()
		got, err := g.ReadNotes(t.Context(), uids)
		require.NoError(t, err)
		for uid, n := range want {
			read := got[uid]
			sortRefs(&read)
			if !reflect.DeepEqual(read, n) {
				t.Errorf("%s is\n%+v\nwant\n%+v", uid, read, n)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d are there, want %d", len(got), len(want))
		}
		calls := b.counted(func() {
			if some, err := g.ReadNotes(t.Context(), []string{"apollo001", "looks0001", "nowhere01"}); err != nil || len(some) != 2 {
				t.Errorf("got %v, %v", some, err)
			}
		})
		if len(calls) != 1 {
			t.Errorf("it called %v", calls)
		}
	})
	t.Run("takes a block once that a damaged graph holds twice", func(t *testing.T) {
		roam := newFakeRoam(map[string]string{"q": `[[{"uid":"p","title":"P","children":[{"uid":"a","order":1},{"uid":"b","children":[{"uid":"a"},{"uid":"p"}]}]}]]`})
		n, _, err := roam.on(nil).ReadNote(t.Context(), "p")
		require.NoError(t, err)
		if len(n.Children) != 1 || len(n.Children[0].Children) != 1 {
			t.Errorf("got %+v", n)
		}
	})
	t.Run("says that an answer can't be read", func(t *testing.T) {
		for _, answer := range []string{`{}`, `[[{"uid":7}]]`, `[[{"title":"no uid"}]]`, `[[{"uid":"p","children":[{"string":"no uid"}]}]]`} {
			roam := newFakeRoam(map[string]string{"q": answer})
			if _, err := roam.on(nil).ReadNotes(t.Context(), []string{"p"}); problem.CodeOf(err) != localapi.CodeUnsupportedRoam {
				t.Errorf("of %s it says %v", answer, err)
			}
		}
	})
}

func FuzzReadNotes(f *testing.F) {
	f.Add(`[[{"uid":"p","title":"P","children":[{"uid":"b","string":"x","order":1,"refs":[{"title":".rm-hide"}]}]}]]`)
	f.Add(`[[{"uid":"b","open":false,"heading":9,"above":[{"title":"P"},{"marks":[{"title":".rm-private"}]}],"shortcut":2}],[null]]`)
	f.Fuzz(func(t *testing.T, answer string) {
		roam := newFakeRoam(map[string]string{"q": answer, "data.pull_many": answer})
		for _, uids := range [][]string{{"p"}, {"p", "q"}} {
			notes, err := roam.on(nil).ReadNotes(t.Context(), uids)
			if err != nil && problem.CodeOf(err) != localapi.CodeUnsupportedRoam {
				t.Errorf("it says %v", err)
			}
			for uid, n := range notes {
				seen := map[string]bool{}
				if !named(n, seen) || n.UID != uid || count([]note.Node{n}) != len(seen) {
					t.Errorf("%q has %+v", uid, n)
				}
			}
		}
	})
}

// named reports whether all have a uid, and a heading that there is.
func named(n note.Node, seen map[string]bool) bool {
	seen[n.UID] = true
	return n.UID != "" && n.Heading >= 0 && n.Heading <= 3 && !slices.ContainsFunc(n.Children, func(c note.Node) bool { return !named(c, seen) })
}
