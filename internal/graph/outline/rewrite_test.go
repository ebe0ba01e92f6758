package outline

import (
	"strings"
	"testing"

	"roam-mcp/internal/graph/roamtext"
)

func TestRenamePage(t *testing.T) {
	for name, c := range map[string]struct{ text, to, want string }{
		"a link":                           {"[[Old]] and [[Older]]", "New", "[[New]] and [[Older]]"},
		"a tag":                            {"#Old!", "New", "#New!"},
		"a tag whose title needs brackets": {"#Old!", "New one", "#[[New one]]!"},
		"a tag whose sign is none of its":  {"#Old!", "C++", "#[[C++]]!"},
		"no tag of another title":          {"#Old. x#Old", "New", "#Old. x#New"},
		"a tag in brackets":                {"#[[Old]]", "New", "#[[New]]"},
		"an attribute":                     {"Old:: Old", "New one", "New one:: Old"},
		"an alias":                         {"[Old]([[Old]])", "New", "[Old]([[New]])"},
		"a nested link":                    {"[[a [[Old]] b]]", "New", "[[a [[New]] b]]"},
		"none in code":                     {"`[[Old]]` [[Old]]", "New", "`[[Old]]` [[New]]"},
		"none in plain text":               {"Old", "New", "Old"},
		"an embed":                         {"{{embed: [[Old]]}}", "New", "{{embed: [[New]]}}"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := RenamePage(c.text, "Old", c.to); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestUnlinkPage(t *testing.T) {
	for text, want := range map[string]string{
		"[[Old]] x": "Old x", "#Old x": "Old x", "#[[Old]] x": "Old x", "Old:: x": "Old: x",
		"[[a [[Old]]]]": "[[a Old]]", "`[[Old]]`": "`[[Old]]`", "[[Older]]": "[[Older]]",
	} {
		if got := UnlinkPage(text, "Old"); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestReplaceBlockRefs(t *testing.T) {
	for text, want := range map[string]string{
		"see ((a)), ((b))":      "see TEXT, ((b))",
		"[label](((a))) x":      "label x",
		"[la[b]el](((a)))":      "la[b]el",
		"{{embed: ((a))}} x":    "TEXT x",
		"{{[[embed]]: ((a)) }}": "TEXT",
		"{{[[query]]: ((a))}}":  "{{[[query]]: TEXT}}",
		"`((a))`":               "`((a))`",
		"(((a)))":               "(TEXT)",
		"](((a)))":              "](TEXT)",
	} {
		got := ReplaceBlockRefs(text, func(uid string) (string, bool) { return "TEXT", uid == "a" })
		if got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestDecodeAnnotations(t *testing.T) {
	for text, want := range map[string]string{
		"See ((abc))<ref>the `fix`</ref> now <roam uid=\"x\" refs=\"2\"/>": "See ((abc)) now",
		"((a))<ref>x</ref>((b))<ref>y</ref>":                               "((a))((b))",
		"((a))<ref>left open":                                              "((a))<ref>left open",
		"((a))<ref>one \\` tick</ref> ((b))<ref>and \\` another</ref>":     "((a)) ((b))",
		"<ref>x</ref>":        "<ref>x</ref>",
		"`((a))<ref>x</ref>`": "`((a))<ref>x</ref>`",
		"`<roam uid=\"x\"/>`": "`<roam uid=\"x\"/>`",
		"<roam/>":             "",
		"a <roaming/> b":      "a <roaming/> b",
		"- a":                 "- a",
	} {
		if got := DecodeAnnotations(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// FuzzRenamePage renames a page, after which no text mentions it.
func FuzzRenamePage(f *testing.F) {
	for _, s := range []string{"[[a [[b]]]] #c d:: ((e))", "`[[x", "[l](((u)))", "#[[a]]::", "{{embed: ((a))}}", "```\n[[a]]"} {
		f.Add(s, "a")
	}
	f.Fuzz(func(t *testing.T, s, title string) {
		to := RenamePage(s, title, "zz")
		for _, r := range roamtext.References(to) {
			if r.Kind != roamtext.BlockRef && r.Content(to) == title && title != "zz" && len(roamtext.References(s)) > 0 && !strings.ContainsAny(s+title, "[]#:`\n ") {
				t.Fatalf("%q still mentions %q after renaming it", s, title)
			}
		}
		_ = UnlinkPage(s, title)
		_ = DecodeAnnotations(s)
		_ = ReplaceBlockRefs(s, func(string) (string, bool) { return title, true })
	})
}
