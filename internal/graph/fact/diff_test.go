package fact_test

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/testutil/require"
)

func TestDiff(t *testing.T) {
	for name, tc := range map[string]struct{ before, after, want string }{
		"of equal states is nothing":                  {`"a":{"text":"x"}`, `"a":{"text":"x"}`, ""},
		"of times and users is nothing":               {`"a":{"text":"x","edited":1}`, `"a":{"text":"x","edited":2,"editor":"u","editorName":"U"}`, ""},
		"of things that are in one only is nothing":   {`"a":{"text":"x"}`, `"b":{"text":"x"}`, ""},
		"of each field is one":                        {`"a":{"title":"x","open":true}`, `"a":{"title":"y","heading":1,"open":false,"align":"left","childrenView":"numbered","blockView":"side","props":{":a":1},"shortcut":0}`, "a.title a.heading a.open a.align a.childrenView a.blockView a.props a.shortcut"},
		"of what is not stored and open is nothing":   {`"a":{"text":"x"}`, `"a":{"text":"x","open":true}`, ""},
		"of what goes is its existence":               {`"a":{"text":"x","children":[]}`, `"a":{"gone":true}`, "a.existence"},
		"of what comes is its existence":              {`"a":{"gone":true}`, `"a":{"text":"x"}`, "a.existence"},
		"of another parent is the place":              {`"a":{"parent":"p"}`, `"a":{"parent":"q"}`, "a.place"},
		"of other neighbours is the place":            {`"a":{"parent":"p","right":"b"}`, `"a":{"parent":"p","order":1,"left":"b"}`, "a.place"},
		"of one other neighbour is nothing":           {`"a":{"parent":"p","right":"b"}`, `"a":{"parent":"p","order":1,"left":"c","right":"b"}`, ""},
		"of neighbours that were not read is nothing": {`"a":{"parent":"p","order":1}`, `"a":{"parent":"p","order":1,"left":"b","right":"c"}`, ""},
		"of children is their order":                  {`"a":{"children":["b","c"]}`, `"a":{"children":["c","b"]}`, "a.children"},
		"of children that were not read is nothing":   {`"a":{"text":"x"}`, `"a":{"text":"x","children":["c"]}`, ""},
		"of props in another order is nothing":        {`"a":{"props":{"x":1, "y":[2]}}`, `"a":{"props":{"y":[2],"x":1}}`, ""},
		"of props that are gone is one":               {`"a":{"props":{"x":1}}`, `"a":{}`, "a.props"},
		"of several things is in order of their uid":  {`"b":{"text":"x"},"a":{"text":"x"}`, `"b":{"text":"y"},"a":{"text":"y"}`, "a.text b.text"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range fact.Diff(parse(t, `{"things":{`+tc.before+`}}`), parse(t, `{"things":{`+tc.after+`}}`)) {
				got = append(got, fmt.Sprintf("%s.%s", d.UID, d.Field))
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
	t.Run("of lists of shortcuts is one", func(t *testing.T) {
		a, b := parse(t, `{"shortcuts":["x","y"]}`), parse(t, `{"shortcuts":["y","x"]}`)
		if got := fact.Diff(a, b); len(got) != 1 || got[0].Field != fact.List {
			t.Errorf("got %v", got)
		}
		if got := fact.Diff(a, parse(t, `{}`)); got != nil {
			t.Errorf("got %v", got)
		}
	})
}

func parse(t *testing.T, text string) fact.State {
	t.Helper()
	s, err := fact.Parse([]byte(text))
	require.NoError(t, err)
	return s
}

func TestParse(t *testing.T) {
	t.Run("keeps what it does not know", func(t *testing.T) {
		const later = `{"later":[1],"shortcuts":["x"],"things":{"a":{"mood":{"x": 1},"text":"t"}}}`
		s := parse(t, later)
		if got := string(s.JSON()); got != strings.ReplaceAll(later, `"x": 1`, `"x":1`) && got != later {
			t.Errorf("got %s", got)
		}
	})
	t.Run("makes an empty state of nothing", func(t *testing.T) {
		if s := parse(t, ""); s.Things == nil || len(s.Things) != 0 {
			t.Errorf("got %v", s)
		}
	})
	for name, text := range map[string]string{
		"no JSON": `{`, "a list": `[]`, "null": `null`, "things in a list": `{"things":[]}`, "a thing that is none": `{"things":{"a":1}}`,
		"a field of another kind": `{"things":{"a":{"text":1}}}`, "more behind it": `{} {}`,
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			if s, err := fact.Parse([]byte(text)); err == nil {
				t.Errorf("got %s", s.JSON())
			}
		})
	}
}
