package dump

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/datalog"
	"roam-mcp/graphdb/outline"
	"roam-mcp/graphdb/roamtext"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

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
	if want := (Imported{Datoms: 74832, Pages: 1031, Blocks: 4115, Orphans: 1602, Users: 22, Versions: 5}); done != want {
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
