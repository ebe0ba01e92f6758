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
		"02-29-2026": "", "99-99-2026": "", "constructor": "", "": "", "11/21/2026": "", "1-2-2026": "",
	} {
		got, err := ParseDay(in, now)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
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
