package datalog

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

// TestRegexMatchesAsJavaScriptDoes holds what Node answers to new RegExp(…).exec(…).
func TestRegexMatchesAsJavaScriptDoes(t *testing.T) {
	for _, c := range []struct{ source, text, want string }{
		{`a(?=b)`, "ac ab", `["a"]`},
		{`(?!x)\w+`, "xay", `["ay"]`},
		{`(?<=\[\[)[^\]]+(?=\]\])`, "see [[Plan]]", `["Plan"]`},
		{`(?<!a)b`, "ab b", `["b"]`},
		{`(\w)\1`, "hello", `["ll","l"]`},
		{`(?<y>\d{4})`, "in 2026", `["2026","2026"]`},
		{`\p{L}`, "é p{L}", `["p{L}"]`},
		{`(?u)\p{L}+`, "1é", `["é"]`},
		{`\s+`, "a\u00a0\u3000b", "[\"\u00a0\u3000\"]"},
		{`[\s,]+`, "a\ufeff,b", "[\"\ufeff,\"]"},
		{`\S+`, "\u2003ab", `["ab"]`},
		{`a.b`, "a\u2028b a\rb a-b", `["a-b"]`},
		{`(?s)a.b`, "a\nb", `["a\nb"]`},
		{`\u0041\x42`, "AB", `["AB"]`},
		{`[[:a]+`, "x[:a", `["[:a"]`},
		{`[\b]`, "a\bb", `["\b"]`},
		{`[^]`, "\n", `["\n"]`},
		{`\A\z`, "Az", `["Az"]`},
		{`x{,2}`, "x{,2}", `["x{,2}"]`},
		{`(?i)wORld`, "Hello World", `["World"]`},
		{`(?i)(tag|x)s?`, "no TAGS", `["TAGS","TAG"]`},
		{`(a)|b`, "b", `["b",null]`},
		{`(?i)k`, "\u212a", `null`},
		{`(?i)task`, "ta\u017f\u212a a TaSK", `["TaSK"]`},
		{`(?i)[a-z]+`, "\u017f\u212aKs", `["Ks"]`},
		{`(?i)[^k]`, "kK\u212a", `["\u212a"]`},
		{`(?i)[J-L]x`, "kX", `["kX"]`},
		{`(?i)[_a]`, "^A", `["A"]`},
		{`(?i)[Z-a]+`, "^zA_", `["^zA_"]`},
		{`(?i)\w`, "\u212a", `null`},
		{`(?i)\x6b`, "K", `["K"]`},
		{`(?i)ask(?=s)`, "no ASKS", `["ASK"]`},
		{`(?i)é`, "É", `["É"]`},
		{`(?<=x*)ab`, "ab", `["ab"]`},
		{`(?<=a{2})bc?(?!c)`, "abc aabd", `["b"]`},
		{`(?=a|b)c?`, "b", `[""]`},
		{`(?:(?=ab))?c`, "c", `["c"]`},
		{`é?a(?=b)`, "ab", `["a"]`},
		{`(a)b\1c`, "abac", `["abac","a"]`},
		{`日(?=本)`, "😀日本", `["日"]`},
		{`é+`, "caféé", `["éé"]`},
		{`nope`, "text", `null`},
	} {
		re, err := compileRegex(c.source)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		at, err := re.find(c.text)
		var found []any
		if at != nil {
			found = groups(c.text, at)
		}
		got, _ := json.Marshal(found)
		var same any
		_ = json.Unmarshal([]byte(c.want), &same)
		want, _ := json.Marshal(same)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s in %q: %s, %v; want %s", c.source, c.text, got, err, want)
		}
	}
}

func TestRegexSeqBeginsAnewAfterEachMatch(t *testing.T) {
	check(t, []asked{
		{"at the start", `[:find ?m . :where [(ground "aab") ?s] [(re-pattern "^a") ?re] [(re-seq ?re ?s) ?m]]`, nil, `["a","a"]`},
		{"empty matches", `[:find ?m . :where [(ground "ab") ?s] [(re-pattern "x*") ?re] [(re-seq ?re ?s) ?m]]`, nil, `["","",""]`},
	})
}

func TestRegexThatBacktracksIsStopped(t *testing.T) {
	re, err := compileRegex(`(?=a)(a|aa)+$`)
	require.NoError(t, err)
	start := time.Now()
	if _, err := re.find(strings.Repeat("a", 40) + "!"); err == nil {
		t.Error("it ended")
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}
