package textsafe

import "testing"

func TestInvisibleCharacters(t *testing.T) {
	for text, want := range map[string][2]string{
		"a\u200bb": {"ab", `"a\u200bb"`}, "a\U000e0041b": {"ab", `"a\U000e0041b"`}, "a\u202eb": {"ab", `"a\u202eb"`}, "a\u00adb": {"ab", `"a\u00adb"`},
		"a\u3164b": {"ab", `"a\u3164b"`}, "a\u2800b": {"ab", `"a\u2800b"`}, "a\ufe0fb": {"ab", `"a\ufe0fb"`}, "a\u2028b\u2029c": {"a b c", `"a b c"`},
		"über 日本 \"x\"": {"über 日本 \"x\"", `"über 日本 \"x\""`},
	} {
		if line, quoted := Line(text, 80), Quote(text); line != want[0] || quoted != want[1] {
			t.Errorf("%+q: a line is %+q, quoted %s", text, line, quoted)
		}
	}
}
