package rawjson

import (
	"bytes"
	"encoding/json"
	"testing"
)

// rebuilt returns the value that comes next, put together from all that is in it.
func rebuilt(c *Cursor) string {
	out, separator := "", ""
	switch c.Next() {
	case '{':
		for c.Open(); c.More(); separator = "," {
			key := c.Key()
			out += separator + string(Encode(key)) + ":" + rebuilt(c)
		}
		return "{" + out + "}"
	case '[':
		for c.Open(); c.More(); separator = "," {
			out += separator + rebuilt(c)
		}
		return "[" + out + "]"
	}
	return string(c.Value())
}

// FuzzCursor goes through any text, to its end, and finds in JSON what there is.
func FuzzCursor(f *testing.F) {
	for _, text := range []string{
		``, `null`, ` [ ] `, `[1,[],{"a":"}","b":[true,null]},"x\"]"]`, `{"a" : {"b":-1.5e3} , "":[[""]]}`, `[1`, `{"a"`, `{"a":`, `{a:1}`, `]`, `}{`, `[,]`, `[1 2]`, `"`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := NewCursor([]byte(text))
		got := rebuilt(c)
		if !json.Valid([]byte(text)) || bytes.ContainsAny([]byte(text), "\\\x7f\u2028\u2029") || !bytes.Equal(bytes.ToValidUTF8([]byte(text), nil), []byte(text)) {
			return // it has ended; escapes of keys may be written in another way
		}
		var want bytes.Buffer
		if err := json.Compact(&want, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got != want.String() || c.Next() != 0 {
			t.Errorf("%s is read as %s", text, got)
		}
	})
}
