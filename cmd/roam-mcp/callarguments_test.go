package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestArgumentsOfACallAre(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string // JSON; "": they are refused
	}{
		"none":                            {nil, `{}`},
		"texts":                           {[]string{"a=1", "b=x=y", "c="}, `{"a":"1","b":"x=y","c":""}`},
		"JSON":                            {[]string{"a:=1", `b:={"c":[true]}`, "d:=null"}, `{"a":1,"b":{"c":[true]},"d":null}`},
		"a list of a name given again":    {[]string{"a=1", "a=2", "a=3"}, `{"a":["1","2","3"]}`},
		"one object":                      {[]string{` {"a":1.50} `}, `{"a":1.50}`},
		"refused where there are two":     {[]string{`{"a":1}`, `{"b":1}`}, ""},
		"refused where an object is more": {[]string{`{"a":1}{}`}, ""},
		"refused where an object is half": {[]string{`{"a":`}, ""},
		"refused where JSON is none":      {[]string{"a:=x"}, ""},
		"refused where JSON is two":       {[]string{"a:=1 2"}, ""},
		"refused without a value":         {[]string{"a"}, ""},
		"refused without a name":          {[]string{"=a"}, ""},
		"refused with a flag for a name":  {[]string{"--a=b"}, ""},
		"refused of a file that is none":  {[]string{"a=@/does/not/exist"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := callCommands{&app{}}.arguments(t.Context(), tc.args)
			if (err != nil) != (tc.want == "") {
				t.Fatalf("%v, %v", got, err)
			}
			if err != nil {
				return
			}
			text, err := json.Marshal(got)
			require.NoError(t, err)
			if string(text) != tc.want {
				t.Errorf("%s, want %s", text, tc.want)
			}
		})
	}
}

func FuzzArgumentsOfACall(f *testing.F) {
	for _, seed := range []string{"a=1", "a:=[1]", "{}", `{"a":1}`, "a", "a==", "a:=", "é=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		if arg == "-" || strings.Contains(arg, "=@") {
			t.Skip("reads standard input or a file")
		}
		got, err := callCommands{&app{}}.arguments(t.Context(), []string{arg})
		if err != nil {
			return
		}
		text, err := json.Marshal(got)
		require.NoError(t, err)
		again, err := argumentObject(text)
		require.NoError(t, err)
		if len(got) != len(again) || len(got) > 0 && !reflect.DeepEqual(keysOf(got), keysOf(again)) {
			t.Errorf("%q is %s, and that %v", arg, text, again)
		}
	})
}

func keysOf(arguments map[string]any) map[string]bool {
	keys := map[string]bool{}
	for key := range arguments {
		keys[strings.ToValidUTF8(key, "\uFFFD")] = true
	}
	return keys
}
