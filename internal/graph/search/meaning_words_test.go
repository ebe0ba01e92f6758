package search

import "testing"

func TestWordsAreFolded(t *testing.T) {
	for text, want := range map[string][]string{
		"Baking, BAKED bread's end":  {"bake", "bake", "bread", "s", "end"},
		"Crème brûlée":               {"creme", "brule"},
		"[[Oven Fund]] #tag a_b 4,2": {"oven", "fund", "tag", "a", "b", "4", "2"},
		"東京都 and 京":                  {"東京", "京都", "and", "京"},
		"":                           {},
	} {
		var got []string
		for _, w := range appendWords(nil, text) {
			got = append(got, w.stem)
		}
		if len(got) != len(want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%q gives %q, want %q", text, got, want)
				break
			}
		}
	}
}
