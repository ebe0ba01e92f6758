package markdown

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/race"
)

// shape is a tree as lines, headings marked by "h2 ".
func shape(blocks []outline.Block, margin string) string {
	var b strings.Builder
	for _, x := range blocks {
		b.WriteString(margin)
		if x.Heading > 0 {
			fmt.Fprintf(&b, "h%d ", x.Heading)
		}
		b.WriteString(strings.ReplaceAll(x.String, "\n", "⏎") + "\n" + shape(x.Children, margin+"  "))
	}
	return b.String()
}

func lines(s ...string) string { return strings.Join(s, "\n") }

func TestMarkdownBecomesBlocks(t *testing.T) {
	for name, c := range map[string]struct{ markdown, want string }{
		"nothing":                            {" \n\n", ""},
		"bullets by indentation":             {"- a\n  - b\n    - c\n- d", "a\n  b\n    c\nd"},
		"stars and pluses":                   {"* a\n+ b", "a\nb"},
		"four spaces and tabs":               {"- a\n    - b\n\t- c", "a\n  b\n  c"},
		"an uneven indentation":              {"- a\n   - b\n  - c", "a\n  b\n  c"},
		"an indented start":                  {"  - a\n  - b", "a\nb"},
		"an empty bullet":                    {"-\n- \n- a", "\n\na"},
		"paragraphs":                         {"one\n\ntwo", "one\ntwo"},
		"a soft break":                       {"one\ntwo", "one⏎two"},
		"a soft break in a bullet":           {"- one\n  two\n- three", "one⏎two\nthree"},
		"a blank line inside a bullet":       {"- one\n\n  two", "one⏎⏎two"},
		"a blank line between bullets":       {"- one\n\n- two", "one\ntwo"},
		"a heading owns a list":              {"# Hello\n- a\n- b", "h1 Hello\n  a\n  b"},
		"headings nest by rank":              {"# A\nx\n## B\ny\n# C\nz", "h1 A\n  x\n  h2 B\n    y\nh1 C\n  z"},
		"a skipped rank":                     {"# A\n### B\n## C", "h1 A\n  h3 B\n  h2 C"},
		"deep ranks are 3 and still nest":    {"#### A\n##### B", "h3 A\n  h3 B"},
		"headings in bullets are labels":     {"- # Hello\n- a\n- ## B\n  - c", "h1 Hello\na\nh2 B\n  c"},
		"text before a heading":              {"x\n# A\ny", "x\nh1 A\n  y"},
		"a tag is no heading":                {"#tag\n# ", "#tag⏎#"},
		"numbers stay":                       {"1. a\n2. b\n   - c", "1. a\n2. b\n  c"},
		"emphasis":                           {"*a* _b_ **c** __d__", "__a__ __b__ **c** __d__"},
		"emphasis around a link":             {"*see [[A_b]]*", "__see [[A_b]]__"},
		"no emphasis in words":               {"snake_case_name 2*3*4 a * b *", "snake_case_name 2*3*4 a * b *"},
		"no emphasis in code":                {"`*a*` *b*", "`*a*` __b__"},
		"no emphasis in references":          {"[[_a_]] ((_b_)) #_c_ {{[[_d_]]}}", "[[_a_]] ((_b_)) #_c_ {{[[_d_]]}}"},
		"no emphasis in addresses":           {"https://x.org/_a_ [l](y_b_) *c*", "https://x.org/_a_ [l](y_b_) __c__"},
		"no emphasis out of a label":         {"[*](((a))) [*](((b))) *x [*y*](z) w*", "[*](((a))) [*](((b))) __x [__y__](z) w__"},
		"no emphasis over a line break":      {"*a\nb*", "*a⏎b*"},
		"a fence":                            {"```js\n- a\n\n# b\n```\nx", "```js⏎- a⏎⏎# b⏎```\nx"},
		"a fence in a bullet":                {"- ```js\n  a\n    b\n  ```\n- x", "```js⏎a⏎  b⏎```\nx"},
		"a fence under a bullet's text":      {"- run\n  ```sh\n  ls\n  ```\n- x", "run⏎```sh⏎ls⏎```\nx"},
		"a fence in a numbered step":         {"1. run\n\n   ```sh\n   ls\n   ```\n2. x", "1. run⏎⏎```sh⏎ls⏎```\n2. x"},
		"a fence closed on its last line":    {"- ```js\n  a```\n- x", "```js⏎a```\nx"},
		"a fence left open":                  {"```js\na\n\n", "```js⏎a⏎```"},
		"a fence on one line":                {"```a```\nb", "```a```⏎b"},
		"a quote":                            {"> a\n> b", "> a⏎> b"},
		"a rule":                             {"a\n\n---\n\nb", "a\n---\nb"},
		"a table":                            {"| a | b |\n|---|:-:|\n| 1 | *2* |\n\nx", "{{[[table]]}}\n  a\n    b\n  1\n    __2__\nx"},
		"a table with pipes in cells":        {"a | b\n--|--\n`x|y` | z\\|w", "{{[[table]]}}\n  a\n    b\n  `x|y`\n    z|w"},
		"a table in a bullet":                {"- | a | b |\n  |---|---|\n  | 1 | 2 |\n- x", "{{[[table]]}}\n  a\n    b\n  1\n    2\nx"},
		"no table without its rule":          {"a | b\nc | d", "a | b⏎c | d"},
		"annotations are decoded":            {"- a ((b))<ref>c</ref> <roam uid=\"x\"/>\n  - <roam uid=\"y\"/>", "a ((b))\n  "},
		"a fence with an annotation":         {"- ```js\n  a\n  ``` <roam uid=\"x\"/>\n- b", "```js⏎a⏎```\nb"},
		"a block with its tag is Roam's own": {"- \\*a* [ ] ((b))<ref>*c*</ref> <roam uid=\"x\" heading=\"2\"/>\n- ~~~\n  a\n  ~~~ <roam/>", "h2 \\*a* [ ] ((b))\n~~~⏎a⏎~~~"},
		"line ends of Windows and a mark":    {"\ufeff- a\r\n- b\r\n", "a\nb"},
		"a bullet after a paragraph":         {"intro:\n- a\n- b", "intro:\na\nb"},
		"an unindented line after a bullet":  {"- a\nb", "a⏎b"},
		"attributes, tasks and references":   {"- {{[[TODO]]}} x\n- Author:: [[A]]\n- ((u))", "{{[[TODO]]}} x\nAuthor:: [[A]]\n((u))"},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.TrimSuffix(shape(Parse(c.markdown).Blocks, ""), "\n")
			if got != c.want {
				t.Errorf("%q becomes\n%s\nwant\n%s", c.markdown, got, c.want)
			}
		})
	}
}

func TestFencesOfOtherProgramsBecomeBackticks(t *testing.T) {
	for name, c := range map[string]struct{ markdown, want string }{
		"tildes":                   {"~~~ js\n- a\n\n# b\n~~~~\nx", "```js⏎- a⏎⏎# b⏎```\nx"},
		"tildes in a bullet":       {"- run\n  ~~~\n  a\n  ~~~\n- x", "run⏎```⏎a⏎```\nx"},
		"tildes after a paragraph": {"run\n~~~\na\n~~~", "run\n```⏎a⏎```"},
		"tildes around backticks":  {"~~~md\n```\na\n```\n~~~", "````md⏎```⏎a⏎```⏎````"},
		"four backticks":           {"````\n```js\na\n```\n````\nx", "````⏎```js⏎a⏎```⏎````\nx"},
		"tildes left open":         {"~~~\na\n~~\n\n", "```⏎a⏎~~⏎```"},
		"struck text":              {"~~a~~ ~~~", "~~a~~ ~~~"},
		"three backticks":          {"- ```js\n  a```\n- x", "```js⏎a```\nx"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.TrimSuffix(shape(Parse(c.markdown).Blocks, ""), "\n"); got != c.want {
				t.Errorf("%q becomes\n%s\nwant\n%s", c.markdown, got, c.want)
			}
		})
	}
}

var pieces = []string{
	"plain words", "see [[A page]]", "#tag", "#[[a tag]]", "((abc123_-x))", "**bold**", "__it__", "`co*d*e`", "a_b_c", "x * y",
	"Author:: [[B]]", "{{[[TODO]]}} do", "[l](https://x.org/_a_)", "two\nlines", "three\n\nlines", "```go\nfunc f() {\n\n\t- x\n}\n```",
	"text\n```\ncode\n```", "1. one", "12) two", "> quote", "| no table", "---", "ends in a space ", "Empty:: ", "日本語", "",
}

// manyTrees is how many random trees are tried: fewer under the race detector.
func manyTrees(count int) int {
	if race.Enabled {
		return count / 10
	}
	return count
}

func TestWhatLosesAMarkIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		"- a\n- b <roam d=\"x\"/>":           "b <roam d=\"x\"/>",
		"a ((u))<ref>x</ref> b":              "a ((u))<ref>x</ref> b",
		"| a | b |\n|--|--|\n| c <roam/>":    "| c <roam/>",
		"- `<roam/>`\n- `((u))<ref>x</ref>`": "",
		"$$\n((u))<ref>x</ref>\n$$":          "",
		"- a <\\roam/> ((u))<\\ref>x</ref>":  "",
	} {
		if got := Parse(text).Stripped; got != want {
			t.Errorf("of %q it is %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range pieces {
		f.Add("- " + p + "\n  - " + p)
		f.Add("# x\n" + p + "\n\n| a | b |\n|--|--|\n| c |")
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		checkLaw(t, Parse(markdown).Blocks)
	})
}
