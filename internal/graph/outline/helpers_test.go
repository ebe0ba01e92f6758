package outline

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/testutil/require"
)

// randomBytes makes uids that are the same in every run.
type randomBytes struct{ *rand.Rand }

func (r randomBytes) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return len(p), nil
}

// notebook is a graph under test.
type notebook struct {
	*graphdb.Conn
	t      testing.TB
	random randomBytes
	now    time.Time
}

func newNotebook(t testing.TB) *notebook {
	return &notebook{
		Conn: graphdb.NewConn(graphdb.RoamSchema()), t: t,
		random: randomBytes{rand.New(rand.NewPCG(1, 2))}, now: time.UnixMilli(1_700_000_000_000),
	}
}

// try runs a transaction a second after the one before.
func (n *notebook) try(write func(w *Writer) error) error {
	n.now = n.now.Add(time.Second)
	_, err := n.Transact(n.t.Context(), func(tx *graphdb.Tx) error {
		w := NewWriter(tx, Author{Now: n.now}, n.random)
		user, err := w.EnsureUser("me", "Me")
		if err != nil {
			return err
		}
		w.author.User = user
		return write(w)
	})
	return err
}

// do is try for what must succeed; the graph must be whole afterwards.
func (n *notebook) do(write func(w *Writer) error) {
	n.t.Helper()
	require.NoError(n.t, n.try(write))
	checkWhole(n.t, n.DB())
}

// page writes an outline, one block a line, its uid before a bar: "a|text",
// nested by two spaces.
func (n *notebook) page(title, outline string) {
	n.t.Helper()
	n.do(func(w *Writer) error {
		uid, err := w.CreatePage(NewPage{Title: title})
		if err != nil {
			return err
		}
		_, err = w.CreateBlocks(Location{ParentUID: uid}, withUIDs(blocksOf(outline)))
		return err
	})
}

// blocksOf reads lines nested by two spaces, with nothing else interpreted.
func blocksOf(outline string) []Block {
	lines := strings.FieldsFunc(outline, func(r rune) bool { return r == '\n' })
	blocks, _ := blocksAt(lines, 0)
	return blocks
}

// blocksAt reads the blocks of a depth and all below them, and returns the lines behind.
func blocksAt(lines []string, depth int) (blocks []Block, rest []string) {
	for len(lines) > 0 {
		text := strings.TrimLeft(lines[0], " ")
		switch at := (len(lines[0]) - len(text)) / 2; {
		case text == "":
			lines = lines[1:]
		case at < depth:
			return blocks, lines
		case at > depth && len(blocks) > 0:
			blocks[len(blocks)-1].Children, lines = blocksAt(lines, depth+1)
		default:
			blocks, lines = append(blocks, Block{String: strings.TrimSpace(text)}), lines[1:]
		}
	}
	return blocks, nil
}

func withUIDs(blocks []Block) []Block {
	for i := range blocks {
		if uid, text, ok := strings.Cut(blocks[i].String, "|"); ok {
			blocks[i].UID, blocks[i].String = uid, text
		}
		withUIDs(blocks[i].Children)
	}
	return blocks
}

// outline is a page as lines nested by two spaces.
func (n *notebook) outline(title string) string {
	n.t.Helper()
	page := PageByTitle(n.DB(), title)
	if page == 0 {
		n.t.Fatalf("no page %q", title)
	}
	return linesOf(ReadTree(n.DB(), page), "")
}

func linesOf(blocks []Block, margin string) string {
	var b strings.Builder
	for _, x := range blocks {
		b.WriteString(margin + x.String + "\n" + linesOf(x.Children, margin+"  "))
	}
	return b.String()
}

func (n *notebook) want(title string, lines ...string) {
	n.t.Helper()
	if got, want := n.outline(title), strings.Join(append(lines, ""), "\n"); got != want {
		n.t.Errorf("page %q is\n%swant\n%s", title, got, want)
	}
}

// refsOf are the texts of what a block refers to, sorted.
func (n *notebook) refsOf(uid string) []string {
	var out []string
	for _, e := range n.DB().Refs(ByUID(n.DB(), uid), graphdb.BlockRefs) {
		out = append(out, TextOf(n.DB(), e))
	}
	slices.Sort(out)
	return out
}

// checkWhole checks every derived attribute against the tree and the texts.
func checkWhole(t testing.TB, db *graphdb.DB) {
	t.Helper()
	for e := range db.Entities(graphdb.NodeTitle) {
		if db.Has(e, graphdb.BlockString) || db.String(e, graphdb.BlockUID) == "" {
			t.Errorf("page %d: %v", e, slices.Collect(db.Datoms(e)))
		}
		checkRefs(t, db, e)
	}
	for e := range db.Entities(graphdb.BlockString) {
		parent := Parent(db, e)
		if db.ReverseCount(graphdb.BlockChildren, e) != 1 || parent == 0 {
			t.Errorf("block %d has %d parents", e, db.ReverseCount(graphdb.BlockChildren, e))
			continue
		}
		above := Ancestors(db, e)
		if page := db.Ref(e, graphdb.BlockPage); page != above[0] || !IsPage(db, page) {
			t.Errorf("block %d is on page %d, its first ancestor is %d", e, page, above[0])
		}
		slices.Sort(above)
		if got := db.Refs(e, graphdb.BlockParents); !slices.Equal(got, above) {
			t.Errorf("block %d has the ancestors %v, want %v", e, got, above)
		}
		checkRefs(t, db, e)
	}
	checkAttributes(t, db)
	for e, have := range db.Entities(graphdb.PageWords) {
		count := 0
		for b := range db.ReverseSeq(graphdb.BlockPage, e) {
			count += wordsIn(db.String(b, graphdb.BlockString))
		}
		if have.Int() != int64(count) {
			t.Errorf("page %d has %d words, not %d", e, count, have.Int())
		}
	}
	last := graphdb.EID(0)
	for parent := range db.Entities(graphdb.BlockChildren) { // once for every child
		if parent == last {
			continue
		}
		last = parent
		for i, k := range Children(db, parent) {
			if n, ok := db.Int(k, graphdb.BlockOrder); !ok || int(n) != i {
				t.Errorf("child %d of %d has the order %d", i, parent, n)
			}
		}
	}
}

// checkAttributes checks what attribute blocks say against the blocks.
func checkAttributes(t testing.TB, db *graphdb.DB) {
	t.Helper()
	want := map[graphdb.EID][]string{}
	for e := range db.Entities(graphdb.BlockString) {
		subject, triples := triplesOf(db, e)
		for _, said := range triples {
			want[subject] = append(want[subject], said.print())
		}
	}
	for e, v := range db.Entities(graphdb.EntityAttrs) {
		if got := printed(want[e]); got != v.Text() {
			t.Errorf("%d (%s) has the attributes\n%s\nwant\n%s", e, TextOf(db, e), v.Text(), got)
		}
		var uids []string
		for _, to := range db.Refs(e, graphdb.AttrsLookup) {
			uids = append(uids, db.String(to, graphdb.BlockUID))
		}
		for _, uid := range uids {
			if !strings.Contains(v.Text(), edn.Print(uid)) {
				t.Errorf("%d looks up %s", e, uid)
			}
		}
		if named := strings.Count(v.Text(), ":block/uid"); named > 0 && len(uids) == 0 {
			t.Errorf("%d looks nothing up", e)
		}
		delete(want, e)
	}
	for e, said := range want {
		t.Errorf("%d (%s) lacks the attributes %s", e, TextOf(db, e), printed(said))
	}
}

func printed(triples []string) string {
	slices.Sort(triples)
	text := "#{" + strings.Join(triples, " ") + "}"
	v, err := edn.Parse(text, edn.Limits{Bytes: int64(len(text)) + 1})
	if err != nil {
		return err.Error()
	}
	return edn.Print(v)
}

func checkRefs(t testing.TB, db *graphdb.DB, e graphdb.EID) {
	t.Helper()
	var want []graphdb.EID
	text := TextOf(db, e)
	for _, r := range roamtext.References(text) {
		name := r.Content(text)
		to := ByUID(db, name)
		if r.Kind != roamtext.BlockRef {
			if to = PageByTitle(db, name); to == 0 {
				t.Errorf("page %q is mentioned by %d and is not there", name, e)
			}
		}
		if to != 0 {
			want = append(want, to)
		}
	}
	slices.Sort(want)
	if got := db.Refs(e, graphdb.BlockRefs); !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("%d (%s) refers to %v, want %v", e, quoted(text), got, want)
	}
}

func wantError(t testing.TB, err error, code Code, text string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want %s with %q", err, code, text)
	}
}
