package textsafe

import (
	"regexp"
	"testing"
)

// ownTag is what isOwnTag looks for.
var ownTag = regexp.MustCompile(`^<roam(?: [a-zA-Z]+="[^"<>\n]*")*/>(?:$|\n(?:[ \n]*$|\n* *- |\n?\(\d+ blocks are left out))`)

func FuzzIsOwnTag(f *testing.F) {
	for _, text := range []string{
		"<roam/>", "<roam uid=\"a b\" refs=\"2\"/>", "<roam uid=\"a\" />", "<roam  uid=\"a\"/>", "<roam uid=a/>", "<roam =\"a\"/>", "<roam u1=\"a\"/>", "<roam uid=\"a<\"/>", "<roam uid=\"", "<roam", "<roamer/>",
		"<roam/> ", "<roam/>\n", "<roam/>\n \n ", "<roam/>\n\n  - b", "<roam/>\n \n- b", "<roam/>\n-b", "<roam/>\n  b", "<roam/>\n(12 blocks are left out", "<roam/>\n\n(1 blocks are left out: more", "<roam/>\n\n\n(1 blocks are left out", "<roam/>\n( blocks are left out",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := isOwnTag(text); got != ownTag.MatchString(text) {
			t.Errorf("got %v of %q", got, text)
		}
	})
}
