package note_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/helpgraph"
)

// trees prints texts, headings and nesting.
func trees(blocks []outline.Block) string {
	var b strings.Builder
	var print func(blocks []outline.Block, margin string)
	print = func(blocks []outline.Block, margin string) {
		for _, block := range blocks {
			fmt.Fprintf(&b, "%s%d %q\n", margin, block.Heading, block.String)
			print(block.Children, margin+"  ")
		}
	}
	print(blocks, "")
	return b.String()
}

// hard are pieces of texts that markdown reads as something else.
var hard = []string{
	"- ", "* ", "+ ", "1. ", "2) ", "# ", "### ", "#######", "> ", "```", "````", "~~~", "---", "***", "___", "|", "a|b", "--|--", "| - | - |",
	"[ ] ", "[x] ", "[X] ", "[ ]", "{{[[TODO]]}} ", "{{[[DONE]]}} ", "{{[[TODO]]}}", "\n", "\n\n", "\n  ", " ", "  ", "\t", "\\", "\\\\", "*", "_", "**", "__", "*x*", "_x_",
	"[[a]]", "[[a|b]]", "[[a | b]]", "[[a\\|b]]", "[[a [[b|c]]]]", "#[[a|b]]", "[l]([[a|b]])", "[l](((ref000001)))", "((ref000001))", "((hid000001))", "((nobody))",
	"((ref000001))<ref>x</ref>", "<ref>", "</ref>", "<roam uid=\"x\"/>", "`", "``", "`c`", "$$", "$$a_b$$", "{{", "}}", "{{[[embed]]: ((ref000001))}}", "Tags:: #a", "k: v", "---\nk: v\n---", "x", "word", "é", "https://a.b/_c_", "\u2028", "\u00a0",
}

// node makes a page of some texts, whose first characters are their depth and heading.
func pageOf(texts []string) note.Node {
	root := note.Node{UID: "page", Title: "Page"}
	var open []*note.Node
	for _, text := range texts {
		depth, heading := 0, 0
		if len(text) > 0 {
			depth, heading = int(text[0]%4), max(0, int(text[0]/4%8)-4)
			text = text[1:]
		}
		parent := &root
		open = open[:min(depth, len(open))]
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		parent.Children = append(parent.Children, note.Node{Text: text, Heading: heading, Refs: []note.Ref{
			{UID: "ref000001", Text: "what `is` *meant*\n[[a|b]]"}, {UID: "hid000001", Text: "secret", Hidden: true},
		}})
		open = append(open, &parent.Children[len(parent.Children)-1])
	}
	return root
}

func FuzzContent(f *testing.F) {
	for _, a := range hard {
		f.Add("0" + a)
		f.Add("0" + a + "x\x010y")
		f.Add("@a\x01A" + a + "b\x01B" + a + "\x01@" + a)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if !utf8.ValidString(data) || len(data) > 4000 {
			return
		}
		n := pageOf(strings.Split(data, "\x01"))
		content := note.Content(n)
		if strings.Contains(content, "secret") {
			t.Errorf("%q", content)
		}
		checkReadsBack(t, n)
	})
}

func TestTheContentOfRandomNotesIsReadBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var texts []string
		for range 1 + random.IntN(4) {
			text := "@"
			if random.IntN(2) == 0 {
				text = string(rune('@' + random.IntN(32)))
			}
			for range random.IntN(5) {
				text += hard[random.IntN(len(hard))]
			}
			texts = append(texts, text)
		}
		checkReadsBack(t, pageOf(texts))
	}
}

func TestTheContentOfTheHelpGraphIsReadBack(t *testing.T) {
	db := graphtest.FromJSON(t, helpgraph.Read(t, "help.json"))
	for e := range db.Entities(graphdb.NodeTitle) {
		n, _ := note.FromDB(db, e)
		checkReadsBack(t, n)
	}
}
