package outline

import (
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
)

func TestACommentBelongsToItsAuthorAndDay(t *testing.T) {
	n := newNotebook(t)
	n.page("Bread", "flour|Flour\nsalt|Salt")
	east := time.FixedZone("east", 3600)
	var threads []string
	comment := func(uid, text string) {
		n.do(func(w *Writer) error {
			_, thread, err := w.AddComment(uid, east, []Block{{String: text}})
			threads = append(threads, thread)
			return err
		})
	}
	n.now = time.Date(2026, 11, 20, 22, 30, 0, 0, time.UTC)
	comment("flour", "half past eleven in the east")
	n.now = n.now.Add(time.Hour)
	comment("flour", "the next day there")
	comment("flour", "and still that day")
	comment("salt", "another block")
	if threads[0] == threads[1] || threads[1] != threads[2] || threads[3] == threads[2] {
		t.Errorf("threads %v", threads)
	}
	if err := n.try(func(w *Writer) error {
		w.author.User = 0
		_, thread, err := w.AddComment("flour", east, []Block{{String: "by nobody"}})
		if slices.Contains(threads, thread) {
			t.Error("a stranger's comment joined another's")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	db := n.DB()
	if got := len(Comments(db, ByUID(db, "flour"))); got != 3 {
		t.Errorf("%d comments", got)
	}
	if got := Comments(db, PageByTitle(db, CommentsPage)); len(got) != 0 {
		t.Errorf("a page has comments: %v", got)
	}
	for uid, want := range map[string]Code{"none": CodeNotFound, db.String(PageByTitle(db, "Bread"), graphdb.BlockUID): CodeInvalid} {
		err := n.try(func(w *Writer) error {
			_, _, err := w.AddComment(uid, east, []Block{{String: "x"}})
			return err
		})
		if e, ok := err.(*Error); !ok || e.Code != want {
			t.Errorf("%s: %v", uid, err)
		}
	}
}

func TestTemplateNamesHaveNoTag(t *testing.T) {
	for text, want := range map[string]string{
		"Daily review #[[roam/templates]]":            "Daily review",
		"[[roam/templates]]   Meeting [[with]] Ana":   "Meeting [[with]] Ana",
		"#roam/templates A #roam/templates B":         "A B",
		"[[about [[roam/templates]]]] stays":          "[[about [[roam/templates]]]] stays",
		"`[[roam/templates]]` is code":                "`[[roam/templates]]` is code",
		"roam/templates:: attribute":                  "attribute",
		"":                                            "",
		"[my templates]([[roam/templates]]) are here": "[my templates]([[roam/templates]]) are here",
	} {
		if got := TemplateName(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestShortcutsAreInOrder(t *testing.T) {
	n := newNotebook(t)
	titles := func() string {
		var list []string
		for _, page := range Shortcuts(n.DB()) {
			list = append(list, TextOf(n.DB(), page))
		}
		return strings.Join(list, " ")
	}
	for _, title := range []string{"A", "B", "C"} {
		n.page(title, "")
		n.do(func(w *Writer) error { return w.AddShortcut(uidOf(n, title), First) })
	}
	if got := titles(); got != "C B A" {
		t.Errorf("%s", got)
	}
	n.do(func(w *Writer) error { return w.AddShortcut(uidOf(n, "C"), Last) })
	n.do(func(w *Writer) error { return w.RemoveShortcut(uidOf(n, "A")) })
	n.do(func(w *Writer) error { return w.AddShortcut(uidOf(n, "A"), 1) })
	if got := titles(); got != "B A C" {
		t.Errorf("%s", got)
	}
}

func uidOf(n *notebook, title string) string {
	return n.DB().String(PageByTitle(n.DB(), title), graphdb.BlockUID)
}
