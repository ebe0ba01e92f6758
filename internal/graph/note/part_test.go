package note_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
)

const mark = "... [truncated]"

// number gives the blocks below a node uids in reading order.
func number(n *note.Node, last int) int {
	for i := range n.Children {
		last++
		n.Children[i].UID = fmt.Sprintf("uid%d", last)
		last = number(&n.Children[i], last)
	}
	return last
}

// viewOf returns what somebody was shown of a note who was shown a part of it.
func viewOf(n note.Node, p note.Part) outline.View {
	view := outline.View{Blocks: n.Outline(), Unseen: map[string]bool{}}
	var walk func(blocks []outline.Block)
	walk = func(blocks []outline.Block) {
		for _, b := range blocks {
			view.Unseen[b.UID] = !slices.Contains(p.Shown, b.UID)
			walk(b.Children)
		}
	}
	walk(view.Blocks)
	return view
}

// checkSentBack fails where a part that is sent back as it was shown is a change.
func checkSentBack(t *testing.T, n note.Node, from, to int) {
	t.Helper()
	r := note.Render(n)
	p := r.Part(from, to, mark)
	forms := []string{r.Text[from:to] + mark, r.Text[from:to]}
	if !strings.HasSuffix(r.Text[:to], "\n") {
		forms = append(forms, r.Text[from:to]+"\n"+mark+"\n")
	}
	for _, sent := range forms {
		parsed, left, ok := p.Parse(sent)
		if !ok {
			t.Fatalf("of %q the part %q is refused", r.Text, sent)
		}
		view := viewOf(n, p)
		for _, uid := range left {
			view.Unseen[uid] = true
		}
		if e := outline.Difference(view, parsed.Blocks); !e.IsEmpty() {
			t.Fatalf("of %q the part %q (%d to %d, %+v) is another when it is sent back:\n%s", r.Text, sent, from, to, p, trees(parsed.Blocks))
		}
	}
}

func TestAPartThatIsSentBackAsItWasShownChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 1500 {
		var texts []string
		for range 1 + random.IntN(8) {
			text := string(rune('@' + random.IntN(4)))
			if random.IntN(4) == 0 {
				text = string(rune('@' + random.IntN(32)))
			}
			for range 1 + random.IntN(5) {
				piece := fmt.Sprintf("word%d ", random.IntN(50))
				if random.IntN(3) == 0 {
					piece = hard[random.IntN(len(hard))]
				}
				text += piece
			}
			texts = append(texts, text)
		}
		n := pageOf(texts)
		number(&n, 0)
		r := note.Render(n)
		if content := note.Content(n); r.Text != content {
			t.Fatalf("the rendering is %q, the content %q", r.Text, content)
		}
		checkSentBack(t, n, 0, len(r.Text))
		a, b := r.Blocks[random.IntN(len(r.Blocks))], r.Blocks[random.IntN(len(r.Blocks))]
		checkSentBack(t, n, min(a.Start, b.Start), max(a.End, b.End))
		from, to := random.IntN(len(r.Text)+1), random.IntN(len(r.Text)+1)
		for !utf8.ValidString(r.Text[:from]) || !utf8.ValidString(r.Text[:to]) {
			from, to = random.IntN(len(r.Text)+1), random.IntN(len(r.Text)+1)
		}
		checkSentBack(t, n, 0, to)
		checkSentBack(t, n, min(from, to), max(from, to))
	}
}

func TestPart(t *testing.T) {
	n := note.Node{UID: "p", Title: "P", Children: []note.Node{
		{UID: "1", Text: "one two three four", Children: []note.Node{{UID: "2", Text: "five six seven eight"}, {UID: "3", Text: "nine ten"}}}, {UID: "4", Text: "eleven"},
	}}
	text := note.Content(n)
	find := func(of string) int { return strings.Index(text, of) }
	for name, tc := range map[string]struct {
		from, to   int
		sent, want string // want: the blocks, "refused", or uids that are left
	}{
		"keeps the end behind the mark":                              {0, find(" eight"), "- one two three four\n  - five six" + mark, "1 one two three four(2 five six eight)"},
		"keeps the end behind a changed line":                        {0, find(" eight"), "- one two three four\n  - five six 7", "1 one two three four(2 five six 7 eight)"},
		"keeps the end behind the line with lines behind":            {0, find(" eight"), "- one two three four\n  - five six seven\n- new", "1 one two three four(2 five six seven eight), new"},
		"refuses where the cut line is gone":                         {0, find(" eight"), "- one two three four\n- new", "refused"},
		"keeps the beginning in front of a changed line":             {find("two"), find("  - five") - 1, "2 three four", "1 one 2 three four"},
		"refuses where the line is gone that it began in":            {find("two"), len(text), "  - five six seven eight", "refused"},
		"leaves cut lines where nothing is sent":                     {find("two"), find(" eight"), " ", "left 1 2"},
		"stands below what was not shown":                            {find("  - five"), len(text), "  - five six seven eight\n  - new", "1(2 five six seven eight, 3 new)"},
		"stands below it without the blanks in front":                {find("  - five"), len(text), "- five six seven eight\n  - new", "1(2 five six seven eight, 3 new)"},
		"may end above it":                                           {find("  - five"), len(text), "- eleven", "1, 4 eleven"},
		"takes a mark in a line of its own off":                      {0, find("- eleven") - 1, text[:find("- eleven")-1] + "\n" + mark, "1 one two three four(2 five six seven eight, 3 nine ten)"},
		"takes a mark in a bullet of its own off":                    {0, find("- eleven") - 1, text[:find("- eleven")-1] + "\n- " + mark, "1 one two three four(2 five six seven eight, 3 nine ten)"},
		"takes a mark off that stands in front of others":            {0, find("- eleven") - 1, "- one two three four\n" + mark + "\n- new", "1 one two three four, new"},
		"keeps the end behind the line, and not one that ends alike": {0, find("ine ten"), "- one two three four\n  - five six seven eight\n  - gin\n- n", "1 one two three four(2 five six seven eight, gin), 3 nine ten"},
		"refuses where another line ends as the cut one":             {0, find("ine ten"), "- one two three four\n  - five six seven eight\n- gin", "refused"},
		"keeps the blank in front of the end":                        {0, find("eight"), "- one two three four\n  - five six seven", "1 one two three four(2 five six seven eight)"},
		"keeps the blank behind the beginning":                       {find(" two"), find("  - five") - 1, "two three four", "1 one two three four"},
		"shows nothing where only blanks were shown":                 {find(" two"), find("two"), "new", "new"},
		"takes the bullet off that a cut left, with lines behind":    {0, find("five"), "- one two three four\n  - " + mark + "\n- new", "1 one two three four, new"},
		"finds its first line by its text, whatever is in front":     {find("five") - 4, find("seven"), "- five six" + mark, "1(2 five six seven eight)"},
		"takes but one mark off, the last":                           {0, find("- eleven") - 1, "- one " + mark + "\n- two" + mark, "one ... [truncated], two"},
	} {
		t.Run(name, func(t *testing.T) {
			p := note.Render(n).Part(tc.from, tc.to, mark)
			parsed, left, ok := p.Parse(tc.sent)
			got := "refused"
			if ok && len(left) > 0 {
				got = "left " + strings.Join(left, " ")
			} else if ok {
				view := viewOf(n, p)
				got = sayBlocks(named(view, parsed.Blocks))
			}
			if got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// named returns what is sent with the uids of the blocks of a view.
func named(view outline.View, sent []outline.Block) []outline.Block {
	want, _ := outline.Difference(view, sent).Apply(view.Blocks, 0)
	var only func(blocks []outline.Block) []outline.Block
	only = func(blocks []outline.Block) (out []outline.Block) {
		for _, b := range blocks {
			if b.Children = only(b.Children); view.Unseen[b.UID] {
				if len(b.Children) > 0 || contains(sent, b.UID) {
					out = append(out, outline.Block{UID: b.UID, Children: b.Children})
				}
				continue
			}
			out = append(out, b)
		}
		return out
	}
	return only(want)
}

func contains(blocks []outline.Block, uid string) bool {
	return slices.ContainsFunc(blocks, func(b outline.Block) bool { return b.UID == uid || contains(b.Children, uid) })
}

func sayBlocks(blocks []outline.Block) string {
	var list []string
	for _, b := range blocks {
		text := strings.TrimSpace(b.UID + " " + b.String)
		if len(b.Children) > 0 {
			text += "(" + sayBlocks(b.Children) + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func TestTheBlocksThatAreShownAreThoseOfTheRendering(t *testing.T) {
	n := note.Node{UID: "p", Title: "P", Children: []note.Node{
		{UID: "1", Text: "Tags:: #a"}, {UID: "2", Text: "one", Children: []note.Node{{UID: "3", Text: "secret", Hidden: true}, {UID: "4", Text: "two"}}}, {UID: "5", Text: "Tags:: #b", Children: []note.Node{{UID: "6", Text: "three"}}},
	}}
	var rendered []string
	for _, each := range note.Render(n, note.TagsName).Blocks {
		rendered = append(rendered, each.UID)
	}
	if uids := note.ShownUIDs(n, note.TagsName); !slices.Equal(uids, rendered) || strings.Join(uids, " ") != "2 4 5 6" {
		t.Errorf("%v are shown, %v rendered", uids, rendered)
	}
}
