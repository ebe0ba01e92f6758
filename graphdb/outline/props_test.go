package outline

import "testing"

func TestStoredPropertiesAreGivenAsJSON(t *testing.T) {
	for name, c := range map[string]struct{ stored, want string }{
		"none":                  {"", ""},
		"JSON as it is":         {`{"a": [1, 2.50]}`, `{"a": [1, 2.50]}`},
		"a map of a dump":       {`{:image-size {"https://x/y" {:width 84, :height ##NaN}}}`, `{"image-size":{"https://x/y":{"height":null,"width":84}}}`},
		"lists and sets":        {`{:a [1 2.5 nil true] :b #{:x} :c (sym)}`, `{"a":[1,2.5,null,true],"b":["x"],"c":["sym"]}`},
		"keys that are no text": {`{1 :a/b}`, `{"1":"a/b"}`},
		"neither":               {`{:a`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := propsJSON(c.stored); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
