package actions

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/difftest"
	"roam-mcp/internal/testutil/require"
)

// diary has notes of three days and a page that speaks of one that has none.
func diary(t *testing.T) *caller {
	t.Helper()
	c := start(t, Options{})
	for _, note := range []string{"11-19-2026", "11-20-2026", "11-21-2026"} {
		c.do("data.block.create", `{"location":{"page-title":{"daily-note-page":"`+note+`"},"order":0},"block":{"string":"at home","uid":"day-`+note[3:5]+`"}}`)
	}
	c.Now = c.Now.Add(-48 * time.Hour)
	c.do("data.block.create", `{"location":{"page-title":"Plans","order":0},"block":{"string":"go out on [[November 22nd, 2026]] with [[Water]]","uid":"plan-1"}}`)
	c.do("data.block.create", `{"location":{"parent-uid":"plan-1","order":0},"block":{"string":"pack","uid":"plan-2"}}`)
	c.Now = c.Now.Add(48 * time.Hour)
	return c
}

func TestQuery(t *testing.T) {
	c := diary(t)
	const find = `[:find [?u ...] :where `
	for name, query := range map[string]struct{ args, want string }{
		"created today":              {find + `(created-between ms/today-start ms/today-end ?b) [?b :block/string] [?b :block/uid ?u]]`, `["day-19","day-20","day-21"]`},
		"compared with a symbol":     {find + `[?b :create/time ?t] [(< ?t ms/today-start)] [(> ?t ms/-1W-start)] [?b :block/string] [?b :block/uid ?u]]`, `["plan-1","plan-2"]`},
		"edited in between":          {find + `(edited-between ms/-3D-start ms/yesterday-end ?b) [?b :block/string] [?b :block/uid ?u]]`, `["plan-1","plan-2"]`},
		"today's note":               {find + `[?p :node/title dnp/today] [?b :block/page ?p] [?b :block/uid ?u]]`, `["day-21"]`},
		"in a daily note":            {find + `(in-dnp dnp/yesterday ?b) [?b :block/uid ?u]]`, `["day-20"]`},
		"a reference to a day":       {find + `(refs-dnp dnp/tomorrow ?b) [?b :block/uid ?u]]`, `["plan-1"]`},
		"either of both":             {find + `(or-join [?b] (in-dnp dnp/today ?b) (in-or-refs-dnp dnp/tomorrow ?b)) [?b :block/uid ?u]]`, `["day-21","plan-1"]`},
		"in daily notes of a span":   {find + `(in-dnp-between "November 1st, 2026" dnp/yesterday ?b) [?b :block/uid ?u]]`, `["day-19","day-20"]`},
		"references of a span":       {find + `(refs-dnp-between dnp/today dnp/+9D ?b) [?b :block/uid ?u]]`, `["plan-1"]`},
		"in a span or about it":      {find + `(in-or-refs-dnp-between dnp/today dnp/tomorrow ?b) [?b :block/uid ?u]]`, `["day-21","plan-1"]`},
		"by a user":                  {find + `(by "Sandbox user (AI)" ?b) (created-by "Sandbox user (AI)" ?b) (edited-by "Sandbox user (AI)" ?b) [?b :block/string "pack"] [?b :block/uid ?u]]`, `["plan-2"]`},
		"by another user":            {find + `(by "Sandbox user" ?b) [?b :block/string "pack"] [?b :block/uid ?u]]`, `[]`},
		"a reference":                {find + `(refs-page "Water" ?b) [?b :block/uid ?u]]`, `["blk-flour","plan-1"]`},
		"a reference above":          {find + `(block-or-parent-refs-page "Water" ?b) [?b :block/uid ?u]]`, `["blk-flour","blk-child","plan-1","plan-2"]`},
		"not a rule":                 {find + `[?p :node/title "Plans"] [?b :block/page ?p] (not (refs-page "Water" ?b)) [?b :block/uid ?u]]`, `["plan-2"]`},
		"the query as a map":         {`{:find [[?u ...]] :in [$ ?t] :where [(refs-page ?t ?b) [?b :block/uid ?u]]}|"Water"`, `["blk-flour","plan-1"]`},
		"an input before the rules":  {`[:find [?u ...] :in $ ?t :where (refs-page ?t ?b) [?b :block/uid ?u]]|"Water"`, `["blk-flour","plan-1"]`},
		"rules of one's own beside":  {`[:find [?u ...] :in $ % ?t :where (mine ?t ?b) [?b :block/uid ?u]]|"[[(mine ?t ?b) (refs-page ?t ?c) [?c :block/children ?b]]]"|"Water"`, `["blk-child","plan-2"]`},
		"a rule of one's own wins":   {`[:find [?u ...] :in $ % :where (refs-page "Water" ?b) [?b :block/uid ?u]]|"[[(refs-page ?t ?b) [?b :node/title ?t]]]"`, `["page-wate"]`},
		"days that are inputs":       {`[:find [?u ...] :in $ ?from ?to :where (in-dnp-between ?from ?to ?b) [?b :block/uid ?u]]|"November 20th, 2026"|"November 30th, 2026"`, `["day-20","day-21"]`},
		"a map with a rule":          {`{:find [[?u ...]] :where [(refs-page "Water" ?b) [?b :block/uid ?u]]}`, `["blk-flour","plan-1"]`},
		"a map with a comparison":    {`{:find [?t ?n] :where [[?e :node/title ?t] [(count ?t) ?n] [(<= ?n 2)]]}`, `[]`},
		"a name that looks like one": {find + `[?b :block/string "ms/today-start"] [?b :block/uid ?u]]`, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			parts := strings.Split(query.args, "|")
			parts[0] = `"` + strings.ReplaceAll(parts[0], `"`, `\"`) + `"`
			got, err := c.tryArgs("q", "["+strings.Join(parts, ",")+"]")
			if err != nil || !sameSet(got, query.want) {
				t.Errorf("%s, %v; want %s", got, err, query.want)
			}
		})
	}
}

func TestQueryTimeout(t *testing.T) {
	c := diary(t)
	_, err := c.tryArgs("q", `["[:find (count ?a) . :timeout 1 :where [?a _ _] [?b _ _] [?c _ _] [?d _ _] [(not= ?a ?b ?c ?d)]]"]`)
	if text := fmt.Sprint(err); !strings.Contains(text, "took too long") {
		t.Errorf("%v", err)
	}
}

// TestQueryMemory asks for more than all queries may hold, with all that finds by queries
// and pulls. What is answered holds its memory until the caller releases it.
func TestQueryMemory(t *testing.T) {
	c := start(t, Options{QueryMemory: 64 << 10})
	growing := strings.Repeat("{:block/page [* {:block/_page [* ", 6) + strings.Repeat("]}]}", 6)
	for action, arguments := range map[string]string{
		"data.q":         `["[:find ?a ?b ?c :where [?a :block/uid] [?b :block/uid] [?c :block/uid]]"]`,
		"data.fast.q":    `["[:find ?t . :where [(range 100000) ?r] [(str ?r) ?t]]"]`,
		"data.pull":      `["[` + growing + `]", "[:block/uid \"blk-flour\"]"]`,
		"data.roamQuery": `[{"query":"{or: {search: a} {search: e} {search: o}}","limit":null,"pull":"[` + growing + `]"}]`,
	} {
		if _, err := c.tryArgs(action, arguments); err == nil || !strings.Contains(err.Error(), "more memory than") {
			t.Errorf("%s: %v", action, err)
		}
		if held := c.registry.memory.Held(); held != 0 {
			t.Errorf("%s: %d bytes are held", action, held)
		}
	}
	c.Memory = c.registry.OpenMemory()
	c.do("data.q", `"[:find ?u :where [?e :block/uid ?u]]"`)
	if held := c.registry.memory.Held(); held == 0 {
		t.Error("an answer holds nothing")
	}
	c.Memory.Release()
}

func TestQueryRefusals(t *testing.T) {
	c := diary(t)
	for args, want := range map[string]string{
		`["[:find ?b :where (ancestor ?a ?b)]"]`:                     "Missing rules var",
		`["[:find ?b :where [?b :node/title current/page-title]]"]`:  "",
		`["[:find ?b :in $ ?x ?y % :where (refs-page \"a\" ?b)]"]`:   "few inputs",
		`["[:find ?b :in $ % :where (refs-page \"a\" ?b)]","[[("]`:   "rules",
		`["[:find ?b :in $ % :where (refs-page \"a\" ?b)]",{"a":1}]`: "rules",
		`["[:find ?p :where [?p :node/title] (refs-page \"a\")]"]`:   "arguments",
	} {
		_, err := c.tryArgs("data.q", args)
		if text := fmt.Sprint(err); !strings.Contains(text, want) || err == nil && want != "" {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestPrepareLeavesOtherQueries(t *testing.T) {
	q := datalogQuery{db: graphdb.NewConn(graphdb.RoamSchema()).DB(), now: clock(), parsed: datalog.NewCache(8)}
	rules := `[[(up ?a ?b) [?b :block/children ?a]]]`
	query, inputs, err := q.prepare(`[:find ?a :in $ % ?x :where (up ?a ?x)]`, []any{rules, "x"})
	if err != nil || len(inputs) != 2 || inputs[1] != "x" || query == nil {
		t.Errorf("%v, %v", inputs, err)
	}
}

// TestPrepareKeepsAnswers answers generated queries, as lists and as maps, with and
// without a built-in rule that changes nothing.
func TestPrepareKeepsAnswers(t *testing.T) {
	const step = 5
	datoms := difftest.SmallGraph(difftest.Seed)
	db, err := difftest.Load(t.Context(), graphdb.RoamSchema(), datoms)
	require.NoError(t, err)
	q := datalogQuery{db: db, now: clock(), parsed: datalog.NewCache(8)}
	for i, c := range difftest.Random(difftest.Seed, difftest.RandomCases, datoms) {
		if i%step != 0 || c.Pattern != "" || strings.HasPrefix(c.Query, "{") {
			continue
		}
		want := canonicalAnswer(c.Answer(t.Context(), db))
		ruled := strings.Replace(c.Query, ":where ", `:where (refs-page "Page 3" ?rb) `, 1)
		for _, text := range []string{c.Query, difftest.MapForm(c.Query), ruled, difftest.MapForm(ruled)} {
			got := canonicalAnswer(answerPrepared(t.Context(), q, text, c.Inputs))
			if got != want {
				t.Errorf("%s\n got %s\nwant %s", text, got, want)
			}
		}
	}
}

func answerPrepared(ctx context.Context, q datalogQuery, text string, inputs []any) ([]byte, error) {
	query, inputs, err := q.prepare(text, inputs)
	if err != nil {
		return nil, err
	}
	result, err := datalog.Run(ctx, q.db, query, inputs, datalog.Options{})
	if err != nil {
		return nil, err
	}
	return result.JSON(datalog.Stripped)
}

func canonicalAnswer(answer []byte, err error) string {
	if err != nil {
		return "an error"
	}
	text, err := difftest.Canonical(answer)
	if err != nil {
		return err.Error()
	}
	return text
}

func FuzzPrepareQuery(f *testing.F) {
	for _, seed := range []string{
		`[:find ?b :where (in-dnp-between dnp/today "March 1st, 2026" ?b)]`, `[:find ?b :in $ % ?x :where (refs-page ?x ?b)]`,
		`{:find [?b] :in [$ %] :where [(by "Ana" ?b)]}`, `[:find ?b :in :where (by ?a ?b) [?b :create/time ms/+1W-end]]`,
		`(refs-page)`, `[(by)]`, `{:in 3 (by 1 2) 4}`, `#{(by ?x) ms/today-start}`, `[:in :in % (by ?x)]`,
	} {
		f.Add(seed, `[[(refs-page ?t ?b) [?b :node/title ?t]]]`)
		f.Add(seed, seed)
	}
	q := datalogQuery{db: graphdb.NewConn(graphdb.RoamSchema()).DB(), now: clock(), parsed: datalog.NewCache(8)}
	f.Fuzz(func(t *testing.T, text, input string) {
		for _, inputs := range [][]any{nil, {input}, {input, "x"}} {
			query, prepared, err := q.prepare(text, inputs)
			if err == nil && (query == nil || len(prepared) < len(inputs) || len(prepared) > len(inputs)+1) {
				t.Errorf("%q: %v", text, prepared)
			}
		}
	})
}

func TestDateSymbol(t *testing.T) {
	zone := time.FixedZone("somewhere", 2*3600)
	now := time.Date(2026, 11, 21, 1, 30, 0, 0, zone) // a Saturday
	moment := func(text string) int64 {
		at, err := time.ParseInLocation("2006-01-02 15:04:05.000", text, zone)
		require.NoError(t, err)
		return at.UnixMilli()
	}
	for symbol, want := range map[string]any{
		"ms/today-start":        moment("2026-11-21 00:00:00.000"),
		"ms/today-end":          moment("2026-11-21 23:59:59.999"),
		"ms/yesterday-start":    moment("2026-11-20 00:00:00.000"),
		"ms/this-week-start":    moment("2026-11-15 00:00:00.000"),
		"ms/this-week-end":      moment("2026-11-21 23:59:59.999"),
		"ms/last-week-start":    moment("2026-11-08 00:00:00.000"),
		"ms/+1W-end":            moment("2026-11-28 23:59:59.999"),
		"ms/next-month-end":     moment("2026-12-31 23:59:59.999"),
		"ms/-9M-end":            moment("2026-02-28 23:59:59.999"),
		"ms/this-quarter-start": moment("2026-10-01 00:00:00.000"),
		"ms/-1Q-end":            moment("2026-09-30 23:59:59.999"),
		"ms/this-year-end":      moment("2026-12-31 23:59:59.999"),
		"ms/-5D-start":          moment("2026-11-16 00:00:00.000"),
		"ms/+0Y-start":          moment("2026-01-01 00:00:00.000"),
		"ms/=2025-01-01-start":  moment("2025-01-01 00:00:00.000"),
		"ms/=2025-12-31-end":    moment("2025-12-31 23:59:59.999"),
		"dnp/today":             "November 21st, 2026",
		"dnp/tomorrow":          "November 22nd, 2026",
		"dnp/-1D":               "November 20th, 2026",
		"dnp/this-week-start":   "November 15th, 2026",
		"dnp/this-week-end":     "November 21st, 2026",
		"dnp/this-month-start":  "November 1st, 2026",
		"dnp/this-year-end":     "December 31st, 2026",
		"dnp/=2025-01-01":       "January 1st, 2025",
		"dnp/last-month-end":    "October 31st, 2026",
	} {
		got, ok, err := dateSymbol(symbol, now)
		if err != nil || !ok || got != want {
			t.Errorf("%s: %v, %v, %v; want %v", symbol, got, ok, err, want)
		}
	}
	for _, symbol := range []string{"?ms/today-start", "clojure.string/includes?", "current/page-title", "ms", "$"} {
		if _, ok, err := dateSymbol(symbol, now); ok || err != nil {
			t.Errorf("%s: %v, %v", symbol, ok, err)
		}
	}
	for _, symbol := range []string{"ms/today", "ms/never-start", "ms/=2025-02-30-start", "dnp/this-week", "dnp/", "ms/+99999D-start", "dnp/-1D-middle"} {
		if _, _, err := dateSymbol(symbol, now); err == nil || !strings.Contains(err.Error(), "start") && !strings.Contains(err.Error(), "range") {
			t.Errorf("%s: %v", symbol, err)
		}
	}
}

// queried is a sandbox whose small graph has two queries in it, one of them
// with settings.
func queried(t *testing.T) *caller {
	c := start(t, Options{})
	c.do("data.block.create", `{"location": {"page-title": "Log"}, "block": {"uid": "blk-query", "string": "{{[[query]]: {and: [[Water]]}}}"}}`)
	c.do("data.block.create", `{"location": {"page-title": "Log"}, "block": {"uid": "blk-saved", "string": "{{query: {or: [[Water]] ((blk-flour))}}}"}}`)
	c.do("data.block.update", `{"block": {"uid": "blk-saved", "props": {"query": {"sortOrder": "asc", "showPaths": false, "filters": {"removes": ["Log"]}}}}}`)
	return c
}

func TestRoamQuery(t *testing.T) {
	c := queried(t)
	const at = `"queriedAt":"2026-11-21T09:30:00.000Z"`
	const flour = `"markdown":"- Flour and [[Water]] <roam uid=\"blk-flour\" heading=\"2\" refs=\"2\"/>\n  - a fine child <roam uid=\"blk-child\"/>"`
	for name, test := range map[string]struct{ argument, want string }{
		"by text": {`{"query": "{and: [[Water]] {not: [[query]]}}", "sortOrder": "asc", "limit": 1}`,
			`{` + at + `,"total":3,"results":[{"uid":"blk-flour",` + flour + `,"path":"Bread"}]}`},
		"by text, further on": {`{"query": "{and: [[Water]] {not: [[query]]}}", "sortOrder": "asc", "limit": 1, "offset": 1, "maxDepth": 0}`,
			`{` + at + `,"total":3,"results":[{"uid":"blk-child","markdown":"- a fine child <roam uid=\"blk-child\"/>","path":"Bread > Flour and [[Water]]"}]}`},
		"without paths": {`{"query": "{and: {search: fine}}", "includePath": false}`,
			`{` + at + `,"total":1,"results":[{"uid":"blk-child","markdown":"- a fine child <roam uid=\"blk-child\"/>"}]}`},
		"a page among the results": {`{"query": "{between: [[today]] [[today]]}"}`, `{` + at + `,"total":0,"results":[]}`},
		"a block's own query":      {`{"uid": "blk-query", "limit": 1, "offset": 2, "maxDepth": 0}`, `{` + at + `,"total":3,"results":[{"uid":"blk-flour","markdown":"- Flour and [[Water]] <roam uid=\"blk-flour\" heading=\"2\" refs=\"2\" hiddenChildren=\"1\"/>","path":"Bread"}]}`},
		"a block with settings": {`{"uid": "blk-saved", "limit": 1, "sortOrder": "desc", "includePath": true}`,
			`{` + at + `,"total":3,"results":[{"uid":"blk-flour",` + flour + `}]}`},
		"what is hidden": {`{"query": "{and: [[.rm-private]]}"}`, `{` + at + `,"total":0,"results":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.do("data.ai.roamQuery", test.argument); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestRoamQueryRefusals(t *testing.T) {
	c := queried(t)
	for name, test := range map[string]struct{ argument, text string }{
		"neither text nor block":     {`{}`, "exactly one of uid and query"},
		"both":                       {`{"uid": "blk-query", "query": "{and: [[A]]}"}`, "exactly one of uid and query"},
		"no such block":              {`{"uid": "nowhere"}`, `the block with uid "nowhere" doesn't exist`},
		"a page":                     {`{"uid": "page-brea"}`, "doesn't exist"},
		"a hidden block":             {`{"uid": "blk-priva"}`, "doesn't exist"},
		"a block without a query":    {`{"uid": "blk-child"}`, "holds no query"},
		"a query that is not one":    {`{"query": "TODO"}`, "can't be read at character 1"},
		"an order Roam has not":      {`{"query": "{and: [[A]]}", "sort": "size"}`, "sort is created-date"},
		"a direction Roam has not":   {`{"query": "{and: [[A]]}", "sortOrder": "up"}`, "sortOrder is asc or desc"},
		"Datalog instead of a query": {`{"query": "[:find ?b :where [?b :block/uid]]"}`, "a clause in braces is expected"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, action := range []string{"data.ai.roamQuery", "data.roamQuery"} {
				if _, err := c.try(action, test.argument); err == nil || !strings.Contains(err.Error(), test.text) {
					t.Errorf("%s: %v, want %q", action, err, test.text)
				}
			}
		})
	}
	if _, err := c.try("data.roamQuery", `{"query": "{and: [[A]]}", "pull": 7}`); err == nil || !strings.Contains(err.Error(), "pull is a pattern") {
		t.Error(err)
	}
}

func TestRoamQueryPulls(t *testing.T) {
	c := queried(t)
	for name, test := range map[string]struct{ argument, want string }{
		"text and uid": {`{"query": "{and: {search: fine}}"}`, `{"total":1,"results":[{":block/string":"a fine child",":block/uid":"blk-child"}]}`},
		"a pattern of one's own": {`{"query": "{and: {search: fine}}", "pull": "[{:block/page [:node/title]}]"}`,
			`{"total":1,"results":[{":block/page":{":node/title":"Bread"}}]}`},
		"a pattern as a list":   {`{"query": "{and: {search: fine}}", "pull": [":block/uid"]}`, `{"total":1,"results":[{":block/uid":"blk-child"}]}`},
		"parents for children":  {`{"query": "{and: [[Water]] [[Bread]]}", "nestUnderParent": true, "pull": [":block/uid"]}`, `{"total":1,"results":[{":block/uid":"blk-flour"}]}`},
		"page by page, a title": {`{"query": "{or: [[Water]] ((blk-flour))}", "groupByPage": true, "sort": "page-title", "sortOrder": "asc", "limit": 1, "pull": [":block/uid"]}`, `{"total":5,"results":[{":block/uid":"blk-flour"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.do("data.roamQuery", test.argument); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestRoamQueryLimit(t *testing.T) {
	c := queried(t)
	c.do("data.block.fromMarkdown", `{"location": {"page-title": "Log"}, "markdown-string": "`+strings.Repeat(`- drank [[Water]]\n`, 40)+`"}`)
	for limit, want := range map[string]int{`, "limit": null`: 40, "": 20, `, "limit": 3`: 3, `, "limit": 0`: 0} {
		var got queryPulled
		require.NoError(t, json.Unmarshal([]byte(c.do("data.roamQuery", fmt.Sprintf(`{"query": "{and: {search: drank}}"%s}`, limit))), &got))
		if got.Total != 40 || len(got.Results) != want {
			t.Errorf("with %q: %d of %d, want %d", limit, len(got.Results), got.Total, want)
		}
	}
}

// The switch slow-queries reckons with it.
func TestAQueryGoesThroughWhatItIsGivenOrThroughAll(t *testing.T) {
	c := start(t, Options{})
	db := c.Graph.Data.DB()
	all := db.Count(graphdb.BlockUID)
	for call, want := range map[string]int{
		`data.q ["[:find ?e :where [?e :block/uid]]"]`:                   all,
		`data.q ["[:find ?e :in $ ?t :where [?e :edit/time ?t]]", 5]`:    all,
		`data.q ["[:find (pull ?e [*]) :in $ [?e ...]]", [1, 2, 3]]`:     3,
		`data.fast.q ["[:find ?e :in $ ?x [?e ...]]", "a", [1], [2, 3]]`: 3,
		`data.q ["[:find ?e :in $ [?e ...]]", []]`:                       0,
		`data.pull ["[*]", 5]`:                                           1,
		`data.pull_many ["[*]", [4, 5]]`:                                 2,
		`data.q []`:                                                      all,
		`data.ai.getPage [{"title": "Bread"}]`:                           -1,
	} {
		action, arguments, _ := strings.Cut(call, " ")
		asked := Call{Action: action}
		require.NoError(t, json.Unmarshal([]byte(arguments), &asked.Args))
		switch got := asked.Entities(db); {
		case IsQuery(action) != (want >= 0):
			t.Errorf("%s is a query: %v", call, IsQuery(action))
		case want >= 0 && got != want:
			t.Errorf("%s: %d, want %d", call, got, want)
		}
	}
}
