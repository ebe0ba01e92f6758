package note_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
)

func TestContentShowsRoamsTextAsMarkdownThatIsReadBack(t *testing.T) {
	block := func(text string, children ...note.Node) note.Node { return note.Node{Text: text, Children: children} }
	for name, tc := range map[string]struct {
		blocks []note.Node
		view   string
		want   string
	}{
		"shows flat blocks as paragraphs":         {blocks: []note.Node{block("a"), block("b **c**")}, want: "a\n\nb **c**"},
		"shows nested blocks as bullets":          {blocks: []note.Node{block("a", block("b"))}, want: "- a\n  - b"},
		"shows headings as bullets":               {blocks: []note.Node{{Text: "a", Heading: 2}}, want: "- ## a"},
		"shows a numbered list as bullets":        {blocks: []note.Node{block("a")}, view: "numbered", want: "- a"},
		"shows a document's blocks as paragraphs": {blocks: []note.Node{block("a")}, view: "document", want: "a"},
		"shows tasks": {blocks: []note.Node{block("{{[[TODO]]}} a"), block("{{[[DONE]]}} b")}, want: "[ ] a\n\n[x] b"},
		"leaves a task alone that is not in front":      {blocks: []note.Node{block("a {{[[TODO]]}} b")}, want: "a {{[[TODO]]}} b"},
		"shows a task without a text":                   {blocks: []note.Node{block("{{[[TODO]]}}"), block("b")}, want: "[ ]\n\nb"},
		"indents further lines":                         {blocks: []note.Node{block("a\nb", block("c\nd"))}, want: "- a\n  b\n  - c\n    d"},
		"keeps the lines of a paragraph":                {blocks: []note.Node{block("a\nb"), block("c")}, want: "a\nb\n\nc"},
		"shows an empty line in a bullet":               {blocks: []note.Node{block("a\n\nb")}, want: "- a\n\n  b"},
		"shows trailing blanks in a bullet":             {blocks: []note.Node{block("a "), block("b")}, want: "- a \n- b"},
		"shows an empty block as a bullet":              {blocks: []note.Node{block("a"), block("")}, want: "- a\n- "},
		"shows code as it is":                           {blocks: []note.Node{block("```js\n- a\n\n# b\n```"), block("c", block("d"))}, want: "- ```js\n  - a\n\n  # b\n  ```\n- c\n  - d"},
		"shows code in a paragraph as it is":            {blocks: []note.Node{block("```\n- a\n```"), block("`[[a|b]]`")}, want: "```\n- a\n```\n\n`[[a|b]]`"},
		"escapes a bullet in front of a paragraph":      {blocks: []note.Node{block("- a")}, want: `\- a`},
		"leaves a bullet in front of a bullet":          {blocks: []note.Node{block("- a", block("1. b"))}, want: "- - a\n  - 1. b"},
		"escapes bullets within a text":                 {blocks: []note.Node{block("a\n- b\n  * c", block("d"))}, want: "- a\n  \\- b\n    \\* c\n  - d"},
		"escapes numbers within a text":                 {blocks: []note.Node{block("a\n1. b")}, want: "a\n1\\. b"},
		"escapes what is no heading":                    {blocks: []note.Node{block("# a"), block("#tag")}, want: "\\# a\n\n#tag"},
		"escapes what is no fence":                      {blocks: []note.Node{block("```a")}, want: "\\```a"},
		"escapes what is no table":                      {blocks: []note.Node{block("a|b\n-|-")}, want: "a|b\n\\-|-"},
		"escapes what is no rule":                       {blocks: []note.Node{block("a\n---")}, want: "a\n\\---"},
		"shows a rule as it is":                         {blocks: []note.Node{block("a"), block("---")}, want: "a\n\n---"},
		"escapes what is no task":                       {blocks: []note.Node{block("[ ] a"), block("[x] b")}, want: "\\[ ] a\n\n\\[x] b"},
		"escapes stars that are no emphasis":            {blocks: []note.Node{block("*a* _b_ **c** __d__")}, want: `\*a\* \_b\_ **c** __d__`},
		"leaves signs alone that mean nothing":          {blocks: []note.Node{block("2 * 3 * 4, a_b_c")}, want: "2 * 3 * 4, a_b_c"},
		"escapes a bar in a title":                      {blocks: []note.Node{block("see [[a | b]] | c")}, want: `see [[a \| b]] | c`},
		"escapes what is no preview":                    {blocks: []note.Node{block("((a))<ref>b</ref>")}, want: `((a))<\ref>b<\/ref>`},
		"doubles the backslash of an escape":            {blocks: []note.Node{block(`\- a`), block(`\a \frac`)}, want: "\\\\- a\n\n\\a \\frac"},
		"shows as bullets what looks like front matter": {blocks: []note.Node{block("---"), block("a: b"), block("---")}, want: "- ---\n- a: b\n- ---"},
		"shows a quote as it is":                        {blocks: []note.Node{block("> a"), block("[[>]] b")}, want: "> a\n\n[[>]] b"},
		"shows no hidden block":                         {blocks: []note.Node{block("a"), {Text: "b", Hidden: true, Children: []note.Node{block("c")}}}, want: "a"},
		"shows no hidden block below another":           {blocks: []note.Node{block("a", note.Node{Text: "b", Hidden: true}), block("c")}, want: "a\n\nc"},
	} {
		t.Run(name, func(t *testing.T) {
			n := note.Node{UID: "p", Title: "P", View: tc.view, Children: tc.blocks}
			if got := note.Content(n); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
			checkReadsBack(t, n)
		})
	}
}

func TestContentShowsWhatIsReferredTo(t *testing.T) {
	refs := []note.Ref{
		{UID: "a00000001", Text: "line `one`\nline </ref> ((x))"}, {UID: "b00000001", Text: "secret", Hidden: true}, {UID: "page00001", Title: "Page"},
	}
	for text, want := range map[string]string{
		"see ((a00000001)).":                "see ((a00000001))<ref>line \\`one\\` line <\\/ref> ((x))</ref>.",
		"see ((b00000001)) ((nobody))":      "see ((b00000001)) ((nobody))",
		"[it](((a00000001)))":               "[it](((a00000001)))",
		"{{[[embed]]: ((a00000001))}}":      "{{[[embed]]: ((a00000001))}}",
		"`((a00000001))`":                   "`((a00000001))`",
		"{{[[TODO]]}} do ((a00000001)) *x*": "[ ] do ((a00000001))<ref>line \\`one\\` line <\\/ref> ((x))</ref> \\*x\\*",
	} {
		n := note.Node{UID: "p", Title: "P", Children: []note.Node{{Text: text, Refs: refs}}}
		if got := note.Content(n); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
		checkReadsBack(t, n)
	}
}

func TestContentLeavesOutWhatHoldsAValueAndNothingElse(t *testing.T) {
	block := func(text string, children ...note.Node) note.Node { return note.Node{Text: text, Children: children} }
	for name, tc := range map[string]struct {
		blocks []note.Node
		want   string
	}{
		"a line that declares tags":                {[]note.Node{block("tags:: #a"), block("b")}, "b"},
		"each line that declares tags":             {[]note.Node{block("Tags:: #a"), block("b"), block("Tags:: c")}, "b"},
		"not a sentence":                           {[]note.Node{block("Tags:: see [[a]]")}, "Tags:: see [[a]]"},
		"not a line without a value":               {[]note.Node{block("Tags::"), block("Note type::")}, "Tags::\n\nNote type::"},
		"not what stands below":                    {[]note.Node{block("Tags:: #a", block("b"))}, "- Tags:: #a\n  - b"},
		"a line below which all is hidden":         {[]note.Node{block("Tags:: #a", note.Node{Text: "b", Hidden: true}), block("c")}, "c"},
		"the first line of another name":           {[]note.Node{block("Note type:: checklist"), block("note type:: text")}, "note type:: text"},
		"not a value of several lines":             {[]note.Node{block("Note type:: a\nb")}, "Note type:: a\nb"},
		"not lines of other names, nor further in": {[]note.Node{block("Author:: [[Ann]]"), block("b", block("Tags:: #c"))}, "- Author:: [[Ann]]\n- b\n  - Tags:: #c"},
	} {
		t.Run(name, func(t *testing.T) {
			n := note.Node{UID: "p", Title: "P", Children: tc.blocks}
			if got := note.Content(n, note.TagsName, "Note type"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			shown := note.Node{UID: "p", Title: "P", Children: note.Shown(n, note.TagsName, "Note type")}
			checkReadsBack(t, shown)
		})
	}
}

func TestSetLine(t *testing.T) {
	below := func(b outline.Block) bool { return len(b.Children) > 0 || b.UID == "hides" }
	block := func(text string, children ...outline.Block) outline.Block {
		return outline.Block{String: text, Children: children}
	}
	for name, tc := range map[string]struct {
		blocks     []outline.Block
		name, text string
		want       string
	}{
		"adds a line at its place":                        {[]outline.Block{block("a"), block("b")}, "Tags", "Tags:: #x", "- a\n- Tags:: #x\n- b"},
		"changes the line that is there":                  {[]outline.Block{block("a"), block("b"), block("tags:: #y", block("c"))}, "Tags", "Tags:: #x", "- a\n- b\n- Tags:: #x\n  - c"},
		"fills a line without a value":                    {[]outline.Block{block("a"), block("b"), block("Tags::")}, "Tags", "Tags:: #x", "- a\n- b\n- Tags:: #x"},
		"leaves a sentence":                               {[]outline.Block{block("Tags:: see a"), block("b")}, "Tags", "Tags:: #x", "- Tags:: see a\n- Tags:: #x\n- b"},
		"takes a line away":                               {[]outline.Block{block("Tags:: #y"), block("b")}, "Tags", "", "- b"},
		"takes the value alone where there is something":  {[]outline.Block{block("tags:: #y", block("c")), block("b")}, "Tags", "", "- tags::\n  - c\n- b"},
		"takes the value alone where something is hidden": {[]outline.Block{{UID: "hides", String: "Tags:: #y"}, block("b")}, "Tags", "", "- Tags::\n- b"},
		"makes one of several":                            {[]outline.Block{block("Tags:: #y"), block("Tags:: #z"), block("Tags:: #w", block("c"))}, "Tags", "Tags:: #x", "- Tags:: #x\n- Tags::\n  - c"},
		"leaves a line without a value":                   {[]outline.Block{block("Tags::"), block("b")}, "Tags", "", "- Tags::\n- b"},
		"leaves a further line of another name":           {[]outline.Block{block("Title:: a"), block("Title:: b")}, "Title", "Title:: c", "- Title:: c\n- Title:: b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := markdown.Bullets(note.SetLine(tc.blocks, tc.name, tc.text, 1, below)); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

func TestParse(t *testing.T) {
	one := func(texts ...string) (blocks []outline.Block) {
		for _, text := range texts {
			blocks = append(blocks, outline.Block{String: text})
		}
		return blocks
	}
	for name, tc := range map[string]struct {
		content string
		want    []outline.Block
		tags    []string
	}{
		"reads paragraphs":                      {content: "a\n\nb", want: one("a", "b")},
		"reads nothing":                         {content: " \n"},
		"decodes annotations":                   {content: `see ((u))<ref>x [[y|z]]</ref> <roam uid="v"/>`, want: one("see ((u))")},
		"turns labelled links into aliases":     {content: "ask [[Ada|her]] and [[Projects/Apollo | it]]", want: one("ask [her]([[Ada]]) and [it]([[Projects/Apollo]])")},
		"drops a label that is none":            {content: "[[Ada|]] [l]([[Ada|her]])", want: one("[[Ada]] [l]([[Ada]])")},
		"leaves labels in tags and code alone":  {content: "#[[a|b]] `[[a|b]]`", want: one("#[[a|b]] `[[a|b]]`")},
		"reads a bar behind a backslash":        {content: `[[a \| b|c]] [[d \| e]]`, want: one("[c]([[a | b]]) [[d | e]]")},
		"turns check boxes into tasks":          {content: "- [ ] a\n- [x] b\n- [X] c\n  - [ ] d [ ] e", want: []outline.Block{{String: "{{[[TODO]]}} a"}, {String: "{{[[DONE]]}} b"}, {String: "{{[[DONE]]}} c", Children: one("{{[[TODO]]}} d [ ] e")}}},
		"turns a paragraph's box into a task":   {content: "[ ] a", want: one("{{[[TODO]]}} a")},
		"turns emphasis into Roam's":            {content: "*a* \\*b\\*", want: one("__a__ *b*")},
		"turns front matter into lines":         {content: "---\ntitle: T\ntags: [a, b c]\nauthor: [[Ann]]\n---\nbody", want: one("title:: T", "author:: [[Ann]]", "body"), tags: []string{"a", "b c"}},
		"reads tags of several forms":           {content: "---\nTags: x, y\ntag: '#z'\n---\n", tags: []string{"x", "y", "z"}},
		"keeps front matter that is none":       {content: "---\nnot a mapping\n---", want: one("---", "not a mapping", "---")},
		"keeps a rule":                          {content: "---\n\n---\n", want: one("---", "---")},
		"keeps backslashes that escape nothing": {content: `\alpha \[ C:\dir`, want: one(`\alpha \[ C:\dir`)},
		"keeps line breaks of formulas":         {content: "$$a\n\\\\\nb$$", want: one("$$a\n\\\\\nb$$")},
		"reads headings that own":               {content: "# a\nb\n## c\nd", want: []outline.Block{{String: "a", Heading: 1, Children: []outline.Block{{String: "b"}, {String: "c", Heading: 2, Children: one("d")}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := note.Parse(tc.content); trees(got.Blocks) != trees(tc.want) || !slices.Equal(got.Tags, tc.tags) {
				t.Errorf("got\n%s%q\nwant\n%s%q", trees(got.Blocks), got.Tags, trees(tc.want), tc.tags)
			}
		})
	}
}

// nodes returns blocks as nodes.
func nodes(blocks []outline.Block) []note.Node {
	var out []note.Node
	for _, b := range blocks {
		out = append(out, note.Node{UID: b.UID, Text: b.String, Heading: b.Heading, Children: nodes(b.Children)})
	}
	return out
}

func FuzzParse(f *testing.F) {
	for _, a := range hard {
		f.Add(a)
		f.Add("- " + a + "x\n  - " + a)
		f.Add("---\n" + a + ": " + a + "\ntags: " + a + "\n---\n" + a)
	}
	f.Fuzz(func(t *testing.T, content string) {
		if !utf8.ValidString(content) || len(content) > 4000 {
			return
		}
		parsed := note.Parse(content)
		n := note.Node{UID: "p", Title: "P", Children: nodes(parsed.Blocks)}
		checkReadsBack(t, n)
	})
}
