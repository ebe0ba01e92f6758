package datalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestTheCacheKeepsTheQueriesUsedLast(t *testing.T) {
	c := NewCache(2)
	text := func(i int) string { return fmt.Sprintf("[:find ?e :where [?e :a %d]]", i) }
	first, err := c.Parse(text(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{2, 1, 3} { // 2 is the one that was not used for longest
		if _, err := c.Parse(text(i)); err != nil {
			t.Fatal(err)
		}
	}
	if again, ok := c.Get(text(1)); !ok || again != first {
		t.Error("a query that was used lately is gone")
	}
	if _, ok := c.Get(text(2)); ok || len(c.byText) != 2 || c.used.Len() != 2 {
		t.Errorf("%d queries are kept", len(c.byText))
	}
	if _, err := c.Parse("[:find"); err == nil || len(c.byText) != 2 {
		t.Error("a text that is no query is kept")
	}
	if _, err := c.Parse(text(4) + strings.Repeat(" ", maxCachedText)); err != nil || len(c.byText) != 2 || c.byText[text(3)] == nil {
		t.Error("a text that is too long takes the place of another")
	}
}

func TestTextIsWrittenAsJSON(t *testing.T) {
	for _, s := range []string{"", "plain", `"quoted" \ slashed`, "tab\tline\nend\r\x00\x1f\x7f", "Ünïcode ✓ 𝄞", "\u2028\u2029", "<b>&amp;</b>", "broken \xff\xc3 text", "\xf0\x9d"} {
		var back string
		if err := json.Unmarshal(appendText(nil, s), &back); err != nil || back != strings.ToValidUTF8(s, "\uFFFD") && back != validEach(s) {
			t.Errorf("%q became %s, read back as %q (%v)", s, appendText(nil, s), back, err)
		}
	}
}

// validEach replaces every broken byte by itself, as encoding/json does.
func validEach(s string) string {
	var out strings.Builder
	for _, r := range s {
		out.WriteRune(r)
	}
	return out.String()
}
