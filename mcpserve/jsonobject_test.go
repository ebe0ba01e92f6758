package mcpserve

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestSplicingKeepsTheReplyByteForByte(t *testing.T) {
	front := []member{{"graph", encode("Work")}, {"graphName", encode("w")}}
	for name, tc := range map[string]struct{ in, want string }{
		"an object":           {`{"uid": "a",  "n": 1.50}`, `{"graph":"Work","graphName":"w","uid": "a",  "n": 1.50}`},
		"an empty object":     {` { } `, `{"graph":"Work","graphName":"w"}`},
		"a key of that name":  {`{"graph":"evil","a":{"graph":1}}`, `{"graph":"Work","graphName":"w","a":{"graph":1}}`},
		"an escaped key":      {`{"gr\u0061ph":"evil","b":2}`, `{"graph":"Work","graphName":"w","b":2}`},
		"the word in a value": {`{"a":"\"graph\": {"}`, `{"graph":"Work","graphName":"w","a":"\"graph\": {"}`},
		"the key deep inside": {`{"a":[{"graphName":1}]}`, `{"graph":"Work","graphName":"w","a":[{"graphName":1}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(splice(json.RawMessage(tc.in), front).whole()); got != tc.want {
				t.Errorf("got %s\nwant %s", got, tc.want)
			}
		})
	}
}

func FuzzSplice(f *testing.F) {
	f.Add(`{"graph":"x","a":[1,{"b":"}\""}],"c":null}`)
	f.Add(`{"gr\u0061ph":1}`)
	f.Add(` { "a" : -1.5e3 , "b":true } `)
	f.Fuzz(func(t *testing.T, raw string) {
		var want map[string]any
		if json.Unmarshal([]byte(raw), &want) != nil || want == nil || strings.ContainsRune(raw, '\uFFFD') {
			return
		}
		want["graph"] = "Work"
		out := splice(json.RawMessage(raw), []member{{"graph", encode("Work")}}).whole()
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

func FuzzElements(f *testing.F) {
	f.Add(`[1, "a]", {"b":[2]}, []]`)
	f.Fuzz(func(t *testing.T, raw string) {
		var want []json.RawMessage
		if json.Unmarshal([]byte(raw), &want) != nil || want == nil {
			return
		}
		got := elements([]byte(raw))
		if len(got) != len(want) {
			t.Fatalf("%d elements, want %d", len(got), len(want))
		}
		for i := range got {
			if string(got[i]) != strings.TrimSpace(string(want[i])) {
				t.Errorf("element %d is %s, want %s", i, got[i], want[i])
			}
		}
	})
}
