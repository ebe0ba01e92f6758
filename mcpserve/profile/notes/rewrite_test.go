package notes

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
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

// below is the start of the blocks below another, whose uids do not matter.
var below = regexp.MustCompile(`\((?:new|b)?:`)

func TestRewritten(t *testing.T) {
	props := func(pairs ...string) map[string]string {
		set := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			set[pairs[i]] = pairs[i+1]
		}
		return set
	}
	images := func(list ...string) *[]string { return &list }
	image := func(n int) string { return fmt.Sprintf("![](https://a.b/%d.png)", n) }
	address := func(n int) string { return fmt.Sprintf("https://a.b/%d.png", n) }
	text := func() note.Node { return pageOf("A", lines("Tags:: #a", "one", "two")...) }
	list := func() note.Node { return pageOf("A", lines("{{[[TODO]]}} milk", "{{[[DONE]]}} tea")...) }
	// of returns blocks that are to be below a page instead of its own, by their places; -1
	// is a new one.
	of := func(n note.Node, places []int, new ...string) []outline.Block {
		var blocks []outline.Block
		for _, at := range places {
			if at < 0 {
				blocks, new = append(blocks, outline.Block{String: new[0]}), new[1:]
			} else {
				blocks = append(blocks, n.Outline()[at])
			}
		}
		return blocks
	}
	red := pageOf("A", lines("x", "Color:: red")...)
	plain := pageOf("A", lines("x")...)
	day := pageOf("January 15th, 2024", under("[[Notes]]", "quick"), under("x"))
	for name, tc := range map[string]struct {
		node   note.Node
		blocks []outline.Block // that are to be there; nil: its own
		wish   noteTarget
		want   string
	}{
		"nothing changes without a wish":                {node: text(), want: "b0:Tags:: #a | b1:one | b2:two"},
		"labels are changed in their line":              {node: pageOf("A", lines("x", "Tags:: #a")...), wish: noteTarget{properties: props(propLabels, "Tags:: #b")}, want: "b0:x | b1:Tags:: #b"},
		"new labels stand first":                        {node: pageOf("A", lines("Color:: red", "x")...), wish: noteTarget{properties: props(propLabels, "Tags:: #b")}, want: "new:Tags:: #b | b0:Color:: red | b1:x"},
		"other lines stand behind those that are there": {node: pageOf("A", lines("Tags:: #a", "x")...), wish: noteTarget{properties: props(propColor, "Color:: red", propArchived, "Archived:: true")}, want: "b0:Tags:: #a | new:Color:: red | new:Archived:: true | b1:x"},
		"a line is taken away":                          {node: pageOf("A", lines("Color:: red", "x")...), wish: noteTarget{properties: props(propColor, "")}, want: "b1:x"},
		"a line of the user's stays":                    {node: pageOf("A", lines("Color:: of the walls", "x")...), wish: noteTarget{properties: props(propColor, "")}, want: "b0:Color:: of the walls | b1:x"},
		"a second line of a name stays what it is":      {node: pageOf("A", lines("Color:: red", "x", "color:: blue")...), wish: noteTarget{properties: props(propColor, "")}, want: "b0:Color:: default | b1:x | b2:color:: blue"},
		"a line with blocks below loses its value":      {node: pageOf("A", under("Color:: red", "why"), outline.Block{String: "x"}), wish: noteTarget{properties: props(propColor, "")}, want: "b0:Color::(b:why) | b1:x"},
		"a line with hidden blocks below too":           {node: pageOf("A", under("Color:: red", "why #.rm-hide"), outline.Block{String: "x"}), wish: noteTarget{properties: props(propColor, "")}, want: "b0:Color::(b:why #.rm-hide) | b1:x"},
		"a hidden line holds nothing, and stays":        {node: pageOf("A", lines("Tags:: #a #.rm-hide", "x")...), wish: noteTarget{properties: props(propLabels, "Tags:: #b")}, want: "new:Tags:: #b | b0:Tags:: #a #.rm-hide | b1:x"},
		"a line without a value is filled":              {node: pageOf("A", outline.Block{String: "x"}, under("Color::", "why")), wish: noteTarget{properties: props(propColor, "Color:: red")}, want: "b0:x | b1:Color:: red(b:why)"},
		"labels leave what stands below their line":     {node: pageOf("A", under("Tags:: #a", "why")), wish: noteTarget{properties: props(propLabels, "")}, want: "b0:Tags::(b:why)"},
		"a field is before a line of new content":       {node: red, blocks: of(red, []int{-1, 1}, "Color:: blue"), wish: noteTarget{typed: true, properties: props(propColor, "Color:: green")}, want: "b1:Color:: green | new:Color:: blue"},
		"no color is before a line of new content":      {node: plain, blocks: of(plain, []int{-1}, "Color:: blue"), wish: noteTarget{typed: true, properties: props(propColor, "")}, want: "new:Color:: default | new:Color:: blue"},
		"a text of tasks stays a text":                  {node: text(), blocks: of(text(), []int{0, -1}, "{{[[TODO]]}} a"), wish: noteTarget{typed: true}, want: "b0:Tags:: #a | new:Note type:: text | new:{{[[TODO]]}} a"},
		"a text that gets items is a checklist":         {node: text(), blocks: of(text(), []int{0, 1, 2, -1}, "{{[[TODO]]}} a"), wish: noteTarget{typed: true, kind: typeChecklist}, want: "b0:Tags:: #a | new:Note type:: checklist | b1:one | b2:two | new:{{[[TODO]]}} a"},
		"a checklist without items stays one":           {node: list(), blocks: []outline.Block{}, wish: noteTarget{typed: true}, want: "new:Note type:: checklist"},
		"a note without anything stays a note":          {node: plain, blocks: []outline.Block{}, wish: noteTarget{typed: true}, want: "new:Note type:: text"},
		"labels alone add no type":                      {node: list(), wish: noteTarget{properties: props(propLabels, "Tags:: #b")}, want: "new:Tags:: #b | b0:{{[[TODO]]}} milk | b1:{{[[DONE]]}} tea"},
		"new images stand behind all":                   {node: text(), wish: noteTarget{images: images(address(1), address(2))}, want: "b0:Tags:: #a | b1:one | b2:two | new:" + image(1) + " | new:" + image(2)},
		"images that are left out go":                   {node: pageOf("A", lines("x", image(1), image(2))...), wish: noteTarget{images: images(address(2))}, want: "b0:x | b2:" + image(2)},
		"images in a text stay":                         {node: pageOf("A", lines("x "+image(1), image(2))...), wish: noteTarget{images: images()}, want: "b0:x " + image(1)},
		"images that are there are not doubled":         {node: pageOf("A", lines("x "+image(1))...), wish: noteTarget{images: images(address(1), address(2))}, want: "b0:x " + image(1) + " | new:" + image(2)},
		"images of a checklist stand behind it":         {node: list(), wish: noteTarget{images: images(address(1))}, want: "b0:{{[[TODO]]}} milk | b1:{{[[DONE]]}} tea | new:" + image(1)},
		"an empty daily note needs no line":             {node: day, blocks: of(day, []int{0}), wish: noteTarget{typed: true}, want: "new:Note type:: text | b0:[[Notes]](b:quick)"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEntry(tc.node, time.UTC)
			if tc.blocks == nil {
				tc.blocks = tc.node.Outline()
			}
			if got := texts(e.rewritten(e.planOf(tc.blocks), tc.wish)); below.ReplaceAllString(got, "(b:") != below.ReplaceAllString(tc.want, "(b:") {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestItemBlocks(t *testing.T) {
	list := func() []outline.Block {
		return pageOf("A", lines("{{[[TODO]]}} milk", "{{[[DONE]]}} tea")...).Outline()
	}
	for name, tc := range map[string]struct {
		were  []outline.Block
		items []item
		want  string
	}{
		"items are found by their ids":           {list(), []item{{"b1", "tea", false}, {"b0", "oat milk", true}}, "b1:{{[[TODO]]}} tea | b0:{{[[DONE]]}} oat milk"},
		"items are found by their texts":         {list(), []item{{Text: "tea"}, {Text: "milk"}, {Text: "bread", Checked: true}}, "b1:{{[[TODO]]}} tea | b0:{{[[TODO]]}} milk | new:{{[[DONE]]}} bread"},
		"an item with an id that is none is new": {list(), []item{{"x", "bread", false}}, "new:{{[[TODO]]}} bread"},
		"two items of one text are two":          {list(), []item{{Text: "milk"}, {Text: "milk"}}, "b0:{{[[TODO]]}} milk | new:{{[[TODO]]}} milk"},
		"items as they are stay as they are":     {pageOf("A", lines("{{TODO}}  milk")...).Outline(), []item{{"b0", "milk", false}}, "b0:{{TODO}}  milk"},
		"a text with blanks behind it stays":     {pageOf("A", lines("{{TODO}} milk ")...).Outline(), []item{{"b0", "milk", false}}, "b0:{{TODO}} milk "},
		"an empty task stays":                    {pageOf("A", lines("{{TODO}} ", "{{[[TODO]]}}")...).Outline(), []item{{Text: ""}, {"b0", "", false}}, "b1:{{[[TODO]]}} | b0:{{TODO}} "},
		"an empty item is an empty task":         {nil, []item{{}, {Checked: true}}, "new:{{[[TODO]]}} | new:{{[[DONE]]}}"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := texts(itemBlocks(tc.were, tc.items)); got != tc.want {
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
		"values of properties are below":        {"Color:: red\n\ncall", "new:call(new:Color:: red)"},
		"lines of the user stay in front":       {"Color:: of the walls\n\ncall", "new:Color:: of the walls(new:call)"},
		"front matter is below":                 {"---\nauthor: Ann\n---\ncall", "new:call(new:author:: Ann)"},
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
