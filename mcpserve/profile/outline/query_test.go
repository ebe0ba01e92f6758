package outline_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox/mdfolder"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// queryExamples are those of datascript_query that every build of Roam answers alike.
var queryExamples = []profiletest.Example{
	{Name: "13. a query with Roam's attributes goes to Roam", Calls: []profiletest.Call{
		{Tool: "datascript_query", Arguments: `{"query":"[:find ?t :where [?p :node/title ?t] [?p :log/id]]"}`, MostCalls: 1,
			Want: `{"results":[["January 15th, 2024"]],"count":1,"truncated":false,"schema":"roam","elapsed_ms":"<any>","warnings":["<has Hidden>"]}`},
		{Tool: "datascript_query", Arguments: `{"query":"[:find ?t . :in $ ?u :where [?p :block/uid ?u] [?p :node/title ?t]]","inputs":["ada000001"]}`,
			Want: `{"results":["Ada"],"count":1,"...":"..."}`},
		{Tool: "datascript_query", Arguments: `{"query":"{:find [[?u ?t]] :in [$ ?u] :where [[?p :block/uid ?u] [?p :node/title ?t]]}","inputs":"[\"ada000001\"]"}`,
			Want: `{"results":[["ada000001","Ada"]],"count":1,"...":"..."}`},
		{Tool: "datascript_query", Arguments: `{"query":"[:find ?t . :where [?p :block/uid \"none\"] [?p :node/title ?t]]"}`, Want: `{"results":[],"count":0,"...":"..."}`},
		{Tool: "datascript_query", Arguments: `{"query":"[:find [?u ...] :where [?b :block/uid ?u] [?b :block/string]]","limit":2}`,
			Want: `{"results":["ad0000001","ad0000002"],"count":22,"truncated":true,"...":"..."}`},
	}},
	{Name: "14. a query with Logseq's attributes is answered from the mirror", Calls: []profiletest.Call{
		{Tool: "datascript_query", Arguments: `{"query":"[:find ?u ?c :where [?b :block/marker \"TODO\"] [?b :block/uuid ?u] [?b :block/content ?c]]"}`,
			Want: `{"results":[["ap0000003","{{[[TODO]]}} Write to [[Grace]]"],["sh0000001","{{[[TODO]]}} milk"]],"count":2,"truncated":false,"schema":"logseq","elapsed_ms":"<any>"}`},
		{Tool: "datascript_query", Arguments: `{"query":"[:find ?n :where [?p :block/journal-day 20240115] [?p :block/original-name ?n]]"}`, MostCalls: 1,
			Want: `{"results":[["January 15th, 2024"]],"count":1,"truncated":false,"schema":"logseq","elapsed_ms":"<any>"}`},
		{Tool: "datascript_query", Arguments: `{"query":"[:find (pull ?b [:block/uuid {:block/page [:block/original-name]}]) :where (task ?b #{\"DONE\"})]"}`,
			Want: `{"results":[[{"uuid":"sh0000002","page":{"original-name":"Shopping"}}]],"count":1,"schema":"logseq","...":"..."}`},
		{Tool: "datascript_query", Arguments: `{"query":"[:find [?u ...] :where [?b :block/content ?c] [(clojure.string/includes? ?c \"private\")] [?b :block/uuid ?u]]"}`,
			Want: `{"results":[],"count":0,"...":"..."}`},
		{Tool: "datascript_query", Arguments: `{"query":"{:title \"Journals\" :query [:find [?u ...] :in $ ?start ?today :where (between ?b ?start ?today) [?b :block/uuid ?u]] :inputs [:7d-before :today] :result-transform (fn [r] (sort-by #(get % :block/priority) r))}"}`,
			Want: `{"results":["da0000001","da0000003","da0000004"],"count":3,"schema":"logseq","warnings":["<has :result-transform>"],"...":"..."}`},
		{
			Before: func(w *profiletest.World) { w.AddBlock("shop00001", "{{[[TODO]]}} bread") },
			Tool:   "datascript_query", Arguments: `{"query":"[:find (count ?b) . :where [?b :block/marker \"TODO\"]]"}`,
			Want: `{"results":[3],"count":1,"...":"..."}`,
		},
	}},
	{Name: "15. what can't be run is told with its place", Calls: []profiletest.Call{
		{Tool: "datascript_query", Arguments: `{"query":"[:find"}`, IsError: true, MostCalls: 1, Check: names(`"code":"INVALID_INPUT"`, `"position":{"line":1,"column":6}`)},
		{Tool: "datascript_query", Arguments: `{"query":"[:find ?b\n :where [?b :block/marker] [(foo ?b)]]"}`, IsError: true, Check: names(`"code":"INVALID_INPUT"`, `"line":2`, "foo")},
		{Tool: "datascript_query", Arguments: `{"query":"[:find ?b :where [?b :block/marker] [?b :node/title]]"}`, IsError: true, Check: names(`"code":"INVALID_INPUT"`, ":block/marker", ":node/title")},
		{Tool: "datascript_query", Arguments: `{"query":"(and (task TODO) [[Ada]])"}`, IsError: true, Check: names(`"code":"INVALID_INPUT"`, "simple query")},
		{Tool: "datascript_query", Arguments: `{"query":"{:query [:find ?b :in $ ?p :where (page ?b ?p)] :inputs [:current-page]}"}`, IsError: true, Check: names(`"code":"INVALID_INPUT"`, ":current-page")},
		{Tool: "datascript_query", Arguments: `{"query":"[:find ?b :in $ ?n :where [?b :block/name ?n]]"}`, IsError: true, Check: names(`"code":"INVALID_INPUT"`, "inputs")},
	}},
}

// names returns a check that an answer has some texts in it.
func names(texts ...string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(r.Text(), text) {
				t.Errorf("%q is not in %s", text, r)
			}
		}
	}
}

func TestDatascriptQuery(t *testing.T) {
	profiletest.Run(t, profiletest.Options{Profile: "outline"}, queryExamples...)
}

func TestDatascriptQueryOnOldBuilds(t *testing.T) {
	profiletest.RunOnOldBuild(t, profiletest.Options{Profile: "outline"}, queryExamples...)
}

// The queries of internal/graph/logseqview are asked of the folder itself; here it is seen that
// the server answers them on a graph that was imported from one.
func TestQueriesOnAnImportedFolder(t *testing.T) {
	var export bytes.Buffer
	require.NoError(t, mdfolder.Read(t.Context(), os.DirFS("../../../internal/graph/logseqview/testdata/logseq"), &export, mdfolder.Options{}))
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "outline", Export: export.String()}).World(t)
	c := w.Connect(profiletest.Ways()[0]) // it is January 16th
	for query, want := range map[string]string{
		`{:title "OVERDUE" :query [:find [?c ...] :in $ ?start ?today :where (task ?b #{"NOW" "LATER" "TODO"}) (between ?b ?start ?today) [?b :block/content ?c]] :inputs [:7d :today]}`: `["LATER [#A] plan the trip with [[Grace]]","{{[[TODO]]}} try between in a query"]`,
		`[:find [?c ...] :where (property ?b :type "programming_lang") [?b :block/content ?c]]`:                                                                                          `["Datalog","[[Clojure]]","type:: programming_lang"]`,
		`[:find [?n ...] :where (page-tags ?p #{"programming"}) [?p :block/original-name ?n]]`:                                                                                           `["Clojure","Datalog"]`,
	} {
		r := c.Call("datascript_query", string(rawjson.With("query", query).JSON()))
		if err := profiletest.Match(`{"results":`+want+`,"schema":"logseq","...":"..."}`, r.Text()); err != nil {
			t.Errorf("%s: %v in %s", query, err, r)
		}
	}
}

func TestRowsThatDoNotFitAreLeftOut(t *testing.T) {
	_, c := limited(t)
	r := c.Call("datascript_query", `{"query":"[:find (pull ?b [*]) :where [?b :block/content]]"}`)
	var reply struct {
		Results []json.RawMessage
		Count   int
	}
	r.Decode(t, &reply)
	if r.IsError || len(r.Texts) != 2 || len(reply.Results) == 0 || len(reply.Results) >= reply.Count || reply.Count != 21 {
		t.Errorf("%d of %d in %s", len(reply.Results), reply.Count, r)
	}
}

// limited connects to a server whose replies are short.
func limited(t *testing.T) (*profiletest.World, *profiletest.Client) {
	t.Helper()
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "outline", Server: func(o *mcpserve.Options) { o.MaxReply = 1000 }}).World(t)
	return w, w.Connect(profiletest.Ways()[0])
}

func TestAQueryEndsWithItsTime(t *testing.T) {
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "outline"}).World(t)
	c := w.Connect(profiletest.Ways()[0])
	w.Switch("latency=1s")
	for _, query := range []string{`[:find ?t :where [?p :node/title ?t]]`, `[:find ?t :where [?p :block/name ?t]]`} {
		arguments, _ := json.Marshal(map[string]any{"query": query, "timeout_ms": 100})
		r := c.Call("datascript_query", string(arguments))
		if !r.IsError || !strings.Contains(r.Text(), `"code":"TIMEOUT"`) {
			t.Errorf("%s: %s", query, r)
		}
	}
}
