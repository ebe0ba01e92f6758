package markdown

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/graph/outline"
)

// hard are pieces of texts that Markdown reads as something else.
var hard = []string{
	"- ", "* ", "+ ", "1. ", "2) ", "# ", "### ", "#######", "##", "> ", "```", "````", "~~~", "```js", "~~~~ md", "---", "***", "___", "|", "a|b", "--|--", "| - | - |", "- |-",
	"[ ] ", "[x] ", "[X] ", "[ ]", "{{[[TODO]]}} ", "{{[[DONE]]}} ", "{{[[TODO]]}}", "\n", "\n", "\n", "\n\n", "\n  ", " ", "  ", "\t", "\\", "\\\\", "*", "_", "**", "__", "*x*", "_x_",
	"[[a]]", "[[a|b]]", "#[[a|b]]", "[l]([[a|b]])", "[l](((ref000001)))", "((ref000001))", "((ref000001))<ref>x</ref>", "<ref>", "</ref>", "<roam uid=\"x\"/>", " <roam/>",
	"`", "``", "`c`", "$$", "$$a_b$$", "\n$$\n", "\\begin{aligned}", "{{", "}}", "Tags:: #a", "k: v", "x", "word", "é", "https://a.b/_c_", "\u2028", "\u00a0", "\r", "\r\n", "\x00", "\ufeff", "␍", "\\␍", "␀",
	"<!--", "-->", "<pre>", "</pre>", "<b>", "#tag*", "\f", "\v",
}

func hardTree(rng *rand.Rand, depth int) []outline.Block {
	var out []outline.Block
	for range rng.IntN(4) {
		var b outline.Block
		for range rng.IntN(7) {
			b.String += hard[rng.IntN(len(hard))]
		}
		if rng.IntN(3) == 0 {
			b.Heading = rng.IntN(4)
		}
		if depth > 0 {
			b.Children = hardTree(rng, depth-1)
		}
		out = append(out, b)
	}
	return out
}

func checkLaw(t *testing.T, tree []outline.Block) {
	t.Helper()
	text := Render(tree)
	if got, want := shape(Parse(text).Blocks, ""), shape(tree, ""); got != want {
		t.Fatalf("%q becomes\n%q\nwant\n%q", text, got, want)
	}
}

func TestEveryTreeIsReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for range manyTrees(20_000) {
		checkLaw(t, hardTree(rng, 2))
	}
}

func TestTreesThatOnceWereNotReadBack(t *testing.T) {
	for _, text := range []string{" $$\n$$", "\t```s\n```", "-\n$$\n```$$", "`\n- `", "1. ```"} {
		checkLaw(t, []outline.Block{{String: text}, {String: "after"}})
		if written, _ := Paragraph(text, nil); written != "" {
			if got := shape(Parse(written+"\n\nafter").Blocks, ""); got != shape([]outline.Block{{String: text}, {String: "after"}}, "") {
				t.Errorf("%q is written %q, and read\n%s", text, written, got)
			}
		}
	}
}

func TestEveryParagraphIsReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for range manyTrees(20_000) {
		for _, b := range hardTree(rng, 0) {
			text, _ := Paragraph(b.String, nil)
			if got := Parse(text + "\n\nafter").Blocks; text != "" && (len(got) != 2 || got[0].String != b.String || got[1].String != "after") {
				t.Fatalf("%q is written %q, and read\n%q", b.String, text, shape(got, ""))
			}
		}
	}
}

func FuzzRender(f *testing.F) {
	for i, s := range hard {
		f.Add(s, hard[(i*7)%len(hard)], i%4)
	}
	f.Fuzz(func(t *testing.T, a, b string, heading int) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) || len(a)+len(b) > 4000 {
			return
		}
		checkLaw(t, []outline.Block{{String: a, Heading: heading & 3, Children: []outline.Block{{String: b}}}, {String: b + "\n" + a}})
	})
}
