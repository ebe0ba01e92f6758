package kit

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// drawnMarkdown is markdown without its colours, for comparing.
func drawnMarkdown(t *testing.T, text string, width int) string {
	t.Helper()
	lines := NewLook(DarkBackground, []string{"TERM=xterm-256color", "LANG=en_US.UTF-8"}).Markdown(text, width)
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			t.Errorf("line %d is %d wide, not %d: %q", i, w, width, line)
		}
		lines[i] = ansi.Strip(line)
	}
	return strings.Join(lines, "\n")
}

func TestMarkdown(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"bullets keep their depth":              {"- a\n  - b\n    - c", "· a\n  · b\n    · c"},
		"a long bullet hangs":                   {"  - one two three four five six", "  · one two three four\n    five six"},
		"a heading has space above":             {"- a\n- ## B\n  - c", "· a\n\nB\n  · c"},
		"a heading in Roam's tag":               {`- Title <roam uid="abc" heading="2" refs="1"/>`, "Title"},
		"Roam's tags are left out":              {`- a <roam uid="hH38FJnvO"/>`, "· a"},
		"numbers stay":                          {"1. a\n12. b", "1. a\n12. b"},
		"emphasis loses its signs":              {"**a** __b__ *c* ^^d^^ ~~e~~", "a b c d ~~e~~"},
		"emphasis inside emphasis":              {"**a __b__**", "a b"},
		"links and tags keep theirs":            {"[[a]] #b #[[c d]]", "[[a]] #b #[[c d]]"},
		"colour stands for the ticks of code":   {"a `e`, b", "a e, b"},
		"what is in code is not read":           {"`[[a]] **b**`", "[[a]] **b**"},
		"a link in a link":                      {"[[a [[b]] c]]", "[[a [[b]] c]]"},
		"tasks":                                 {"{{[[TODO]]}} a\n{{[[DONE]]}} b {{TODO}}", "[ ] a\n[x] b [ ]"},
		"an alias shows where it leads":         {"[x](https://a.b/c)", "x (https://a.b/c)"},
		"an alias of a page does not":           {"[x]([[Page]]) [y](((abc)))", "x y"},
		"a reference with a preview":            {"((uid))<ref>what it says</ref> ((uid2))", "what it says ((uid2))"},
		"a preview in code is none":             {"`((a))<ref>b</ref>`", "((a))<ref>b</ref>"},
		"an image without a label":              {"![](https://a.b/c)", "https://a.b/c"},
		"attributes and components":             {"A:: {{x: [[b]]}}", "A:: {{x: [[b]]}}"},
		"tags keep their sign":                  {"a#b C# #1", "a#b C# #1"},
		"no italics inside a word":              {"2*3*4", "2*3*4"},
		"signs that begin nothing":              {"** __ [[ (( ` # ~~", "** __ [[ (( ` # ~~"},
		"a fence":                               {"- ```js\n  let a\n    b\n  ```\n- c", "  │ let a\n  │   b\n· c"},
		"a rule":                                {"a\n---\nb", "a\n" + strings.Repeat("─", 24) + "\nb"},
		"a quotation":                           {"> a", "│ a"},
		"empty lines do not pile up":            {"\n\na\n\n\n\nb\n\n", "a\n\nb"},
		"no commands for the terminal":          {"- a\x1b[2Jb\u202ec", "· abc"},
		"no width is left":                      {strings.Repeat(" ", 200) + "- abc", strings.Repeat(" ", 12) + "· abc"},
		"a word that is too long is broken":     {strings.Repeat("x", 30), strings.Repeat("x", 24) + "\nxxxxxx"},
		"nothing":                               {"", ""},
		"wide characters":                       {"大きなノート大きなノート大きな", "大きなノート大きなノート\n大きな"},
		"what is bold and followed by a stop":   {"**a**, b", "a, b"},
		"a line of an old build with a heading": {"### Old\n- a", "Old\n· a"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := drawnMarkdown(t, test.text, 24); got != test.want {
				t.Errorf("drawn\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestMarkdownCutsALongText(t *testing.T) {
	text := strings.Repeat("- [[[[((**__~~^^``#[x]( \n", 20_000)
	if got := drawnMarkdown(t, text, 60); !strings.HasSuffix(got, "The rest is in Roam.") {
		t.Error("it does not say that there is more")
	}
	drawnMarkdown(t, strings.Repeat("[", maxMarkdown), 60)
	drawnMarkdown(t, strings.Repeat("**a", maxMarkdown/3), 60)
}

func FuzzMarkdown(f *testing.F) {
	f.Add("- ## Rules\n  - write **plainly**\n    - [[Page]] and #tag\n1. ((uid))", 40)
	f.Add("- ```\n**", 10)
	f.Fuzz(func(t *testing.T, text string, width int) {
		drawnMarkdown(t, text, 12+int(uint(width)%200))
	})
}
