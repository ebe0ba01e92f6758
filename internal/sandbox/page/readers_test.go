package page

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/tui/kit"
)

// TestReadersAgree checks that everything that reads Roam's inline text finds the
// same references in it: the graph, the matcher for links that are missing, this
// page and the terminal program.
func TestReadersAgree(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		mentions []string // titles of pages, and uids in double parentheses
		linked   []string // those that the page links; nil: all
		coloured []string // what the terminal draws as a link; nil: what the page links
		other    string   // a title that another reading of the text would mention
	}{
		"a link":                                {text: "see [[Oven]]", mentions: []string{"Oven"}},
		"a link with a title in brackets":       {text: "[[Oven [[Fund]]]]", mentions: []string{"Oven [[Fund]]", "Fund"}, linked: []string{"Oven [[Fund]]"}},
		"a link left open":                      {text: "[[Oven and [[Fund]]", mentions: []string{"Fund"}, other: "Oven and"},
		"a tag":                                 {text: "an #oven, and", mentions: []string{"oven"}, other: "oven,"},
		"a tag in brackets":                     {text: "#[[Oven]]", mentions: []string{"Oven"}},
		"a tag in a word":                       {text: "fund#oven", mentions: []string{"oven"}, other: "fund"},
		"a tag with a sign in it":               {text: "#me@home #v1:2", mentions: []string{"me@home", "v1:2"}, other: "home"},
		"a tag at the end of a sentence":        {text: "is #sealed. Or", mentions: []string{"sealed."}, other: "sealed"},
		"a tag before a colon":                  {text: "is #sealed: yes", mentions: []string{"sealed:"}, other: "sealed"},
		"a tag in bold":                         {text: "**#Agenda** is", mentions: []string{"Agenda**"}, other: "Agenda"},
		"a tag in italics":                      {text: "an __#inbox__ tag", mentions: []string{"inbox__"}, other: "inbox"},
		"a tag with an apostrophe":              {text: "in #China's north", mentions: []string{"China's"}, other: "China"},
		"a tag before emoji":                    {text: "#日記🔥", mentions: []string{"日記"}},
		"a tag before a sign that ends it":      {text: "#fund+oven", mentions: []string{"fund"}, other: "fund+oven"},
		"an entity":                             {text: "&quot;#colour&quot;", mentions: []string{"colour"}, other: "colour&quot"},
		"a tag in an address":                   {text: "https://x.org/#oven", coloured: []string{"https://x.org/#oven"}, other: "oven"},
		"a tag in an address of this machine":   {text: "http://localhost:80/#oven", mentions: []string{"oven"}, coloured: []string{"http://localhost:80/", "oven"}, other: "localhost"},
		"a tag in the label of a link":          {text: "[#oven](https://x.org)", coloured: []string{"#oven"}, other: "oven"},
		"a tag in a formula":                    {text: "$$#oven$$", other: "oven"},
		"a reference in a formula":              {text: "$$((uid-1))$$", mentions: []string{"((uid-1))"}, coloured: []string{}},
		"an attribute":                          {text: "Oven:: hot", mentions: []string{"Oven"}, coloured: []string{}},
		"no attribute in three colons":          {text: "Oven::: hot", other: "Oven"},
		"no attribute behind a space":           {text: "Oven :: hot", other: "Oven"},
		"an attribute with a link in its name":  {text: "[[Oven]] fund:: x", mentions: []string{"[[Oven]] fund", "Oven"}, linked: []string{"[[Oven]] fund"}, coloured: []string{"Oven"}},
		"a reference to a block":                {text: "((uid-1)) ((two words))", mentions: []string{"((uid-1))"}, other: "two words"},
		"an alias of a page":                    {text: "[hot]([[Oven]])", mentions: []string{"Oven"}, coloured: []string{"hot"}},
		"an alias of a block":                   {text: "[hot](((uid-1)))", mentions: []string{"((uid-1))"}, coloured: []string{"hot"}},
		"code":                                  {text: "`[[Oven]] #fund`", other: "Oven"},
		"code of two backticks":                 {text: "``a ` [[Oven]]``", other: "Oven"},
		"code that is not closed":               {text: "``x [[Oven]]", mentions: []string{"Oven"}},
		"an escaped backtick":                   {text: "\\`[[Oven]]\\`", mentions: []string{"Oven"}},
		"a component":                           {text: "{{[[query]]: {and: [[Oven]]}}}", mentions: []string{"query", "Oven"}},
		"a component that is not closed":        {text: "{{query: [[Oven]]", mentions: []string{"Oven"}},
		"a link that a component would cross":   {text: "{{a [[Oven}} b]]", mentions: []string{"Oven}} b"}, other: "Oven"},
		"a label before a reference to a block": {text: "[hot]((uid-1))", mentions: []string{"((uid-1))"}, other: "uid-1"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.linked == nil {
				c.linked = c.mentions
			}
			if c.coloured == nil {
				c.coloured = c.linked
			}
			if got := refsInGraph(t, c.text); !sameInAnyOrder(got, c.mentions) {
				t.Errorf("%q: the graph has the references %q, want %q", c.text, got, c.mentions)
			}
			if got := linksOfPage(t, c.text); !sameInAnyOrder(got, c.linked) {
				t.Errorf("%q: the page links %q, want %q", c.text, got, c.linked)
			}
			if got := linksInTerminal(c.text); !sameInAnyOrder(got, c.coloured) {
				t.Errorf("%q: the terminal draws the links %q, want %q", c.text, got, c.coloured)
			}
			for _, title := range c.mentions {
				if !strings.HasPrefix(title, "((") && missingLinks(t, c.text, title) != 0 {
					t.Errorf("%q: a link to %q is missing", c.text, title)
				}
			}
			if c.other != "" && missingLinks(t, c.text, c.other) == 0 {
				t.Errorf("%q: no link to %q is missing", c.text, c.other)
			}
		})
	}
}

func sameInAnyOrder(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// refsInGraph are the references of a block with the text.
func refsInGraph(t *testing.T, text string) []string {
	t.Helper()
	db := graphOf(t, outline.Block{UID: "uid-1", String: "x"}, outline.Block{UID: "it", String: text}).db
	var out []string
	for _, to := range db.Refs(outline.ByUID(db, "it"), graphdb.BlockRefs) {
		if outline.IsPage(db, to) {
			out = append(out, db.String(to, graphdb.NodeTitle))
		} else {
			out = append(out, "(("+db.String(to, graphdb.BlockUID)+"))")
		}
	}
	return out
}

var aLink = regexp.MustCompile(`<a href="/g/page\?title=([^"#]*)(?:#b-([^"]*))?">`)

// linksOfPage are the titles and the references to blocks that the page links.
func linksOfPage(t *testing.T, text string) []string {
	var out []string
	for _, link := range aLink.FindAllStringSubmatch(string(graphOf(t, outline.Block{UID: "uid-1", String: "x"}).text(text)), -1) {
		title, err := url.QueryUnescape(link[1])
		require.NoError(t, err)
		if link[2] != "" {
			title = "((" + link[2] + "))"
		}
		out = append(out, title)
	}
	return out
}

// linksInTerminal are the pieces of a drawn text that have the style of links;
// those of references to blocks with their parentheses.
func linksInTerminal(text string) []string {
	look := kit.NewLook(kit.DarkBackground, nil)
	before, after, _ := strings.Cut(look.Theme.Link.Render("|"), "|")
	drawn := strings.Join(look.Markdown(text, 200), "")
	linked := regexp.MustCompile(regexp.QuoteMeta(before) + "(.*?)" + regexp.QuoteMeta(after))
	drawn = strings.ReplaceAll(drawn, after+" "+before, " ") // words of one link
	var out []string
	for _, m := range linked.FindAllStringSubmatchIndex(drawn, -1) {
		piece := drawn[m[2]:m[3]]
		if open := look.Theme.Faint.Render("(("); strings.HasSuffix(drawn[:m[0]], open) {
			piece = "((" + piece + "))"
		}
		out = append(out, piece)
	}
	return out
}

// missingLinks counts how often a text, with a title on a line behind it, names
// the title without linking it, if it links it nowhere.
func missingLinks(t *testing.T, text, title string) int {
	t.Helper()
	found, err := roamtext.FindMentions(t.Context(), []roamtext.NamedPage{{Title: title}}, []roamtext.Passage{{Text: text + "\n" + title}})
	require.NoError(t, err)
	if len(found) == 0 {
		return 0
	}
	return found[0].Count
}
