package graphdb_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

// load imports a dump into a new graph.
func load(t testing.TB, text string) (*graphdb.DB, graphdb.Imported, error) {
	t.Helper()
	conn := graphdb.NewConn(graphdb.RoamSchema())
	var done graphdb.Imported
	_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) (err error) {
		done, err = graphdb.ImportEDN(t.Context(), tx, strings.NewReader(text), graphdb.ImportOptions{})
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
	if want := (graphdb.Imported{Datoms: 19, Pages: 1, Blocks: 1, Orphans: 1, Users: 1, Versions: 1}); err != nil || done != want {
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
		done, err := graphdb.ImportEDN(t.Context(), tx, strings.NewReader(smallDump), graphdb.ImportOptions{})
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
		_, err := graphdb.ImportEDN(t.Context(), tx, strings.NewReader(smallDump), graphdb.ImportOptions{MaxBytes: 300})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "longer than 300 bytes") {
		t.Errorf("error %v", err)
	}
	for text, want := range map[string]string{
		`[1 :x/y 1 1] [2 :x/y 1 1] [3 :x/y 1 1]`:               "more than 2 facts",
		`[1 :x/y "` + strings.Repeat("x", 4<<20) + `" 1]`:      "a value is longer than",
		`[1 :x/y [` + strings.Repeat("1 ", (4<<20)/2) + `] 1]`: "a value is longer than",
	} {
		_, err := conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
			_, err := graphdb.ImportEDN(t.Context(), tx, strings.NewReader("#datascript/DB {:datoms ["+text+"]}"), graphdb.ImportOptions{MaxDatoms: 2})
			return err
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: error %v", text, err)
		}
	}
	many := "#datascript/DB {:datoms [" + strings.Repeat(`[1 :x/y 1 1]`, 5000) + "]}"
	_, err = conn.Transact(t.Context(), func(tx *graphdb.Tx) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := graphdb.ImportEDN(ctx, tx, strings.NewReader(many), graphdb.ImportOptions{})
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestTheSmallBackupImports(t *testing.T) {
	db, done, err := load(t, helpgraph.Read(t, "backup-with-refs.edn"))
	require.NoError(t, err)
	if want := (graphdb.Imported{Datoms: 103, Pages: 3, Blocks: 5, Orphans: 3, Users: 1}); done != want {
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

func FuzzImportEDN(f *testing.F) {
	f.Add(smallDump)
	f.Add(`#datascript/DB {:datoms [[1 :block/children 1 1] [1 :node/title "x" 1] [1 :block/string "y" 1]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		db, done, err := load(t, text)
		if err == nil && (done.Pages != db.Count(graphdb.NodeTitle) || done.Blocks+done.Orphans != db.Count(graphdb.BlockString)) {
			t.Errorf("%+v", done)
		}
	})
}

// lines is a page or block and all below it as both exports hold it: text, uid,
// times and users.
func lines(db *graphdb.DB, e graphdb.EID, margin string) []string {
	created, _ := db.Int(e, graphdb.CreateTime)
	edited, _ := db.Int(e, graphdb.EditTime)
	out := []string{fmt.Sprintf("%s%q %s %d %s %d %s", margin, outline.TextOf(db, e), db.String(e, graphdb.BlockUID),
		created, db.String(db.Ref(e, graphdb.CreateUser), graphdb.UserUID),
		edited, db.String(db.Ref(e, graphdb.EditUser), graphdb.UserUID))}
	for _, k := range outline.Children(db, e) {
		out = append(out, lines(db, k, margin+"  ")...)
	}
	return out
}

func TestBothExportsOfTheHelpGraphAreTheSameGraph(t *testing.T) {
	dumped, done, err := load(t, helpgraph.Read(t, "help.edn"))
	require.NoError(t, err)
	// The numbers are those of a plain search for datoms in the file. The page
	// that the export lacks has no title, and the orphans no page.
	if want := (graphdb.Imported{Datoms: 74832, Pages: 1031, Blocks: 4115, Orphans: 1602, Users: 22, Versions: 5}); done != want {
		t.Errorf("%+v, want %+v", done, want)
	}
	exported := graphtest.FromJSON(t, helpgraph.Read(t, "help.json"))
	for page, title := range exported.Entities(graphdb.NodeTitle) {
		other := outline.PageByTitle(dumped, title.Text())
		if a, b := lines(exported, page, ""), lines(dumped, other, ""); !slices.Equal(a, b) {
			t.Errorf("page %s: %s", title, firstDifference(a, b))
		}
	}
	for _, title := range dumped.Entities(graphdb.NodeTitle) {
		if title.Text() != "" && outline.PageByTitle(exported, title.Text()) == 0 {
			t.Errorf("only the dump has the page %s", title)
		}
	}
	t.Run("references", func(t *testing.T) { compareReferences(t, exported, dumped) })
	t.Run("queries", func(t *testing.T) { compareQueries(t, exported, dumped) })
}

// compareReferences finds every reference of either graph in the other, unless
// it leads out of the export or does not follow from the text: the dump has a
// few that Roam did not bring up to date.
func compareReferences(t *testing.T, exported, dumped *graphdb.DB) {
	same, outside, stale := 0, 0, 0
	for e, text := range exported.Entities(graphdb.BlockString) {
		uid := exported.String(e, graphdb.BlockUID)
		mentioned := map[string]bool{}
		for _, r := range roamtext.References(text.Text()) {
			mentioned[r.Content(text.Text())] = true
		}
		ours, theirs := targets(exported, e), targets(dumped, outline.ByUID(dumped, uid))
		for target, name := range theirs {
			switch {
			case ours[target] != "":
				same++
			case outline.ByUID(exported, target) == 0:
				outside++
			case !mentioned[name] && !mentioned[target]:
				stale++
			default:
				t.Errorf("block %s mentions %s, and the import of the export does not refer to it", uid, name)
			}
		}
		for target := range ours {
			if theirs[target] == "" {
				stale++
			}
		}
	}
	if same < 2000 || outside+stale > 60 {
		t.Errorf("%d references are the same, %d lead out of the export, %d are stale", same, outside, stale)
	}
}

// targets are the uids of what a block refers to, with the titles of pages.
func targets(db *graphdb.DB, e graphdb.EID) map[string]string {
	out := map[string]string{}
	for _, to := range db.Refs(e, graphdb.BlockRefs) {
		uid := db.String(to, graphdb.BlockUID)
		out[uid] = cmp.Or(db.String(to, graphdb.NodeTitle), uid)
	}
	return out
}

func compareQueries(t *testing.T, exported, dumped *graphdb.DB) {
	for name, query := range map[string]string{
		"titles":                  `[:find ?t ?u :where [?p :node/title ?t] [(not= ?t "")] [?p :block/uid ?u]]`,
		"texts by page":           `[:find ?t ?s :where [?b :block/page ?p] [?p :node/title ?t] [?b :block/string ?s] [?p :block/children _] (above ?b ?p)]`,
		"children counted":        `[:find ?u (count ?c) :where [?p :node/title ?t] [?p :block/uid ?u] [?p :block/children ?c]]`,
		"ancestors":               `[:find ?u ?a :where [?b :block/parents ?p] [?b :block/uid ?u] [?p :block/uid ?a] [?g :node/title _] (above ?b ?g)]`,
		"created since":           `[:find ?t ?at :where [?p :node/title ?t] [?p :create/time ?at] [(> ?at 1620000000000)]]`,
		"texts with a word":       `[:find ?u :where [?b :block/string ?s] [(clojure.string/includes? ?s "Roam")] [?b :block/uid ?u] [?g :node/title _] (above ?b ?g)]`,
		"who wrote on which page": `[:find ?t ?w (count ?b) :where [?b :block/page ?p] [?p :node/title ?t] [?b :create/user ?x] [?x :user/uid ?w] (above ?b ?p)]`,
		"pages pulled":            `[:find (pull ?p [:node/title :block/uid :create/time {:create/user [:user/uid]}]) :where [?p :node/title ?t] [(not= ?t "")]]`,
	} {
		t.Run(name, func(t *testing.T) {
			a, b := answer(t, exported, query), answer(t, dumped, query)
			if len(a) < 3 || !slices.Equal(a, b) {
				t.Errorf("%d and %d rows: %s", len(a), len(b), firstDifference(a, b))
			}
		})
	}
}

// inTree leads from a block up to its page, since the dump has blocks that say
// they are on a page and are in no tree.
const inTree = `[[(above ?b ?a) [?a :block/children ?b]] [(above ?b ?a) [?p :block/children ?b] (above ?p ?a)]]`

func answer(t *testing.T, db *graphdb.DB, query string) []string {
	t.Helper()
	var inputs []any
	if strings.Contains(query, "(above") {
		query = strings.Replace(query, ":where", ":in $ % :where", 1)
		inputs = append(inputs, inTree)
	}
	q, err := datalog.Parse(query)
	require.NoError(t, err)
	result, err := datalog.Run(t.Context(), db, q, inputs, datalog.Options{})
	require.NoError(t, err)
	var out []string
	for _, row := range result.Rows {
		out = append(out, string(datalog.AppendJSON(nil, row, datalog.Stripped)))
	}
	slices.Sort(out)
	return out
}

func firstDifference(a, b []string) string {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return "only the second has " + b[i]
		case i >= len(b):
			return "only the first has " + a[i]
		case a[i] != b[i]:
			return a[i] + " and " + b[i]
		}
	}
	return ""
}
