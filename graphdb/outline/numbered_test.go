package outline

import (
	"reflect"
	"testing"
)

func TestFindNumberedLists(t *testing.T) {
	for name, tc := range map[string]struct {
		in, want string
		found    NumberedLists
	}{
		"a list at the top":            {"1. one\n2. two", "- one\n- two", NumberedLists{Blocks: 2, Topmost: 2, Top: true}},
		"with brackets, all of them 1": {"1) one\n1) two", "- one\n- two", NumberedLists{Blocks: 2, Topmost: 2, Top: true}},
		"below a bullet":               {"- Friday\n  1. bake\n     - dark\n  2. sell", "- Friday\n  - bake\n     - dark\n  - sell", NumberedLists{Blocks: 4, Topmost: 1, Holders: []int{0}, Children: []int{2}}},
		"below a heading, with code":   {"## Friday\n\n1. bake\n   ```\n   x\n     y\n   ```\n2. sell", "## Friday\n\n- bake\n  ```\n  x\n    y\n  ```\n- sell", NumberedLists{Blocks: 3, Topmost: 1, Holders: []int{0}, Children: []int{2}}},
		"lists in a list":              {"1. a\n   1. b\n   2. c\n2. d", "- a\n   - b\n   - c\n- d", NumberedLists{Blocks: 4, Topmost: 2, Top: true, Holders: []int{0}, Children: []int{2}}},
		"behind a table":               {"- t\n  | a | b |\n  |---|---|\n  | c | d |\n- s\n  1. x\n  2. y", "", NumberedLists{}},
		"mixed with a bullet":          {"1. one\n2. two\n- three", "1. one\n2. two\n- three", NumberedLists{Blocks: 3, Topmost: 3, Mixed: true}},
		"that goes on with another":    {"3. three\n4. four", "3. three\n4. four", NumberedLists{Blocks: 2, Topmost: 2, Mixed: true}},
		"one number alone":             {"1. Mai", "1. Mai", NumberedLists{Blocks: 1, Topmost: 1}},
		"a number in a bullet":         {"- 1. one\n- 2. two", "- 1. one\n- 2. two", NumberedLists{Blocks: 2, Topmost: 2}},
		"numbers in code":              {"```\n1. one\n2. two\n```", "```\n1. one\n2. two\n```", NumberedLists{Blocks: 1, Topmost: 1}},
		"nothing":                      {"", "", NumberedLists{}},
	} {
		t.Run(name, func(t *testing.T) {
			found := FindNumberedLists(tc.in)
			got := found.Bulleted(true)
			if n := blockCount(ParseMarkdown(got)); n != found.Blocks || n != blockCount(ParseMarkdown(tc.in)) {
				t.Errorf("the text makes %d blocks, with hyphens %d, counted %d", blockCount(ParseMarkdown(tc.in)), n, found.Blocks)
			}
			if tc.want == "" {
				return
			}
			found.lines, found.top, found.below, found.root = nil, nil, nil, nil
			if got != tc.want || !reflect.DeepEqual(found, tc.found) {
				t.Errorf("got %q, %+v", got, found)
			}
		})
	}
}

// One number alone is a list where that is wanted.
func TestNumberedLists_ofOne(t *testing.T) {
	for name, tc := range map[string]struct{ in, top, below string }{
		"one at the top":              {"1. one", "- one", "1. one"},
		"one at the top, with others": {"1. one\n   - a", "- one\n   - a", "1. one\n   - a"},
		"one below the first":         {"- steps\n  1. one", "- steps\n  1. one", "- steps\n  - one"},
		"one that counts on":          {"2. two", "2. two", "2. two"},
		"two blocks":                  {"1. one\n- two", "1. one\n- two", "1. one\n- two"},
		"nothing":                     {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := FindNumberedLists(tc.in).WithOneAtTop().Bulleted(true); got != tc.top {
				t.Errorf("at the top: %q", got)
			}
			if got := FindNumberedLists(tc.in).WithOneBelowTop().Bulleted(true); got != tc.below {
				t.Errorf("below the first: %q", got)
			}
		})
	}
}

func FuzzFindNumberedLists(f *testing.F) {
	f.Add("# a\n1. b\n\n   c\n2. ```\n   d\n   ```\n\t1) e\n\t2) f")
	f.Fuzz(func(t *testing.T, markdown string) {
		found := FindNumberedLists(markdown)
		if n := blockCount(ParseMarkdown(markdown)); n != found.Blocks {
			t.Errorf("counted %d blocks of %d", found.Blocks, n)
		}
		if n := blockCount(ParseMarkdown(found.Bulleted(true))); n != found.Blocks {
			t.Errorf("%d blocks with hyphens, %d with numbers: %q", n, found.Blocks, found.Bulleted(true))
		}
	})
}
