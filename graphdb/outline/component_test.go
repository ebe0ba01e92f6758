package outline

import (
	"slices"
	"testing"

	"roam-mcp/graphdb"
)

func TestAComponentIsFoundInAText(t *testing.T) {
	for name, test := range map[string]struct {
		text, want string
		found      bool
	}{
		"with a link as its name":   {"{{[[query]]: {and: [[A]]}}}", "{and: [[A]]}", true},
		"with a plain name":         {"{{query: {and: [[A]]}}}", "{and: [[A]]}", true},
		"with spaces and text":      {"see {{ [[Query]] : {not: {or: [[A]] [[B]]}} }} there", "{not: {or: [[A]] [[B]]}}", true},
		"behind another one":        {"{{[[TODO]]}} {{embed: ((a))}} {{query: x}}", "x", true},
		"empty":                     {"{{query:}}", "", true},
		"not another one":           {"{{[[table]]}} {{queries: x}}", "", false},
		"not in code":               {"`{{query: x}}`", "", false},
		"not without its end":       {"{{query: {and: [[A]]}}", "", false},
		"not with too little of it": {"{{query: x}", "", false},
		"not in nothing":            {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, found := Component(test.text, "query"); got != test.want || found != test.found {
				t.Errorf("got %q, %v; want %q, %v", got, found, test.want, test.found)
			}
		})
	}
}

func TestSyntaxIsBlankedOut(t *testing.T) {
	for text, want := range map[string]string{
		"plain text":                  "plain text",
		"a [[b]] c":                   "a _____ c",
		"#tag, #[[a b]] ((u-1)) c":    "____, ________ _______ c",
		"a:: b":                       "___ b",
		"[x]([[p]]) y":                "__________ y",
		"`code` {{c: x}} y":           "______ ________ y",
		"see https://example.org/a b": "see _____________________ b",
		"[x](https://a.b) y":          "________________ y",
	} {
		got := []byte(BlankSyntax(text))
		for i, c := range got {
			if c == '\n' {
				got[i] = '_'
			}
		}
		if string(got) != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := BlankAddresses("a https://b.c d"); got != "a             d" {
		t.Errorf("got %q", got)
	}
}

func TestAllHiddenIsWhatHiddenIsTrueOf(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "a|seen\n  b|kept #.rm-hide\n    c|below\n  d|also #[[.rm-private]]\ne|((b)) seen")
	n.page("About #.rm-hide", "f|on a page whose title says so")
	var all []string
	for e := range AllHidden(n.DB()) {
		all = append(all, n.DB().String(e, graphdb.BlockUID))
	}
	slices.Sort(all)
	var each []string
	for e := range n.DB().Entities(graphdb.BlockString) {
		if Hidden(n.DB(), e) {
			each = append(each, n.DB().String(e, graphdb.BlockUID))
		}
	}
	slices.Sort(each)
	if !slices.Equal(all, each) || !slices.Equal(all, []string{"b", "c", "d"}) {
		t.Errorf("all are %v, one by one %v", all, each)
	}
}
