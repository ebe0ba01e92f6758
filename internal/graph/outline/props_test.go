package outline

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

func TestStoredPropertiesAreGivenAsJSON(t *testing.T) {
	for name, c := range map[string]struct{ stored, want, qualified string }{
		"none":                  {"", "", ""},
		"JSON as it is":         {`{"a": [1, 2.50]}`, `{"a": [1, 2.50]}`, `{"a": [1, 2.50]}`},
		"a map of a dump":       {`{:image-size {"https://x/y" {:width 84, :height ##NaN}}}`, `{"image-size":{"https://x/y":{"height":null,"width":84}}}`, `{":image-size":{"https://x/y":{":height":null,":width":84}}}`},
		"lists and sets":        {`{:a [1 2.5 nil true] :b #{:x} :c (sym)}`, `{"a":[1,2.5,null,true],"b":["x"],"c":["sym"]}`, `{":a":[1,2.5,null,true],":b":[":x"],":c":["sym"]}`},
		"keys that are no text": {`{1 :a/b}`, `{"1":"a/b"}`, `{"1":":a/b"}`},
		"neither":               {`{:a`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := propsJSON(c.stored, false); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if got := propsJSON(c.stored, true); got != c.qualified {
				t.Errorf("qualified: %q, want %q", got, c.qualified)
			}
		})
	}
}

func TestPropertiesAreStoredWithKeywordsAsKeys(t *testing.T) {
	deep := strings.Repeat(`{"a":`, maxPropsDepth+1) + "1" + strings.Repeat("}", maxPropsDepth+1)
	for name, c := range map[string]struct{ plain, qualified, want string }{
		"none":                      {"", "", ""},
		"null":                      {"null", "", ""},
		"from a call":               {`{"a": {"b": [1, 2.50, true, null]}}`, "", `{:a {:b [1 2.5 true nil]}}`},
		"as a pull gives them":      {`{":a": {":b/c": ":d"}}`, "", `{:a {:b/c ":d"}}`},
		"keys that are no keywords": {`{"https://x/y": 1, "two words": 2, "": 3, "é": 4}`, "", `{"" 3, "https://x/y" 1, "two words" 2, :é 4}`},
		"both forms":                {`{"a":{"u":"k","t":":k"}}`, `{":a":{"u":":k","t":":k"}}`, `{:a {"t" ":k", "u" :k}}`},
		"a list in both forms":      {`[{"emoji":{"native":"👍"}}]`, `[{":emoji":{":native":"👍"}}]`, `[{:emoji {:native "👍"}}]`},
		"the qualified one alone":   {"", `{":a":":k","b":1}`, `{"b" 1, :a ":k"}`},
		"large numbers":             {`{"a":12345678901234567890,"b":9007199254740993}`, "", `{:a 1.2345678901234567e+19, :b 9007199254740993}`},
		"too deep":                  {deep, "", "error"},
		"not JSON":                  {`{"a"`, "", "error"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := storedExport(json.RawMessage(c.plain), json.RawMessage(c.qualified))
			if err != nil {
				got = "error"
			}
			if got != c.want {
				t.Errorf("%s, want %s (%v)", got, c.want, err)
			}
			if again := propsJSON(got, true); got != "" && got != "error" && again == "" {
				t.Errorf("%s can't be read back", got)
			}
		})
	}
}

const richExport = `[
 {"title": "P", "uid": "p", "children": [{"string": "see [[Q]], ((b)) and #Q", "uid": "a",
   "props": {"size": {"https://x/y": {"width": 3}}, "view": "wide"}, ":block/props": {":size": {"https://x/y": {":width": 3}}, ":view": ":wide"},
   ":ent/emojis": [{":emoji": {":native": "👍"}, ":users": [{":create/uid": "me"}]}]},
  {"string": "x", "uid": "b", "emojis": [{"emoji": {"native": "😍"}, "users": []}]}]},
 {"title": "Q [[P]]", "uid": "q"}, {"title": "Q", "uid": "qq"}]`

func TestExportsHoldReferencesPropertiesAndEmojis(t *testing.T) {
	n := newNotebook(t)
	n.load(richExport)
	text := func(db *graphdb.DB, uid string, a graphdb.Attr) string { return db.String(ByUID(db, uid), a) }
	for uid, want := range map[string][2]string{
		"a": {`{:size {"https://x/y" {:width 3}}, :view :wide}`, `[{:emoji {:native "👍"}, :users [{:create/uid "me"}]}]`},
		"b": {"", `[{:emoji {:native "😍"}, :users []}]`},
	} {
		if got := text(n.DB(), uid, graphdb.BlockProps); got != want[0] {
			t.Errorf("%s has the props %s", uid, got)
		}
		if got := text(n.DB(), uid, graphdb.EntEmojis); got != want[1] {
			t.Errorf("%s has the emojis %s", uid, got)
		}
	}
	var out, second bytes.Buffer
	require.NoError(t, ExportJSON(t.Context(), &out, n.DB()))
	for _, want := range []string{
		`"refs":[{"uid":"b"},{"uid":"qq"}],":block/refs":[{":block/uid":"b"},{":block/uid":"qq"}]`, // of the block
		`"refs":[{"uid":"p"}],":block/refs":[{":block/uid":"p"}]`,                                  // of a title
		`"props":{"size":{"https://x/y":{"width":3}},"view":"wide"},":block/props":{":size":{"https://x/y":{":width":3}},":view":":wide"}`,
		`"emojis":[{"emoji":{"native":"👍"},"users":[{"create/uid":"me"}]}],":ent/emojis":[{":emoji":{":native":"👍"},":users":[{":create/uid":"me"}]}]`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the export lacks %s:\n%s", want, out.String())
		}
	}
	again := newNotebook(t)
	again.load(out.String())
	for _, uid := range []string{"a", "b"} {
		for _, a := range []graphdb.Attr{graphdb.BlockProps, graphdb.EntEmojis} {
			if got, want := text(again.DB(), uid, a), text(n.DB(), uid, a); got != want {
				t.Errorf("%s of %s comes back as %s, was %s", a, uid, got, want)
			}
		}
	}
	if err := ExportJSON(t.Context(), &second, again.DB()); err != nil || out.String() != second.String() {
		t.Errorf("an export and that of its import differ: %v\n%s\n%s", err, out.String(), second.String())
	}
}

// TestThePropertiesOfADumpComeThroughAnExport holds Roam's own properties and
// reactions against those that come back. JSON has no NaN.
func TestThePropertiesOfADumpComeThroughAnExport(t *testing.T) {
	n, again := newNotebook(t), newNotebook(t)
	_, err := n.Transact(t.Context(), func(tx *graphdb.Tx) error {
		_, err := graphdb.ImportEDN(t.Context(), tx, strings.NewReader(helpgraph.Read(t, "help.edn")), graphdb.ImportOptions{})
		return err
	})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, ExportJSON(t.Context(), &out, n.DB()))
	again.load(out.String())
	compared := 0
	for _, a := range []graphdb.Attr{graphdb.BlockProps, graphdb.EntEmojis} {
		for e, v := range n.DB().Entities(a) {
			uid := n.DB().String(e, graphdb.BlockUID)
			if len(Ancestors(n.DB(), e)) == 0 || ByUID(again.DB(), uid) == 0 {
				continue // a deleted block is in no page
			}
			want := strings.ReplaceAll(v.Text(), "##NaN", "nil")
			if got := again.DB().String(ByUID(again.DB(), uid), a); got != want {
				t.Errorf("%s of %s is %s, want %s", a, uid, got, want)
			}
			compared++
		}
	}
	if compared < 50 {
		t.Errorf("only %d were compared", compared)
	}
}
