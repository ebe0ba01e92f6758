package outline

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

const readPage = `# Page <roam uid="page"/>

- one <roam uid="one"/>
  - below one, with a text that is longer than the eighty characters of it that are shown again <roam uid="below"/>
    - deep <roam uid="deep"/>
- two
  in two lines <roam uid="two"/>
  - last <roam uid="last"/>
`

func TestRenderedAfter(t *testing.T) {
	const page = "# Page <roam uid=\"page\" repeated=\"true\"/>\n\n"
	for name, tc := range map[string]struct{ after, want string }{
		"repeats the parents of the first block":    {"below", page + "- one <roam uid=\"one\" repeated=\"true\"/>\n  - below one, with a text that is longer than the eighty characters of it that are … <roam uid=\"below\" repeated=\"true\" truncated=\"11\"/>\n    - deep <roam uid=\"deep\"/>\n- two\n  in two lines <roam uid=\"two\"/>\n  - last <roam uid=\"last\"/>\n"},
		"repeats no block that is a parent no more": {"deep", page + "- two\n  in two lines <roam uid=\"two\"/>\n  - last <roam uid=\"last\"/>\n"},
		"repeats a text on one line":                {"two", page + "- two   in two lines <roam uid=\"two\" repeated=\"true\" truncated=\"0\"/>\n  - last <roam uid=\"last\"/>\n"},
		"is empty behind the last block":            {"last", ""},
		"goes on within a block":                    {"deep@2", page + "- one <roam uid=\"one\" repeated=\"true\"/>\n  - below one, with a text that is longer than the eighty characters of it that are … <roam uid=\"below\" repeated=\"true\" truncated=\"11\"/>\n    - …ep <roam uid=\"deep\" truncated=\"2\"/>\n- two\n  in two lines <roam uid=\"two\"/>\n  - last <roam uid=\"last\"/>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := RenderedAfter(readPage, ParseCursor(tc.after))
			if err != nil || got != tc.want {
				t.Errorf("%v, got\n%swant\n%s", err, got, tc.want)
			}
		})
	}
}

// Whatever the markdown is, what is behind a cursor is what came behind its block.
func FuzzRenderedAfter(f *testing.F) {
	f.Add(readPage, 3)
	f.Add("- old\n  - form\n- of build\n", 1)
	f.Add("\n\n- a <roam uid=\"a\"/>\n\n   - b\n<roam uid=\"a\"/> \n# c", 1)
	f.Fuzz(func(t *testing.T, markdown string, number int) {
		blocks := RenderedBlocks(markdown)
		together := ""
		for _, b := range blocks {
			together += b.Source
		}
		if !strings.HasSuffix(markdown, together) || strings.TrimSpace(strings.TrimSuffix(markdown, together)) != "" {
			t.Fatalf("the blocks are not the markdown: %q", together)
		}
		if number < 1 || number > len(blocks) {
			return
		}
		b := blocks[number-1]
		for _, other := range blocks[:number-1] {
			if other.UID == b.UID && b.UID != "" {
				return // the first one is found
			}
		}
		cursor := ParseCursor(CursorBehind(b, number, 0))
		if cursor != (Cursor{block: b.UID}) && b.UID != "" {
			return // a uid that is none of Roam's
		}
		rest, passed, err := RenderedAfter(markdown, cursor)
		if err != nil || passed != number {
			t.Fatalf("%d passed: %v", passed, err)
		}
		want := ""
		for _, b := range blocks[number:] {
			want += b.Source
		}
		if !strings.HasSuffix(rest, want) {
			t.Errorf("%q lacks %q", rest, want)
		}
	})
}

// Tags are found, and read, as these expressions say.
func FuzzTagAtEnd(f *testing.F) {
	tagged := regexp.MustCompile(`<roam(?:\s[^<>]*)?/>\s*$`)
	attribute := regexp.MustCompile(`([A-Za-z]+)="([^"]*)"`)
	for _, line := range []string{
		"- a <roam uid=\"b\"/>", "<roam/> ", "<roamer/>", "<roam a>/>", "<roam <b/>", "/>", "<roam\vx/>\n", "<roam\fx/>\f\n\n", "<roam x/>\v",
		`<roam uid="a" refs="2" repeated="true"/>`, `<roam a1="b" ="c" d="="e="f"/>`, `<roam uid="a/>`, `<roam é="a" éb="c"/>`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tag, at := tagAtEnd(text)
		found := tagged.FindStringIndex(text)
		if (found == nil) != (at < 0) || found != nil && (at != found[0] || tag != strings.TrimRight(text[at:], spaces)) {
			t.Fatalf("%d, %q in %q; want %v", at, tag, text, found)
		}
		var got, want [][2]string
		for name, value := range attributesOf(text) {
			got = append(got, [2]string{name, value})
		}
		for _, m := range attribute.FindAllStringSubmatch(text, -1) {
			want = append(want, [2]string{m[1], m[2]})
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	})
}
