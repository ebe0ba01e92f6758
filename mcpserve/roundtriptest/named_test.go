package roundtriptest

import (
	"fmt"
	"strings"
	"testing"
)

// aFormula is one of several lines, which look like those of a list.
const aFormula = "$$\na\n- b\n+ c\n$$"

// Each tool that creates blocks of Markdown makes these.
var madeOf = []struct {
	name, text string
	want       tree
}{
	{"a formula of several lines is one block", aFormula, tree{{Text: aFormula}}},
	{"a formula that begins on the first line is one block", "$$a\n- b\n+ c$$", tree{{Text: "$$a\n- b\n+ c$$"}}},
	{"a formula with an environment is one block", "$$\\begin{aligned}\na &= b \\\\\n- c\n\\end{aligned}$$", tree{{Text: "$$\\begin{aligned}\na &= b \\\\\n- c\n\\end{aligned}$$"}}},
	{"a formula below a bullet is one block", "- word\n  - $$\n    a\n    - b\n    $$\n- end", tree{{Text: "word", Below: tree{{Text: "$$\na\n- b\n$$"}}}, {Text: "end"}}},
	{"a formula in a bullet is one block", "- $$\n  1. a\n  # b\n  $$\n- end", tree{{Text: "$$\n1. a\n# b\n$$"}, {Text: "end"}}},
	{"a list follows a formula", "$$\na\n$$\n\n- one\n- two", tree{{Text: "$$\na\n$$", Below: nil}, {Text: "one"}, {Text: "two"}}},
	{"a fence ends with at least as many of its mark", "````md\n```js\n1\n```\n````\n\n- one\n- two", tree{{Text: "````md\n```js\n1\n```\n````"}, {Text: "one"}, {Text: "two"}}},
	{"a fence ends with more of its mark", "```\nx\n`````\n\n- one", tree{{Text: "```\nx\n`````"}, {Text: "one"}}},
	{"a fence of tildes ends with as many tildes", "~~~~\n~~~\n- x\n~~~~\n\n- one", tree{{Text: "~~~~\n~~~\n- x\n~~~~"}, {Text: "one"}}},
	{"backticks do not end a fence of tildes", "- ~~~\n  ```\n  # x\n  ~~~\n- one", tree{{Text: "~~~\n```\n# x\n~~~"}, {Text: "one"}}},
	{"tildes do not end a fence of backticks", "- ```\n  ~~~\n  # x\n  ```\n- one", tree{{Text: "```\n~~~\n# x\n```"}, {Text: "one"}}},
	{"a bullet before backticks does not end a fence", "- ```\n  - ```\n  x\n  ```\n- one", tree{{Text: "```\n- ```\nx\n```"}, {Text: "one"}}},
	{"a heading before a fence is the heading of its block", "- ## ```js\n  x\n  ```\n- one", tree{{Text: "```js\nx\n```", Heading: 2}, {Text: "one"}}},
	{"what looks like emphasis stays in a fence of four", "````\n*a* _b_\n````", tree{{Text: "````\n*a* _b_\n````"}}},
	{"a backslash stays in a fence of four", "````\n\\- a\n````", tree{{Text: "````\n\\- a\n````"}}},
	{"blank lines and indentation stay in a fence", "- ```\n  a\n\n      b\n  ```", tree{{Text: "```\na\n\n    b\n```"}}},
}

func TestMarkdownBecomesBlocks(t *testing.T) {
	for _, way := range creations() {
		if way.exact || way.tool == "create_note without a title" {
			continue
		}
		t.Run(way.profile+" "+way.tool, func(t *testing.T) {
			var texts []string
			want := map[string]string{}
			for _, each := range madeOf {
				texts = append(texts, each.text)
				want[each.text] = each.want.shape()
			}
			for i, wrong := range created(t, way, texts, func(text string, made []stored) string { return firstDifference(shapeOf(made), want[text]) }) {
				if wrong != "" {
					t.Errorf("%s: %q\n     %s", madeOf[i].name, texts[i], wrong)
				}
			}
		})
	}
}

// What does not end, ends with its item: the next one is a block.
func TestWhatDoesNotEndEndsWithItsItem(t *testing.T) {
	texts := []string{"- ```\n  x\n- end", "- ```js\n  - x\n- end", "- ~~~~\n  ~~~\n- end", "- $$\n  a\n- end", "- word\n  - $$\n    - a\n- end", "- a\n  - ```\n    x\n- end"}
	for _, way := range creations() {
		if way.exact {
			continue
		}
		t.Run(way.profile+" "+way.tool, func(t *testing.T) {
			for i, wrong := range created(t, way, texts, func(text string, made []stored) string {
				if all := flat(made); len(all) > 1 && all[len(all)-1].Text == "end" {
					return missing(text, textsIn(made))
				}
				return fmt.Sprintf("made %q", textsIn(made))
			}) {
				if wrong != "" {
					t.Errorf("%q: %s", texts[i], wrong)
				}
			}
		})
	}
}

// A backslash says to the profiles with notes that what follows is text.
func TestEscapedTextIsStored(t *testing.T) {
	want := map[string]string{
		`\*starred\* dish`: "*starred* dish", `\### low`: "### low", `_p_ and \_q\_`: "__p__ and _q_", `- \_lead\_ item`: "_lead_ item",
		`1\. x`: "1. x", `\- x`: "- x", "a\n\\- b": "a\n- b", `\[ ] x`: "[ ] x", `C:\temp`: `C:\temp`,
	}
	var texts []string
	for text := range want {
		texts = append(texts, text)
	}
	for _, way := range creations() {
		if way.profile == "roam" || way.profile == "outline" {
			continue
		}
		t.Run(way.profile+" "+way.tool, func(t *testing.T) {
			for i, wrong := range created(t, way, texts, func(text string, made []stored) string {
				if got := strings.Join(textsIn(made), "\n"); !strings.HasSuffix(got, want[text]) {
					return fmt.Sprintf("made %q", got)
				}
				return ""
			}) {
				if wrong != "" {
					t.Errorf("%q: %s", texts[i], wrong)
				}
			}
		})
	}
}

// Each of these is written back as it was, between blocks that stay.
var writtenBack = []struct {
	name string
	tree tree
}{
	{"a heading on a fence", tree{{Text: "```js\ncode\n```", Heading: 2}, {Text: "a"}, {Text: "b"}}},
	{"a fence of four with one of three in it", tree{{Text: "````md\n```js\n1\n```\n````"}, {Text: "a"}, {Text: "b", Below: tree{{Text: "c"}}}}},
	{"a fence of tildes with backticks in it", tree{{Text: "~~~\n```\n~~~"}, {Text: "a"}}},
	{"a formula of several lines", tree{{Text: aFormula}, {Text: "a", Below: tree{{Text: aFormula}}}}},
	{"a formula with a heading", tree{{Text: aFormula, Heading: 1}, {Text: "a"}}},
	{"a fence that does not end", tree{{Text: "```\nx"}, {Text: "a"}}},
	{"a formula that does not end", tree{{Text: "$$\n- x"}, {Text: "a", Below: tree{{Text: "b"}}}}},
	{"an empty task among tasks", tree{{Text: "{{[[TODO]]}} "}, {Text: "{{[[TODO]]}} x"}}},
	{"an empty task without a blank", tree{{Text: "{{[[TODO]]}}"}, {Text: "{{[[DONE]]}} x"}}},
	{"tasks alone", tree{{Text: "{{[[TODO]]}} - x"}, {Text: "{{[[DONE]]}} *x*"}}},
	{"a mark that was typed", tree{{Text: "((referred1))<ref>x</ref> word"}, {Text: "<roam uid=\"x\"/>"}}},
	{"empty blocks between others", tree{{Text: ""}, {Text: "a"}, {Text: ""}}},
	{"the same text twice", tree{{Text: "a"}, {Text: "a", Below: tree{{Text: "a"}}}, {Text: "a"}}},
	{"a page that has a second line like an item", tree{{Text: "e\n- X"}}},
}

func TestNamedTreesAreWrittenBackAsTheyWere(t *testing.T) {
	var names []string
	var trees []tree
	add := func(name string, each tree) { names, trees = append(names, name), append(trees, each) }
	for _, each := range writtenBack {
		add(each.name, each.tree)
	}
	for _, sign := range []string{"- ", "* ", "+ ", "1. ", "- - ", "# ", "## ", "> ", "  ", "\t", "- [ ] ", "\\"} {
		for _, mark := range []string{"```", "~~~~"} {
			for heading := range 2 {
				add(fmt.Sprintf("%q before a fence of %s", sign, mark), tree{{Text: sign + mark + "\nx\n" + mark, Heading: 2 * heading}, {Text: "a", Below: tree{{Text: "b"}}}})
			}
		}
		add(fmt.Sprintf("%q before a formula", sign), tree{{Text: sign + aFormula}, {Text: "a"}})
	}
	for _, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			failed := 0
			for i, wrong := range firstLaw(t, profile, trees) {
				if wrong == "" {
					continue
				}
				if failed++; failed <= 10 {
					t.Errorf("%s: %s\n     %s", names[i], trees[i], wrong)
				}
			}
			if failed > 10 {
				t.Errorf("%d of %d trees fail", failed, len(trees))
			}
		})
	}
}

// The text of one block is stored as it is sent.
func TestTheTextOfABlockIsStoredAsSent(t *testing.T) {
	texts := []string{"- item two", "- a\n- b", "- - x", "* x", "+ x", "1. x", "# x", "[ ] x", "> x", "```\nx\n```", aFormula, "a\n\nb", "  x", "`<roam uid=\"x\"/>`", "`((referred1))<ref>x</ref>`", "\\- x", "| a |\n|---|"}
	several := creation{"roam", "update_blocks", true, func(w *world, n int, text string) ([]stored, error) {
		block := w.page(pageUID(n)).Children[0].UID
		if _, err := w.call("get_block", arguments{"uid": block}); err != nil {
			return nil, err
		}
		_, err := w.call("update_blocks", arguments{"updates": []arguments{{"uid": block, "string": text}}})
		return w.page(pageUID(n)).Children, err
	}}
	for _, way := range append(creations(), several) {
		if !way.exact {
			continue
		}
		t.Run(way.profile+" "+way.tool, func(t *testing.T) {
			for i, wrong := range createdOn(t, way, tree{{Text: "- item"}}, texts, func(text string, made []stored) string { return secondLaw(way, markdown{text: text}, made) }) {
				if wrong != "" {
					t.Errorf("%q: %s", texts[i], wrong)
				}
			}
		})
	}
}

// A mark that a person typed is in the text still when a word of it was changed, or the change is
// refused.
func TestATypedMarkIsNotLostSilently(t *testing.T) {
	for _, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			w := newWorld(t, profile, export([]tree{{{Text: "((referred1))<ref>x</ref> word"}, {Text: "a"}}}))
			page := w.page(pageUID(0))
			shown := map[string]func(stored) (map[string]string, error){"roam": w.shownByRoam, "outline": w.shownByOutline}[profile]
			var err error
			if shown == nil {
				note, readErr := w.note(page)
				if readErr != nil {
					t.Fatal(readErr)
				}
				err = w.writeNote(page, strings.Replace(note.content, "word", "verb", 1))
			} else {
				texts, readErr := shown(page)
				if readErr != nil {
					t.Fatal(readErr)
				}
				args := arguments{"uid": page.Children[0].UID, "string": strings.Replace(texts[page.Children[0].UID], "word", "verb", 1)}
				if profile == "outline" {
					args = arguments{"block_uuid": args["uid"], "content": args["string"]}
				}
				_, err = w.call("update_block", args)
			}
			want := "((referred1))<ref>x</ref> verb"
			if err != nil {
				want = "((referred1))<ref>x</ref> word"
			}
			if got := w.page(page.UID).Children[0]; got.Text != want || got.UID != page.Children[0].UID {
				t.Errorf("stored is %q, the answer %v", got.Text, err)
			}
		})
	}
}

// Two pages that differ are shown otherwise.
func TestASecondLineIsNotShownAsABlock(t *testing.T) {
	w := newWorld(t, "outline", export([]tree{{{Text: "e\n- X"}}, {{Text: "e", Below: tree{{Text: "X"}}}}}))
	var shown [2]struct{ Text string }
	for i := range shown {
		r, err := w.call("get_page_content", arguments{"page_name": pageUID(i)})
		if err != nil {
			t.Fatal(err)
		}
		r.Decode(t, &shown[i])
	}
	if shown[0].Text == shown[1].Text {
		t.Errorf("both are shown as %q", shown[0].Text)
	}
}

// What can't be shown as the text that it embeds is shown as it is written.
func TestPlainTextLacksNothing(t *testing.T) {
	w := newWorld(t, "roam", export([]tree{{{Text: "one {{[[embed]]: ((referred1))}}"}, {Text: "two {{embed-path: ((referred1))}}"}, {Text: "three ((missing01)) four"}}}))
	r, err := w.call("get_page", arguments{"uid": pageUID(0), "plain": true})
	if err != nil {
		t.Fatal(err)
	}
	if shown := r.Text(); strings.Count(shown, "A rule")+strings.Count(shown, "((referred1))") != 2 || !strings.Contains(shown, "((missing01))") {
		t.Errorf("shown is %q", shown)
	}
}

// The title in front matter is kept, or the note is refused.
func TestATitleInFrontMatterDoesNotVanish(t *testing.T) {
	w := newWorld(t, "wiki", export(nil))
	if _, err := w.call("create_note", arguments{"path": "New", "title": "A title", "content": "---\ntitle: Other name\n---\n\nword"}); err != nil {
		return
	}
	if texts := strings.Join(textsIn(w.page(w.PageUID("New")).Children), "\n"); !strings.Contains(texts, "Other name") {
		t.Errorf("stored is %q", texts)
	}
}

// Tags that are sent as one text are those that front matter would have.
func TestTagsInOneTextAreSeveral(t *testing.T) {
	for profile, call := range map[string]func(w *world, tags string) error{
		"graph": func(w *world, tags string) error {
			_, err := w.call("create_node", arguments{"title": "New", "content": "word", "tags": tags})
			return err
		},
		"notes": func(w *world, tags string) error {
			_, err := w.call("create_note", arguments{"title": "New", "content": "word", "labels": tags})
			return err
		},
		"wiki": func(w *world, tags string) error {
			_, err := w.call("create_note", arguments{"path": "New", "title": "New", "content": "word", "tags": tags})
			return err
		},
	} {
		for _, tags := range []string{"one, two", "#one #two", "[one, two]", `["one","two"]`} {
			t.Run(profile+" "+tags, func(t *testing.T) {
				w := newWorld(t, profile, export(nil))
				if err := call(w, tags); err != nil {
					t.Fatal(err)
				}
				if w.PageUID("one") == "" || w.PageUID("two") == "" {
					t.Errorf("stored is %q", textsIn(w.page(w.PageUID("New")).Children))
				}
			})
		}
	}
}

// A note in which one word of a block was replaced has the block still.
func TestABlockOfOneWordStaysWhenTheWordIsReplaced(t *testing.T) {
	for _, profile := range []string{"graph", "notes", "wiki"} {
		t.Run(profile, func(t *testing.T) {
			w := newWorld(t, profile, export([]tree{{{Text: "first"}, {Text: "open", Below: tree{{Text: "below"}}}, {Text: "last"}}}))
			page := w.page(pageUID(0))
			block := page.Children[1].UID
			w.Roam("data.block.update", map[string]any{"block": map[string]any{"uid": block, "text-align": "center", "open": false}})
			want := strings.Replace(w.page(page.UID).String(), `"open"`, `"done"`, 1)
			note, err := w.note(page)
			if err == nil {
				err = w.writeNote(page, strings.Replace(note.content, "open", "done", 1))
			}
			if got := w.page(page.UID).String(); err != nil || got != want {
				t.Errorf("%v: %s", err, firstDifference(got, want))
			}
		})
	}
}
