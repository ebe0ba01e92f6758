package roundtriptest

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
)

// example is one of the CommonMark specification (testdata/commonmark/README.md).
type example struct {
	Example                 int
	Section, Markdown, HTML string
}

const structureFile = "testdata/commonmark/structure.golden"

// otherwise says by section why blocks are others than CommonMark's.
var otherwise = map[string]string{
	"Tabs":                       "Roam has no code by indentation.",
	"Backslash escapes":          "Roam has no code by indentation, and HTML is text.",
	"Precedence":                 "",
	"Thematic breaks":            "A rule is three signs without blanks between; signs below a line are a rule.",
	"ATX headings":               "Roam has three ranks; a heading without text, or closed by signs, is a text.",
	"Setext headings":            "Signs below a line make no heading in Roam.",
	"Indented code blocks":       "Roam has no code by indentation.",
	"Fenced code blocks":         "A fence without an end is closed, one in a quote is the quote's text.",
	"HTML blocks":                "HTML is text, which blank lines part as they do other text.",
	"Link reference definitions": "They stay in the text.",
	"Paragraphs":                 "Roam has no code by indentation.",
	"Block quotes":               "A quote is the text of one block, with all that is in it.",
	"List items":                 "What is in an item is the text of its block; Roam has no code by indentation.",
	"Lists":                      "What is in an item is the text of its block; a comment is text.",
	"Entity and numeric character references": "They stay in the text.",
	"Code spans":                   "Signs of lists and headings count before code.",
	"Emphasis and strong emphasis": "Signs of lists count before emphasis.",
	"Links":                        "Definitions stay in the text.",
	"Images":                       "Definitions stay in the text.",
	"Raw HTML":                     "HTML is text.",
	"Hard line breaks":             "",
}

// testCommonMark creates one in every examples of the specification in each profile. Each has to
// be there with all its characters; where blocks are others than CommonMark's, the golden file
// lists it.
func testCommonMark(t *testing.T, every int) {
	if golden.Updating() {
		every = 1
	}
	text, err := os.ReadFile("testdata/commonmark/spec.json")
	require.NoError(t, err)
	var all, some []example
	require.NoError(t, json.Unmarshal(text, &all))
	var texts []string
	for i := every / 2; i < len(all); i += every {
		some, texts = append(some, all[i]), append(texts, all[i].Markdown)
	}
	kinds := make([]map[string][]string, len(some)) // profiles by what they make
	for i := range kinds {
		kinds[i] = map[string][]string{}
	}
	for _, way := range creations() {
		if way.tool != "create_page" && way.tool != "create_node" && way.tool != "create_note" {
			continue
		}
		t.Run(way.profile, func(t *testing.T) {
			at := map[string]string{}
			for i, wrong := range created(t, way, texts, func(text string, made []stored) string {
				at[text] = leaves(made)
				return missing(text, textsIn(made))
			}) {
				kinds[i][at[texts[i]]] = append(kinds[i][at[texts[i]]], way.profile)
				if wrong != "" {
					t.Errorf("example %d, %q: %s", some[i].Example, texts[i], wrong)
				}
			}
		})
	}
	compareStructure(t, some, kinds)
}

// compareStructure compares the blocks that the profiles make with the golden file.
func compareStructure(t *testing.T, examples []example, kinds []map[string][]string) {
	t.Helper()
	var out strings.Builder
	section := ""
	lines := map[int]string{}
	for i, each := range examples {
		want := htmlLeaves(each.HTML)
		delete(kinds[i], want)
		if len(kinds[i]) == 0 {
			continue
		}
		if otherwise[each.Section] == "" {
			t.Errorf("example %d, %q: CommonMark has %s, here is %v, and the section %s has no reason", each.Example, each.Markdown, want, kinds[i], each.Section)
		}
		if section != each.Section {
			section = each.Section
			fmt.Fprintf(&out, "\n%s: %s\n", section, otherwise[section])
		}
		lines[each.Example] = fmt.Sprintf("%d: %s", each.Example, want)
		for _, of := range sortedByProfile(kinds[i]) {
			lines[each.Example] += fmt.Sprintf("; %s: %s", strings.Join(kinds[i][of], " "), of)
		}
		fmt.Fprintln(&out, lines[each.Example])
	}
	if golden.Updating() {
		golden.File(t, structureFile, "CommonMark's blocks by example; those of profiles that make others\n"+out.String())
		return
	}
	stored, err := os.ReadFile(structureFile)
	require.NoError(t, err)
	for _, each := range examples {
		want := regexp.MustCompile(fmt.Sprintf(`(?m)^%d: .*$`, each.Example)).FindString(string(stored))
		if got := lines[each.Example]; got != want {
			t.Errorf("example %d, %q: the golden file has\n     %s\n     here is\n     %s", each.Example, each.Markdown, want, got)
		}
	}
}

// sortedByProfile returns the keys, by the first profile that made each.
func sortedByProfile(kinds map[string][]string) []string {
	var keys []string
	for _, profile := range profiles {
		for key, of := range kinds {
			if of[0] == profile {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

var (
	blockTag   = regexp.MustCompile(`(?s)<(/?)(p|li|pre|h[1-6]|hr|blockquote|ul|ol)(?: [^>]*)?>`)
	ruleText   = regexp.MustCompile(`^(?:-{3,}|\*{3,}|_{3,})$`)
	blankLines = regexp.MustCompile(`\n[ \t]*\n`)
)

// htmlLeaves returns the kinds of the blocks of HTML that hold text, in order.
func htmlLeaves(html string) string {
	var kinds, open []string
	at := 0
	for _, m := range append(blockTag.FindAllStringSubmatchIndex(html, -1), []int{len(html), len(html), -1, -1, -1, -1}) {
		inside := "text"
		if len(open) > 0 && open[len(open)-1] == "pre" {
			inside = "code"
		} else if len(open) > 0 && open[len(open)-1][0] == 'h' {
			inside = open[len(open)-1]
		}
		if strings.TrimSpace(html[at:m[0]]) != "" {
			kinds = append(kinds, inside)
		}
		if at = m[1]; m[2] < 0 {
			break
		}
		switch tag := html[m[4]:m[5]]; {
		case tag == "hr":
			kinds = append(kinds, "rule")
		case m[3] > m[2]:
			open = open[:max(0, len(open)-1)]
		default:
			open = append(open, tag)
		}
	}
	return strings.Join(kinds, " ")
}

// leaves returns the kinds of what blocks hold, in order.
func leaves(blocks []stored) string {
	var kinds []string
	for _, b := range flat(blocks) {
		text := b.Text
		switch {
		case strings.HasPrefix(text, "Title:: "), strings.HasPrefix(text, "Note type:: "):
		case b.Heading > 0:
			kinds = append(kinds, fmt.Sprint("h", b.Heading))
		case ruleText.MatchString(text):
			kinds = append(kinds, "rule")
		default:
			kinds = append(kinds, inText(text)...)
		}
	}
	return strings.Join(kinds, " ")
}

// inText returns the kinds of what one text holds: fences and what is between blank lines.
func inText(text string) (kinds []string) {
	plain := func(text string) {
		for _, each := range blankLines.Split(text, -1) {
			if strings.TrimSpace(each) != "" {
				kinds = append(kinds, "text")
			}
		}
	}
	lines := strings.Split(text, "\n")
	from := 0
	for i := 0; i < len(lines); i++ {
		row := fenceRow.FindString(lines[i])
		if row == "" {
			continue
		}
		plain(strings.Join(lines[from:i], "\n"))
		for i++; i < len(lines) && !(strings.HasPrefix(lines[i], row) && strings.Trim(lines[i], row[:1]+" ") == ""); i++ {
		}
		if kinds = append(kinds, "code"); i < len(lines) {
			from = i + 1
			continue
		}
		return kinds
	}
	plain(strings.Join(lines[from:], "\n"))
	return kinds
}
