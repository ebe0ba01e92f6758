package clients

import "testing"

func TestEqual(t *testing.T) {
	one, two := text("1"), text("2")
	for name, tc := range map[string]struct {
		a, b value
		want bool
	}{
		"texts":                                 {one, one, true},
		"other texts":                           {one, two, false},
		"a number and its text":                 {scalar{"int", "1"}, one, false},
		"null and nothing":                      {null, object{}, false},
		"lists":                                 {list{one, two}, list{one, two}, true},
		"lists in another order":                {list{one, two}, list{two, one}, false},
		"a list and what it holds":              {list{one}, one, false},
		"a list that goes on":                   {list{one}, list{one, two}, false},
		"objects":                               {object{{"a", one}, {"b", two}}, object{{"a", one}, {"b", two}}, true},
		"objects in another order":              {object{{"a", one}, {"b", two}}, object{{"b", two}, {"a", one}}, true},
		"objects with other keys":               {object{{"a", one}}, object{{"b", one}}, false},
		"objects with other values":             {object{{"a", one}}, object{{"a", two}}, false},
		"objects in an object, in other order":  {object{{"x", object{{"a", one}, {"b", two}}}}, object{{"x", object{{"b", two}, {"a", one}}}}, true},
		"a key that is there twice, in order":   {object{{"a", one}, {"b", one}, {"a", two}}, object{{"a", one}, {"a", two}, {"b", one}}, true},
		"a key that is there twice, turned":     {object{{"a", one}, {"a", two}}, object{{"a", two}, {"a", one}}, false},
		"an object and a list":                  {object{}, list{}, false},
		"an empty object and one that is empty": {object(nil), object{}, true},
	} {
		if got := equal(tc.a, tc.b); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
