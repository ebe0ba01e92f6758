package localapi

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestALargeResultIsCutOutAsItCame(t *testing.T) {
	long := strings.Repeat(`{"a": [1, -2.5e+3, "\"\\\u00e9", true, false, null, {}, [] ]}, `, 1000)
	result := `[` + long + `"end"]`
	for name, tc := range map[string]struct{ body, want string }{
		"first":                        {`{"result": ` + result + `, "success":true,"apiVersion":"1.1.5"}`, result},
		"last":                         {"\n{\"success\":true,\"apiVersion\":\"1.1.5\",\"result\":" + result + "\n}\n", result},
		"twice, where the last counts": {`{"result":1,"success":true,"apiVersion":"1.1.5","result":` + result + `}`, result},
		"in another spelling":          {`{"success":true,"apiVersion":"1.1.5","Result":` + result + `}`, result},
		"with an escape in it":         {`{"success":true,"apiVersion":"1.1.5","r\u0065sult":` + result + `}`, result},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := decode("q", reply{status: 200, body: []byte(tc.body)}, APIVersion)
			if err != nil {
				t.Fatal(err)
			}
			if string(out.Result) != tc.want || out.APIVersion != "1.1.5" {
				t.Errorf("got %d bytes, version %q", len(out.Result), out.APIVersion)
			}
		})
	}
	whole := `{"success":true,"result":` + result + `}`
	for name, body := range map[string]string{
		"half":                    whole[:len(whole)/2],
		"more than one":           whole + "{}",
		"a comma too many":        strings.Replace(whole, `"end"]`, `"end",]`, 1),
		"a control character":     strings.Replace(whole, `end`, "e\x01nd", 1),
		"a wrong escape":          strings.Replace(whole, `end`, `e\xnd`, 1),
		"a number with a zero":    strings.Replace(whole, `"end"`, `01`, 1),
		"nested beyond the limit": `{"success":true,"result":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`,
	} {
		if _, err := decode("q", reply{status: 200, body: []byte(body)}, APIVersion); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{`{"result":[1,2.5e-3,"\u00e9\n"]}`, `{"result":{},"result":null}`, `{"result":-0}`, `{"a":"\\"}`, `{"result":01}`, `{"Result":1,"result":2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := scanner{text: []byte(text)}
		s.space()
		valid := s.value()
		s.space()
		if valid = valid && s.at == len(text); valid != json.Valid([]byte(text)) {
			t.Errorf("%q: valid is %v, encoding/json says otherwise", text, valid)
		}
		s = scanner{text: []byte(text)}
		start, end, ok := s.member("result")
		if !ok {
			return
		}
		var want struct {
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%q is not valid: %v", text, err)
		}
		if got := text[start:end]; got != string(want.Result) {
			t.Errorf("%q: got %q, want %q", text, got, want.Result)
		}
	})
}
