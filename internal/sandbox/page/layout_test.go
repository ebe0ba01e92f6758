package page

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/require"
)

// pagesOf returns a page of each kind that has text wherever a graph, an agent or a
// person decides what stands there.
func pagesOf(text string) map[string]string {
	graph := localapi.Graph{Name: text, Type: localapi.GraphType(text)}
	admitted := &session{base: "/key", cookie: "cookie"}
	in := &reader{name: text, base: address("/key", graph)}
	requests := []desk.Request{{ID: text, Access: desk.Access{Graph: graph, Description: text, AccessLevel: localapi.ReadAppend, AI: true}}}
	blocks := []block{{UID: text, Text: in.text(text), Heading: 2, Children: []block{{UID: text}, {UID: text, Children: []block{{UID: text}}}}}}
	pages := map[string]string{"entered": enteredPage("/key/"), "locked": lockedPage(12)}
	for kind, content := range map[string]markup{
		"graphs":    graphList("/key", []Graph{{Graph: graph, Pages: 1, Blocks: 2}, {Graph: localapi.Graph{Type: "offline"}}}),
		"no graphs": graphList("/key", nil),
		"list":      list{Pages: []pageEntry{{text, text}, {text, ""}}, Total: 2, Older: in.base, Graph: in}.markup(),
		"document":  document{Title: text, Blocks: blocks, Cut: true, Graph: in}.markup(),
		"empty":     document{Title: text, Graph: in}.markup(),
		"a problem": failure(text, text),
	} {
		pages[kind] = page(admitted, text, requests, time.UTC, content)
	}
	return pages
}

var (
	aTag       = regexp.MustCompile(`^<(?:!DOCTYPE html|/?[a-z0-9]+(?: [a-z-]+(?:="[^"<>]*")?)*)>`)
	anAddress  = regexp.MustCompile(` (?:href|src|action)="([^"]*)"`)
	anyQuoted  = regexp.MustCompile(`="[^"]*"`)
	anyHandler = regexp.MustCompile(` on[a-z]+[ =]`)
)

// tagsOf returns the tags of a page with the names of their attributes, and fails where
// something is no tag or leads to somewhere else.
func tagsOf(t *testing.T, page string) []string {
	t.Helper()
	var tags []string
	for at := strings.IndexByte(page, '<'); at >= 0; at = strings.IndexByte(page, '<') {
		tag := aTag.FindString(page[at:])
		if tag == "" || anyHandler.MatchString(anyQuoted.ReplaceAllString(tag, "")) {
			t.Fatalf("no tag of this page: %.200q", page[at:])
		}
		for _, address := range anAddress.FindAllStringSubmatch(tag, -1) {
			to, err := url.Parse(address[1])
			if err != nil || !strings.HasPrefix(to.Path, "/") || to.Host != "" {
				t.Fatalf("%s leads elsewhere, %v", tag, err)
			}
		}
		tags = append(tags, anyQuoted.ReplaceAllString(tag, ""))
		page = page[at+len(tag):]
	}
	return tags
}

// checkTags fails if a text changes the tags of a page.
func checkTags(t *testing.T, text string) {
	t.Helper()
	plain := pagesOf("xplain")
	for kind, page := range pagesOf("x" + text) { // not empty, and of no kind that a page tells apart
		shown := string((&reader{base: address("/key", localapi.Graph{Name: "x" + text, Type: localapi.GraphType("x" + text)})}).text("x" + text))
		tagsOf(t, shown) // has links of its own
		page = strings.ReplaceAll(page, `<div class="text h2">`+shown+"</div>", `<div class="text h2"></div>`)
		if got, want := tagsOf(t, page), tagsOf(t, plain[kind]); !slices.Equal(got, want) {
			t.Errorf("%s: %q makes the tags %q, want %q", kind, text, got, want)
		}
	}
}

// hostileTexts returns texts that would be more than text in a page that does not escape.
func hostileTexts() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `" autofocus onfocus="alert(1)`, `' onclick='alert(1)`,
		`</title><script>alert(1)</script>`, `</textarea></select></form><form action="https://evil.example">`, `<!--`, `-->`, `]]>`,
		`javascript:alert(1)`, `//evil.example/`, `/../../..`, `\`, `?a=b&c=d#e`, `&lt;b&gt;&#60;b&#62;&quot;`, `%s%d%[9]s%!%`, `{{.Base}}`,
		"\x00<\x00b>", "\xff\xfe<b>", "\u2028\u202e<b>", "`${x}`", "line\r\nbreak\t", "＜script＞", `<b`, `="`,
		`[[<script>"]] #<b> <i>::`, `[x](javascript:alert(1)) ![](https://evil.example/x.png)`,
	}
}

func TestNoTextBecomesATag(t *testing.T) {
	for _, text := range hostileTexts() {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) { checkTags(t, text) })
	}
}

func FuzzNoTextBecomesATag(f *testing.F) {
	for _, text := range hostileTexts() {
		f.Add(text)
	}
	f.Fuzz(checkTags)
}

func TestATextIsShownAsItIs(t *testing.T) {
	for kind, page := range pagesOf(`a & <b> "c"`) {
		if strings.Contains(page, "<b> \"c") || kind == "document" && !strings.Contains(page, "a &amp; &lt;b&gt; &#34;c&#34;</h1>") {
			t.Errorf("%s: %s", kind, page)
		}
	}
}

// graphOf returns a reader of a graph with a page "P" that has these blocks.
func graphOf(t *testing.T, blocks ...outline.Block) *reader {
	t.Helper()
	conn := graphdb.NewConn(graphdb.RoamSchema())
	_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
		w := outline.NewWriter(tx, outline.Author{Now: time.UnixMilli(1)}, rand.NewChaCha8([32]byte{}))
		_, err := w.CreateBlocks(outline.Location{PageTitle: "P"}, blocks)
		return err
	})
	require.NoError(t, err)
	return &reader{db: conn.DB(), base: "/g"}
}

func TestText(t *testing.T) {
	graph := graphOf(t, outline.Block{UID: "uid-b", String: "its [[own]] text"}, outline.Block{UID: "uid-long", String: strings.Repeat("é", 300)})
	for text, want := range map[string]string{
		"":                                "",
		"plain & <b>simple</b> **bold**":  "plain &amp; &lt;b&gt;simple&lt;/b&gt; **bold**",
		"a [[Page]] here":                 `a <a href="/g/page?title=Page">[[Page]]</a> here`,
		"[[a [[b]]]] c":                   `<a href="/g/page?title=a+%5B%5Bb%5D%5D">[[a [[b]]]]</a> c`,
		"#tag #[[two words]].":            `<a href="/g/page?title=tag">#tag</a> <a href="/g/page?title=two+words">#[[two words]]</a>.`,
		"Author:: Ann":                    `<a href="/g/page?title=Author">Author::</a> Ann`,
		"see ((uid-b)) and ((none))":      `see <a href="/g/page?title=P#b-uid-b">its [[own]] text</a> and ((none))`,
		"((uid-long))":                    `<a href="/g/page?title=P#b-uid-long">` + strings.Repeat("é", 200) + "…</a>",
		"[so](((uid-b))) [it]([[Page]])":  `[so](<a href="/g/page?title=P#b-uid-b">its [[own]] text</a>) [it](<a href="/g/page?title=Page">[[Page]]</a>)`,
		"[x](javascript:alert(1))":        "[x](javascript:alert(1))",
		"`[[no]] <i>` but [[yes]]":        "`[[no]] &lt;i&gt;` but " + `<a href="/g/page?title=yes">[[yes]]</a>`,
		"[[\"><script>]] https://x.org/a": `<a href="/g/page?title=%22%3E%3Cscript%3E">[[&#34;&gt;&lt;script&gt;]]</a> https://x.org/a`,
	} {
		if got := string(graph.text(text)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestMuchIsShownInParts(t *testing.T) {
	long := make([]outline.Block, blocksShown+1)
	for i := range long {
		long[i].String = fmt.Sprintf("[[page %d]]", i)
	}
	graph := graphOf(t, long...)
	for name, c := range map[string]struct {
		from  int
		shown int
		older string
	}{
		"the first pages":        {0, pagesShown, "/g?from=200"},
		"those behind":           {200, pagesShown, "/g?from=400"},
		"a place before all":     {-5, pagesShown, "/g?from=200"},
		"the last ones":          {3_000, 2, ""}, // with P itself
		"a place behind all":     {9_000, 0, ""},
		"a place that just fits": {2_802, pagesShown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := graph.pages(c.from, time.UTC); len(got.Pages) != c.shown || got.Older != c.older || got.Total != blocksShown+2 {
				t.Errorf("%d of %d pages, then %q", len(got.Pages), got.Total, got.Older)
			}
		})
	}
	t.Run("the beginning of a long page", func(t *testing.T) {
		if got := graph.document("P"); len(got.Blocks) != blocksShown || !got.Cut {
			t.Errorf("%d blocks, cut %v", len(got.Blocks), got.Cut)
		}
	})
}
