package roundtriptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// block is a block that is stored by import.
type block struct {
	Text    string
	Heading int
	Below   tree
}

// tree is the blocks of a page.
type tree []block

// String is the tree as a Go literal.
func (t tree) String() string {
	var list []string
	for _, b := range t {
		list = append(list, b.literal())
	}
	return "tree{" + strings.Join(list, ", ") + "}"
}

func (b block) literal() string {
	text := fmt.Sprintf("{Text: %q", b.Text)
	if b.Heading != 0 {
		text += fmt.Sprintf(", Heading: %d", b.Heading)
	}
	if len(b.Below) > 0 {
		text += ", Below: " + b.Below.String()
	}
	return text + "}"
}

// clone returns a copy that shares nothing with t.
func (t tree) clone() tree {
	t = slices.Clone(t)
	for i := range t {
		t[i].Below = t[i].Below.clone()
	}
	return t
}

// referred is the uid of a block on a page of its own, to which texts refer.
const referred = "referred1"

// export is a graph with a page for each tree, page00000 and so on.
func export(trees []tree) string {
	pages := []any{
		map[string]any{"title": "Elsewhere", "uid": "elsewhere", "children": []any{map[string]any{"string": "A rule", "uid": referred}}},
		map[string]any{"title": "Sandbox user (AI)", "uid": "sbuser001"}, // the first write would make it
	}
	for i, t := range trees {
		made := 0
		pages = append(pages, map[string]any{"title": fmt.Sprintf("Page %d", i), "uid": pageUID(i), "children": t.export(i, &made)})
	}
	text, _ := json.Marshal(pages) // of texts and numbers
	return string(text)
}

func pageUID(i int) string { return fmt.Sprintf("page%05d", i) }

func (t tree) export(page int, made *int) []any {
	var list []any
	for _, b := range t {
		*made++
		fields := map[string]any{"string": b.Text, "uid": fmt.Sprintf("b%04d%04d", page, *made)}
		if b.Heading != 0 {
			fields["heading"] = b.Heading
		}
		if below := b.Below.export(page, made); below != nil {
			fields["children"] = below
		}
		list = append(list, fields)
	}
	return list
}

// maker makes trees and texts at random, each the same of the same seed.
type maker struct{ *rand.Rand }

func newMaker(seed int) maker { return maker{rand.New(rand.NewPCG(uint64(seed), 39))} }

func (m maker) of(list ...string) string { return list[m.IntN(len(list))] }

// chance is true once in n times.
func (m maker) chance(n int) bool { return m.IntN(n) == 0 }

func (m maker) word() string {
	return fmt.Sprint(m.of("tea", "of", "milk", "仕事", "Ada"), m.IntN(90))
}

// tree makes one of every construct, nested and mutilated.
func (m maker) tree() tree {
	if m.chance(3) {
		return m.blocks(4, 1)
	}
	return m.blocks(4, 3)
}

func (m maker) blocks(most, depth int) tree {
	var t tree
	for range 1 + m.IntN(most) {
		b := block{Text: m.stored()}
		if m.chance(5) {
			b.Heading = 1 + m.IntN(3)
		}
		if depth > 1 && m.chance(2) {
			b.Below = m.blocks(3, depth-1)
		}
		t = append(t, b)
	}
	return t
}

// stored makes a text as Roam may store it.
func (m maker) stored() string {
	text := m.construct()
	for m.chance(4) {
		text += m.of("\n", "\n", " ", "\n\n", "") + m.construct()
	}
	for m.chance(4) {
		text = m.mutilated(text)
	}
	return text
}

// construct makes a text of one construct.
func (m maker) construct() string {
	switch m.IntN(12) {
	case 0, 1:
		return m.fence()
	case 2:
		return m.formula()
	case 3:
		return m.of("", "- ", "* ", "+ ", "1. ", "- - ", "## ", "> ") + m.fence()
	case 4:
		return m.word()
	default:
		kind := constructs[m.IntN(len(constructs))]
		return strings.ReplaceAll(kind[m.IntN(len(kind))], "w", m.word())
	}
}

// constructs are texts by construct; each w becomes a word.
var constructs = [][]string{
	{"w", "w w w.", "w, w; w!"},
	{"1. w", "2) w", "10. w", "1.", "1. w\n2. w"},
	{"{{[[TODO]]}} w", "{{[[DONE]]}} w", "{{[[TODO]]}}", "{{[[TODO]]}} ", "{{TODO}} w", "[ ] w", "[x] w", "[ ]", "- [ ] w"},
	{"# w", "## w", "### w", "#### w", "#", "# ", "w\n# w", "w\n===", "w\n---"},
	{"| w | w |\n|---|---|\n| w | w |", "| w |\n| --- |", "|w|", "{{[[table]]}}"},
	{"> w", "> w\n> w", ">w", "w\n> w", "[[>]] w"},
	{"A:: w", "A::", "A::w\nB:: w"},
	{"w\nw", "w\n\nw", "w\n\n\nw", "\nw", "w\n", "w\n\n", "w\n- w", "w\n1. w", "w\n  w", "w\n    w"},
	{" w", "  w", "w ", "w  ", "\tw", "w\t", " ", "\n", "  - w", "\u00a0w"},
	{"\\- w", "\\# w", "\\*w\\*", "w\\", "\\\\- w", "1\\. w", "\\[ ] w", "\\```", "\\_w_", "\\", "w\\\nw", "\\> w", "[[w \\| w]]"},
	{"<b>w</b>", "<!-- w -->", "<div>\n- w\n</div>", "<w>", "w < w > w", "&amp; &lt;w&gt;"},
	{"<ref>w</ref>", "((referred1))<ref>w</ref>", "<roam uid=\"x\"/>", "w <roam", "w <roam uid=\"referred1\"/>\nw", "</ref>", "`<ref>w</ref>`"},
	{"*w* _w_", "**w** __w__", "***w***", "w*w*w", "~~w~~ ^^w^^", "*w\nw*", "* w *", "_", "*", "w_w_w", "__w"},
	{"`w`", "``w ` w``", "`- w`", "`w", "```w```", "w ```w``` w", "```w\nw``` w", "` `` w", "`w\n- w`"},
	{"[[w]]", "[[w|w]]", "#w #[[w w]]", "[w](http://w/x)", "see ![w](http://w/x.png) w", "[[w [[w]] ]]", "[w]([[w]])", "[[w"},
	{"((referred1))", "((referred1)) w", "((missing01))", "w ((referred1)) w", "[w](((referred1)))", "{{[[embed]]: ((referred1))}}"},
	{"", "", "-", "- w", "- w\n- w", "- - w", "* w", "+ w", "- ", "*", "+"},
	{"---", "***", "___", "- - -", "----", "---\ntitle: w\n---", "---\nw"},
	{"w\rw", "w\r\nw", "w\x01w", "w\u200bw", "\ufeffw", "‹U+003C›w", "w\u2028w", "\x1b[31mw", "w\u202ew"},
	{"... [truncated]", "w ... [truncated]", "Shown 1 to 2 of 3", "# Page 1"},
}

// fence makes a fence of either mark, which may not end.
func (m maker) fence() string {
	mark, long := m.of("`", "`", "~"), 3
	if m.chance(2) {
		long += m.IntN(4)
	}
	text := strings.Repeat(mark, long) + m.of("", "", "js", "md", " js", "clojure", "js a=\"b\"", "plain text")
	for range m.IntN(5) {
		text += "\n" + m.codeLine()
	}
	switch m.IntN(8) {
	case 0:
		return text // it does not end
	case 1:
		return text + strings.Repeat(mark, long) // Roam ends one behind the last line, too
	case 2:
		return text + "\n" + strings.Repeat(mark, long+1+m.IntN(2))
	}
	return text + "\n" + strings.Repeat(mark, long)
}

func (m maker) codeLine() string {
	switch m.IntN(4) {
	case 0:
		return strings.Repeat(m.of("`", "~"), 3+m.IntN(4)) + m.of("", "", "js", " ")
	case 1:
		return m.of("- w", "  - w", "# w", "", " ", "\tw", "$$", "1. w", "> w", "* w", "| a |", "[ ] w", "- ```", "\\- w", "((referred1))", "*w*", "<ref>w</ref>")
	}
	return strings.Repeat(" ", 2*m.IntN(3)) + m.word()
}

// formula makes a formula of one line or several, which may not end.
func (m maker) formula() string {
	return m.of(
		"$$\na\n- b\n+ c\n$$", "$$a\n- b\n+ c$$", "$$\\begin{aligned}\na &= b \\\\\n- c &+ d\n\\end{aligned}$$", "$$\n\\begin{aligned}\n- c\n\n# d\n\\end{aligned}\n$$",
		"$$x^2$$", "w $$x_1$$ w", "w $$a\n- b$$ w", "$$", "$$\na", "$$\n- b", "$ a $", "$$\n```\n$$", "$$\n1. a\n2. b\n$$", "- $$\n- a\n$$", "## $$\n- a\n$$", "$$a*b*c$$",
	)
}

// mutilated deletes, doubles, swaps and indents at random.
func (m maker) mutilated(text string) string {
	runes, lines := []rune(text), strings.Split(text, "\n")
	at, line := m.IntN(len(runes)+1), m.IntN(len(lines))
	switch m.IntN(7) {
	case 0, 1: // a character goes
		if at < len(runes) {
			return string(slices.Delete(runes, at, at+1))
		}
	case 2: // a character comes twice
		if at < len(runes) {
			return string(slices.Insert(runes, at, runes[at]))
		}
	case 3:
		other := m.IntN(len(lines))
		lines[line], lines[other] = lines[other], lines[line]
	case 4:
		lines[line] = strings.Repeat(" ", 1+m.IntN(4)) + lines[line]
	case 5:
		lines = slices.Delete(lines, line, line+1)
	case 6:
		lines[line] = m.of("- ", "> ", "# ", "1. ", "\\", "$$", "```", "* ", "\t") + lines[line]
	}
	return strings.Join(lines, "\n")
}
