package versions

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
)

func TestCompare(t *testing.T) {
	page := func(title string, nodes ...note.Node) note.Node {
		return note.Node{UID: "p", Title: title, Children: nodes}
	}
	b := func(uid string, children ...note.Node) note.Node {
		return note.Node{UID: uid, Text: uid, Children: children}
	}
	changed := b("b")
	changed.Collapsed = true
	for name, tc := range map[string]struct {
		before, now note.Node
		want        string
	}{
		"finds nothing":               {page("P", b("a", b("b"))), page("P", b("a", b("b"))), "[] [] []"},
		"finds a title":               {page("P", b("a")), page("Q", b("a")), "[p] [] []"},
		"finds what is new":           {page("P", b("a")), page("P", b("a", b("n"))), "[n] [] [a]"},
		"finds what is gone":          {page("P", b("a", b("b", b("c")))), page("P", b("a")), "[] [b c] [a b]"},
		"finds what changed":          {page("P", b("a", b("b"))), page("P", b("a", changed)), "[b] [] []"},
		"finds what is elsewhere now": {page("P", b("a", b("b")), b("c")), page("P", b("a"), b("c", b("b"))), "[b] [] [a c]"},
		"finds another order":         {page("P", b("a"), b("b"), b("c")), page("P", b("b"), b("n"), b("a"), b("c")), "[a b n] [] [p]"},
		"finds another order below":   {page("P", b("a", b("b"), b("c"))), page("P", b("a", b("c"), b("b"))), "[b c] [] [a]"},
	} {
		t.Run(name, func(t *testing.T) {
			d := compare(tc.before, tc.now)
			names := func(some map[string]bool) string {
				said := difference{changed: some}.uids()
				return "[" + strings.Join(said, " ") + "]"
			}
			if got := fmt.Sprint(names(d.changed), " ", names(d.removed), " ", names(d.places)); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// randomNodes returns blocks in which some are hidden.
func randomNodes(random *rand.Rand, level int, made *int) []note.Node {
	var nodes []note.Node
	for range random.IntN(4) {
		*made++
		n := note.Node{
			UID: fmt.Sprintf("u%08d", *made), Text: []string{"", "a\n \"b\" <c>", "😀\u2028 [[d]]", "#.rm-hide x"}[random.IntN(4)], Heading: random.IntN(4),
			View: []string{"", "bullet", "numbered", "document"}[random.IntN(4)], Align: []string{"", "left", "justify"}[random.IntN(3)], Collapsed: random.IntN(3) == 0,
		}
		n.Hidden = strings.HasPrefix(n.Text, "#.rm-hide")
		if level < 4 {
			n.Children = randomNodes(random, level+1, made)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func TestTreesAreReadAsTheyWere(t *testing.T) {
	for seed := range uint64(200) {
		made := 0
		n := note.Node{UID: "p", Title: "P", View: "numbered", Children: randomNodes(rand.New(rand.NewPCG(seed, 1)), 0, &made)}
		kept := Kept(n)
		again, err := decode(encode(kept), "p", "P", nil)
		if err != nil || fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", kept) || fmt.Sprintf("%+v", kept.Outline()) != fmt.Sprintf("%+v", n.Visible().Outline()) {
			t.Fatalf("seed %d: got %+v, %v, want %+v", seed, again, err, n.Visible())
		}
		if bytes.Contains(encode(kept), []byte("#.rm-hide")) {
			t.Fatalf("seed %d: a hidden block is kept", seed)
		}
		if d := compare(kept, again); len(d.uids()) != 0 {
			t.Fatalf("seed %d: it differs from itself: %+v", seed, d)
		}
	}
}

// FuzzTree decodes what a damaged journal may hold.
func FuzzTree(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"view":"document","blocks":[{"uid":"a","text":"x","heading":3,"collapsed":true,"blocks":[{"uid":"b","text":""}]}]}`,
		`{"blocks":[{"text":"x"}]}`, `{"blocks":[{"uid":"a","text":"x","heading":9}]}`, `null`, `[]`, "\xff", strings.Repeat(`{"blocks":[`, 50),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := decode(data, "p", "P", map[string]bool{"b": true})
		if err != nil {
			return
		}
		again, err := decode(encode(n), "p", "P", nil)
		if n.View != "" && len(n.Children) == 0 {
			n.View = "" // nothing is listed
		}
		if err != nil || fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", n) || strings.Contains(fmt.Sprintf("%+v", again), "UID:b ") {
			t.Errorf("%+v became %+v, %v", n, again, err)
		}
	})
}
