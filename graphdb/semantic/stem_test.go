package semantic

import "testing"

// Most of the forms are from Porter's own description of his algorithm.
func TestFormsOfAWordHaveOneStem(t *testing.T) {
	for word, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "ties": "ti", "caress": "caress", "cats": "cat", "feed": "feed", "agreed": "agre",
		"plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing", "conflated": "conflat", "troubled": "troubl",
		"sized": "size", "hopping": "hop", "tanned": "tan", "falling": "fall", "hissing": "hiss", "fizzed": "fizz",
		"failing": "fail", "filing": "file", "happy": "happi", "sky": "sky", "relational": "relat", "conditional": "condit",
		"rational": "ration", "digitizer": "digit", "operator": "oper", "feudalism": "feudal", "hopefulness": "hope",
		"formaliti": "formal", "triplicate": "triplic", "formative": "form", "electrical": "electr", "goodness": "good",
		"revival": "reviv", "allowance": "allow", "airliner": "airlin", "adjustable": "adjust", "replacement": "replac",
		"adoption": "adopt", "activate": "activ", "probate": "probat", "rate": "rate", "cease": "ceas", "controll": "control",
		"roll": "roll", "is": "is", "naïve": "naïve", "x2": "x2", "yes": "ye", "baking": "bake", "bakes": "bake", "baker": "baker",
	} {
		if got := stem(word); got != want {
			t.Errorf("the stem of %s is %s, want %s", word, got, want)
		}
	}
}

func TestWordsAreFolded(t *testing.T) {
	for text, want := range map[string][]string{
		"Baking, BAKED bread's end":  {"bake", "bake", "bread", "s", "end"},
		"Crème brûlée":               {"creme", "brule"},
		"[[Oven Fund]] #tag a_b 4,2": {"oven", "fund", "tag", "a", "b", "4", "2"},
		"東京都 and 京":                  {"東京", "京都", "and", "京"},
		"":                           {},
	} {
		var got []string
		for _, w := range words(text) {
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
