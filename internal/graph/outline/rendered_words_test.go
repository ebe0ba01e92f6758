package outline

import "testing"

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                                       "plain",
		"See [[Ada]], [[a [[b]] c]] and #tag":         "See Ada, a b c and #tag",
		"#[[two words]] **bold __both__** ^^x^^":      "#two words bold both x",
		"{{[[TODO]]}} buy ~~tea~~":                    "[ ] buy tea",
		"{{DONE}} buy":                                "[x] buy",
		"Name:: [[x]]":                                "Name: x",
		"as ((abcdefghi))<ref>said [[Ada]]</ref> has": "as said Ada has",
		"nothing ((abcdefghi)) here":                  "nothing ((abcdefghi)) here",
		"a [label](https://x.test) and `[[code]]`":    "a label and `[[code]]`",
		"![](https://x.test/a.png)":                   "https://x.test/a.png",
		"https://x.test/a_b_c":                        "https://x.test/a_b_c",
		"{{[[query]]: {and: [[Water]]}}}":             "query: {and: Water}",
		"{{[[embed]]: ((abcdefghi))<ref>it</ref>}}":   "it",
		"{{[[embed]]: ((abcdefghi))}}":                "{{[[embed]]: ((abcdefghi))}}",
		"{{embed-path: ((abcdefghi))}}":               "{{embed-path: ((abcdefghi))}}",
		"{{embed-path: ((abcdefghi))<ref>it</ref>}}":  "it",
		"{{embed: [[Page]]}}":                         "Page",
		"{{embed: ((abcdefghi)) ((abcdefgh2))}}":      "((abcdefghi)) ((abcdefgh2))",
		"2 * 3 _ 4":                                   "2 * 3 _ 4",
	} {
		if got := Words(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPlainLine(t *testing.T) {
	for _, b := range RenderedBlocks(readPage) {
		if b.UID == "two" {
			if got, want := b.PlainLine(), "- two\n  in two lines\n"; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}
