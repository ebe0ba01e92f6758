package surface

import (
	"strings"
	"testing"
)

func TestFitProse(t *testing.T) {
	listed := func(entries ...string) Reply {
		render := func(kept int) string {
			text := strings.Join(entries[:kept], "\n")
			if kept < len(entries) {
				text += "\ngo on"
			}
			return text
		}
		return Reply{Text: render(len(entries)), Parts: len(entries), Shorter: render}
	}
	entry := strings.Repeat("word ", 20)
	for name, tc := range map[string]struct {
		reply Reply
		reads bool
		max   int
		want  func(text string) bool
	}{
		"leaves alone what fits": {listed("a", "b"), true, 100, func(text string) bool { return text == "a\nb" }},
		"keeps whole parts":      {listed(entry, entry, entry, entry), true, 60, func(text string) bool { return text == entry+"\n"+entry+"\ngo on" }},
		"cuts a first part that is too long": {listed(entry+entry+entry+entry, entry), true, 60, func(text string) bool {
			return strings.HasSuffix(text, "... [truncated]\n\nThe rest is left out: Ask for less at once.") && strings.HasPrefix(text, entry)
		}},
		"does not ask for less after a write": {Reply{Text: strings.Repeat(entry, 9)}, false, 60, func(text string) bool {
			return strings.HasSuffix(text, "... [truncated]\n\nThe rest of this answer is left out.")
		}},
		"cuts between characters, not in bytes": {Reply{Text: strings.Repeat("漢字", 400)}, true, 60, func(text string) bool { return strings.HasPrefix(text, "漢字") && !strings.Contains(text, "\uFFFD") }},
	} {
		t.Run(name, func(t *testing.T) {
			tool := &Tool{Effects: Effects{ReadOnly: tc.reads}}
			if text := FitProse(tc.reply, Frame{Tool: tool, Max: tc.max}); !tc.want(text) || !Fits(text, tc.max) {
				t.Errorf("got %q", text)
			}
		})
	}
}
