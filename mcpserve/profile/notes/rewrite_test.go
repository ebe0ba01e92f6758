package notes

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
)

// texts shows blocks as "uid:text", with those below in parentheses; "new" stands for no
// uid.
func texts(blocks []outline.Block) string {
	var list []string
	for _, b := range blocks {
		text := b.UID + ":" + b.String
		if b.UID == "" {
			text = "new:" + b.String
		}
		if len(b.Children) > 0 {
			text += "(" + texts(b.Children) + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, " | ")
}

func TestRewritten(t *testing.T) {
	props := func(pairs ...string) map[string]string {
		set := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			set[pairs[i]] = pairs[i+1]
		}
		return set
	}
	content := func(texts ...string) *[]outline.Block { blocks := lines(texts...); return &blocks }
	items := func(list ...item) *[]item { return &list }
	images := func(list ...string) *[]string { return &list }
	image := func(n int) string { return fmt.Sprintf("![](https://a.b/%d.png)", n) }
	address := func(n int) string { return fmt.Sprintf("https://a.b/%d.png", n) }
	text := func() note.Node { return pageOf("A", lines("Tags:: #a", "one", "two")...) }
	list := func() note.Node { return pageOf("A", lines("{{[[TODO]]}} milk", "{{[[DONE]]}} tea")...) }
	for name, tc := range map[string]struct {
		node note.Node
		wish wish
		want string
	}{
		"nothing changes without a wish":                {text(), wish{}, "b0:Tags:: #a | b1:one | b2:two"},
		"content goes where content was":                {text(), wish{blocks: content("three")}, "b0:Tags:: #a | new:three"},
		"content goes behind the property lines":        {pageOf("A", lines("Tags:: #a")...), wish{blocks: content("x")}, "b0:Tags:: #a | new:x"},
		"content leaves items and images alone":         {pageOf("A", lines("Note type:: checklist", "x", "{{[[TODO]]}} a", image(1))...), wish{blocks: content("y")}, "b0:Note type:: checklist | new:y | b2:{{[[TODO]]}} a | b3:" + image(1)},
		"labels are changed in their line":              {pageOf("A", lines("x", "Tags:: #a")...), wish{properties: props(propLabels, "Tags:: #b")}, "b0:x | b1:Tags:: #b"},
		"new labels stand first":                        {pageOf("A", lines("Color:: red", "x")...), wish{properties: props(propLabels, "Tags:: #b")}, "new:Tags:: #b | b0:Color:: red | b1:x"},
		"other lines stand behind those that are there": {pageOf("A", lines("Tags:: #a", "x")...), wish{properties: props(propColor, "Color:: red", propArchived, "Archived:: true")}, "b0:Tags:: #a | new:Color:: red | new:Archived:: true | b1:x"},
		"lines are taken away, all of a name":           {pageOf("A", lines("Color:: red", "x", "color:: blue")...), wish{properties: props(propColor, "")}, "b1:x"},
		"items are found by their ids": {list(), wish{items: items(item{"b1", "tea", false}, item{"b0", "oat milk", true})},
			"b1:{{[[TODO]]}} tea | b0:{{[[DONE]]}} oat milk"},
		"items are found by their texts": {list(), wish{items: items(item{Text: "tea"}, item{Text: "milk"}, item{Text: "bread", Checked: true})},
			"b1:{{[[TODO]]}} tea | b0:{{[[TODO]]}} milk | new:{{[[DONE]]}} bread"},
		"an item with an id that is none is new": {list(), wish{items: items(item{"x", "bread", false})}, "new:{{[[TODO]]}} bread"},
		"two items of one text are two":          {list(), wish{items: items(item{Text: "milk"}, item{Text: "milk"})}, "b0:{{[[TODO]]}} milk | new:{{[[TODO]]}} milk"},
		"items as they are stay as they are":     {pageOf("A", lines("{{TODO}}  milk")...), wish{items: items(item{"b0", "milk", false})}, "b0:{{TODO}}  milk"},
		"a checklist without items stays one":    {list(), wish{items: items()}, "new:Note type:: checklist"},
		"a text that gets items is a checklist":  {text(), wish{items: items(item{Text: "a"})}, "b0:Tags:: #a | new:Note type:: checklist | b1:one | b2:two | new:{{[[TODO]]}} a"},
		"a text of tasks stays a text":           {text(), wish{blocks: content("{{[[TODO]]}} a")}, "b0:Tags:: #a | new:Note type:: text | new:{{[[TODO]]}} a"},
		"a note without anything stays a note":   {pageOf("A", lines("x")...), wish{blocks: content()}, "new:Note type:: text"},
		"labels alone add no type":               {list(), wish{properties: props(propLabels, "Tags:: #b")}, "new:Tags:: #b | b0:{{[[TODO]]}} milk | b1:{{[[DONE]]}} tea"},
		"new images stand behind all":            {text(), wish{images: images(address(1), address(2))}, "b0:Tags:: #a | b1:one | b2:two | new:" + image(1) + " | new:" + image(2)},
		"images that are left out go":            {pageOf("A", lines("x", image(1), image(2))...), wish{images: images(address(2))}, "b0:x | b2:" + image(2)},
		"images in a text stay":                  {pageOf("A", lines("x "+image(1), image(2))...), wish{images: images()}, "b0:x " + image(1)},
		"images that are there are not doubled":  {pageOf("A", lines("x "+image(1))...), wish{images: images(address(1), address(2))}, "b0:x " + image(1) + " | new:" + image(2)},
		"images of a checklist stand behind it":  {list(), wish{images: images(address(1))}, "b0:{{[[TODO]]}} milk | b1:{{[[DONE]]}} tea | new:" + image(1)},
		"quick notes stay in their day": {pageOf("January 15th, 2024", under("[[Notes]]", "quick"), under("x")), wish{blocks: content("y")},
			"b0:[[Notes]](:quick) | new:y"},
		"an empty daily note needs no line": {pageOf("January 15th, 2024", under("[[Notes]]", "quick"), under("x")), wish{blocks: content()},
			"new:Note type:: text | b0:[[Notes]](:quick)"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEntry(tc.node, time.UTC)
			if got := texts(e.rewritten(tc.wish)); strings.ReplaceAll(got, "(new:", "(:") != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestQuickBlock(t *testing.T) {
	for name, tc := range map[string]struct{ content, want string }{
		"the first line is the block":           {"Buy stamps\nblue ones", "new:Buy stamps(new:blue ones)"},
		"paragraphs are below":                  {"Buy stamps\n\nblue\n\nred", "new:Buy stamps(new:blue | new:red)"},
		"a list is below":                       {"Buy stamps\n- blue\n  - dark", "new:Buy stamps(new:blue(new:dark))"},
		"one bullet is the block":               {"- Buy stamps\n  - blue", "new:Buy stamps(new:blue)"},
		"a bullet of several lines is not torn": {"- a\n  b\n  - c", "new:a\nb(new:c)"},
		"several bullets begin with the block":  {"- a\n- b", "new:a(new:b)"},
		"code is not torn":                      {"```\na\nb\n```", "new:```\na\nb\n```"},
		"one line":                              {"call", "new:call"},
		"nothing":                               {"", "new:"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := texts([]outline.Block{quickBlock(tc.content)}); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// What get_note shows of a quick note can be sent back as it is.
func TestTheContentOfAQuickNoteIsReadBack(t *testing.T) {
	for _, node := range []note.Node{quickOf("a"), quickOf("a", "b"), quickOf("a", "b", "c"), quickOf("a\nb"), quickOf("a\nb", "c"), quickOf("[[X]] and #y", "{{[[TODO]]}} z", "w")} {
		e := newEntry(node, time.UTC)
		block := quickBlock(e.content())
		back := node
		back.Text, back.Children = block.String, nodesOf(block.Children)
		f := newEntry(back, time.UTC)
		if f.content() != e.content() || block.String != node.Text || len(block.Children) != len(node.Children) {
			t.Errorf("%q came back as %q: %s", e.content(), f.content(), texts([]outline.Block{block}))
		}
	}
}
