package outline

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
)

// shownLine is a block or a property line as a text view has it.
type shownLine struct {
	depth    int
	text     string
	property bool
}

// readView reads a text view by its rule: a line that is indented by two levels more than
// the block or property above goes on its text.
func readView(text string) []shownLine {
	var out []shownLine
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		blanks := len(line) - len(strings.TrimLeft(line, " "))
		if last := len(out) - 1; last >= 0 {
			if rest, ok := strings.CutPrefix(line, strings.Repeat("  ", out[last].depth)+further); ok {
				out[last].text += "\n" + rest
				continue
			}
		}
		if rest, ok := strings.CutPrefix(line[blanks:], "- "); ok {
			out = append(out, shownLine{depth: blanks / 2, text: rest})
			continue
		}
		out = append(out, shownLine{depth: blanks / 2, text: line[blanks:], property: true})
	}
	return out
}

func shownLinesOf(n note.Node, depth int) []shownLine {
	out := []shownLine{{depth: depth, text: n.Text}}
	for _, p := range propertiesOf(n) {
		if len(p.line.Children) == 0 {
			bare := strings.TrimLeft(p.line.Text, "- \t") == p.line.Text
			out = append(out, shownLine{depth: depth + 1, text: p.line.Text, property: bare})
		}
	}
	for _, child := range blocksOf(n) {
		out = append(out, shownLinesOf(child, depth+1)...)
	}
	return out
}

func randomNode(random *rand.Rand, levels int) note.Node {
	parts := []string{"e", "- X", "  - X", "    - X", "      - X", "", "  ", "a:: b", "  a:: b", "- a:: b", "* y", "# h", "```js", "```", "\t- X", "-", "| - X"}
	var lines []string
	for range 1 + random.IntN(3) {
		lines = append(lines, parts[random.IntN(len(parts))])
	}
	n := note.Node{Text: strings.Join(lines, "\n")}
	for i := 0; levels > 0 && i < random.IntN(4); i++ {
		child := randomNode(random, levels-1)
		child.UID = fmt.Sprint(levels, i, random.Int())
		n.Children = append(n.Children, child)
	}
	return n
}

func TestFurtherLinesAreNotTakenForBlocks(t *testing.T) {
	text := func(text string, below ...note.Node) note.Node {
		return note.Node{UID: text, Text: text, Children: below}
	}
	for name, tc := range map[string]struct {
		node note.Node
		want string
	}{
		"a line with a bullet":          {text("e\n- X"), "- e\n    - X\n"},
		"beside a block below":          {text("e\n- X", text("X")), "- e\n    - X\n  - X\n"},
		"in a block below":              {text("e", text("f\n- X\ny:: z", text("X"))), "- e\n  - f\n      - X\n      y:: z\n    - X\n"},
		"a property of several lines":   {text("e", text("k:: v\n- X")), "- e\n  k:: v\n      - X\n"},
		"a property that has a bullet":  {text("e", text("- k:: v")), "- e\n  - - k:: v\n"},
		"a property that is indented":   {text("e", text("  k:: v")), "- e\n  -   k:: v\n"},
		"an empty line and a last line": {text("e\n\n"), "- e\n    \n    \n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (viewer{properties: true, max: 1 << 20}).text(tc.node, allLevels); got != tc.want {
				t.Errorf("got\n%swant\n%s", got, tc.want)
			}
		})
	}
	t.Run("whatever the text", func(t *testing.T) {
		random := rand.New(rand.NewPCG(39, 5))
		for range 2000 {
			n := randomNode(random, 3)
			text := viewer{properties: true, max: 1 << 20}.text(n, allLevels)
			if got, want := readView(text), shownLinesOf(n, 0); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s\nreads as %+v\nand is   %+v", text, got, want)
			}
		}
	})
}
