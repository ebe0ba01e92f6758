package rawjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// FuzzValid finds valid what json.Valid does, and nothing else.
func FuzzValid(f *testing.F) {
	for _, text := range []string{
		``, ` `, `null`, `nul`, `nulll`, ` true `, `false`, `fals`, `t`, `[]`, `[ ]`, `{ }`, `{}`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `[1}`, `{"a":1}`, ` { "a" : 1 , "b" : [ { } ] } `,
		`{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{1:1}`, `{"a":1 "b":2}`, `{"a":1`, `{"a"`, `{"a":`, `{`, `[`, `]`, `[1]]`, `1 1`, "[1]\x00", "\ufeff[]", "\v1",
		`""`, `"`, `"\`, `"\"`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\u+123"`, `"\u12_4"`, `"\uD834\udd1e\/\b\f\n\r\t\\\""`, "\"\n\"", "\"\x1f\"", "\"\x7f\xff\u00e9\"", `"a" `,
		`0`, `-0`, `-`, `01`, `-01`, `1.`, `.1`, `1.5`, `1.5e`, `1e+`, `1E-2`, `1e+05`, `0.0e0`, `+1`, `1a`, `0x1`, `- 1`, `1e5.5`, `NaN`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := Valid([]byte(text)); got != json.Valid([]byte(text)) {
			t.Errorf("%v of %q", got, text)
		}
	})
}

func TestNestingHasABound(t *testing.T) {
	for _, depth := range []int{maxDepth, maxDepth + 1} {
		for _, text := range []string{strings.Repeat("[", depth) + strings.Repeat("]", depth), strings.Repeat(`{"":`, depth) + "1" + strings.Repeat("}", depth)} {
			if got := Valid([]byte(text)); got != json.Valid([]byte(text)) || got != (depth == maxDepth) {
				t.Errorf("%v of %d levels of %.4s", got, depth, text)
			}
		}
	}
}

func BenchmarkValid(b *testing.B) {
	rows, blocks := []string{}, ""
	for i := range 1000 {
		rows = append(rows, fmt.Sprintf(`{"uid":"u%08d","page":["p",%d],"open":true,"order":null}`, i, i))
		blocks += fmt.Sprintf(`- A block of [[some]] length, with \"quotes\" in it <roam uid=\"u%08d\" refs=\"2\"/>\n`, i)
	}
	for name, text := range map[string]string{"rows": "[" + strings.Join(rows, ",") + "]", "text": `{"markdown":"` + blocks + `"}`} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !Valid([]byte(text)) {
					b.Fatal("it is not valid")
				}
			}
		})
		b.Run(name+", with encoding/json", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !json.Valid([]byte(text)) {
					b.Fatal("it is not valid")
				}
			}
		})
	}
}
