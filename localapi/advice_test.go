package localapi

import "testing"

func TestASentenceBeginsWithACapitalInAnyScript(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"no room":                       "No room.",
		"änderung.json is empty.":       "Änderung.json is empty.",
		"änderung.log can't be opened.": "Änderung.log can't be opened.",
		"“a” is taken":                  "“a” is taken.",
	} {
		if got := Sentence(text); got != want {
			t.Errorf("Sentence(%q) is %q, want %q", text, got, want)
		}
	}
}
