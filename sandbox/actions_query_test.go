package sandbox

import (
	"strings"
	"testing"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/datalog"
	"roam-mcp/localapi"
	"roam-mcp/sandbox/desk"
)

// diary has notes of three days and a page that speaks of one that has none.
func diary(t *testing.T) *caller {
	t.Helper()
	now := clock()
	c := callerOf(t, start(t, Options{Policy: desk.Allow, Now: func() time.Time { return now }}), small)
	for _, note := range []string{"11-19-2026", "11-20-2026", "11-21-2026"} {
		c.do("data.block.create", `{"location":{"page-title":{"daily-note-page":"`+note+`"},"order":0},"block":{"string":"at home","uid":"day-`+note[3:5]+`"}}`)
	}
	now = now.Add(-48 * time.Hour)
	c.do("data.block.create", `{"location":{"page-title":"Plans","order":0},"block":{"string":"go out on [[November 22nd, 2026]] with [[Water]]","uid":"plan-1"}}`)
	c.do("data.block.create", `{"location":{"parent-uid":"plan-1","order":0},"block":{"string":"pack","uid":"plan-2"}}`)
	now = now.Add(48 * time.Hour)
	return c
}

func TestQueriesKnowRoamsSymbolsAndRules(t *testing.T) {
	c := diary(t)
	const find = `[:find [?u ...] :where `
	for name, query := range map[string]struct{ args, want string }{
		"created today":              {find + `(created-between ms/today-start ms/today-end ?b) [?b :block/string] [?b :block/uid ?u]]`, `["blk-guide","day-19","day-20","day-21"]`},
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

func TestAQueryThatTakesTooLongSaysSo(t *testing.T) {
	c := diary(t)
	_, err := c.tryArgs("q", `["[:find (count ?a) . :timeout 1 :where [?a _ _] [?b _ _] [?c _ _] [?d _ _] [(not= ?a ?b ?c ?d)]]"]`)
	if code, text := refusalOf(err); code != localapi.CodeQueryTimeout || !strings.Contains(text, "took too long") {
		t.Errorf("%v", err)
	}
}

func TestOnlyTheExtensionsOfRoamAreLeftOutOfOtherQueries(t *testing.T) {
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
		if _, text := refusalOf(err); !strings.Contains(text, want) || err == nil && want != "" {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func BenchmarkPrepareQuery(b *testing.B) {
	q := datalogQuery{db: graphdb.NewConn(graphdb.RoamSchema()).DB(), now: clock(), parsed: datalog.NewCache(8)}
	for name, text := range map[string]string{
		"plain": `[:find ?b :in $ ?t :where [?p :node/title ?t] [?b :block/refs ?p]]`,
		"rules": `[:find ?b :in $ ?t :where (in-dnp-between dnp/this-week-start dnp/today ?b)]`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := q.prepare(text, []any{"Water"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
