package datalog

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

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
		{`\bé\b`, "é", `null`},
		{`\bcaf\b`, "café", `["caf"]`},
		{`\B-\B`, "a- - b", `["-"]`},
		{`a$`, "a\n", `null`},
		{`[[:a:]]`, "a]", `["a]"]`},
		{`[a-c-[b]]`, "b]", `["b]"]`},
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
		{`(?i)σ`, "ς", `["ς"]`},
		{`(?i)ΟΔΌΣ`, "στην οδός", `["οδός"]`},
		{`(?i)å`, "\u212b Å", `["Å"]`},
		{`(?i)\u00e9`, "É", `["É"]`},
		{`(?i)i`, "\u0130\u0131", `null`},
		{`(?<=x*)ab`, "ab", `["ab"]`},
		{`(?<=a{2})bc?(?!c)`, "abc aabd", `["b"]`},
		{`(?=a|b)c?`, "b", `[""]`},
		{`(?:(?=ab))?c`, "c", `["c"]`},
		{`é?a(?=b)`, "ab", `["a"]`},
		{`(a)b\1c`, "abac", `["abac","a"]`},
		{`日(?=本)`, "😀日本", `["日"]`},
		{`é+`, "caféé", `["éé"]`},
		{`nope`, "text", `null`},
		{`bc|abcd|a`, "xabcd", `["abcd"]`},
		{`a|ab|b`, "ab", `["a"]`},
		{`colou?r`, "no colr, color", `["color"]`},
		{`colou??r`, "colour", `["colour"]`},
		{`x[ab][cd]|y(z)?`, "xad y", `["xad",null]`},
		{`(?i)one|t[wo]o`, "TWO", `["TWO"]`},
		{`(?<=\[)a.*(?=\])`, "a [b] [ac] d]", `["ac] d"]`},
		{`(?<=(a))b(?=(c))`, "abc", `["b","a","c"]`},
		{`(?<=[xy])(\w)+?(?=(z)|w)`, "yaaz", `["aa","a","z"]`},
		{`(?<=a)`, "ba", `[""]`},
		{`a(?=b)|c`, "ac", `["c"]`},
		{`a|b(?=c)`, "b bc", `["b"]`},
		{`\(?=b`, "=b", `["=b"]`},
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

// TestMatchesBeginWithLiterals looks for the literal starts of expressions in what they
// match. The expressions are generated, and so are the texts.
func TestMatchesBeginWithLiterals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	var expression func(depth int) string
	expression = func(depth int) string {
		text := ""
		for range 1 + rng.IntN(3) {
			atom := []string{"a", "b", "K", "é", "ab", "[aB]", "[^a]", ".", "^", "$", `\b`, "[a-f]"}[rng.IntN(12)]
			if depth < 3 && rng.IntN(3) == 0 {
				atom = []string{"(", "(?:"}[rng.IntN(2)] + expression(depth+1) + []string{"", "", "|" + expression(depth+1)}[rng.IntN(3)] + ")"
			}
			text += atom + []string{"", "", "", "", "?", "??", "*", "+", "{2}", "{0,1}"}[rng.IntN(10)]
		}
		return text + []string{"", "", "", "|b"}[rng.IntN(4)]
	}
	matches, left, whole := 0, 0, 0
	for range 2000 {
		source := []string{"", "(?i)"}[rng.IntN(2)] + []string{"", "(?<=a)"}[rng.IntN(2)] + expression(0) + []string{"", "(?=[bc])"}[rng.IntN(2)]
		if rng.IntN(3) == 0 { // literals alone
			source = []string{"", "(?i)"}[rng.IntN(2)] + []string{"ab|a", "a|ab", "K|b", "aB|bA|k", "é|a", "bb", "ba|é"}[rng.IntN(7)]
		}
		re, err := compileRegex(source)
		if err != nil {
			continue
		}
		for range 10 {
			chars := make([]rune, rng.IntN(7))
			for i := range chars {
				chars[i] = []rune("aabBAkKé ")[rng.IntN(9)]
			}
			text := string(chars)
			want, _ := re.find(text)
			if len(re.starts) == 0 {
				continue
			}
			from, to := re.start(text)
			switch {
			case want != nil && from < 0:
				t.Fatalf("%s in %q: %v, and none of %q begins it", source, text, want, re.starts)
			case re.whole && from >= 0 && !slices.Equal(want, []int{from, to}):
				t.Fatalf("%s in %q: %v, and it begins at %d and ends at %d", source, text, want, from, to)
			case want != nil:
				matches++
			case from < 0:
				left++
			}
			if re.whole {
				whole++
			}
		}
	}
	if matches < 500 || left < 100 || whole < 500 {
		t.Errorf("%d matches, %d texts left out by literals, %d decided by them", matches, left, whole)
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
	if _, err := re.find(strings.Repeat("a", 40) + "!"); err == nil {
		t.Error("it ended")
	}
}
