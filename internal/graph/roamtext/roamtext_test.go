package roamtext

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// names as the tests write them.
var names = map[Kind]string{
	Text: "text", Code: "code", Math: "math", PageLink: "link", Tag: "tag", TagLink: "taglink", Attribute: "attribute", BlockRef: "block",
	Alias: "alias", Image: "image", Component: "component", Address: "address", Bold: "bold", Italic: "italic", Highlight: "highlight", Strike: "strike",
}

// written is a tree as the tests write it: plain text as it is, of others the
// name and, in braces, what is inside them or their content, and a target behind
// an arrow.
func written(text string, nodes []Node) string {
	var b strings.Builder
	for _, n := range nodes {
		if n.Kind == Text {
			b.WriteString(n.Content(text))
			continue
		}
		inside := n.Content(text)
		if n.Inside != nil {
			inside = written(text, n.Inside)
		}
		b.WriteString("<" + names[n.Kind] + " " + inside)
		if target := n.Target(text); target != "" {
			b.WriteString(" -> " + target)
		}
		b.WriteString(">")
	}
	return b.String()
}

func mentions(text string) []string {
	var out []string
	for _, r := range References(text) {
		out = append(out, names[r.Kind]+" "+r.Content(text))
	}
	return out
}

func TestTree(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain text":                              {"plain text: really", "plain text: really"},
		"nothing":                                 {"", ""},
		"code":                                    {"a `b [[c]]` d", "a <code b [[c]]> d"},
		"code of two backticks":                   {"``a ` b``", "<code a ` b>"},
		"a fence":                                 {"```js\n#x [[y]]\n```", "<code js\n#x [[y]]\n>"},
		"a fence that is not closed is text":      {"```js\n#x", "```js\n<tag x>"},
		"an escaped backtick opens nothing":       {"\\`[[a]]\\`", "\\`<link a>\\`"},
		"the second of two after a backslash":     {"\\``a`", "\\`<code a>"},
		"a formula":                               {"so $$a_{1}#b {{c}}$$ then", "so <math a_{1}#b {{c}}> then"},
		"an empty formula is text":                {"$$$$ and $$ $$", "$$$$ and $$ $$"},
		"a formula's sign in code":                {"$$a `$$` b$$", "<math a `$$` b>"},
		"a link":                                  {"see [[A b]].", "see <link A b>."},
		"a nested link shows as one":              {"[[a [[b]]]]", "<link a [[b]]>"},
		"a link in square brackets":               {"[[[a]]]", "[<link a>]"},
		"an empty link is text":                   {"[[]] x", "[[]] x"},
		"a tag in brackets":                       {"#[[a b]]", "<taglink a b>"},
		"a second # before a tag":                 {"##[[a]] ##b", "#<taglink a> #<tag b>"},
		"an attribute":                            {"Author:: Ann", "<attribute Author> Ann"},
		"an attribute with forms in its name":     {"[[A]] #b:: x", "<attribute <link A> <tag b>> x"},
		"an attribute of several words":           {"Date of birth:: B:: x", "<attribute Date of birth> B:: x"},
		"a link as an attribute is a link":        {"[[A]]:: x", "<link A>:: x"},
		"no attribute after a line break":         {"x\nA:: y", "x\nA:: y"},
		"no attribute with a space before ::":     {"a :: b", "a :: b"},
		"no attribute in three colons":            {"a::: b", "a::: b"},
		"no attribute in code":                    {"`a`:: b", "<code a>:: b"},
		"colons in a link are no attribute":       {"[[a::b]] c", "<link a::b> c"},
		"colons in an address are none":           {"https://a.b/c::d e", "<address https://a.b/c::d> e"},
		"colons in an alias are none":             {"[a](b::c)", "<alias a -> b::c>"},
		"colons that a tag would swallow":         {"#a::https://b.c", "<attribute <tag a>><address https://b.c>"},
		"a reference to a block":                  {"((a-_1)) ((two words)) (()) ((a)", "<block a-_1> ((two words)) (()) ((a)"},
		"in parentheses":                          {"(((a)))", "(<block a>)"},
		"a label before a reference is text":      {"[a]((b))", "[a]<block b>"},
		"an alias":                                {"[a b](https://c.d/e_(f)) g", "<alias a b -> https://c.d/e_(f)> g"},
		"an alias of a page":                      {"[a]([[b c]])", "<alias a -> [[b c]]>"},
		"brackets in a label":                     {"[a [b] [[c]]](d)", "<alias a [b] <link c> -> d>"},
		"no tag in a label":                       {"[#a ((b))](c)", "<alias #a <block b> -> c>"},
		"an image in an alias":                    {"[![a](b)](c)", "<alias <image a -> b> -> c>"},
		"an alias over two lines is text":         {"[a\nb](c)", "[a\nb](c)"},
		"an alias without its end is text":        {"[a](b [[c]]", "[a](b <link c>"},
		"an image":                                {"![](a.png)", "<image  -> a.png>"},
		"a component":                             {"{{[[query]]: {and: [[a]] #b}}} c", "<component <link query>: {and: <link a> <tag b>}> c"},
		"a component in another":                  {"{{or: {{a}} | b}}", "<component or: <component a> | b>"},
		"braces that are not in pairs":            {"{{odd { one}} after", "<component odd { one> after"},
		"a component that is not closed is text":  {"{{ open [[a]]", "{{ open <link a>"},
		"braces in code close nothing":            {"{{a `}}` b}}", "<component a <code }}> b>"},
		"an empty component is text":              {"{{}}", "{{}}"},
		"an address":                              {"go to https://a.b/c?d=e#f.", "go to <address https://a.b/c?d=e#f>."},
		"an address in parentheses":               {"(see https://a.b/c_(d))", "(see <address https://a.b/c_(d)>)"},
		"an address in another script":            {"见https://例.org/頁，再", "见<address https://例.org/頁>，再"},
		"addresses without a scheme of the web":   {"www.a.b mailto:c@d roam://#/app/e", "<address www.a.b> <address mailto:c@d> <address roam://#/app/e>"},
		"no address":                              {"awww.a a:b ://c w. http:// .", "awww.a a:b ://c w. http:// ."},
		"a tag in an address without a full stop": {"http://localhost:8020/#/app/test103", "<address http://localhost:8020/><tag /app/test103>"},
		"bold and italic":                         {"**a __b__** c", "<bold a <italic b>> c"},
		"highlighted and struck":                  {"^^a^^ ~~b~~", "<highlight a> <strike b>"},
		"a form in bold":                          {"**a [[b]] `**` c**", "<bold a <link b> <code **> c>"},
		"signs that open or close nothing":        {"2 ** 3 ** 4 snake__case ****", "2 ** 3 ** 4 snake__case ****"},
		"three stars":                             {"***a***", "<bold *a>*"},
		"emphasis over a line's end":              {"**a\nb** **c\n\nd**", "<bold a\nb> **c\n\nd**"},
		"emphasis that would cross":               {"**a __b** c__", "<bold a __b> c__"},
		"no emphasis in a label":                  {"[**a**](b)", "<alias **a** -> b>"},
		"a link wins over a component":            {"{{a [[b}} c]]", "{{a <link b}} c>"},
		"code wins over a link":                   {"[[a `b]] c`", "[[a <code b]] c>"},
		"the left one wins":                       {"$$a {{b$$ c}}", "<math a {{b> c}}"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := written(c.text, Tree(c.text)); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

// TestTags holds the rule of what may stand before and in a tag.
func TestTags(t *testing.T) {
	for text, want := range map[string][]string{
		"#one two #three":     {"one", "three"},
		"#тест #日記 #हिन्दी":   {"тест", "日記", "हिन्दी"},
		"#roam/js #.rm-hide":  {"roam/js", ".rm-hide"},
		"#P:Self #@this-week": {"P:Self", "@this-week"},
		"#me@home #v1:2":      {"me@home", "v1:2"},
		"#China's #85":        {"China's", "85"},
		// Signs at the end belong to the tag.
		"is #done. Or #so:": {"done.", "so:"},
		"**#Agenda** is":    {"Agenda**"},
		"an __#inbox__ tag": {"inbox__"},
		"#_a_ #- #**":       {"_a_", "-", "**"},
		// It begins behind anything.
		"a#b":             {"b"},
		"C#程序员小赵说：我":      {"程序员小赵说"},
		"x/#a _#b =#c;#d": {"a", "b", "c", "d"},
		"#a#b ##c":        {"a", "b", "c"},
		"&#39;":           {"39"},
		// All else ends it.
		"#a, #b) (#c) #d! #e? #f;": {"a", "b", "c", "d", "e", "f"},
		"#a\"b #c<d #e|f #g=h":     {"a", "c", "e", "g"},
		"#ff0000&quot; #C++":       {"ff0000", "C"},
		"#a，b #c、d #e：f #g。":       {"a", "c", "e", "g"},
		"#日記🔥 #don’t #a…":          {"日記", "don", "a"},
		"#a[[b]] #c`d` #e\\f":      {"a", "b", "c", "e"},
		// These are none.
		"# a ## #, #🚧 C# #":                              nil,
		"https://roamresearch.com/#/app/help www.a.b/#c": nil,
		"[#a](https://x.org/#b) `#c` $$#d$$ [[#e]]":      {"#e"},
		// An address that Roam does not take for one holds tags.
		"http://localhost:8020/#/app/test103": {"/app/test103"},
		"HTTP://localhost#a https://x#":       {"a"},
	} {
		var got []string
		for _, r := range References(text) {
			got = append(got, r.Content(text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q mentions %q, want %q", text, got, want)
		}
	}
	for title, want := range map[string]bool{"a": true, "a.b": true, "a b": false, "": false, "C++": false, "日記": true, "a#b": false} {
		if Bare(title) != want {
			t.Errorf("Bare(%q) is %v", title, !want)
		}
	}
}

func TestReferences(t *testing.T) {
	for text, want := range map[string][]string{
		"see [[A b]], and [[C]].":             {"link A b", "link C"},
		"[[a [[b [[c]]]]]] [[[[d]] e]]":       {"link a [[b [[c]]]]", "link b [[c]]", "link c", "link [[d]] e", "link d"},
		"[[a [[b]] [[a\nb]] [[c #d ((e))]]":   {"link b", "link a\nb", "link c #d ((e))"},
		"[[A]] b:: x C:: y":                   {"attribute [[A]] b", "link A"},
		"**Tags:: #people** and **#Agenda**":  {"attribute **Tags", "tag people**", "tag Agenda**"},
		"[words]([[A]]) [more](((abc)))":      {"link A", "block abc"},
		"{{[[embed]]: ((abc))}} {{[[TODO]]}}": {"link embed", "block abc", "link TODO"},
		"$$((a)) #b [[c]]$$":                  {"block a", "link c"},
		"`[[a]] #b ((c))` ``d ` [[e]]`` #f":   {"tag f"},
		"[[a `]]` b]]":                        {"link a `]]` b"},
		"plain text: really":                  nil,
	} {
		if got := mentions(text); !slices.Equal(got, want) {
			t.Errorf("%q mentions %q, want %q", text, got, want)
		}
	}
	deep := strings.Repeat("[[a", 1000) + strings.Repeat("]]", 1000)
	if n := len(References(deep)); n != maxNesting {
		t.Errorf("of a thousand levels %d are links, want %d", n, maxNesting)
	}
}

func TestReferencesUpTo(t *testing.T) {
	for _, form := range []string{"[[a]]", "((a))", "#a ", "#[[a]]", "[[a]] #b ", "a:: [[b]] ((c))"} {
		text := strings.Repeat(form, 6)
		all := References(text)
		if found, ok := ReferencesUpTo(text, len(all)); !ok || !slices.Equal(found, all) {
			t.Errorf("%s: %v, %v; want %v", form, found, ok, all)
		}
		if found, ok := ReferencesUpTo(text, len(all)-1); ok {
			t.Errorf("%s: more than may be: %v", form, found)
		}
	}
	for _, form := range []string{"[[a]]", "((a))", "#a ", "#[[a]]", "[[", "[[a", "a:: [[b]] #c ", "#a #[["} {
		t.Run("gives up early on "+form, func(t *testing.T) {
			text := strings.Repeat(form, 1<<20/len(form))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, ok := ReferencesUpTo(text, 1000)
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; ok || taken > 1<<18 {
				t.Errorf("%v, %d bytes taken", ok, taken)
			}
		})
	}
}

func TestFindComponent(t *testing.T) {
	for name, test := range map[string]struct {
		text, want string
		found      bool
	}{
		"with a link as its name":   {"{{[[query]]: {and: [[A]]}}}", "{and: [[A]]}", true},
		"with a plain name":         {"{{query: {and: [[A]]}}}", "{and: [[A]]}", true},
		"with spaces and text":      {"see {{ [[Query]] : {not: {or: [[A]] [[B]]}} }} there", "{not: {or: [[A]] [[B]]}}", true},
		"behind another one":        {"{{[[TODO]]}} {{embed: ((a))}} {{query: x}}", "x", true},
		"inside another one":        {"{{or: {{query: x}}}}", "x", true},
		"empty":                     {"{{query:}}", "", true},
		"not another one":           {"{{[[table]]}} {{queries: x}} {{[[query]] of: x}}", "", false},
		"not in code":               {"`{{query: x}}`", "", false},
		"not without its end":       {"{{query: {and: [[A]]}}", "", false},
		"not with too little of it": {"{{query: x}", "", false},
		"not in nothing":            {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, found := FindComponent(test.text, "query"); got != test.want || found != test.found {
				t.Errorf("got %q, %v; want %q, %v", got, found, test.want, test.found)
			}
		})
	}
}

// FuzzTree holds the promises of Tree and Spans, and that the short ways of
// References lead where the long one does.
func FuzzTree(f *testing.F) {
	for _, text := range []string{
		"[[a [[b]]]] #c d:: ((e))", "`[[x", "[l](((u))) ![i](http://x/#y)", "#[[a]]::", "{{embed: ((a))}} {{{b}}}", "```\n[[a]]",
		"**a __b** c__ ^^d^^ ~~~e~~~", "$$a $$ b$$", "a::#b::", "{{a [[b}} c]] [d](e [f](g) h)", "\\``a` \xff#\xfe", "http://a/#b.c((d))",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if end := covered(t, text, Tree(text), 0, 0); end != len(text) {
			t.Fatalf("%q: the tree ends at %d of %d", text, end, len(text))
		}
		spans := Spans(text)
		var open []Span
		var refs []Span
		for _, span := range spans {
			for len(open) > 0 && open[len(open)-1].End <= span.Start {
				open = open[:len(open)-1]
			}
			if n := len(open); n > 0 && (span.Start < open[n-1].Start || span.End > open[n-1].End) {
				t.Fatalf("%q: %+v crosses %+v", text, span, open[n-1])
			}
			if span.Start > span.From || span.From > span.To || span.To > span.End || span.Start >= span.End {
				t.Fatalf("%q: %+v", text, span)
			}
			open = append(open, span)
			if span.Kind.Refers() {
				if span.From == span.To {
					t.Fatalf("%q: nothing is mentioned by %+v", text, span)
				}
				refs = append(refs, span)
			}
			span.Component(text)
		}
		if got := References(text); !slices.Equal(got, refs) {
			t.Fatalf("%q: References gives %+v, Spans %+v", text, got, refs)
		}
	})
}

// covered checks that nodes follow each other, and returns the end of the last.
func covered(t *testing.T, text string, nodes []Node, from, depth int) int {
	for i, n := range nodes {
		if n.Start != from || n.End <= n.Start || n.Kind == Text && i > 0 && nodes[i-1].Kind == Text {
			t.Fatalf("%q: %+v does not follow %d", text, n.Span, from)
		}
		if n.Inside != nil {
			if end := covered(t, text, n.Inside, n.From, depth+1); end != n.To {
				t.Fatalf("%q: what is inside %+v ends at %d", text, n.Span, end)
			}
		}
		from = n.End
	}
	if depth > 2*maxNesting+1 {
		t.Fatalf("%q: %d levels", text, depth)
	}
	return from
}

func TestRanges(t *testing.T) {
	r := CodeRanges("a `b` ``c``")
	if want := (Ranges{{2, 5}, {6, 11}}); !reflect.DeepEqual(r, want) {
		t.Errorf("%v, want %v", r, want)
	}
	for i, want := range []bool{false, false, true, true, true, false, true, true, true, true, true, false} {
		if r.Contain(i) != want {
			t.Errorf("byte %d: %v", i, !want)
		}
	}
}

// Openings without end must not make the time grow with the square of the text.
func TestTextOfNothingButOpenings(t *testing.T) {
	for _, opening := range []string{
		"[[", "((", "{{", "[", "`", "``a`", "$$", "$$ `$$`", "#[[", "[x](", "a::", "[[a", "((a", "]]", "{{a}", "{{ }} {{ ", "**a ", "**a\n\n", "__**", "http://", "www.a", "http://a/#", "a.", "\\`", "![", "{{{", "}}", "[a](b)",
	} {
		Tree(strings.Repeat(opening, 1<<19/len(opening)))
	}
	Tree(strings.Repeat("[[", 1<<17) + "x" + strings.Repeat("]]", 1<<17))
	Tree(strings.Repeat("{{", 1<<17) + "x" + strings.Repeat("}}", 1<<17))
	Tree(strings.Repeat("[", 1<<17) + "x" + strings.Repeat("](a)", 1<<17))
	Tree(strings.Repeat("**a __b ^^c ", 1<<15) + strings.Repeat("d^^ d__ d** ", 1<<15))
}
