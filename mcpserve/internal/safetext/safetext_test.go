package safetext

import (
	"testing"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/transport/streamablehttp/bearer"
)

func TestHoldsToken(t *testing.T) {
	secret := localapi.TokenPrefix + "0123456789abcdef"
	for content, want := range map[string]bool{
		bearer.Prefix + "0123456789abcdef": true, "its tokens begin with " + bearer.Prefix: false,
		secret: true, "x" + secret + "y": true, "a text about roam-graph-local-token-… and roam-graph-local-token-short": false,
		"roam-graph-local-token- " + secret: true, "": false,
	} {
		if HoldsToken([]byte(content)) != want {
			t.Errorf("HoldsToken(%q) is %v", content, !want)
		}
	}
}
