package kit

import (
	"testing"
)

func TestStableWidth(t *testing.T) {
	for text, want := range map[string]string{
		"plain text":             "plain text",
		"e\u0301":                "e\u0301",
		"\x1b[1m👩\u200d💻\x1b[m.": "\x1b[1m👩\x1b[m.",
		"🇩🇪 x":                   "DE x",
		"❤\ufe0f x":              "❤  x",
		"👍🏽":                     "👍",
		"\x1b]8;;http://x\x1b\\🇫🇷\x1b]8;;\x1b\\": "\x1b]8;;http://x\x1b\\FR\x1b]8;;\x1b\\",
	} {
		if got := StableWidth(text); got != want {
			t.Errorf("StableWidth(%q) = %q, want %q", text, got, want)
		}
	}
}
