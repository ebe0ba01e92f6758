package mdfolder

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// TestFoldersOfOtherPrograms reads folders as other programs export them. Pages that are
// not in want, other than attributes' names, are an error.
func TestFoldersOfOtherPrograms(t *testing.T) {
	const id = " 0123456789abcdef0123456789abcdef"
	for name, c := range map[string]struct{ files, want map[string]string }{
		"Obsidian": {
			files: map[string]string{
				"Home.md": "---\ntags:\n  - plan\n  - deep work\naliases: [Start, \"First, page\"]\nup: \"[[Plan]]\"\nnext: [[Plan]]\ncolor: '#ff0000'\n" +
					"created: 2024-01-02 # a day\ndone: true\nempty:\nmeta:\n  by: Ann\n  when: [1, 2]\nlong: >\n  one\n  two\n---\n" +
					"See [the plan](work/My%20Plan.md), [below](<work/My Plan.md#Costs> \"why\"), [My Plan](./work/My%20Plan.md), [x](https://x.org/Home.md) and [gone](Gone.md).\n\n" +
					"\\#notag, \\#also. and `\\#code` #real. done\n\n![](work/My%20Plan.md)\n",
				"work/My Plan.md": "- [home](../Home.md) [unique](Plan.md) [root](/Home.md)\n- [[Home#Top|back]]",
				"deep/er/Plan.md": "---\ntags: #a #b\n---\n~~~js\n- no block\n```\n~~~\n\nafter\n",
			},
			want: map[string]string{
				"Home": "- tags:: #[[plan]] #[[deep work]]\n- aliases::\n  - Start\n  - First, page\n- up:: [[Plan]]\n- next:: [[Plan]]\n- color:: `#ff0000`\n" +
					"- created:: 2024-01-02\n- done:: true\n- empty::\n- meta::\n  - by:: Ann\n  - when:: 1, 2\n- long:: one two\n" +
					"- See [the plan]([[My Plan]]), [below]([[My Plan]]), [[My Plan]], [x](https://x.org/Home.md) and [gone](Gone.md).\n" +
					"- `#notag`, `#also`. and `\\#code` #[[real]]. done\n- {{[[embed]]: [[My Plan]]}}",
				"My Plan": "- [home]([[Home]]) [unique]([[Plan]]) [root]([[Home]])\n- [back]([[Home]])",
				"Plan":    "- tags:: #[[a]] #[[b]]\n- ````js\n  - no block\n  ```\n  ````\n- after",
				"plan":    "", "deep work": "", "a": "", "b": "", "real": "", "embed": "",
			},
		},
		"Logseq": {
			files: map[string]string{
				"pages/proj___alpha.md":  "type:: project\nstatus:: open #now\n\n- first\n  - [[2026-03-17]]\n- see [[proj/alpha]]\n  id:: 65f0",
				"pages/refs.md":          "- told\n  id:: 65f0c1d2-0000-4000-8000-00000000000a\n  collapsed:: true\n  twice\n  - ((65f0c1d2-0000-4000-8000-00000000000a))\n- again\n  id:: 65f0c1d2-0000-4000-8000-00000000000a",
				"pages/New%3F.md":        "title:: What's new?\n\n- x",
				"pages/Why%3F.md":        "- TODO [#A] ask [[Mar 17th, 2026]]\n  project:: [[proj/alpha]]\n  due-on:: 3\n  - DONE said\n  - DOING it\n- TODO\n- a\n  std::map",
				"pages/Tagged.md":        "tags:: deep work, #now, [[x]]\nalias:: Other, [[y]]\n\n- tags:: one",
				"journals/2026_03_17.md": "- wrote ~~~ and [[proj/alpha]]\n- ~~~\n  x\n  ~~~",
			},
			want: map[string]string{
				"proj/alpha":       "- type:: project\n- status:: open #now\n- first\n  - [[March 17th, 2026]]\n- see [[proj/alpha]]\n  id:: 65f0",
				"March 17th, 2026": "- wrote ~~~ and [[proj/alpha]]\n- ```\n  x\n  ```",
				"now":              "", "deep work": "", "x": "", "y": "", "Other": "", "one": "", "TODO": "", "DONE": "", "A": "",
				"What's new?": "- title:: What's new?\n- x",
				"Why?":        "- {{[[TODO]]}} [#A] ask [[March 17th, 2026]]\n  - project:: [[proj/alpha]]\n  - due-on:: 3\n  - {{[[DONE]]}} said\n  - DOING it\n- TODO\n- a\n  std::map",
				"Tagged":      "- tags:: #[[deep work]] #[[now]] #[[x]]\n- alias:: [[Other]] [[y]]\n- tags:: #[[one]]",
				"refs":        "- told\n  twice\n  - ((65f0c1d2-0000-4000-8000-00000000000a))\n- again\n  id:: 65f0c1d2-0000-4000-8000-00000000000a",
			},
		},
		"Notion": {
			files: map[string]string{
				"Wiki" + id + ".md": "# Wiki\n\nOwner: Ann\n\n[Ways of working](Wiki%200123456789abcdef0123456789abcdef/Ways%20of%20working%20fedcba9876543210fedcba9876543210.md)\n",
				"Wiki" + id + "/Ways of working" + reversed(id) + ".md": "[up](../Wiki" + strings.ReplaceAll(id, " ", "%20") + ".md)",
			},
			want: map[string]string{
				"Wiki":            "- # Wiki\n  - Owner: Ann\n  - [[Ways of working]]",
				"Ways of working": "- [up]([[Wiki]])",
			},
		},
		"front matter that is none": {
			files: map[string]string{
				"List.md":   "---\n- a\n- b\n---\nx",
				"Broken.md": "---\na: [\n---\nx",
				"Alias.md":  "---\na: &x 1\n\nb: *x\n---\nx",
				"Text.md":   "---\nwords\n\n---\nx",
				"Large.md":  "---\na: " + strings.Repeat("x", 70_000) + "\n---\n",
				"Deep.md":   "---\na: " + strings.Repeat("[ ", 50) + strings.Repeat("]", 50) + "\n---\n",
				"Ours.md":   "---\nroam-title: \"Mine\"\na: [\n---\n\n- x <roam uid=\"u1\"/>\n",
				"More.md":   "---\nroam-title: \"More\"\nrating: 5\n---\n\n- x <roam uid=\"u2\"/>\n",
				"Empty.md":  "---\n---\nx",
				"a:: b.md":  "---\n\"[[x]]\": 1\n\"b::\": 2\n---\n",
			},
			want: map[string]string{
				"List": "- ---\n- a\n- b\n- ---\n- x", "Broken": "- ---\n- a: [\n- ---\n- x",
				"Alias": "- ---\n- a: &x 1\n- b: *x\n- ---\n- x", "Text": "- ---\n- words\n- ---\n- x",
				"Large": "- ---\n- a: " + strings.Repeat("x", 70_000) + "\n- ---",
				"Deep":  "- ---\n- a: " + strings.Repeat("[ ", 50) + strings.Repeat("]", 50) + "\n- ---",
				"Mine":  "- a: [\n- x", "More": "- rating:: 5\n- x", "Empty": "- x", "a:: b": "- [[x]]: 1\n- b::: 2", "x": "",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := fstest.MapFS{}
			for file, text := range c.files {
				folder[file] = &fstest.MapFile{Data: []byte(text)}
			}
			var out bytes.Buffer
			require.NoError(t, Read(t.Context(), folder, &out, Options{}))
			db := graphtest.FromJSON(t, out.String())
			for title, want := range c.want {
				if got := outlineOf(t, db, title); got != want {
					t.Errorf("page %q is\n%.2000s\nwant\n%.2000s", title, got, want)
				}
			}
			for _, title := range db.Entities(graphdb.NodeTitle) {
				if _, ok := c.want[title.Text()]; !ok && !strings.Contains(out.String(), `"string":"`+title.Text()+"::") {
					t.Errorf("there is a page %q", title.Text())
				}
			}
		})
	}
}

func TestABlockKeepsTheIDThatLogseqRefersTo(t *testing.T) {
	const id = "65f0c1d2-0000-4000-8000-00000000000a"
	folder := fstest.MapFS{"a.md": {Data: []byte("- told\n  collapsed:: true\n  id:: " + id + "\n  - below")}, "b.md": {Data: []byte("- see ((" + id + "))")}}
	var out bytes.Buffer
	require.NoError(t, Read(t.Context(), folder, &out, Options{}))
	db := graphtest.FromJSON(t, out.String())
	block := outline.ByUID(db, id)
	if told := outline.ReadBlock(db, block); told.String != "told" || !told.Collapsed || len(db.Reverse(graphdb.BlockRefs, block)) != 1 {
		t.Errorf("got %+v in %s", told, out.String())
	}
}

func reversed(text string) string {
	letters := []byte(strings.TrimSpace(text))
	slices.Reverse(letters)
	return " " + string(letters)
}

func FuzzFrontMatter(f *testing.F) {
	for _, seed := range []string{
		"a: 1\nb: [x, \"y, z\", [[P]]]\ntags: #a #b\n", "a:\n  b:\n    - c: d\n      e: |\n        f\n\n        g\n", "? x\n: y\n", "a: &a [*a]\n",
		"a: !!binary aGk=\n<<: {b: c}\n", "'k::': \"\\x00\\u2028\"\n", "{a: {b: [{}, [], ~]}}", "roam-uid: \"x\"\n...\n", "%YAML 1.2\n", "\t- a\n\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, matter string) {
		text := "---\n" + matter + "\n---\nbody\n"
		page, attributes, rest, err := cutFrontMatter(text)
		switch {
		case err != nil || page.Title != "":
			return
		case attributes == nil && rest == text:
			return // it stays as it was
		case !strings.HasSuffix(text, rest):
			t.Fatalf("%q leaves %q", text, rest)
		}
		checkAttributes(t, attributes, 0)
	})
}

// checkAttributes checks that an attribute's block is one for Roam, too.
func checkAttributes(t *testing.T, attributes []note.Property, depth int) {
	t.Helper()
	if depth > 20 {
		t.Fatalf("%d levels", depth)
	}
	for _, a := range attributes {
		text := a.Text()
		spans := roamtext.References(text)
		if a.Key != "" && strings.HasPrefix(text, a.Key+":: ") && (spans[0].Kind != roamtext.Attribute || spans[0].Content(text) != a.Key) {
			t.Errorf("%q is no attribute %q", text, a.Key)
		}
		if !strings.HasSuffix(text, a.Value) {
			t.Errorf("%q is not in %q", a.Value, text)
		}
		checkAttributes(t, a.Children, depth+1)
	}
}
