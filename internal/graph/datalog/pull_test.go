package datalog

import (
	"errors"
	"strings"
	"testing"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/require"
)

func TestPullsAnswer(t *testing.T) {
	db := garden(t)
	for _, c := range []struct {
		name            string
		pattern, entity any
		want            string
	}{
		{"everything", "[*]", 9, `{":db/id":9,":block/uid":"11-21-2026",":node/title":"November 21st, 2026",":log/id":1}`},
		{"an opaque document", "[:block/props]", 2, `{":block/props":{":width":3,":rest":[null,":a"]}}`},
		{"a keyword", "[:block/view-type]", 2, `{":block/view-type":":view/tabs"}`},
		{"a lookup ref as text", "[:db/id]", `[:block/uid "b3"]`, `{":db/id":3}`},
		{"a lookup ref as JSON", "[:db/id]", []any{":block/uid", "b3"}, `{":db/id":3}`},
		{"a pattern as data", edn.Vector{edn.Keyword(":block/uid")}, graphdb.EID(3), `{":block/uid":"b3"}`},
		{"a pattern as JSON", []any{":block/uid", map[string]any{":block/refs": []any{":db/id"}}}, 3.0, `{":block/uid":"b3",":block/refs":[{":db/id":5}]}`},
		{"no such entity", "[:block/uid]", `[:block/uid "no"]`, `null`},
		{"nothing of it there", "[:score]", 2, `null`},
		{"an id that is not there", "[:db/id]", 77, `{":db/id":77}`},
		{"references", "[:block/page :block/refs]", 5, `{":block/page":{":db/id":1},":block/refs":[{":db/id":3},{":db/id":5}]}`},
		{"what points here", "[:block/_refs {:block/_children [:block/uid]}]", 3, `{":block/_refs":[{":db/id":5}],":block/_children":[{":block/uid":"b2"}]}`},
		{"recursion to the end", "[:db/id {:block/children ...}]", 3, `{":db/id":3,":block/children":[{":db/id":4,":block/children":[{":db/id":5}]}]}`},
		{"recursion with a limit", "[:db/id {:block/children 1}]", 3, `{":db/id":3,":block/children":[{":db/id":4}]}`},
		{"recursion over a cycle", "[:block/uid {:block/refs ...}]", 2, `{":block/uid":"b2",":block/refs":[{":block/uid":"b4",":block/refs":[{":block/uid":"b2",":block/refs":[{":db/id":4}]}]}]}`},
		{"recursion upward", "[:block/uid {:block/_children ...}]", 4, `{":block/uid":"b4",":block/_children":[{":block/uid":"b3",":block/_children":[{":block/uid":"b2",":block/_children":[{":block/uid":"p1"}]}]}]}`},
		{"other names", `[[:block/uid :as "id"] [:block/string :as :x/text]]`, 2, `{"id":"b2",":x/text":"Hello 2"}`},
		{"defaults", `[[:score :default 0] (default :log/id "none") [:block/_children :default []]]`, 1, `{":score":0,":log/id":"none",":block/_children":[]}`},
		{"limits", `[[:block/refs :limit 1] {(limit :block/_refs 1) [:db/id]}]`, 5, `{":block/refs":[{":db/id":3}],":block/_refs":[{":db/id":3}]}`},
		{"one name for two attributes", `[:db/id [:block/uid :as "x"] [:score :as "x"]]`, 2, `{":db/id":2}`},
		{"one name for two attributes, and all", `[* [:block/children :as "x"] [:block/uid :as "x"] [:block/page :as :x]]`, 4, `{":db/id":4,":block/children":[{":db/id":5}],":block/string":"Hello 4",":block/refs":[{":db/id":2}],":create/time":4,"x":"b4",":x":{":db/id":1}}`},
		{"an attribute twice", `[:block/uid [:block/uid :as "u"]]`, 1, `{":block/uid":"p1","u":"p1"}`},
	} {
		got, err := Pull(t.Context(), db, c.pattern, c.entity, Options{})
		if text := string(AppendJSON(nil, got, Qualified)); err != nil || text != c.want {
			t.Errorf("%s\n got %s, %v\nwant %s", c.name, text, err, c.want)
		}
	}
	many, err := PullMany(t.Context(), db, "[:block/uid]", []any{2, `[:block/uid "no"]`, 3}, Options{})
	if text := string(AppendJSON(nil, many, Stripped)); err != nil || text != `[{"uid":"b2"},null,{"uid":"b3"}]` {
		t.Errorf("PullMany: %s, %v", text, err)
	}
}

func TestPullCutsLongListsUnlessToldOtherwise(t *testing.T) {
	conn, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), func(yield func(graphdb.Datom, error) bool) {
		for i := range graphdb.EID(1500) {
			if !yield(graphdb.Datom{E: 1, A: graphdb.BlockChildren, V: graphdb.RefValue(i + 2), Added: true}, nil) {
				return
			}
		}
	})
	require.NoError(t, err)
	for pattern, want := range map[string]int{
		"[:block/children]": 1000, "[[:block/children :limit nil]]": 1500, "[(limit :block/children 7)]": 7,
		"[{:block/children [:db/id]}]": 1000, "[{[:block/children :limit nil] [:db/id]}]": 1500, "[*]": 1000,
	} {
		v, err := Pull(t.Context(), conn.DB(), pattern, 1, Options{})
		require.NoError(t, err)
		children, _ := v.(*edn.Map).Get(graphdb.Keyword(":block/children"))
		if got := len(children.([]any)); got != want {
			t.Errorf("%s: %d children, want %d", pattern, got, want)
		}
	}
}

func TestBadPullsSayWhatIsWrong(t *testing.T) {
	db := garden(t)
	for _, c := range []struct {
		pattern, entity any
		want            string
	}{
		{"[:block/uid", 1, "The pull pattern is not valid EDN"},
		{":block/uid", 1, "Cannot parse pull pattern, expected: [attr-spec+], got :block/uid"},
		{"[block]", 1, "Cannot parse attr-spec, expected: (attr-name | wildcard | map-spec | attr-expr), got block"},
		{"[[:a :as]]", 1, "Cannot parse attr-spec"},
		{"[[:a :xform my/inc]]", 1, "Can't resolve symbol my/inc"},
		{"[[:a :xform get]]", 1, "Can't resolve symbol get"},
		{"[[:a :nope 1]]", 1, "The option :nope of a pull pattern is not supported"},
		{"[[:score :limit 1]]", 1, "Expected limit attribute having :db.cardinality/many, got: :score"},
		{"[(limit :block/page 1)]", 1, "Expected limit attribute having :db.cardinality/many, got: :block/page"},
		{"[[:block/_page :limit nil]]", 1, "Expected limit attribute having :db.cardinality/many, got: :block/page"},
		{"[[:block/refs :limit 0]]", 1, "Expected a number above 0 or nil after :limit, got 0"},
		{"[{:block/uid [:a]}]", 1, "Expected attribute having :db.type/ref, got: :block/uid"},
		{"[:block/_uid]", 1, "Expected reverse attribute having :db.type/ref, got: :block/_uid"},
		{"[:block/uid]", "b3", "Expected number or lookup ref for entity id, got b3"},
		{"[:block/uid]", true, "Expected number or lookup ref for entity id, got true"},
	} {
		_, err := Pull(t.Context(), db, c.pattern, c.entity, Options{})
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Message, c.want) {
			t.Errorf("%v of %v\n got %v\nwant %s", c.pattern, c.entity, err, c.want)
		}
	}
}

func TestComponentsArePulledWhole(t *testing.T) {
	conn, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), func(yield func(graphdb.Datom, error) bool) {
		_ = yield(graphdb.Datom{E: 1, A: ":diagram/nodes", V: graphdb.RefValue(2), Added: true}, nil) &&
			yield(graphdb.Datom{E: 2, A: graphdb.BlockUID, V: graphdb.StringValue("n"), Added: true}, nil) &&
			yield(graphdb.Datom{E: 2, A: ":diagram/nodes", V: graphdb.RefValue(1), Added: true}, nil)
	})
	require.NoError(t, err)
	for pattern, want := range map[string]string{
		"[:diagram/nodes]":                `{":diagram/nodes":[{":db/id":2,":diagram/nodes":[{":db/id":1,":diagram/nodes":[{":db/id":2}]}],":block/uid":"n"}]}`,
		"[:diagram/_nodes]":               `{":diagram/_nodes":{":db/id":2}}`,
		"[{:diagram/nodes [:block/uid]}]": `{":diagram/nodes":[{":block/uid":"n"}]}`,
		"[{:diagram/nodes [:block/uid {:diagram/nodes [{:diagram/nodes [:block/uid]}]}]}]": `{":diagram/nodes":[{":block/uid":"n",":diagram/nodes":[{":diagram/nodes":[{":block/uid":"n"}]}]}]}`,
	} {
		v, err := Pull(t.Context(), conn.DB(), pattern, 1, Options{})
		if got := string(AppendJSON(nil, v, Qualified)); err != nil || got != want {
			t.Errorf("%s\n got %s, %v\nwant %s", pattern, got, err, want)
		}
	}
}

func TestJSONHasTwoStyles(t *testing.T) {
	v := &edn.Map{
		Keys:   []any{graphdb.Keyword(":create/time"), graphdb.Keyword(":edit/time"), graphdb.Keyword(":db/id"), "as is", edn.Symbol("s"), int64(1)},
		Values: []any{int64(1), int64(2), int64(3), graphdb.Keyword(":a/b"), edn.Set{1.5, nil, true}, "quote \" <&> \u2028 \n"},
	}
	for style, want := range map[KeyStyle]string{
		Stripped:  `{"time":2,"id":3,"as is":"b","s":[1.5,null,true],"1":"quote \" <&> \u2028 \n"}`,
		Qualified: `{":create/time":1,":edit/time":2,":db/id":3,"as is":":a/b","s":[1.5,null,true],"1":"quote \" <&> \u2028 \n"}`,
	} {
		if got := string(AppendJSON(nil, v, style)); got != want {
			t.Errorf("style %d\n got %s\nwant %s", style, got, want)
		}
	}
	for f, want := range map[float64]string{1e21: "1e+21", 1e-7: "1e-7", 0.5: "0.5", 123456789.25: "123456789.25"} {
		if got := string(AppendJSON(nil, f, Stripped)); got != want {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
	}
	if got := string(AppendJSON(nil, edn.Tagged{Tag: "t", Value: edn.Regex("a")}, Stripped)); got != `"/a/"` {
		t.Errorf("a tagged expression: %s", got)
	}
}
