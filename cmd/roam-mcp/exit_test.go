package main

import "testing"

func TestASentenceBeginsWithACapitalInAnyScript(t *testing.T) {
	for text, want := range map[string]string{"": "", "no room": "No room.", "änderung.log can't be opened.": "Änderung.log can't be opened."} {
		if got := sentence(text); got != want {
			t.Errorf("sentence(%q) is %q, want %q", text, got, want)
		}
	}
}
