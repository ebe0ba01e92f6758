package page

import (
	"regexp"
	"strings"
	"testing"
)

// known is a graph of one block, with uid "b".
type known struct{}

func (known) page(title string) string { return "/p/" + title }

func (known) block(uid string) (string, string, bool) {
	return "its text", "/b/" + uid, uid == "b"
}

func TestTextHTML(t *testing.T) {
	for text, want := range map[string]string{
		"plain & <b>simple</b>":           "plain &amp; &lt;b&gt;simple&lt;/b&gt;",
		"a [[Page]] here":                 `a <a class="page-link" href="/p/Page">Page</a> here`,
		"[[a [[b]]]]":                     `<a class="page-link" href="/p/a [[b]]">a [[b]]</a>`,
		"#tag #[[two words]].":            `<a class="tag" href="/p/tag">#tag</a> <a class="tag" href="/p/two words">#two words</a>.`,
		"Author:: Ann":                    `<a class="attribute" href="/p/Author">Author:</a> Ann`,
		"see ((b)) and ((none))":          `see <a class="block-ref" href="/b/b">its text</a> and ((none))`,
		"[so](((b))) and [it]([[Page]])":  `<a class="alias" href="/b/b">so</a> and <a class="alias" href="/p/Page">it</a>`,
		"[site](https://a.b/c_(d))":       `<a class="web" rel="noopener noreferrer" target="_blank" href="https://a.b/c_(d)">site</a>`,
		"go to https://a.b/c?d=e&f.":      `go to <a class="web" rel="noopener noreferrer" target="_blank" href="https://a.b/c?d=e&amp;f">https://a.b/c?d=e&amp;f</a>.`,
		"![a cat](https://a.b/c.png)":     `<a class="web" rel="noopener noreferrer" target="_blank" href="https://a.b/c.png">a cat</a>`,
		"[x](javascript:alert(1))":        "[x](javascript:alert(1))",
		"[x](data:text/html,y)":           "[x](data:text/html,y)",
		"**bold __both__** ^^lit^^ ~~x~~": "<b>bold <i>both</i></b> <mark>lit</mark> <s>x</s>",
		"**[[Page]]** ** alone":           `<b><a class="page-link" href="/p/Page">Page</a></b> ** alone`,
		"snake__case and 2 ** 3":          "snake__case and 2 ** 3",
		"`[[no]] <i>` but [[yes]]":        `<code>[[no]] &lt;i&gt;</code> but <a class="page-link" href="/p/yes">yes</a>`,
		"```go\nx := 1 < 2\n```":          "<pre><code>x := 1 &lt; 2</code></pre>",
		"{{[[TODO]]}} task":               `<span class="box" role="img" aria-label="to do"></span> task`,
		"{{DONE}} task":                   `<span class="box done" role="img" aria-label="done"></span> task`,
		"{{[[query]]: {and: [[a]]}}}":     `<span class="component">[[query]]: {and: [[a]]}</span>`,
		"{{embed: ((b))}}":                `<a class="block-ref" href="/b/b">its text</a>`,
		"{{odd { one}} after":             `<span class="component">odd { one</span> after`,
		"{{ never closed [[Page]]":        `{{ never closed <a class="page-link" href="/p/Page">Page</a>`,
		"```never closed":                 "```never closed",
		"[[\"><script>]]":                 `<a class="page-link" href="/p/&#34;&gt;&lt;script&gt;">&#34;&gt;&lt;script&gt;</a>`,
		"":                                "",
	} {
		if got := string(textHTML(text, known{})); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// ourTag is every tag that textHTML may write.
var ourTag = regexp.MustCompile(`^</?(b|i|s|mark|code|pre|span|a)( (class|role|aria-label|rel|target)="[a-z_ -]*"| href="(/|(?i:https?://|mailto:))[^"<>]*")*>`)

func FuzzTextHoldsNoTagsButOurs(f *testing.F) {
	for _, seed := range []string{"**a [[b]] `c`**", "[x](http://y)", "{{embed: [[z]]}}", "((b)) #t ![i](mailto:x)", "```<\n```", "<script>", "a::b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest := string(textHTML(text, known{}))
		for {
			at := strings.IndexByte(rest, '<')
			if at < 0 {
				return
			}
			tag := ourTag.FindString(rest[at:])
			if tag == "" {
				t.Fatalf("%q gives %q", text, rest[at:])
			}
			rest = rest[at+len(tag):]
		}
	})
}

func TestTextHTMLOfOpeningDelimiters(t *testing.T) {
	for _, mark := range []string{"**", "{{", "`", "```", "[", "![a](", "[[", "((", "__a", "https://"} {
		textHTML(strings.Repeat(mark, 50_000/len(mark)), known{})
	}
}
