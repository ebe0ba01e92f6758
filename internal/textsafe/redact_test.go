package textsafe

import "testing"

func TestHoldsToken(t *testing.T) {
	secret := RoamTokenPrefix + "0123456789abcdef"
	for content, want := range map[string]bool{
		HTTPTokenPrefix + "0123456789abcdef": true, "its tokens begin with " + HTTPTokenPrefix: false,
		secret: true, "x" + secret + "y": true, "a text about roam-graph-local-token-… and roam-graph-local-token-short": false,
		"roam-graph-local-token- " + secret: true, "": false,
	} {
		if HoldsToken([]byte(content)) != want {
			t.Errorf("HoldsToken(%q) is %v", content, !want)
		}
	}
}
