package search

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
		if got := Stem(word); got != want {
			t.Errorf("the stem of %s is %s, want %s", word, got, want)
		}
	}
}
