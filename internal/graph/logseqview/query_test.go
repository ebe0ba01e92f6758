package logseqview_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/logseqview"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// now is the day on which the queries of the tests are asked, a Saturday.
var now = time.Date(2024, 1, 20, 18, 30, 0, 0, time.UTC)

// answer returns the rows of a query in order, each as JSON.
func answer(t *testing.T, db *graphdb.DB, query string, inputs ...any) ([]string, error) {
	t.Helper()
	q, err := logseqview.Parse(query, inputs)
	if err != nil {
		return nil, err
	}
	text, inputs, err := q.Datalog(now)
	if err != nil {
		return nil, err
	}
	parsed, err := datalog.Parse(text)
	if err != nil {
		return nil, err
	}
	result, err := datalog.Run(t.Context(), db, parsed, inputs, datalog.Options{})
	if err != nil {
		return nil, err
	}
	out, err := result.JSON(datalog.Stripped)
	require.NoError(t, err)
	var rows []json.RawMessage
	if json.Unmarshal(out, &rows) != nil {
		return []string{string(out)}, nil
	}
	texts := []string{}
	for _, row := range rows {
		texts = append(texts, string(row))
	}
	slices.Sort(texts)
	return texts, nil
}

func view(t *testing.T, roam *graphdb.DB) *graphdb.DB {
	t.Helper()
	db, err := logseqview.Build(t.Context(), roam)
	require.NoError(t, err)
	return db
}

func TestTheDemoGraphInLogseqsSchema(t *testing.T) {
	db := view(t, graphtest.FromJSON(t, demograph.JSON))
	for query, want := range map[string]string{
		`[:find ?u ?c :where [?b :block/marker "TODO"] [?b :block/uuid ?u] [?b :block/content ?c]]`: `["ap0000003","{{[[TODO]]}} Write to [[Grace]]"]
["sh0000001","{{[[TODO]]}} milk"]`,
		`[:find ?n :where [?p :block/journal-day 20240115] [?p :block/original-name ?n]]`: `["January 15th, 2024"]`,
		`[:find ?u :where (task ?b #{"TODO" "DONE"}) (page ?b "shopping") [?b :block/uuid ?u]]`: `["sh0000001"]
["sh0000002"]`,
		`[:find [?u ...] :where (page-ref ?b "ada") [?b :block/uuid ?u]]`: `"ad0000001"
"ad0000002"
"ap0000002"
"gl0000002"
"sv0000002"`,
		`[:find [?n ...] :where (page-tags ?p #{"project"}) [?p :block/name ?n]]`:                                                                                                                                    `"projects/apollo"`,
		`[:find (pull ?p [:block/journal? :block/type :block/properties {:block/tags [:block/name]}]) :where [?p :block/name "projects/apollo"]]`:                                                                    `[{"journal?":false,"type":"page","properties":{"tags":["in progress","project"]},"tags":[{"name":"project"},{"name":"in progress"}]}]`,
		`[:find (pull ?b [:block/content :block/order {:block/page [:block/uuid] :block/parent [:block/uuid] :block/left [:block/uuid] :block/path-refs [:block/name]}]) :where [?b :block/uuid #uuid "ap0000002"]]`: `[{"content":"Budget is tight, ask [[Ada]]","order":0,"left":{"uuid":"ap0000001"},"page":{"uuid":"apollo001"},"parent":{"uuid":"ap0000001"},"path-refs":[{"name":"projects/apollo"},{"name":"saturn v"},{"name":"ada"}]}]`,
		`[:find ?c :where [?b :block/content ?c] [(clojure.string/includes? ?c "private")]]`:                                                                                                                         ``,
	} {
		got, err := answer(t, db, query)
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%s\n%v gives\n%s\nwant\n%s", query, err, text, want)
		}
	}
}
