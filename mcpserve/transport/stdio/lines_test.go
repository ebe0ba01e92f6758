package stdio

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLineReader(t *testing.T) {
	t.Run("takes lines apart and drops one that is too long", func(t *testing.T) {
		lines := newLineReader(strings.NewReader("\xEF\xBB\xBFone\r\n\n  two \n"+strings.Repeat("x", 200)+"\nthree"), 100)
		for _, want := range []string{"one", "two", "", "three"} {
			got, err := lines.next()
			if string(got) != want || (want == "") != errors.Is(err, errLineTooLong) || want != "" && err != nil && !errors.Is(err, io.EOF) {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		}
		if _, err := lines.next(); !errors.Is(err, io.EOF) {
			t.Errorf("got %v at the end", err)
		}
	})
}

func TestOversizedID(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for name, tc := range map[string]struct{ line, id string }{
		"the id first":                {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"` + long + `"}}`, `7`},
		"the id last":                 {`{"method":"tools/call","params":{"x":"` + long + `"},"jsonrpc":"2.0","id":7}`, `7`},
		"the id last, spaced":         {`{"method": "tools/call", "params": {"x":"` + long + `"}, "id": "a b" } `, `"a b"`},
		"a text as id":                {`{"id":"x-1","method":"ping","params":"` + long + `"}`, `"x-1"`},
		"a mark before it":            {"\xEF\xBB\xBF" + `{"id":7,"method":"ping","params":"` + long + `"}`, `7`},
		"the id in the middle":        {`{"method":"ping","a":"` + long + `","id":7,"b":"` + long + `"}`, ""},
		"an id inside the params":     {`{"method":"ping","params":{"x":"` + long + `","id":7}}`, ""},
		"an id inside a text":         {`{"method":"ping","params":"` + long + `,\"id\":7"}`, ""},
		"an id that is a list":        {`{"method":"ping","params":"` + long + `","id":[7]}`, ""},
		"an id that is null":          {`{"id":null,"method":"ping","params":"` + long + `"}`, ""},
		"an answer":                   {`{"jsonrpc":"2.0","id":7,"result":"` + long + `"}`, ""},
		"a notification":              {`{"jsonrpc":"2.0","method":"ping","params":"` + long + `"}`, ""},
		"no object":                   {`["method","ping","id",7,"` + long + `"]`, ""},
		"no JSON":                     {long, ""},
		"only space":                  {strings.Repeat(" ", 200_000), ""},
		"a text that begins in space": {strings.Repeat(" ", 200_000) + `{"method":"ping","id":7}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, most := range []int{100, 100_000} { // found at the first read, and later
				lines := newLineReader(strings.NewReader(tc.line+"\nnext"), most)
				_, err := lines.next()
				if got := string(oversizedID(err)); !errors.Is(err, errLineTooLong) || got != tc.id {
					t.Errorf("got %s, %v", got, err)
				}
				if next, err := lines.next(); string(next) != "next" && !errors.Is(err, io.EOF) {
					t.Errorf("the line after is %q, %v", next, err)
				}
			}
		})
	}
	cut := newLineReader(strings.NewReader(`{"method":"ping","params":{"x":"`+long+`","id":7}`), 100)
	if _, err := cut.next(); string(oversizedID(err)) != "" {
		t.Errorf("a line that is cut off has the id %s", oversizedID(err))
	}
}
