package page

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/switches"
)

// pagesOf returns a page of each kind that has text wherever a graph, an agent or a
// person decides what stands there.
func pagesOf(text string) map[string]string {
	graph := localapi.Graph{Name: text, Type: localapi.GraphType(text)}
	at := "/key" + address(graph)
	steps := []step{{at, text}, {at, text}}
	shown := block{
		UID: text, Address: at, Text: textHTML(text, known{}), Heading: 2, View: "numbered", Closed: true, Hidden: true, Refs: 1200,
		Children: []block{{UID: text, Address: at}, {UID: text, Address: at, Children: []block{{UID: text, Address: at}}}},
	}
	linked := []linkedPage{{Address: at, Title: text, Found: []linkedBlock{{Path: steps, Block: shown}}}}
	doc := document{
		UID: text, Address: at, Plain: text, Path: steps, Tree: []block{shown}, View: "document", Cut: true,
		Edited: "today", Editor: text, Linked: linked, Mentions: 2,
	}
	calls := []callEntry{
		{Call: Call{Graph: graph, Action: text, Status: 400, Code: problem.Code(text)}, At: "12:00:00", Took: "1ms"},
		{Call: Call{Action: "data.block.create", Status: 200}},
		{Call: Call{Status: 200}},
	}
	entry := switches.Switch{Name: switches.Name(text), Does: text, Value: text}
	choice := entry
	choice.Choices = []string{text, text}
	full := frame{
		Title: text, Base: "/key", Here: "/key/" + text, Query: text, Shortcuts: steps, Switches: []string{text, text}, Calls: calls,
		Graphs:  []graphEntry{{Graph: Graph{Graph: graph, Open: true, Pages: 1, Blocks: 2}, Address: at}, {Address: "/key/g", Graph: Graph{Graph: localapi.Graph{Type: "offline"}}}},
		Blocked: []localapi.Graph{graph},
		Requests: []request{{
			Request: desk.Request{ID: text, Access: desk.Access{Graph: graph, Description: text, AccessLevel: localapi.ReadOnly, AI: true}, Asked: time.Time{}},
			Until:   "12:00:00", Form: text, Levels: []localapi.AccessLevel{localapi.Full, localapi.ReadOnly},
		}},
		session: &session{cookie: "cookie"},
	}
	full.Current = &full.Graphs[0]
	pages := map[string]string{"entered": enteredPage("/key/"), "locked": lockedPage(12)}
	for kind, set := range map[string]func(*frame){
		"home": func(f *frame) { f.Home = true },
		"list": func(f *frame) {
			f.List = &list{Pages: []pageEntry{{at, text, 3, text}, {at, text, 0, ""}}, Total: 2, Newer: at, Older: at}
		},
		"results":  func(f *frame) { f.Results = &results{Query: text, Total: 1, Pages: linked} },
		"nothing":  func(f *frame) { f.Results = &results{Query: text} },
		"document": func(f *frame) { f.Document = &doc },
		"missing":  func(f *frame) { f.Document = &document{Plain: text, IsPage: true, Missing: true} },
		"empty":    func(f *frame) { f.Document = &document{Plain: text, IsPage: true} },
		"days":     func(f *frame) { f.Days = []document{doc, doc} },
		"calls":    func(f *frame) { f.AllCalls = calls },
		"no calls": func(f *frame) { f.Calls, f.Requests, f.Current, f.Switches = nil, nil, nil, nil },
		"switches": func(f *frame) {
			f.Catalog = []switchEntry{{entry, true, text}, {entry, false, ""}, {choice, false, ""}, {}}
		},
		"a problem":    func(f *frame) { f.Problem = &failure{text, text} },
		"a new person": func(f *frame) { f.Home, f.Graphs, f.Blocked, f.Current = true, nil, nil, nil },
	} {
		f := full
		set(&f)
		pages[kind] = f.page()
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
			if err != nil || !strings.HasPrefix(address[1], "#") && (!strings.HasPrefix(to.Path, "/") || to.Host != "") {
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
		shown := string(textHTML("x"+text, known{})) // has tags of its own, which its own test knows
		page = strings.ReplaceAll(page, `<div class="text">`+shown+"</div>", `<div class="text"></div>`)
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
		if strings.Contains(page, "<b> \"c") || kind == "document" && !strings.Contains(page, "a &amp; &lt;b&gt; &#34;c&#34;</a></h1>") {
			t.Errorf("%s: %s", kind, page)
		}
	}
}
