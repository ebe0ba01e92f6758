package outline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// kinds as the tests write them.
var kindName = map[RefKind]string{PageLink: "link", Tag: "tag", TagLink: "taglink", Attribute: "attribute", BlockRef: "block"}

func mentions(s string) []string {
	var out []string
	for _, r := range References(s) {
		out = append(out, kindName[r.Kind]+" "+r.Target)
	}
	return out
}

func TestReferencesAreFoundInEveryForm(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a link":                               {"see [[A b]], and [[C]].", []string{"link A b", "link C"}},
		"a nested link, outer first":           {"[[a [[b]]]]", []string{"link a [[b]]", "link b"}},
		"a link that begins with a link":       {"[[[[a]] b]]", []string{"link [[a]] b", "link a"}},
		"three levels":                         {"[[a [[b [[c]]]]]]", []string{"link a [[b [[c]]]]", "link b [[c]]", "link c"}},
		"a link inside one left open":          {"[[a [[b]]", []string{"link b"}},
		"a link left open":                     {"[[a", nil},
		"an empty link":                        {"[[]] x", nil},
		"a title with a line break":            {"[[a\nb]]", []string{"link a\nb"}},
		"a tag":                                {"#one two #three", []string{"tag one", "tag three"}},
		"a tag in brackets":                    {"#[[one two]]", []string{"taglink one two"}},
		"a tag at the end of a sentence":       {"is #done. Or #done, (#done) #done:", []string{"tag done", "tag done", "tag done", "tag done"}},
		"a tag with a path and a leading dot":  {"#roam/js #.rm-hide #a.b", []string{"tag roam/js", "tag .rm-hide", "tag a.b"}},
		"a tag in another script":              {"#тест #日記 #🚧", []string{"tag тест", "tag 日記", "tag 🚧"}},
		"no tag inside a word or address":      {"a#b https://x.org/#c &#39; ##", nil},
		"no tag in a link to an address":       {"[#a](https://x.org) [b](#c)", nil},
		"no tag inside a link":                 {"[[a #b]]", []string{"link a #b"}},
		"an attribute":                         {"Author:: Ann", []string{"attribute Author"}},
		"an attribute of several words":        {"Date of birth:: x", []string{"attribute Date of birth"}},
		"an attribute only at the start":       {"A:: x B:: y", []string{"attribute A"}},
		"no attribute after a line break":      {"x\nA:: y", nil},
		"no attribute with a space before ::":  {"a :: b", nil},
		"no attribute in three colons":         {"a::: b", nil},
		"a link as an attribute is a link":     {"[[A]]:: x", []string{"link A"}},
		"an attribute with a link in its name": {"[[A]] b:: x", []string{"attribute [[A]] b", "link A"}},
		"an alias of a page":                   {"[words]([[A]])", []string{"link A"}},
		"a block":                              {"((abc-_1)) and ((x))", []string{"block abc-_1", "block x"}},
		"an alias of a block":                  {"[words](((abc)))", []string{"block abc"}},
		"no block in prose":                    {"((two words)) (()) ((a)", nil},
		"an embed of a block":                  {"{{embed: ((abc))}}", []string{"block abc"}},
		"an embed in brackets":                 {"{{[[embed]]: ((abc))}}", []string{"link embed", "block abc"}},
		"an embed of a page":                   {"{{embed: [[A]]}}", []string{"link A"}},
		"a task":                               {"{{[[TODO]]}} call [[Ann]]", []string{"link TODO", "link Ann"}},
		"none in inline code":                  {"`[[a]] #b ((c))` [[d]]", []string{"link d"}},
		"none in code with two backticks":      {"``a ` [[b]]`` #c", []string{"tag c"}},
		"none in a fence":                      {"```js\n[[a]] #b\n((c))``` [[d]]", []string{"link d"}},
		"a backtick left open is no code":      {"`a [[b]]", []string{"link b"}},
		"no attribute in code":                 {"`a`:: b", nil},
		"an escaped backtick is no code":       {"\\`[[a]]\\`", []string{"link a"}},
		"code inside a link":                   {"[[a `]]` b]]", []string{"link a `]]` b"}},
		"a link in square brackets":            {"[[[a]]]", []string{"link a"}},
		"a link in round brackets":             {"([[a]])", []string{"link a"}},
		"nothing":                              {"plain text: really", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mentions(c.text); !slices.Equal(got, c.want) {
				t.Errorf("%q mentions %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestLinksNestedTooDeepAreText(t *testing.T) {
	deep := strings.Repeat("[[a", 1000) + strings.Repeat("]]", 1000)
	if n := len(References(deep)); n != maxNesting {
		t.Errorf("%d links, want %d", n, maxNesting)
	}
}

func TestRenamingAPageRewritesEveryForm(t *testing.T) {
	for name, c := range map[string]struct{ text, to, want string }{
		"a link":                           {"[[Old]] and [[Older]]", "New", "[[New]] and [[Older]]"},
		"a tag":                            {"#Old!", "New", "#New!"},
		"a tag whose title needs brackets": {"#Old!", "New one", "#[[New one]]!"},
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

func TestUnlinkingAPageLeavesItsTitleAsText(t *testing.T) {
	for text, want := range map[string]string{
		"[[Old]] x": "Old x", "#Old x": "Old x", "#[[Old]] x": "Old x", "Old:: x": "Old: x",
		"[[a [[Old]]]]": "[[a Old]]", "`[[Old]]`": "`[[Old]]`", "[[Older]]": "[[Older]]",
	} {
		if got := UnlinkPage(text, "Old"); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestReferencesToABlockBecomeItsText(t *testing.T) {
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

func TestAnnotationsAreDecoded(t *testing.T) {
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

func FuzzReferences(f *testing.F) {
	for _, s := range []string{"[[a [[b]]]] #c d:: ((e))", "`[[x", "[l](((u)))", "#[[a]]::", "{{embed: ((a))}}", "```\n[[a]]"} {
		f.Add(s, "a")
	}
	f.Fuzz(func(t *testing.T, s, title string) {
		last := 0
		for _, r := range References(s) {
			if r.Start < last || r.End > len(s) || r.Start >= r.End || r.Target == "" || !strings.Contains(s[r.Start:r.End], r.Target) {
				t.Fatalf("%q: %+v", s, r)
			}
			last = r.Start
		}
		for _, r := range References(RenamePage(s, title, "zz")) {
			if r.Kind != BlockRef && r.Target == title && title != "zz" && len(References(s)) > 0 && !strings.ContainsAny(s+title, "[]#:`\n ") {
				t.Fatalf("%q still mentions %q after renaming it", s, title)
			}
		}
		_ = UnlinkPage(s, title)
		_ = DecodeAnnotations(s)
		_ = ReplaceBlockRefs(s, func(string) (string, bool) { return title, true })
		_ = fmt.Sprint(mentions(s))
	})
}
