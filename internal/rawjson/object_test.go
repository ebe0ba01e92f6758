package rawjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestAListOfObjectsIsEncodedAsSuch(t *testing.T) {
	list := []Object{With("a", 1).With("b", "<x>"), {}, nil}
	if got := string(Encode(list)); got != `[{"a":1,"b":"<x>"},{},null]` {
		t.Error(got)
	}
}

func TestAppend(t *testing.T) {
	front := With("graph", "Work").With("graphName", "w")
	for name, tc := range map[string]struct{ in, want string }{
		"keeps values byte for byte":          {`{"uid": "a",  "n": 1.50, "o": { "x" :[ ]}}`, `{"graph":"Work","graphName":"w","uid":"a","n":1.50,"o":{ "x" :[ ]}}`},
		"takes an empty object":               {` { } `, `{"graph":"Work","graphName":"w"}`},
		"drops a key of that name":            {`{"graph":"evil","a":{"graph":1}}`, `{"graph":"Work","graphName":"w","a":{"graph":1}}`},
		"drops an escaped key of that name":   {`{"gr\u0061ph":"evil","b":2}`, `{"graph":"Work","graphName":"w","b":2}`},
		"keeps the word in a value":           {`{"a":"\"graph\": {"}`, `{"graph":"Work","graphName":"w","a":"\"graph\": {"}`},
		"keeps the key inside another object": {`{"a":[{"graphName":1}]}`, `{"graph":"Work","graphName":"w","a":[{"graphName":1}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(front.Append(Parse([]byte(tc.in))).JSON()); got != tc.want {
				t.Errorf("got %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestObject(t *testing.T) {
	object := Parse([]byte(`{"uid": "a", "n": 1.50, "t": "x\"y", "l": [1, {"n":2}], "e\u0061": null}`))
	for name, tc := range map[string]struct {
		got  Object
		want string
	}{
		"keeps values as they came":                     {object, `{"uid":"a","n":1.50,"t":"x\"y","l":[1, {"n":2}],"e\u0061":null}`},
		"replaces a member where it stands":             {object.With("n", 2).Without("t", "l", "ea"), `{"uid":"a","n":2}`},
		"adds a member at the end, as JSON or as it is": {With("a", "<b>").With("raw", json.RawMessage(`[ ]`)).With("bytes", []byte(`{ }`)).With("none", json.RawMessage(nil)), `{"a":"<b>","raw":[ ],"bytes":{ },"none":null}`},
		"leaves out what another one has":               {object.Except(With("uid", 1).With("l", 1).With("ea", 1)), `{"n":1.50,"t":"x\"y"}`},
		"has no members where there is no object":       {Parse([]byte(`[1]`)), `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(tc.got.JSON()); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
	t.Run("is not changed by what is made of it", func(t *testing.T) {
		if string(object.Get("n")) != "1.50" || len(object) != 5 {
			t.Errorf("it is %s", object.JSON())
		}
	})
	t.Run("gives texts only as texts", func(t *testing.T) {
		if text, ok := object.Text("t"); text != `x"y` || !ok {
			t.Errorf("got %q", text)
		}
		for _, key := range []string{"n", "ea", "missing"} {
			if _, ok := object.Text(key); ok {
				t.Errorf("%s is taken for a text", key)
			}
		}
	})
}

func FuzzAppend(f *testing.F) {
	f.Add(`{"graph":"x","a":[1,{"b":"}\""}],"c":null}`)
	f.Add(`{"gr\u0061ph":1}`)
	f.Add(` { "a" : -1.5e3 , "b":true } `)
	f.Fuzz(func(t *testing.T, raw string) {
		var want map[string]any
		if json.Unmarshal([]byte(raw), &want) != nil || want == nil || strings.ContainsRune(raw, '\uFFFD') {
			return
		}
		want["graph"] = "Work"
		out := With("graph", "Work").Append(Parse([]byte(raw))).JSON()
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
