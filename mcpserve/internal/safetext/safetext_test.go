package safetext

import (
	"testing"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/transport/streamablehttp"
)

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

func TestHoldsToken(t *testing.T) {
	secret := localapi.TokenPrefix + "0123456789abcdef"
	for content, want := range map[string]bool{
		streamablehttp.TokenPrefix + "0123456789abcdef": true, "its tokens begin with " + streamablehttp.TokenPrefix: false,
		secret: true, "x" + secret + "y": true, "a text about roam-graph-local-token-… and roam-graph-local-token-short": false,
		"roam-graph-local-token- " + secret: true, "": false,
	} {
		if HoldsToken([]byte(content)) != want {
			t.Errorf("HoldsToken(%q) is %v", content, !want)
		}
	}
}
