package textsafe

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRedactReply(t *testing.T) {
	token, long := RoamTokenPrefix+strings.Repeat("S3cr3t", 5)[:29], strings.Repeat("ä", 20_000)
	for name, tc := range map[string]struct{ text, want string }{
		"a token":                     {"my " + token + " here", "my [token redacted] here"},
		"a ticket":                    {`{"ticket":"abcDEF_12-xy","title":"x"}`, `{"ticket":"[redacted]","title":"x"}`},
		"a ticket in a text in JSON":  {`{"text":"ticket\": \"abcDEF_12-xy\""}`, `{"text":"ticket\": \"[redacted]\""}`},
		"what is long":                {long, strings.Repeat("ä", 8<<10) + "\n… 23,616 bytes more"},
		"a token where the text ends": {strings.Repeat("x", 16<<10-10) + token + long, strings.Repeat("x", 16<<10-10) + "[token red\n… 40,042 bytes more"},
		"a few words about a ticket":  {"The ticket belongs to this graph.", "The ticket belongs to this graph."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := RedactReply(tc.text); got != tc.want {
				t.Errorf("got %q", got[max(len(got)-200, 0):])
			}
		})
	}
}

// zeros300K is the SHA-256 of 300 KiB of zeros.
const zeros300K = "7818f5542a0404157573be6cffc0e0c8e68ce3c0f5d17d07ccdd9313fb700baf"

func TestRedactArguments(t *testing.T) {
	token, http := RoamTokenPrefix+strings.Repeat("S3cr3t", 5)[:29], HTTPTokenPrefix+strings.Repeat("a1B2c", 9)[:43]
	for name, tc := range map[string]struct{ sent, want string }{
		"nothing":               {``, `{}`},
		"plain":                 {`{"title":"A page","depth":3,"flag":true,"none":null}`, `{"depth":3,"flag":true,"none":null,"title":"A page"}`},
		"a ticket":              {`{"ticket":"abc","title":"x"}`, `{"ticket":"[redacted]","title":"x"}`},
		"whatever its case":     {`{"Graph_Ticket":["abc"]}`, `{"Graph_Ticket":"[redacted]"}`},
		"deep down":             {`{"a":[{"accessToken":{"b":"abc"}}]}`, `{"a":[{"accessToken":"[redacted]"}]}`},
		"a token in a text":     {`{"title":"my ` + token + ` here"}`, `{"title":"my [token redacted] here"}`},
		"a token as a key":      {`{"` + token + `":1}`, `{"[token redacted]":"[redacted]"}`},
		"the endpoint's token":  {`{"title":"` + http + `"}`, `{"title":"[token redacted]"}`},
		"a bearer header":       {`{"title":"Authorization: Bearer abc.def-123/456+789="}`, `{"title":"Authorization: Bearer [token redacted]"}`},
		"bearer bonds":          {`{"title":"Bearer bonds"}`, `{"title":"Bearer bonds"}`},
		"the object as text":    {`"{\"ticket\":\"abc\"}"`, `{"ticket":"[redacted]"}`},
		"no JSON":               {`{"ticket":"abc`, `{"not shown":"14 bytes"}`},
		"a long text":           {`{"markdown":"` + strings.Repeat("x", 600) + `"}`, `{"markdown":"` + strings.Repeat("x", 500) + `…"}`},
		"far too long":          {`{"markdown":"` + strings.Repeat("x", 300<<10) + `"}`, `{"not shown":"307215 bytes"}`},
		"many items":            {`[` + strings.Repeat("1,", 24) + `1]`, `[` + strings.Repeat("1,", 20) + `"… 5 more"]`},
		"many long items":       {`[` + strings.Repeat(`"`+strings.Repeat("x", 600)+`",`, 19) + `1]`, `{"not shown":"11460 bytes"}`},
		"deeper than deep":      {strings.Repeat("[", 12) + strings.Repeat("]", 12), `[[[[[[[[["…"]]]]]]]]]`},
		"a file":                {`{"base64":"` + strings.Repeat("AAAA", 100<<10) + `","name":"a.png"}`, `{"base64":"307,200 bytes, SHA-256 ` + zeros300K + `","name":"a.png"}`},
		"a file as data URL":    {`{"images":["data:image/png;base64,` + strings.Repeat("AAAA", 100<<10) + `","https://a.b/c.png"]}`, `{"images":["307,200 bytes, SHA-256 ` + zeros300K + `","https://a.b/c.png"]}`},
		"a number that is long": {`{"n":123456789012345678901234567890}`, `{"n":123456789012345678901234567890}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := RedactArguments([]byte(tc.sent))
			if string(got) != tc.want || !json.Valid(got) {
				t.Errorf("got %.200s", got)
			}
		})
	}
}

func TestKeepArguments(t *testing.T) {
	token := RoamTokenPrefix + strings.Repeat("S3cr3t", 5)[:29]
	code := "```go\nfunc main() {\n\tprintln(\"two  spaces\")\n}\n```" + strings.Repeat("x", 600)
	sent, err := json.Marshal(map[string]any{"string": code, "uids": make([]int, 30)})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ sent, want string }{
		"as they were sent, white space and length too": {string(sent), string(sent)},
		"but for secrets":       {`{"ticket":"abc","title":"my ` + token + `\n here"}`, `{"ticket":"[redacted]","title":"my [token redacted]\n here"}`},
		"but for files":         {`{"base64":"` + strings.Repeat("AAAA", 100<<10) + `"}`, `{"base64":"307,200 bytes, SHA-256 ` + zeros300K + `"}`},
		"shortened if too long": {`{"markdown":"` + strings.Repeat("x", 70<<10) + `"}`, `{"markdown":"` + strings.Repeat("x", 500) + `…"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := KeepArguments([]byte(tc.sent)); string(got) != tc.want {
				t.Errorf("got %.200s", got)
			}
		})
	}
}
