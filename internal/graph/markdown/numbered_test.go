package markdown

import (
	"strings"
	"testing"

	"roam-mcp/internal/graph/outline"
)

// listed prints blocks, those whose children are a numbered list with a sign behind them.
func listed(blocks []outline.Block, margin string) string {
	var b strings.Builder
	for _, x := range blocks {
		b.WriteString(margin + strings.ReplaceAll(shape([]outline.Block{{String: x.String, Heading: x.Heading}}, ""), "\n", ""))
		if x.ChildrenViewType == "numbered" {
			b.WriteString(" 123")
		}
		b.WriteString("\n" + listed(x.Children, margin+"  "))
	}
	return b.String()
}

func TestNumberedLists(t *testing.T) {
	for name, tc := range map[string]struct {
		in, blocks, top string
		mixed           bool
	}{
		"a list at the top":            {in: "1. one\n2. two", blocks: "1. one\n2. two", top: "one\ntwo"},
		"with brackets, all of them 1": {in: "1) one\n1) two", blocks: "1) one\n1) two", top: "one\ntwo"},
		"below a bullet":               {in: "- Friday\n  1. bake\n     - dark\n  2. sell", blocks: "Friday 123\n  bake\n    dark\n  sell"},
		"below a heading, with code":   {in: "## Friday\n\n1. bake\n   ```\n   x\n     y\n   ```\n2. ```\n   - z\n   ```", blocks: "h2 Friday 123\n  bake⏎```⏎x⏎  y⏎```\n  ```⏎- z⏎```"},
		"lists in a list":              {in: "1. a\n   1. b\n   2. c\n2. d", blocks: "1. a 123\n  b\n  c\n2. d", top: "a 123\n  b\n  c\nd"},
		"behind a table":               {in: "- t\n  | a | b |\n  |---|---|\n  | c | d |\n- s\n  1. x\n  2. y", blocks: "t⏎| a | b |⏎|---|---|⏎| c | d |\ns 123\n  x\n  y"},
		"with headings and tasks":      {in: "1. # a\n2. [ ] b", blocks: "1. # a\n2. {{[[TODO]]}} b", top: "h1 a\n{{[[TODO]]}} b"},
		"mixed with a bullet":          {in: "1. one\n2. two\n- three", blocks: "1. one\n2. two\nthree", mixed: true},
		"that goes on with another":    {in: "3. three\n4. four", blocks: "3. three\n4. four", mixed: true},
		"one number alone":             {in: "1. Mai", blocks: "1. Mai"},
		"a number in a bullet":         {in: "- 1. one\n- 2. two", blocks: "1. one\n2. two"},
		"numbers in code":              {in: "```\n1. one\n2. two\n```", blocks: "```⏎1. one⏎2. two⏎```"},
		"nothing":                      {},
	} {
		t.Run(name, func(t *testing.T) {
			l := Parse(tc.in).NumberedLists(false, false)
			blocks, top := strings.TrimSuffix(listed(l.Blocks, ""), "\n"), strings.TrimSuffix(listed(l.Top, ""), "\n")
			if blocks != tc.blocks || top != tc.top || l.Mixed != tc.mixed {
				t.Errorf("got\n%s\nat the top\n%s\nmixed %v", blocks, top, l.Mixed)
			}
		})
	}
}

func TestOneNumberAloneIsAListWhereThatIsWanted(t *testing.T) {
	for name, tc := range map[string]struct{ in, blocks, top string }{
		"one at the top":    {"1. one", "1. one", "one"},
		"one below another": {"1. one\n   1. a", "1. one 123\n  a", "one 123\n  a"},
		"one below a text":  {"- steps\n  1. one", "steps 123\n  one", ""},
		"one that counts":   {"2. two", "2. two", ""},
		"two blocks":        {"1. one\n- two", "1. one\ntwo", ""},
		"nothing":           {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := Parse(tc.in).NumberedLists(true, true)
			blocks, top := strings.TrimSuffix(listed(l.Blocks, ""), "\n"), strings.TrimSuffix(listed(l.Top, ""), "\n")
			if blocks != tc.blocks || top != tc.top {
				t.Errorf("got\n%s\nat the top\n%s", blocks, top)
			}
		})
	}
}
