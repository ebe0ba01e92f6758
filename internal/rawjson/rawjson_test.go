package rawjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"takes values as they stand":        {` { "a" : [1, "]"] , "b":-1.50e3,"c":{ "d" :"}\"" } } `, `a=[1, "]"] b=-1.50e3 c={ "d" :"}\"" } `},
		"decodes the escapes of a key":      {`{"gr\u0061ph":true}`, `graph=true `},
		"gives a key twice that is so":      {`{"a":1,"a":2}`, `a=1 a=2 `},
		"gives nothing of an empty object":  {`{ }`, ``},
		"gives nothing of an array":         {`[{"a":1}]`, ``},
		"gives nothing of nothing":          {``, ``},
		"ends with a backslash in a string": {`{"a":"\\","b":"\\\""}`, `a="\\" b="\\\"" `},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for key, value := range Members([]byte(tc.text)) {
				got.WriteString(key + "=" + string(value) + " ")
			}
			if got.String() != tc.want {
				t.Errorf("got %s, want %s", got.String(), tc.want)
			}
		})
	}
}

func TestDeeperThan(t *testing.T) {
	for text, want := range map[string]int{
		``: -1, `1`: -1, `[[1],{"a":[]}]`: 10, `{"[[[":"[[[\"}`: -1, `[[],[],[[]]]`: 8, `[[]]`: -1, `[[`: -1, `[{"a":{`: 6,
	} {
		at, deeper := DeeperThan([]byte(text), 2)
		if deeper != (want >= 0) || deeper && at != want {
			t.Errorf("%s: %d, %v; want %d", text, at, deeper, want)
		}
	}
}

func TestCountElements(t *testing.T) {
	for text, want := range map[string]int{
		``: 0, `[]`: 0, `[ ]`: 0, `[1]`: 1, `[1,{"a":[2,[3,"],["]],"b":1}]`: 6, `{"a":{"b":1,"c":2}}`: 0, `]}[`: 0,
	} {
		if got := CountElements([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestReplaceLoneSurrogates(t *testing.T) {
	for text, want := range map[string]string{
		`"\ud800"`: `"\ufffd"`, `"\uDC00x\uDbFf"`: `"\ufffdx\ufffd"`, `"\ude00\ud83d"`: `"\ufffd\ufffd"`,
		`"\ud83d\ud83d\uDE00"`: `"\ufffd\ud83d\uDE00"`, `"\ud83d\n\ude00"`: `"\ufffd\n\ufffd"`, `{"\ud800":1}`: `{"\ufffd":1}`,
		`"\\ud800"`: `"\\ud800"`, `"\\\ud800"`: `"\\\ufffd"`, `"\u00e9\ud7ff\ue000"`: `"\u00e9\ud7ff\ue000"`, `"\ud8`: `"\ud8`, `\ud800\`: `\ufffd\`,
	} {
		got := []byte(text)
		if ReplaceLoneSurrogates(got); string(got) != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func FuzzReplaceLoneSurrogates(f *testing.F) {
	f.Add(`["\ud83d\ude00\ud800", "\\ud800"]`)
	f.Fuzz(func(t *testing.T, text string) {
		var want, got any
		invalid := json.Unmarshal([]byte(text), &want) // replaces them, too
		replaced := []byte(text)
		ReplaceLoneSurrogates(replaced)
		if err := json.Unmarshal(replaced, &got); (err == nil) != (invalid == nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s became %s", text, replaced)
		}
	})
}

func FuzzMembers(f *testing.F) {
	f.Add(`{"graph":"x","a":[1,{"b":"}\""}],"c":null}`)
	f.Add(` { "a" : -1.5e3 , "b":true } `)
	f.Add(`{"a"`)
	f.Fuzz(func(t *testing.T, text string) {
		got := map[string]json.RawMessage{}
		for key, value := range Members([]byte(text)) { // ends, whatever the text is
			got[key] = value
		}
		var want map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &want) != nil || strings.ContainsRune(text, '\uFFFD') {
			return
		}
		if len(got) != len(want) {
			t.Fatalf("%d members, want %d", len(got), len(want))
		}
		for key, value := range want {
			if string(got[key]) != strings.TrimSpace(string(value)) {
				t.Errorf("%q is %s, want %s", key, got[key], value)
			}
		}
	})
}

func FuzzElements(f *testing.F) {
	f.Add(`[1, "a]", {"b":[2]}, []]`)
	f.Add(`[1,,`)
	f.Fuzz(func(t *testing.T, text string) {
		got := Elements([]byte(text)) // ends, whatever the text is
		var want []json.RawMessage
		if json.Unmarshal([]byte(text), &want) != nil {
			return
		}
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

func TestEach(t *testing.T) {
	var visited []string
	Each([]byte(`{"a": [1, {"b": "x"}], "c": null}`), func(value json.RawMessage) { visited = append(visited, string(value)) })
	if got, want := strings.Join(visited, "; "), `{"a": [1, {"b": "x"}], "c": null}; [1, {"b": "x"}]; 1; {"b": "x"}; "x"; null`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
