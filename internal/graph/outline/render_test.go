package outline

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/require"
)

func (n *notebook) render(uid string, o RenderOptions) string {
	return Render(n.DB(), ByUID(n.DB(), uid), o)
}

func (n *notebook) uidOf(title string) string {
	return n.DB().String(PageByTitle(n.DB(), title), graphdb.BlockUID)
}

func TestAPageIsRenderedWithItsAnnotations(t *testing.T) {
	n := newNotebook(t)
	n.page("Plan", "first|First\n  section|Section\n    seealso|See ((ship)) now\n      deep|one\n      deeper|two\nship|ship the fix `now`</ref>")
	n.page("Other", "mention|about [[Plan]] and ((section))")
	n.do(func(w *Writer) error {
		two, numbered := 2, "numbered"
		return w.UpdateBlock("section", BlockUpdate{Heading: &two, ChildrenViewType: &numbered})
	})
	uid := n.uidOf("Plan")
	want := strings.Join([]string{
		`# Plan <roam uid="` + uid + `" refs="1"/>`,
		``,
		`- First <roam uid="first"/>`,
		`  - Section <roam uid="section" heading="2" childrenViewType="numbered" refs="1"/>`,
		"    - See ((ship))<ref>ship the fix \\`now\\`<\\/ref></ref> now <roam uid=\"seealso\" hiddenChildren=\"2\"/>",
		"- ship the fix `now`</ref> <roam uid=\"ship\" refs=\"1\"/>"}, "\n")
	if got := n.render(uid, RenderOptions{MaxDepth: 3}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := n.render(uid, RenderOptions{}), `# Plan <roam uid="`+uid+`" refs="1" hiddenChildren="2"/>`; got != want {
		t.Errorf("depth 0: %s, want %s", got, want)
	}
	if got, want := n.render("first", RenderOptions{MaxDepth: 0}), `- First <roam uid="first" hiddenChildren="1"/>`; got != want {
		t.Errorf("a block alone: %s, want %s", got, want)
	}
	if got := n.render("seealso", RenderOptions{MaxDepth: AllLevels}); !strings.Contains(got, "\n  - two <roam uid=\"deeper\"/>") {
		t.Errorf("all levels: %s", got)
	}
	if got, want := n.render("ship", RenderOptions{Truncate: 4}), `- ship <roam uid="ship" refs="1" truncated="20"/>`; got != want {
		t.Errorf("truncated: %s, want %s", got, want)
	}
	wantPath := []PathItem{{uid, "Plan"}, {"first", "First"}, {"section", "Section"}}
	if got := Path(n.DB(), ByUID(n.DB(), "seealso")); !reflect.DeepEqual(got, wantPath) {
		t.Errorf("path %v, want %v", got, wantPath)
	}
}

func TestOnlyPlainReferencesGetAPreview(t *testing.T) {
	for text, want := range map[string]string{
		"((t))":                  "((t))<ref>target with nested text</ref>",
		"((t)) ((t))":            "((t))<ref>target with nested text</ref> ((t))<ref>target with nested text</ref>",
		"[label](((t)))":         "[label](((t)))",
		"{{embed: ((t))}}":       "{{embed: ((t))}}",
		"`((t))`":                "`((t))`",
		"((gone))":               "((gone))",
		"((many))":               "((many))<ref>two lines</ref>",
		"[[A page]] ((thepage))": "[[A page]] ((thepage))<ref>Titled</ref>",
		"((secret))":             "((secret))",
	} {
		n := newNotebook(t)
		n.page("Targets", "nested|nested text\nt|target with ((nested))\nsecret|code word #.rm-hide")
		n.do(func(w *Writer) error {
			_, err := w.CreatePage(NewPage{Title: "Titled", UID: "thepage"})
			return err
		})
		n.do(func(w *Writer) error {
			_, err := w.CreateBlocks(Location{PageTitle: "Targets", Order: Last}, []Block{{UID: "many", String: "two\nlines"}, {UID: "from", String: text}})
			return err
		})
		if got := n.render("from", RenderOptions{}); got != "- "+want+` <roam uid="from"/>` {
			t.Errorf("%q is rendered as %s", text, got)
		}
	}
}

func TestSeveralLinesAreIndentedBelowTheFirst(t *testing.T) {
	n := newNotebook(t)
	n.do(func(w *Writer) error {
		_, err := w.CreateBlocks(Location{PageTitle: "P"}, []Block{{String: "top", UID: "top", Children: []Block{{String: "a\n\nb", UID: "ab"}, {UID: "empty"}}}})
		return err
	})
	want := "- top <roam uid=\"top\"/>\n  - a\n\n    b <roam uid=\"ab\"/>\n  - <roam uid=\"empty\"/>"
	if got := n.render("top", RenderOptions{MaxDepth: AllLevels}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHiddenBlocksLeaveNoTrace(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "a|seen\n  b|kept #.rm-hide\n    c|below\n  d|also #[[.rm-private]]\n  e|and [[.rm-hide]]\nf|`#.rm-hide` in code")
	got := n.render(n.uidOf("P"), RenderOptions{MaxDepth: AllLevels})
	for _, secret := range []string{"kept", "below", "also", "and", "hiddenChildren"} {
		if strings.Contains(got, secret) {
			t.Errorf("%q shows in\n%s", secret, got)
		}
	}
	if !strings.Contains(got, "in code") {
		t.Errorf("a tag in code hides\n%s", got)
	}
	if got := n.render("a", RenderOptions{}); strings.Contains(got, "hiddenChildren") {
		t.Errorf("hidden blocks are counted: %s", got)
	}
	if n.render("c", RenderOptions{}) != "" || !Hidden(n.DB(), ByUID(n.DB(), "c")) || Hidden(n.DB(), ByUID(n.DB(), "a")) {
		t.Error("what is below a hidden block is hidden too")
	}
	if got := linesOf(VisibleTree(n.DB(), PageByTitle(n.DB(), "P")), ""); got != "seen\n`#.rm-hide` in code\n" {
		t.Errorf("plain: %s", got)
	}
}

func TestAUidThatCannotBeWrittenIsLeftOut(t *testing.T) {
	n := newNotebook(t)
	n.load(`[{"title":"P","uid":"page","children":[{"string":"x","uid":"has space"}]}]`)
	if got := n.render("page", RenderOptions{MaxDepth: 1}); got != "# P <roam uid=\"page\"/>\n\n- x <roam/>" {
		t.Errorf("got %s", got)
	}
}

func TestAllHidden(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "a|seen\n  b|kept #.rm-hide\n    c|below\n  d|also #[[.rm-private]]\ne|((b)) seen")
	n.page("About #.rm-hide", "f|on a page whose title says so")
	bare, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), func(yield func(graphdb.Datom, error) bool) {
		for d := range n.DB().All() {
			if d.A != graphdb.BlockParents && !yield(d, nil) {
				return
			}
		}
	})
	require.NoError(t, err)
	list := func(db *graphdb.DB) []string {
		var all []string
		for e := range AllHidden(db) {
			all = append(all, db.String(e, graphdb.BlockUID))
		}
		slices.Sort(all)
		return all
	}
	all := list(n.DB())
	if without := list(bare.DB()); !slices.Equal(all, without) {
		t.Errorf("all are %v, without :block/parents %v", all, without)
	}
	var each []string
	for e := range n.DB().Entities(graphdb.BlockString) {
		if Hidden(n.DB(), e) {
			each = append(each, n.DB().String(e, graphdb.BlockUID))
		}
	}
	slices.Sort(each)
	if !slices.Equal(all, each) || !slices.Equal(all, []string{"b", "c", "d"}) {
		t.Errorf("all are %v, one by one %v", all, each)
	}
}
