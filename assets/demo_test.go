package assets_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/assets"
)

// What the sample graph is there to show. An agent, a screenshot or a test may
// rest on each of these.
func TestTheSampleGraphShowsEachOfRoamsForms(t *testing.T) {
	demo := parse(t, assets.DemoGraph())
	for _, test := range []struct {
		form    string
		text    string // a pattern of the block's text
		atLeast int
	}{
		{"an open task", `^\{\{\[\[TODO\]\]\}\} `, 8},
		{"a task that is done", `^\{\{\[\[DONE\]\]\}\} `, 4},
		{"an attribute", `^(Author|Status):: `, 9},
		{"a table", `^\{\{\[\[table\]\]\}\}$`, 1},
		{"an embedded block", `^\{\{embed: \(\([^()]+\)\)\}\}$`, 1},
		{"a code block", "^```[a-z ]+\n", 2},
		{"an alias of a page", `\[[^\[\]]+\]\(\[\[`, 1},
		{"an alias of a block", `\[[^\[\]]+\]\(\(\(`, 3},
		{"a nested page name", `\[\[\[\[`, 3},
		{"a block reference", `\(\([^()]+\)\)`, 15},
		{"a quote", ` #quote$`, 6},
		{"a hidden block", ` #\.rm-private$`, 1},
		{"a note in the inbox", ` #inbox$`, 3},
		{"a template", ` #\[\[roam/templates\]\]$`, 2},
	} {
		t.Run(test.form, func(t *testing.T) {
			pattern := regexp.MustCompile(test.text)
			count := 0
			for _, b := range demo.blocks {
				if pattern.MatchString(b.String) {
					count++
				}
			}
			if count < test.atLeast {
				t.Errorf("%d blocks, want %d or more", count, test.atLeast)
			}
		})
	}
}

func TestTheSampleGraphShowsHeadingsAndViews(t *testing.T) {
	demo := parse(t, assets.DemoGraph())
	for form, is := range map[string]func(block) bool{
		"a second-level heading":  func(b block) bool { return b.Heading == 2 },
		"a third-level heading":   func(b block) bool { return b.Heading == 3 },
		"a numbered list":         func(b block) bool { return b.ViewType == ":numbered" && len(b.Children) > 1 },
		"a list shown as a text":  func(b block) bool { return b.ViewType == ":document" && len(b.Children) > 1 },
		"something below a quote": func(b block) bool { return strings.HasSuffix(b.String, "#quote") && len(b.Children) > 0 },
		"something below a hidden block": func(b block) bool {
			return strings.HasSuffix(b.String, "#.rm-private") && len(b.Children) > 0
		},
	} {
		if !slices.ContainsFunc(demo.blocks, is) {
			t.Errorf("the sample graph lacks %s", form)
		}
	}
}

// The tables of Roam are chains: a row's cells are nested in each other.
func TestEveryRowOfTheTableHasAsManyCellsAsItsHead(t *testing.T) {
	demo := parse(t, assets.DemoGraph())
	at := slices.IndexFunc(demo.blocks, func(b block) bool { return b.String == "{{[[table]]}}" })
	if at < 0 {
		t.Fatal("no table")
	}
	for _, row := range demo.blocks[at].Children {
		cells := 1
		for cell := row; len(cell.Children) > 0; cell = cell.Children[0] {
			if len(cell.Children) > 1 {
				t.Fatalf("cell %q has %d cells after it", cell.String, len(cell.Children))
			}
			cells++
		}
		if cells != 4 {
			t.Errorf("row %q has %d cells, want 4", row.String, cells)
		}
	}
}

// The welcome page asks an agent to find these; mending one would spoil it.
func TestTheSampleGraphKeepsItsContradictions(t *testing.T) {
	demo := parse(t, assets.DemoGraph())
	text := map[string]string{}
	for _, b := range demo.blocks {
		text[b.UID] = b.String
	}
	for _, test := range []struct{ about, uid, says, otherUID, otherSays string }{
		{"the oven's price", "ovenPrice", "£4,200", "meet-pric", "£4,600"},
		{"who has pledged", "oven-pled", "31 members", "nv18-pldg", "29 members"},
		{"feeding the starter", "star-rati", "2 parts water", "feed-rati", "3 parts water"},
		{"resting the starter", "star-days", "Ten days", "feed-rest", "a week"},
	} {
		t.Run(test.about, func(t *testing.T) {
			if !strings.Contains(text[test.uid], test.says) || !strings.Contains(text[test.otherUID], test.otherSays) {
				t.Errorf("%q and %q", text[test.uid], text[test.otherUID])
			}
		})
	}
}

func TestTheSampleGraphHasPagesThatNobodyLinksTo(t *testing.T) {
	demo := parse(t, assets.DemoGraph())
	linked := map[string]bool{}
	for _, b := range demo.blocks {
		for _, title := range pageReferences(b.String) {
			linked[title] = true
		}
	}
	for _, title := range []string{"Feeding Bosun", "Tide tables"} {
		if _, found := demo.page(title); !found || linked[title] {
			t.Errorf("page %q: there %v, linked %v; it is to be found by searching", title, found, linked[title])
		}
	}
}
