package mcpserve

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestPrepend(t *testing.T) {
	front := []member{{"graph", encode("Work")}, {"graphName", encode("w")}}
	for name, tc := range map[string]struct{ in, want string }{
		"keeps values byte for byte":          {`{"uid": "a",  "n": 1.50, "o": { "x" :[ ]}}`, `{"graph":"Work","graphName":"w","uid":"a","n":1.50,"o":{ "x" :[ ]}}`},
		"takes an empty object":               {` { } `, `{"graph":"Work","graphName":"w"}`},
		"drops a key of that name":            {`{"graph":"evil","a":{"graph":1}}`, `{"graph":"Work","graphName":"w","a":{"graph":1}}`},
		"drops an escaped key of that name":   {`{"gr\u0061ph":"evil","b":2}`, `{"graph":"Work","graphName":"w","b":2}`},
		"keeps the word in a value":           {`{"a":"\"graph\": {"}`, `{"graph":"Work","graphName":"w","a":"\"graph\": {"}`},
		"keeps the key inside another object": {`{"a":[{"graphName":1}]}`, `{"graph":"Work","graphName":"w","a":[{"graphName":1}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(prepend(json.RawMessage(tc.in), front)); got != tc.want {
				t.Errorf("got %s\nwant %s", got, tc.want)
			}
		})
	}
}

func FuzzPrepend(f *testing.F) {
	f.Add(`{"graph":"x","a":[1,{"b":"}\""}],"c":null}`)
	f.Add(`{"gr\u0061ph":1}`)
	f.Add(` { "a" : -1.5e3 , "b":true } `)
	f.Fuzz(func(t *testing.T, raw string) {
		var want map[string]any
		if json.Unmarshal([]byte(raw), &want) != nil || want == nil || strings.ContainsRune(raw, '\uFFFD') {
			return
		}
		want["graph"] = "Work"
		out := prepend(json.RawMessage(raw), []member{{"graph", encode("Work")}})
		var got map[string]any
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if n := strings.Count(string(out), `"graph":"Work"`); n < 1 {
			t.Errorf("the key is missing: %s", out)
		}
	})
}
