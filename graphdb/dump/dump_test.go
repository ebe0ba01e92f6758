package dump

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"roam-mcp/graphdb"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

// load imports a dump into a new graph.
func load(t testing.TB, text string) (*graphdb.DB, Imported, error) {
	t.Helper()
	conn := graphdb.NewConn(graphdb.RoamSchema())
	var done Imported
	_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) (err error) {
		done, err = Import(t.Context(), tx, strings.NewReader(text), Options{})
		return err
	})
	return conn.DB(), done, err
}

const smallDump = `#datascript/DB {:schema {:x/tags {:db/cardinality :db.cardinality/many}, :block/uid {:db/unique :db.unique/identity}}
 :datoms [[1 :node/title "Plan" 536870913] [1 :block/uid "plan" 536870913] [1 :block/children 2 536870913]
  [2 :block/string "see \"((b))\"" 536870913 true] [2 :block/uid "a" 536870913] [2 :block/order 0.0 536870913] [2 :block/refs 3 536870913]
  [2 :block/props {:size {"u" {:height ##NaN}}} 536870913] [2 :children/view-type :numbered 536870913] [2 :create/user 4 536870914]
  [2 :create/time 1.671635795E12 536870914] [2 :x/tags "one" 536870914] [2 :x/tags :two 536870914] [2 :x/ratio 0.5 536870914]
  [3 :block/string "gone" 536870914] [3 :block/uid "b" 536870914] [4 :user/uid "ann" 536870914] [5 :vc/blocks 3 536870914] [5 :vc/blocks 2 536870914]]}
`

func TestADumpIsKeptWithAllThatItHolds(t *testing.T) {
	db, done, err := load(t, smallDump)
	if want := (Imported{Datoms: 19, Pages: 1, Blocks: 1, Orphans: 1, Users: 1, Versions: 1}); err != nil || done != want {
		t.Fatalf("%+v, %v; want %+v", done, err, want)
	}
	block, _ := db.Lookup(graphdb.BlockUID, graphdb.StringValue("a"))
	for a, want := range map[graphdb.Attr]graphdb.Value{
		graphdb.BlockString:      graphdb.StringValue(`see "((b))"`),
		graphdb.BlockOrder:       graphdb.IntValue(0),
		graphdb.CreateTime:       graphdb.IntValue(1671635795000),
		graphdb.ChildrenViewType: graphdb.KeywordValue(":numbered"),
		graphdb.BlockProps:       graphdb.OpaqueValue(`{:size {"u" {:height ##NaN}}}`),
		":x/tags":                graphdb.OpaqueValue(`#{"one" :two}`),
		":x/ratio":               graphdb.FloatValue(0.5),
	} {
		if got, _ := db.Get(block, a); got != want {
			t.Errorf("%s is %v, want %v", a, got, want)
		}
	}
	if user := db.String(db.Ref(block, graphdb.CreateUser), graphdb.UserUID); user != "ann" {
		t.Errorf("created by %q", user)
	}
	if refs := db.Refs(block, graphdb.BlockRefs); len(refs) != 1 || db.String(refs[0], graphdb.BlockString) != "gone" {
		t.Errorf("refers to %v", refs)
	}
}

func TestADumpGoesBehindWhatTheGraphHolds(t *testing.T) {
	conn := graphdb.NewConn(graphdb.RoamSchema())
	_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
		for range 10 {
			if err := tx.Set(tx.NewEntity(), graphdb.EditTime, graphdb.IntValue(1)); err != nil {
				return err
			}
		}
		if err := tx.Set(tx.NewEntity(), graphdb.UserUID, graphdb.StringValue("me")); err != nil {
			return err
		}
		done, err := Import(t.Context(), tx, strings.NewReader(smallDump), Options{})
		if done.Users != 1 {
			t.Errorf("%+v", done)
		}
		return err
	})
	require.NoError(t, err)
	if n := conn.DB().Count(graphdb.EditTime); n != 10 {
		t.Errorf("%d of 10 entities are left", n)
	}
	if e, _ := conn.DB().Lookup(graphdb.NodeTitle, graphdb.StringValue("Plan")); e <= 11 {
		t.Errorf("the page has the id %d of something else", e)
	}
}

func TestADumpThatCannotBeImportedIsRefusedWithThePlace(t *testing.T) {
	in := func(datoms string) string { return "#datascript/DB {:schema {}, :datoms [" + datoms + "]}" }
	for name, c := range map[string]struct{ dump, text string }{
		"nothing":                     {"", "must start with #datascript/DB"},
		"a JSON export":               {`[{"title":"x"}]`, "must start with #datascript/DB"},
		"another tag":                 {`#other/DB {}`, "must start with #datascript/DB"},
		"no map":                      {"#datascript/DB []", "a map must follow"},
		"no datoms":                   {"#datascript/DB {:schema {}}", "no :datoms"},
		"datoms that are none":        {"#datascript/DB {:datoms 5}", "no list"},
		"half a dump":                 {`#datascript/DB {:datoms [[1 :node/title "x" 1] [2`, "ends in the middle"},
		"a list left open":            {`#datascript/DB {:datoms [[1 :node/title "x" 1]`, "ends"},
		"something after it":          {in("") + " 7", "follows the dump"},
		"a datom of two":              {in("[1 :node/title]"), "datom 1 of the dump: [1 :node/title] is no datom"},
		"an entity that is no number": {in(`["1" :node/title "x" 1]`), "no entity id"},
		"a huge entity":               {in(`[999999999999999999 :node/title "x" 1]`), "no entity id"},
		"an attribute in quotes":      {in(`[1 "title" "x" 1]`), "no keyword"},
		"a title that is a number":    {in(`[1 :node/title 5 1]`), ":node/title of entity 1: 5 is no string"},
		"a reference to text":         {in(`[1 :block/refs "x" 1]`), "no entity id"},
		"nil":                         {in(`[1 :x/y nil 1]`), "nil is no value"},
		"a retraction":                {in(`[1 :node/title "x" 1 false]`), "retraction"},
		"a title twice":               {in(`[1 :node/title "x" 1] [2 :node/title "x" 1]`), "already exists"},
		"bad EDN":                     {in(`[1 :node/title "x" 1)`), "line 1, column"},
		"a schema at the end":         {`#datascript/DB {:datoms [] :schema {:x/y {:db/cardinality :db.cardinality/many}}}`, "before its :datoms"},
	} {
		t.Run(name, func(t *testing.T) {
			db, _, err := load(t, c.dump)
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %q in it", err, c.text)
			}
			if db.BasisTx() != 0 {
				t.Error("something was imported")
			}
		})
	}
}

func TestAnImportIsBoundedAndCanBeCancelled(t *testing.T) {
	conn := graphdb.NewConn(graphdb.RoamSchema())
	_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
		_, err := Import(t.Context(), tx, strings.NewReader(smallDump), Options{MaxBytes: 300})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "longer than 300 bytes") {
		t.Errorf("error %v", err)
	}
	many := "#datascript/DB {:datoms [" + strings.Repeat(`[1 :x/y 1 1]`, 5000) + "]}"
	_, err = conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := Import(ctx, tx, strings.NewReader(many), Options{})
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestTheSmallBackupImports(t *testing.T) {
	db, done, err := load(t, helpgraph.Read(t, "backup-with-refs.edn"))
	require.NoError(t, err)
	if want := (Imported{Datoms: 103, Pages: 3, Blocks: 5, Orphans: 3, Users: 1}); done != want {
		t.Errorf("%+v, want %+v", done, want)
	}
	var texts []string
	for e := range db.Entities(graphdb.BlockRefs) {
		texts = append(texts, db.String(e, graphdb.BlockString))
	}
	if want := []string{"ref to [[page two]]", "ref to ((9URU-iY31))", "ref to ((GCpapkSmR))"}; !slices.Equal(texts, want) {
		t.Errorf("blocks with references are %q, want %q", texts, want)
	}
}

func FuzzImport(f *testing.F) {
	f.Add(smallDump)
	f.Add(`#datascript/DB {:datoms [[1 :block/children 1 1] [1 :node/title "x" 1] [1 :block/string "y" 1]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		db, done, err := load(t, text)
		if err == nil && (done.Pages != db.Count(graphdb.NodeTitle) || done.Blocks+done.Orphans != db.Count(graphdb.BlockString)) {
			t.Errorf("%+v", done)
		}
	})
}
