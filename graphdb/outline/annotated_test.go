package outline

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestAnnotatedMarkdownIsPlainWhereItCanBe(t *testing.T) {
	for name, c := range map[string]struct {
		block Block
		want  string
	}{
		"a text":                {Block{String: "see [[A]] and *b*"}, "- see [[A]] and *b* <roam/>\n"},
		"a heading":             {Block{String: "Title", Heading: 2}, "- ## Title <roam/>\n"},
		"no text":               {Block{}, "- <roam/>\n"},
		"two lines":             {Block{String: "a\nb"}, "- a\n  b <roam/>\n"},
		"a fence":               {Block{String: "```js\n- a\n\nb\n```"}, "- ```js\n  - a\n\n  b\n  ``` <roam/>\n"},
		"a tag of Roam":         {Block{String: "#tag"}, "- #tag <roam/>\n"},
		"what is no heading":    {Block{String: "# x"}, `- <roam text="# x"/>` + "\n"},
		"an item in a line":     {Block{String: "a\n- b"}, `- <roam text="a&#10;- b"/>` + "\n"},
		"spaces before":         {Block{String: "  a"}, `- <roam text="  a"/>` + "\n"},
		"a tag in the text":     {Block{String: `<roam uid="x"/>`}, `- <roam text="&lt;roam uid=&quot;x&quot;/&gt;"/>` + "\n"},
		"a deep heading":        {Block{String: "x", Heading: 7}, `- <roam heading="7" text="x"/>` + "\n"},
		"an annotation":         {Block{String: "x", Annotation: map[string]string{"b": `"&<`, "uid": "u"}}, `- x <roam uid="u" b="&quot;&amp;&lt;"/>` + "\n"},
		"a fence left open":     {Block{String: "```js\na"}, "- <roam text=\"```js&#10;a\"/>\n"},
		"an empty line at last": {Block{String: "a\n"}, `- <roam text="a&#10;"/>` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := AnnotatedMarkdown([]Block{c.block})
			if err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestAnnotationsAreReadFromWhatPeopleEdited(t *testing.T) {
	got := ParseAnnotated(lines(
		`- old ((b))<ref>preview</ref> <roam uid="a" heading="2" refs="1"/>`,
		"  - new, *not* tagged",
		`- # last <roam uid="c"/>  `,
		"",
	))
	want := []Block{
		{String: "old ((b))", Heading: 2, Annotation: map[string]string{"uid": "a", "refs": "1"}, Children: []Block{{String: "new, __not__ tagged"}}},
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

func awkwardTree(rng *rand.Rand, depth int) []Block {
	var out []Block
	for range rng.IntN(4) {
		b := Block{String: awkward[rng.IntN(len(awkward))], Annotation: map[string]string{}}
		if rng.IntN(2) == 0 {
			b.String = pieces[rng.IntN(len(pieces))]
		}
		if rng.IntN(4) == 0 {
			b.String += awkward[rng.IntN(len(awkward))]
		}
		if rng.IntN(3) == 0 {
			b.Heading = rng.IntN(5)
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

func TestAnyTreeSurvivesAnnotatedMarkdown(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range manyTrees(2000) {
		tree := awkwardTree(rng, 4)
		markdown, err := AnnotatedMarkdown(tree)
		if err != nil {
			t.Fatalf("%v\n%s", err, shape(tree, ""))
		}
		if got := ParseAnnotated(markdown); !reflect.DeepEqual(got, tree) {
			t.Fatalf("markdown\n%s\nbecomes\n%s\nwant\n%s", markdown, shape(got, ""), shape(tree, ""))
		}
	}
}

func FuzzAnnotatedMarkdown(f *testing.F) {
	for i, s := range append(awkward, pieces...) {
		f.Add(s, awkward[i%len(awkward)], i%5)
	}
	f.Fuzz(func(t *testing.T, text, attr string, heading int) {
		text, attr = strings.ToValidUTF8(text, "�"), strings.ToValidUTF8(attr, "�")
		tree := []Block{
			{String: text, Heading: heading, Annotation: map[string]string{"uid": attr}, Children: []Block{{String: attr, Annotation: map[string]string{}}}},
			{String: attr + text, Annotation: map[string]string{}},
		}
		if markdown, err := AnnotatedMarkdown(tree); err != nil || !reflect.DeepEqual(ParseAnnotated(markdown), tree) {
			t.Errorf("%q, %v", markdown, err)
		}
	})
}
