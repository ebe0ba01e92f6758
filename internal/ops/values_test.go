package ops

import (
	"testing"
	"time"
)

func TestParseDay(t *testing.T) {
	zone := time.FixedZone("east", 13*3600)
	now := time.Date(2026, time.March, 1, 0, 30, 0, 0, zone)
	for in, want := range map[string]string{
		"today": "03-01-2026", " Yesterday ": "02-28-2026", "TOMORROW": "03-02-2026",
		"11-21-2026": "11-21-2026", "2026-11-21": "11-21-2026", "02-29-2024": "02-29-2024",
		"November 2nd, 2026": "11-02-2026", " november 21st, 2026": "11-21-2026", "March 13, 2026": "03-13-2026", "February 29th, 2026": "", "November 2nd": "",
		"02-29-2026": "", "99-99-2026": "", "constructor": "", "": "", "11/21/2026": "", "1-2-2026": "",
	} {
		got, err := ParseDay(in, now)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestDayTitle(t *testing.T) {
	for day, want := range map[string]string{
		"03-01-2026": "March 1st, 2026", "03-02-2026": "March 2nd, 2026", "03-03-2026": "March 3rd, 2026", "03-04-2026": "March 4th, 2026",
		"03-11-2026": "March 11th, 2026", "03-12-2026": "March 12th, 2026", "03-13-2026": "March 13th, 2026", "03-22-2026": "March 22nd, 2026", "03-30-2026": "March 30th, 2026",
	} {
		if got := DayTitle(day); got != want {
			t.Errorf("%s is %q, want %q", day, got, want)
		}
		if back, err := ParseDay(want, time.Time{}); back != day || err != nil {
			t.Errorf("%s is %q, %v", want, back, err)
		}
	}
}

func TestFindsTuple(t *testing.T) {
	for query, want := range map[string]bool{
		`[:find ?a ?b :where [?a :x ?b]]`:               false,
		`[:find [?a ...] :where [?a :x]]`:               false,
		`[:find [ ?a ?b ] :where [?a :x ?b]]`:           true,
		`[:find [(pull ?a [:x]) ?b] :where [?a :x ?b]]`: true,
		`[:find [(pull ?a [:x]) ...] :where [?a :x]]`:   false,
		`[:find ?a . :where [?a :x]]`:                   false,
		`[:find (pull ?a [:x :y]) :where [?a :x]]`:      false,
		"  [:find\n  [?a ?b]\n :where [?a :x ?b]]":      true,
		`{:find [?a ?b] :where [[?a :x ?b]]}`:           false,
		`{:find [[?a ?b]] :where [[?a :x ?b]]}`:         true,
		`{:find [[?a ...]] :where [[?a :x]]}`:           false,
		`[:find`:                                        false,
		`nonsense`:                                      false,
	} {
		if got := findsTuple(query); got != want {
			t.Errorf("%s: %v", query, got)
		}
	}
}

func TestFileAddress(t *testing.T) {
	for markup, want := range map[string]string{
		"![](https://x.test/a.png)": "https://x.test/a.png", "![alt (b)](https://x.test/a_(1).png)": "https://x.test/a_(1).png",
		"{{[[pdf]]: https://x.test/a.pdf}}": "https://x.test/a.pdf", "{{audio: https://x.test/a}}": "https://x.test/a",
		" https://x.test/a ": "https://x.test/a", "![x": "![x", "{{x}}": "{{x}}", "": "",
	} {
		if got := bareAddress(markup); got != want {
			t.Errorf("%q: %q", markup, got)
		}
	}
}

func TestTextEdit(t *testing.T) {
	for name, tc := range map[string]struct {
		edit       TextEdit
		text, want string
	}{
		"a word":                             {TextEdit{Find: "flower", Replace: "flour"}, "ten of flower", "ten of flour"},
		"a text that a read shows":           {TextEdit{Find: "((a1))<ref>x</ref> now", Replace: "((a1)) then"}, "see ((a1)) now", "see ((a1)) then"},
		"each of several, over lines":        {TextEdit{Find: "a\nb", Replace: "c", All: true}, "a\nb a\nb", "c c"},
		"a mark of another form":             {TextEdit{Todo: "done"}, "{{TODO}} bake", "{{[[DONE]]}} bake"},
		"a mark that is taken off":           {TextEdit{Todo: "none"}, "{{[[DONE]]}} bake", "bake"},
		"a mark behind something":            {TextEdit{Todo: "done"}, "> {{[[TODO]]}} bake", "> {{[[DONE]]}} bake"},
		"a mark that is code":                {TextEdit{Todo: "todo"}, "type `{{[[TODO]]}}`", "{{[[TODO]]}} type `{{[[TODO]]}}`"},
		"a word of a task, which is done":    {TextEdit{Find: "rye", Replace: "oats", Todo: "done"}, "{{[[TODO]]}} rye", "{{[[DONE]]}} oats"},
		"a text that is there twice":         {TextEdit{Find: "a", Replace: "b"}, "a a", ""},
		"a text that is not there":           {TextEdit{Find: "x", Replace: "b"}, "a a", ""},
		"a tag alone, which is nowhere text": {TextEdit{Find: "<roam uid=\"a\"/>", Replace: "b"}, "a a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _, err := tc.edit.apply("u", tc.text); got != tc.want || (err != nil) != (tc.want == "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"short":      `- short <roam uid="u"/>`,
		"äöü and on": `- äöü an <roam uid="u" truncated="4"/>`,
		"a\nb":       `- a <roam uid="u" truncated="2"/>`,
		"":           `-  <roam uid="u"/>`,
	} {
		if got := line("u", text, 6); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}
