package rawjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A string is encoded as encoding/json does without the escapes for HTML.
func FuzzAppendString(f *testing.F) {
	for c := range rune(0x100) {
		f.Add(string(c))
	}
	for _, text := range []string{"", "<a & b>", "a \"b\"\\\n\xff\xe2\x80", "\u2027\u2028\u2029\u202a\ufffd", "買 🙂"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(text); err != nil {
			t.Fatal(err)
		}
		if got, want := string(AppendString([]byte("x"), text)), "x"+strings.TrimSuffix(b.String(), "\n"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// A string is decoded as encoding/json does.
func FuzzDecodeString(f *testing.F) {
	for _, literal := range []string{
		``, `"`, `""`, ` "a" `, `"a\"b\\\/\b\f\n\r\t"`, `"\u00e9\ud83d\ude42\ud83d"`, "\"\xff\xe2\x80\"", "\"a\nb\"", `"a"b"`, `"a\"`, `"\x"`, `null`, `7`, `["a"]`, "\"買 🙂\u2028\"",
	} {
		f.Add(literal)
	}
	f.Fuzz(func(t *testing.T, literal string) {
		var want *string
		is := json.Unmarshal([]byte(literal), &want) == nil && want != nil
		if got, ok := DecodeString([]byte(literal)); ok != is || ok && got != *want {
			t.Errorf("got %q, %v", got, ok)
		}
	})
}
