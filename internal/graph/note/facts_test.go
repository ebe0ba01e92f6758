package note_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/testutil/graphtest"
)

func TestMentions(t *testing.T) {
	link := func(title string) note.Mention { return note.Mention{Kind: note.Link, Title: title} }
	for name, tc := range map[string]struct {
		text string
		want []note.Mention
	}{
		"tells a component's name from a link in it":  {"{{[[query]]: {and: [[A]] #b}}}", []note.Mention{{Kind: note.Component, Title: "query"}, link("A"), {Kind: note.Tag, Title: "b"}}},
		"tells a task's name from a link":             {"{{[[TODO]]}} ask [[TODO]]", []note.Mention{{Kind: note.Component, Title: "TODO"}, link("TODO")}},
		"takes a component without brackets for none": {"{{TODO}} x", nil},
		"takes more than a name for a link":           {"{{[[or]] [[b]]}}", []note.Mention{link("or"), link("b")}},
		"tells an attribute from a link":              {"Author:: [[Ann]]", []note.Mention{{Kind: note.Attribute, Title: "Author"}, link("Ann")}},
		"takes an alias's target for a link":          {"[she]([[Ann]]) and [that](((uid000001)))", []note.Mention{link("Ann"), {Kind: note.Block, UID: "uid000001"}}},
		"takes an embed's target for a link":          {"{{[[embed]]: [[Ann]]}}", []note.Mention{{Kind: note.Component, Title: "embed"}, link("Ann")}},
		"finds nested links one each":                 {"[[a [[b]]]]", []note.Mention{link("a [[b]]"), link("b")}},
		"finds both forms of tags":                    {"#a #[[b c]]", []note.Mention{{Kind: note.Tag, Title: "a"}, {Kind: note.Tag, Title: "b c"}}},
		"finds nothing in code":                       {"`[[a]] #b ((c))`", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := note.Mentions(tc.text); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestRead(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		nested bool
		want   note.Facts
	}{
		"finds what a text links to once":            {text: "[[A]] #b [[A]] ((u)) ((u))", want: note.Facts{Links: []string{"A", "b"}, Blocks: []string{"u"}, Inline: []string{"b"}}},
		"makes no link of components":                {text: "{{[[TODO]]}} to [[A]]", want: note.Facts{Links: []string{"A"}, Words: []string{"TODO"}}},
		"reads declared tags":                        {text: "tags:: #a #[[b c]], d,, [[F]], #A", want: note.Facts{Links: []string{"a", "b c", "F", "A"}, Words: []string{"tags"}, Declared: []string{"a", "b c", "d", "F"}, Reserved: true}},
		"takes a sentence for content":               {text: "Tags:: see #a and [[B]]", want: note.Facts{Links: []string{"a", "B"}, Words: []string{"Tags"}, Inline: []string{"a"}}},
		"reads no declared tags below another block": {text: "Tags:: #a", nested: true, want: note.Facts{Links: []string{"a"}, Words: []string{"Tags"}, Inline: []string{"a"}}},
		"knows a tag that hides":                     {text: "x #.rm-private", want: note.Facts{Links: []string{".rm-private"}, Hides: true}},
		"knows a link that hides":                    {text: "x [[.rm-hide]]", want: note.Facts{Links: []string{".rm-hide"}, Hides: true}},
		"takes other marks for no tags":              {text: "x #.rm-E", want: note.Facts{Links: []string{".rm-E"}}},
		"finds nothing in plain text":                {text: "a: b, c. (d)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := note.Read(tc.text, !tc.nested); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
}

func TestOnlyALineOfTagsDeclaresTags(t *testing.T) {
	for text, want := range map[string]bool{
		"Tags:: #a": true, "Tags::#a": true, "tags:: #a #[[b c]]": true, "Tags:: [[a b]], #c": true, "Tags:: two, three": true, "Tags:: later": true,
		"Tags:: #a, two": true, "Tags:: #[[a [[b]]]] #c/d": true, "Tags:: In-Progress, 2024": true, "Tags:: #a, , #b,": true,
		"Tags::": false, "Tags:: ,": false, "Tags:: see the other page about [[x]]": false, "Tags:: #a and more": false, "Tags:: two words": false,
		"Tags:: #a two": false, "Tags:: two #a": false, "Tags:: #a ((uid000001))": false, "Tags:: `a`": false, "Tags:: **a**": false, "Tags:: https://a.b": false,
		"Tags:: [x]([[a]])": false, "Tags:: {{[[TODO]]}}": false, "Tags:: #a.rest of it": false, "Tags:: #a; #b": false, "Tags:: #.rm-E": false, "Tags:: -": false,
		"Tags:: #a\nand a line below": false, "Tags:: \n#a": false, "Labels:: #a": false, "Tags: #a": false, "`Tags:: #a`": false,
	} {
		if got := note.DeclaresTags(text); got != want {
			t.Errorf("%q declares tags: %v", text, got)
		}
	}
}

func TestTagsInTheListsOfOtherPrograms(t *testing.T) {
	for list, want := range map[string]string{"a, b c,": "a|b c", "#a #[[b c]] ((u)) d e": "a|b c|d e", "": "", "x:: y, z": "x:: y|z", "[x, 'y z']": "x|y z", "[#x, #y]": "x|y", "[[a]] and [b]": "a|and [b]", `["a, b", c]`: "a, b|c", "[x": "[x", "[[a]], [[b, c]]": "a|b, c", "[[a, b]]": "a, b"} {
		if got := strings.Join(note.ListedTags(list), "|"); got != want {
			t.Errorf("%q has %q, not %q", list, got, want)
		}
	}
}

func TestAMillionMentionsAreReadInLinearTime(t *testing.T) {
	for _, part := range []string{"[[a]]", "#a ", "{{[[a]]}}", "{{[[a", "((u))", "Tags:: ", "a,", "#[[", "{{ "} {
		note.Read(strings.Repeat(part, 1<<18/len(part)), true)
		note.Read("Tags:: "+strings.Repeat(part, 1<<18/len(part)), true)
	}
	var b strings.Builder
	for i := range 1 << 14 {
		b.WriteString("[[" + graphtest.Title(i) + "]]{{[[" + graphtest.Title(i) + "]]}}")
	}
	note.Read(b.String(), true)
}

func FuzzRead(f *testing.F) {
	for _, text := range hard {
		f.Add(text)
		f.Add("Tags:: " + text + " #a, " + text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		facts := note.Read(text, true)
		all := map[string]bool{}
		for _, m := range note.Mentions(text) {
			all[m.Title+m.UID] = true
		}
		if len(facts.Links)+len(facts.Words) > 2*len(all) || facts.Reserved && facts.Inline != nil {
			t.Errorf("%q says %+v", text, facts)
		}
		line := note.TagsLine(append(facts.Declared, facts.Inline...), nil)
		again := note.Read(line, true)
		if line != "" && !again.Reserved || len(again.Declared) > len(facts.Declared)+len(facts.Inline) {
			t.Errorf("the tags of %q are written as %q", text, line)
		}
		if got := note.TagsLine(again.Declared, nil); got != line {
			t.Errorf("%q is written again as %q", line, got)
		}
	})
}

func TestKey(t *testing.T) {
	for tag, want := range map[string]string{
		"In Progress": "in-progress", "in_progress": "in-progress", "#[[In  -_Progress]]": "in-progress", " #tea": "tea", "[[tea]]": "tea",
		"Café": "café", "CAFE\u0301": "café", "STRASSE": "strasse", "Straße": "strasse", "#": "", "a/b": "a/b", "": "", "-x-": "-x-",
	} {
		if got := note.Key(tag); got != want {
			t.Errorf("the key of %q is %q, want %q", tag, got, want)
		}
	}
}

func TestTagsLine(t *testing.T) {
	known := func(key string) (string, bool) {
		return map[string]string{"in-progress": "In Progress"}[key], key == "in-progress"
	}
	for name, tc := range map[string]struct {
		tags []string
		want string
	}{
		"is empty without tags":                 {nil, ""},
		"is empty with empty tags":              {[]string{"", "#", " "}, ""},
		"brackets what needs it":                {[]string{"a", "b c", "#d", "[[e f]]"}, "Tags:: #a #[[b c]] #d #[[e f]]"},
		"has each once":                         {[]string{"a b", "A_b", "#a-B"}, "Tags:: #[[a b]]"},
		"has the title of a page that is there": {[]string{"in_progress"}, "Tags:: #[[In Progress]]"},
		"leaves out what no title can hold":     {[]string{"a]] b", "c\nd"}, "Tags:: #[[a b]] #[[c d]]"},
		"leaves out a tag of nothing else":      {[]string{"]]", "x"}, "Tags:: #x"},
		"leaves out what would hide the line":   {[]string{".rm-hide", "[[.rm-private]]", "x"}, "Tags:: #x"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := note.TagsLine(tc.tags, known); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTagsOf(t *testing.T) {
	db := graphtest.FromJSON(t, `[{"title":"P","uid":"p","children":[{"string":"about #b #Tea","uid":"x"},{"string":"Tags:: #[[in progress]], tea","uid":"y"},
		{"string":"secret #s #.rm-hide","uid":"z"},{"string":"more #.rm-E","uid":"w","children":[{"string":"Tags:: #In-Progress #c","uid":"v"}]}]},{"title":".rm-hide"}]`)
	got := note.TagsOf(byUID(t, db, "p"))
	if want := (note.Tags{Declared: []string{"in progress", "tea"}, Inline: []string{"b", "c"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if all := got.All(); !slices.Equal(all, []string{"in progress", "tea", "b", "c"}) {
		t.Errorf("all are %q", all)
	}
	if got := note.TagsOf(byUID(t, db, "w")); !slices.Equal(got.Declared, []string{"In-Progress", "c"}) {
		t.Errorf("of a block: %q", got)
	}
}

func TestKindOfTitle(t *testing.T) {
	for title, want := range map[string]note.Kind{
		"Apollo": note.Plain, "January 15th, 2024": note.Daily, "January 15, 2024": note.Plain, "roam/css": note.System, "roam": note.Plain,
		".rm-hide": note.System, ".rm-private": note.System, ".rm-E": note.Plain, "": note.Plain,
	} {
		if got := note.KindOfTitle(title); got != want {
			t.Errorf("%q is %s, want %s", title, got, want)
		}
	}
}

func TestSplitProperty(t *testing.T) {
	for text, want := range map[string][2]string{
		"Color:: blue ": {"Color", "blue"}, "Note type::checklist": {"Note type", "checklist"}, "Tags::": {"Tags", ""},
		"a: b": {}, "x `a::b`": {}, "[[A]]:: b": {}, "": {},
	} {
		if name, value, ok := note.SplitProperty(text); name != want[0] || value != want[1] || ok != (name != "") {
			t.Errorf("%q is %q, %q, %v", text, name, value, ok)
		}
	}
}

func TestLinks(t *testing.T) {
	db := demo(t)
	for uid, want := range map[string]string{
		"apollo001": "Saturn V, Ada, Grace", "saturnv01": "Ada, Grace", "ada000001": "Projects/Apollo, tea", "grace0001": "computing",
		"gloss0001": "Saturn V, Ada", "01-15-2024": "Projects/Apollo, Grace, meeting, Notes", "gemini001": "Projects/Apollo",
		"shop00001": "", "orphan001": "", "ap0000001": "Saturn V, Ada", "da0000002": "",
	} {
		var titles []string
		for _, ref := range note.Links(byUID(t, db, uid)) {
			if ref.UID == "" || ref.Empty != strings.HasPrefix(ref.UID, "stub") {
				t.Errorf("%s: %+v", uid, ref)
			}
			titles = append(titles, ref.Title)
		}
		if got := strings.Join(titles, ", "); got != want {
			t.Errorf("%s links to %q, want %q", uid, got, want)
		}
	}
}

func TestFromDB(t *testing.T) {
	db := demo(t)
	apollo := byUID(t, db, "apollo001")
	if apollo.CreatedAt() != 1705276800000 || apollo.UpdatedAt() != 1705330920000 || !apollo.Exists() || apollo.Shortcut != -1 {
		t.Errorf("got %+v", apollo)
	}
	if see := apollo.Children[3]; see.PageTitle != "Projects/Apollo" || see.PageUID != "apollo001" || len(see.Refs) != 1 ||
		see.Refs[0] != (note.Ref{UID: "sv0000001", Text: "The F-1 engine burns kerosene", PageUID: "saturnv01", PageTitle: "Saturn V"}) {
		t.Errorf("got %+v", see)
	}
	day := byUID(t, db, "01-15-2024")
	if !day.Children[1].Hidden || len(day.Visible().Children) != 2 || len(day.Children) != 3 {
		t.Errorf("got %+v", day)
	}
	for uid, exists := range map[string]bool{"stub00004": false, "da0000002": false, "da0000004": true} {
		if byUID(t, db, uid).Exists() != exists {
			t.Errorf("%s exists: %v", uid, !exists)
		}
	}
	if _, ok := note.FromDB(db, 0); ok {
		t.Error("nothing is a note")
	}
}

func TestHiddenBlocksCountForNothing(t *testing.T) {
	db := graphtest.FromJSON(t, `[{"title":"P","uid":"p","create-time":5,"edit-time":5,"children":[{"string":"seen ((hid))","uid":"a","edit-time":7,"create-time":6},
		{"string":"x #.rm-hide","uid":"b","edit-time":9,"create-time":9,"children":[{"string":"below [[Q]]","uid":"hid","edit-time":9,"create-time":9}]}]},
		{"title":"Only","uid":"o","children":[{"string":"y #.rm-private","uid":"c"}]},{"title":"R","uid":"r","children":[{"string":"((hid)) [[Only]]","uid":"d"}]},{"title":".rm-hide"},{"title":".rm-private"}]`)
	page := byUID(t, db, "p")
	if got := page.UpdatedAt(); got != 7 {
		t.Errorf("updated at %d", got)
	}
	if got := note.Content(page); got != "seen ((hid))" {
		t.Errorf("content %q", got)
	}
	if got := note.Links(byUID(t, db, "r")); len(got) != 1 || got[0].Title != "Only" || !got[0].Empty {
		t.Errorf("links %+v", got)
	}
	if byUID(t, db, "o").Exists() || !byUID(t, db, "hid").Hidden || byUID(t, db, "hid").Exists() {
		t.Error("a hidden block is a note")
	}
}

func TestTimes(t *testing.T) {
	blocks := []note.Node{{Created: 8, Edited: 3}, {Children: []note.Node{{Created: 4, Edited: 9}}}, {Created: 1, Edited: 20, Hidden: true}}
	for name, tc := range map[string]struct {
		node             note.Node
		created, updated int64
	}{
		"are those of a page":                     {note.Node{Title: "P", Created: 5, Edited: 11, Children: blocks}, 5, 11},
		"are those of the blocks of another page": {note.Node{Title: "P", Children: blocks}, 4, 9},
		"are unknown where none are":              {note.Node{Title: "P", Children: []note.Node{{}}}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if created, updated := tc.node.CreatedAt(), tc.node.UpdatedAt(); created != tc.created || updated != tc.updated {
				t.Errorf("created %d, updated %d", created, updated)
			}
		})
	}
}
