package markdown

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"roam-mcp/internal/graph/outline"
)

func TestRenderTaggedIsPlainWhereItCanBe(t *testing.T) {
	for name, c := range map[string]struct {
		block outline.Block
		want  string
	}{
		"a text":                {outline.Block{String: "see [[A]] and *b*"}, "- see [[A]] and \\*b\\* <roam/>\n"},
		"a heading":             {outline.Block{String: "Title", Heading: 2}, "- ## Title <roam/>\n"},
		"no text":               {outline.Block{}, "- <roam/>\n"},
		"two lines":             {outline.Block{String: "a\nb"}, "- a\n  b <roam/>\n"},
		"a fence":               {outline.Block{String: "```js\n- a\n\nb\n```"}, "- ```js\n  - a\n\n  b\n  ``` <roam/>\n"},
		"a tag of Roam":         {outline.Block{String: "#tag"}, "- #tag <roam/>\n"},
		"what is no heading":    {outline.Block{String: "# x"}, "- \\# x <roam/>\n"},
		"an item in a line":     {outline.Block{String: "a\n- b"}, "- a\n  \\- b <roam/>\n"},
		"spaces before":         {outline.Block{String: "  a"}, "- \\  a <roam/>\n"},
		"a tag in the text":     {outline.Block{String: `<roam uid="x"/>`}, "- <\\roam uid=\"x\"/> <roam/>\n"},
		"an annotation":         {outline.Block{String: "x", Annotation: map[string]string{"b": `"&<`, "uid": "u"}}, `- x <roam uid="u" b="&quot;&amp;&lt;"/>` + "\n"},
		"a fence left open":     {outline.Block{String: "```js\na"}, "- \\```js\n  a <roam/>\n"},
		"an empty line at last": {outline.Block{String: "a\n"}, "- a\n  \\ <roam/>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := RenderTagged([]outline.Block{c.block})
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestAnnotationsAreReadFromWhatPeopleEdited(t *testing.T) {
	got := ParseTagged(lines(
		`- old ((b))<ref>preview</ref> <roam uid="a" heading="2" refs="1"/>`,
		"  - new, *not* tagged",
		`- # last <roam uid="c"/>  `,
		"",
	))
	want := []outline.Block{
		{String: "old ((b))", Heading: 2, Annotation: map[string]string{"uid": "a", "refs": "1"}, Children: []outline.Block{{String: "new, __not__ tagged"}}},
		{String: "last", Heading: 1, Annotation: map[string]string{"uid": "c"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// awkward are texts that markdown would read as something else.
var awkward = []string{
	"- item", "* ", "# no heading", "#### four", "```", "```open\ntext", "a\n```", "``` x ```", "a\n- b\n  - c", "a\n1. b", "a\n---\nb",
	" leading", "trailing \t", "\n", "\n\n", "a\n", "\na", "a\n\n\nb", "a\r\nb", "a\rb", "\x00", "\ufeff", "\u2028", "&amp; &#10; \"quoted\"",
	"<roam/>", `x <roam uid="y"/>`, "<roam uid=", "`<roam/>`", "((u))<ref>x</ref>", "((u))<ref>", "| a | b |\n|---|---|\n| c | d |", "a|b\n-|-",
	"*a* _b_", "`code", "\\", "\ta", "a\n\tb", "a\n  b", "{{[[table]]}}", "---", "***", "> q", "+", "-", "1. ", "&quot;", "text=\"x\"/>",
}

func awkwardTree(rng *rand.Rand, depth int) []outline.Block {
	var out []outline.Block
	for range rng.IntN(4) {
		b := outline.Block{String: awkward[rng.IntN(len(awkward))], Annotation: map[string]string{}}
		if rng.IntN(2) == 0 {
			b.String = pieces[rng.IntN(len(pieces))]
		}
		if rng.IntN(4) == 0 {
			b.String += awkward[rng.IntN(len(awkward))]
		}
		if rng.IntN(3) == 0 {
			b.Heading = rng.IntN(4)
		}
		if rng.IntN(2) == 0 {
			b.Annotation["uid"] = awkward[rng.IntN(len(awkward))]
		}
		if depth > 0 {
			b.Children = awkwardTree(rng, depth-1)
		}
		out = append(out, b)
	}
	return out
}

func TestAnyTreeSurvivesRenderTagged(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range manyTrees(2000) {
		tree := awkwardTree(rng, 4)
		markdown := RenderTagged(tree)
		if got := ParseTagged(markdown); !reflect.DeepEqual(got, tree) {
			t.Fatalf("markdown\n%s\nbecomes\n%s\nwant\n%s", markdown, shape(got, ""), shape(tree, ""))
		}
	}
}

func FuzzRenderTagged(f *testing.F) {
	for i, s := range append(awkward, pieces...) {
		f.Add(s, awkward[i%len(awkward)], i%4)
	}
	f.Fuzz(func(t *testing.T, text, attr string, heading int) {
		text, attr = strings.ToValidUTF8(text, "�"), strings.ToValidUTF8(attr, "�")
		tree := []outline.Block{
			{String: text, Heading: heading & 3, Annotation: map[string]string{"uid": attr}, Children: []outline.Block{{String: attr, Annotation: map[string]string{}}}},
			{String: attr + text, Annotation: map[string]string{}},
		}
		if markdown := RenderTagged(tree); !reflect.DeepEqual(ParseTagged(markdown), tree) {
			t.Errorf("%q", markdown)
		}
	})
}
