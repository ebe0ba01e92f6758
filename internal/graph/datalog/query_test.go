package datalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// garden is a graph of one page with a chain of four blocks whose references
// form two cycles, and a daily note.
func garden(t testing.TB) *graphdb.DB {
	t.Helper()
	conn, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), func(yield func(graphdb.Datom, error) bool) {
		put := func(e graphdb.EID, a graphdb.Attr, x any) {
			v, err := graphtest.ValueOf(x)
			yield(graphdb.Datom{E: e, A: a, V: v, Tx: 7, Added: true}, err)
		}
		put(1, graphdb.BlockUID, "p1")
		put(1, graphdb.NodeTitle, "Page 😀 one")
		for e := graphdb.EID(2); e < 6; e++ {
			put(e-1, graphdb.BlockChildren, e)
			put(e, graphdb.BlockUID, fmt.Sprint("b", e))
			put(e, graphdb.BlockString, fmt.Sprint("Hello ", e))
			put(e, graphdb.BlockPage, graphdb.EID(1))
			put(e, graphdb.BlockRefs, e%4+2) // 2 and 4, 3 and 5
			put(e, graphdb.CreateTime, int64(e))
		}
		put(5, graphdb.BlockRefs, graphdb.EID(5))
		put(2, graphdb.BlockViewType, graphdb.Keyword(":view/tabs"))
		put(2, graphdb.BlockProps, graphdb.Opaque(`{:width 3, :rest [##NaN :a]}`))
		put(3, ":score", 2.5)
		put(9, graphdb.BlockUID, "11-21-2026")
		put(9, graphdb.NodeTitle, "November 21st, 2026")
		put(9, graphdb.LogID, int64(1))
	})
	require.NoError(t, err)
	return conn.DB()
}

func answer(t testing.TB, db *graphdb.DB, query string, inputs ...any) (string, error) {
	t.Helper()
	q, err := Parse(query)
	if err != nil {
		return "", err
	}
	res, err := Run(t.Context(), db, q, inputs, Options{})
	if err != nil {
		return "", err
	}
	text, err := res.JSON(Stripped)
	return string(text), err
}

// asked is a query and its answer as JSON; "" means an error.
type asked struct {
	name, query string
	inputs      []any
	want        string
}

func check(t *testing.T, cases []asked) {
	t.Helper()
	db := garden(t)
	for _, c := range cases {
		got, err := answer(t, db, c.query, c.inputs...)
		if c.want == "" && err == nil {
			t.Errorf("%s: %s\n got %s, want an error", c.name, c.query, got)
		}
		if c.want != "" && (err != nil || got != c.want) {
			t.Errorf("%s: %s\n got %s, %v\nwant %s", c.name, c.query, got, err, c.want)
		}
	}
}

func TestQueriesTakeAndGiveEveryShape(t *testing.T) {
	check(t, []asked{
		{"a relation", `[:find ?e ?s :where [?e :block/string ?s] [(= ?s "Hello 3")]]`, nil, `[[3,"Hello 3"]]`},
		{"a collection", `[:find [?e ...] :where [?e :block/page 1]]`, nil, `[2,3,4,5]`},
		{"a tuple", `[:find [?u ?t] :where [?e :node/title ?t] [?e :block/uid ?u] [?e :log/id]]`, nil, `["11-21-2026","November 21st, 2026"]`},
		{"a scalar", `[:find ?u . :where [?e :log/id _] [?e :block/uid ?u]]`, nil, `"11-21-2026"`},
		{"a scalar of nothing", `[:find ?e . :where [?e :nope _]]`, nil, `null`},
		{"a tuple of nothing", `[:find [?e ?x] :where [?e :nope ?x]]`, nil, `null`},
		{"a count of nothing", `[:find (count ?e) :where [?e :nope _]]`, nil, `[]`},
		{"rows as maps", `[:find ?e ?n :keys id n/number :where [?e :score ?n]]`, nil, `[{"id":3,"number":2.5}]`},
		{"a tuple as a map", `[:find [?e] :strs id :where [?e :score]]`, nil, `{"id":3}`},
		{"the map form", `{:find [?e] :where [[?e :score _]]}`, nil, `[[3]]`},
		{"a pull in brackets", `[:find [pull ?e [:block/uid]] :where [?e :score]]`, nil, `[[{"uid":"b3"}]]`},
		{"a pull pattern as input", `[:find (pull ?e ?p) . :in $ ?p :where [?e :score]]`, []any{"[:block/uid]"}, `{"uid":"b3"}`},
		{"aggregates with a pull", `[:find (pull ?p [:block/uid]) (count ?b) :where [?b :block/page ?p]]`, nil, `[[{"uid":"p1"},4]]`},
		{"with keeps rows apart", `[:find (sum ?n) . :with ?b :where [?b :block/page ?p] [(ground 2) ?n]]`, nil, `8`},
		{"aggregates of a set", `[:find (sum ?n) . :where [?b :block/page ?p] [(ground 2) ?n]]`, nil, `2`},
		{"statistics", `[:find [(avg ?n) (median ?n) (variance ?n) (min 2 ?n) (max 2 ?n)] :where [_ :create/time ?n]]`, nil, `[3.5,3.5,1.25,[2,3],[4,5]]`},

		{"an input", `[:find ?e . :in $ ?u :where [?e :block/uid ?u]]`, []any{"b4"}, `4`},
		{"a list of inputs", `[:find [?e ...] :in $ [?u ...] :where [?e :block/uid ?u]]`, []any{[]any{"b4", "b5", "nope"}}, `[4,5]`},
		{"an empty list of inputs", `[:find [?e ...] :in $ [?u ...] :where [?e :block/uid]]`, []any{[]any{}}, `[]`},
		{"a tuple of inputs", `[:find ?e . :in $ [?u _ ?s] :where [?e :block/uid ?u] [?e :block/string ?s]]`, []any{[]any{"b4", 1, "Hello 4"}}, `4`},
		{"a relation of inputs", `[:find ?e ?n :in $ [[?u ?n]] :where [?e :block/uid ?u]]`, []any{[]any{[]any{"b4", 1.0}, []any{"b5", 2.5}}}, `[[4,1],[5,2.5]]`},
		{"a lookup ref as input stays what it is", `[:find ?b ?e :in $ ?e :where [?b :block/page ?e] [?b :score]]`, []any{[]any{":block/uid", "p1"}}, `[[3,[":block/uid","p1"]]]`},
		{"lookup refs in a list", `[:find ?s :in $ [?e ...] :where [?e :block/string ?s]]`, []any{[]any{[]any{":block/uid", "b2"}, []any{":block/uid", "no"}}}, `[["Hello 2"]]`},
		{"no dollar sign needed", `[:find ?e . :in ?u :where [?e :block/uid ?u]]`, []any{"b4"}, `4`},
	})
}

func TestClausesMeanWhatTheySay(t *testing.T) {
	rules := `[[(under ?a ?b) [?a :block/children ?b]] [(under ?a ?b) (under ?a ?x) [?x :block/children ?b]]
	           [(reach ?a ?b) [?a :block/refs ?b]] [(reach ?a ?b) (reach ?a ?x) (reach ?x ?b)]
	           [(lonely ?e) [?e :block/uid] (not (reach ?e ?x))]
	           [(child [?p] ?c) [?p :block/children ?c]]
	           [(apart ?e ?p) [?e :score] (not [?e :block/refs ?p]) [?p :node/title]]
	           [(links ?e) (linked ?e _)] [(linked ?a ?b) [?a :block/refs ?b] [?b :score]]
	           [(has ?e ?w) [?e :block/string ?s] [(clojure.string/includes? ?s ?w)]]
	           [(above ?e ?w) [?e :block/children ?c] (below ?c ?w)]
	           [(above ?e ?w) (has ?e ?w)]
	           [(below ?e ?w) (above ?e ?w)]]`
	check(t, []asked{
		{"a lookup ref as entity and as value", `[:find ?s :where [?b :block/page [:block/uid "p1"]] [[:block/uid "b3"] :block/refs ?b] [?b :block/string ?s]]`, nil, `[["Hello 5"]]`},
		{"the same variable twice", `[:find ?e :where [?e :block/refs ?e]]`, nil, `[[5]]`},
		{"attribute variables", `[:find ?n :where [3 ?a] [(name ?a) ?n] [(namespace ?a) ?ns] [(= ?ns "create")]]`, nil, `[["time"]]`},
		{"the schema of all", `[:find (count ?a) . :where [_ ?a]]`, nil, `11`},
		{"an attribute as input", `[:find ?v . :in $ ?a :where [3 ?a ?v]]`, []any{":score"}, `2.5`},
		{"transaction and added", `[:find ?t ?x . :where [3 :score _ ?t ?x]]`, nil, ``},
		{"transaction", `[:find [?t ?x] :where [3 :score _ ?t ?x]]`, nil, `[7,true]`},
		{"a predicate before its variable", `[:find ?e . :where [(> ?n 2)] (not [?e :log/id]) [?e :score ?n]]`, nil, `3`},
		{"not is joined on what comes before", `[:find ?e :where [?e :create/time ?n] (not [?e :block/refs ?x] [(> ?x 3)]) [?x :block/uid "b2"]]`, nil, `[[4]]`},
		{"not-join", `[:find ?u :where [?e :block/uid ?u] (not-join [?e] [?b :block/page ?e]) [?e :node/title]]`, nil, `[["11-21-2026"]]`},
		{"or", `[:find [?e ...] :where (or [?e :score] (and [?e :node/title] [?e :log/id]))]`, nil, `[3,9]`},
		{"an or of what was bound before", `[:find ?e :where [?e :block/string ?s] [?e :create/time ?t] (or [(clojure.string/includes? ?s "2")] [?e :score] [(> ?t 4)])]`, nil, `[[2],[3],[5]]`},
		{"an or of what an input binds", `[:find [?e ...] :in $ ?n :where [?e :create/time ?t] (or [(= ?t ?n)] [(> ?t 4)])]`, []any{2}, `[2,5]`},
		{"an or of what comes later", `[:find [?e ...] :where (or [(= ?t 3)] [?e :log/id]) [?e :create/time ?t]]`, nil, `[3]`},
		{"a not of an or", `[:find [?e ...] :where [?e :create/time ?t] (not (or [?e :score] [(> ?t 4)]))]`, nil, `[2,4]`},
		{"an or within a rule", `[:find [?e ...] :in $ % :where [?e :create/time ?t] (late ?e ?t)]`, []any{`[[(late ?e ?t) (or [?e :score] [(> ?t 4)])]]`}, `[3,5]`},
		{"or-join", `[:find [?e ...] :where (or-join [?e] [?e :score ?n] [?e :log/id ?x])]`, nil, `[3,9]`},
		{"left recursion", `[:find [?u ...] :in $ % :where (under 1 ?b) [?b :block/uid ?u]]`, []any{rules}, `["b2","b3","b4","b5"]`},
		{"recursion over cycles", `[:find (count ?a) (count ?b) :in $ % :where (reach ?a ?b)]`, []any{rules}, `[[8,8]]`},
		{"a rule within not within a rule", `[:find [?u ...] :in $ % :where (lonely ?e) [?e :block/uid ?u]]`, []any{rules}, `["p1","11-21-2026"]`},
		{"a not on a variable that the caller leaves free", `[:find ?e ?p :in $ % :where (apart ?e ?p)]`, []any{rules}, `[[3,1],[3,9]]`},
		{"the same, and then it is bound", `[:find ?e ?p :in $ % :where (apart ?e ?p) [?p :block/uid "p1"]]`, []any{rules}, `[[3,1]]`},
		{"a blank in a rule call", `[:find [?e ...] :in $ % :where (links ?e)]`, []any{rules}, `[5]`},
		{"a required variable is joined on", `[:find ?c :in $ % :where [?p :node/title] (child ?p ?c)]`, []any{rules}, `[[2]]`},
		{"a rule that needs what an unconnected clause binds", `[:find ?e ?w :in $ % [?w ...] :where [?e :block/uid "b2"] (has ?e ?w)]`, []any{rules, []any{"2", "3"}}, `[[2,"2"]]`},
		{"a rule that needs it for another that calls it in turn", `[:find [?w ...] :in $ % [?w ...] :where [?p :block/uid "p1"] (above ?p ?w) (below ?p ?w)]`, []any{rules, []any{"5", "6"}}, `["5"]`},
		{"a rule that needs all of its variables", `[:find ?a ?b :in $ % :where [?a :block/uid ?s] [?b :block/uid ?t] (make ?s ?t)]`, []any{`[[(make ?s ?t) [(str ?s ?t) ?x] [(= ?x "b2b3")]]]`}, `[[2,3]]`},
		{"rules as data", `[:find ?e :in $ % :where (r ?e)]`, []any{[]any{edn.Vector{edn.List{edn.Symbol("r"), edn.Symbol("?e")}, edn.Vector{edn.Symbol("?e"), edn.Keyword(":score")}}}}, `[[3]]`},
		{"a variable with a colon", `[:find ?title:name . :where [9 :node/title ?title:name]]`, nil, `"November 21st, 2026"`},
	})
}

func TestFunctionsAnswerAsInJavaScript(t *testing.T) {
	db := garden(t)
	for call, want := range map[string]string{
		`(count "a😀")`: `3`, `(subs "a😀b" 3)`: `"b"`, `(subs "abc" 2 1)`: `"b"`, `(subs "abc" 9)`: `""`,
		`(/ 7 2)`: `3.5`, `(/ 6 2)`: `3`, `(/ 1 0)`: `null`, `(quot -7 2)`: `-3`, `(rem -7 2)`: `-1`, `(mod -7 2)`: `1`,
		`(+ "a" 1)`: `"a1"`, `(+ 0.1 0.2)`: `0.30000000000000004`, `(- "7" 1)`: `6`, `(max 1 "3" 2)`: `"3"`, `(inc 1.5)`: `2.5`,
		`(= 1 1.0)`: `true`, `(< 5 "a")`: `true`, `(< :k true 1 "s" [1] {:a 1} #{1})`: `true`, `(< [9] [1 2])`: `true`, `(< 1 3 2)`: `false`,
		`(compare "a" "b")`: `-1`, `(compare :b :a/a)`: `-1`, `(even? 4)`: `true`, `(zero? "0")`: `true`, `(nil? 1)`: `false`,
		`(str 1.5 nil :a/b "c" [1 "x" nil] 1e21)`: `"1.5:a/bc[1 \"x\" nil]1e+21"`, `(pr-str "a" #{1} {:a 1})`: `"\"a\" #{1} {:a 1}"`,
		`(print-str "a" ["b"])`: `"a [b]"`, `(println-str "a")`: `"a\n"`, `(name :a/b)`: `"b"`, `(keyword "a" "b")`: `"b"`,
		`(and 1 2)`: `2`, `(or nil 3)`: `3`, `(not nil)`: `true`, `(range 1 10 4)`: `[1,5,9]`, `(set [1 1 2])`: `[1,2]`, `(vector 1 [2])`: `[1,[2]]`,
		`(hash-map :a 1)`: `{"a":1}`, `(get {:a 1} :b 9)`: `9`, `(get [7 8] 1)`: `8`, `(get "abc" 1)`: `"b"`, `(contains? [1 2] 2)`: `false`, `(contains? #{1} 1)`: `true`,
		`(-differ? 1 2 1 2)`: `false`, `(count {:a 1})`: `1`, `(empty? [])`: `true`, `(clojure.string/blank? " ")`: `true`, `(clojure.string/ends-with? "abc" "bc")`: `true`,
		`(re-find #"(\w)(x)?" "-a")`: `["a","a",null]`, `(re-matches #"a+" "aaa")`: `"aaa"`, `(re-seq #"a" "aba")`: `["a","a"]`, `(re-find #"caf\u00e9" "café")`: `"café"`,
		`(get-else $ 9 :score "none")`: `"none"`, `(get-some $ 3 :nope :score)`: `["score",2.5]`, `(missing? $ [:block/uid "b3"] :score)`: `false`, `(missing? $ "b3" :score)`: `true`, `(type [1])`: `"vector"`,
	} {
		got, err := answer(t, db, `[:find ?x . :where [(`+call[1:len(call)-1]+`) ?x]]`)
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", call, got, err, want)
		}
	}
	for _, call := range []string{`(re-find #"b" "a")`, `(not-empty "")`, `(identity nil)`, `(namespace :a)`, `(re-seq #"b" "a")`, `(meta 1)`, `(get {} :a)`} {
		if got, err := answer(t, db, `[:find ?x :where [`+call+` ?x]]`); err != nil || got != "[]" {
			t.Errorf("%s gives nil and must drop the row: got %s, %v", call, got, err)
		}
	}
}

// TestQueriesAreReadAsDataScriptReadsThem holds what DataScript 1.8.1 answers, asked
// of the npm package.
func TestQueriesAreReadAsDataScriptReadsThem(t *testing.T) {
	check(t, []asked{
		{"text after the query", `[:find ?n :where [_ :score ?n]] trailing ]`, nil, `[[2.5]]`},
		{"a query after the query", `[:find ?n :where [_ :score ?n]] [:find ?x]`, nil, `[[2.5]]`},
		{"text before the sections", `[x :find ?n :where [_ :score ?n]]`, nil, `[[2.5]]`},
		{"where twice", `[:find ?n :where [?e :score ?n] :where [?e :block/uid "b2"]]`, nil, `[]`},
		{"find twice", `[:find ?n :find ?e :where [?e :score ?n]]`, nil, `[[2.5,3]]`},
		{"another key in a map", `{:find [?n] :where [[_ :score ?n]] "x" 2 :limit 1}`, nil, `[[2.5]]`},
		{"timeouts", `[:find ?n :timeout 1000 2000 :where [_ :score ?n]]`, nil, `[[2.5]]`},
		{"a timeout of nothing", `[:find ?n :timeout :where [_ :score ?n]]`, nil, `[[2.5]]`},
		{"a bad pull of nothing", `[:find (pull ?e [[:score :limit 1]]) :where [?e :nope]]`, nil, `[]`},
		{"texts that are equal", `[:find ?a ?b :where [?a :block/string ?x] [?b :block/string ?y] [(= ?x ?y)] [?b :score]]`, nil, `[[3,3]]`},
		{"a transformed value", `[:find (pull ?e [[:score :xform inc]]) . :where [?e :score]]`, nil, `{"score":3.5}`},
		{"a transformed list", `[:find (pull ?e [[:block/children :xform count] [:block/string :as "n" :xform count]]) . :where [?e :score]]`, nil, `{"children":1,"n":7}`},
		{"nothing transformed", `[:find (pull ?e [[:nope :xform count]]) . :where [?e :score]]`, nil, `{"nope":0}`},
		{"a default is not transformed", `[:find (pull ?e [[:nope :xform count :default "x"]]) . :where [?e :score]]`, nil, `{"nope":"x"}`},
	})
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	db := garden(t)
	for query, want := range map[string]string{
		`[:find ?e :where [?e :a`:                                                   "PARSE: The query is not valid EDN: line 1, column 23",
		`[:where [?e :a]]`:                                                          "PARSE: The query has no :find",
		`[:find ?x :where [?e :a]]`:                                                 "INSUFFICIENT_BINDINGS: Query for unknown vars: [?x]",
		`[:find ?e :where (foo ?e)]`:                                                "PARSE: Missing rules var '%' in :in",
		`[:find ?e :where (or [?e :a] [?x :b])]`:                                    "PARSE: All clauses in 'or' must use same set of free vars, had [#{?e} #{?x}]",
		`[:find ?e :where [?e :a] [(re-find (re-pattern "x") ?e)]]`:                 "PARSE: (re-pattern \"x\") in",
		`[:find ?e ?x :keys a :where [?e :a ?x]]`:                                   "PARSE: The query finds 2 values and names 1 keys",
		`[:find ?e :where [?e :a] :timeout 0]`:                                      "PARSE: :timeout takes a number",
		`[:find ?e :with ?e :where [?e :a]]`:                                        "PARSE: :find and :with should not use same variables: [?e]",
		`[:find (count ?e) :with ?e :where [?e :a]]`:                                "PARSE: :find and :with should not use same variables: [?e]",
		`[:find ?e :with ?x ?x :where [?e :a ?x]]`:                                  "PARSE: Vars used in :with should be distinct",
		`[:find ?e :in $ [?e ?e] :where [?e :a]]`:                                   "PARSE: Vars used in :in should be distinct",
		`[:find ?e :in $ :in $ :where [?e :a]]`:                                     "PARSE: Vars used in :in should be distinct",
		`[:find ?e :in % % :where [?e :a]]`:                                         "PARSE: Vars used in :in should be distinct",
		`{:find ?e :where [[?e :a]]}`:                                               "PARSE: :find in the query's map takes a vector",
		`{:find [?e] :in $ :where [[?e :a]]}`:                                       "PARSE: :in in the query's map takes a vector",
		`[:find (pull ?e [{:score [:a]}]) :where [?e :score]]`:                      "PARSE: Expected attribute having :db.type/ref, got: :score",
		`[:find (pull ?e [{:block/refs 0}]) :where [?e :score]]`:                    "PARSE: Expected (pattern | recursion-limit), got 0",
		`[:find ?t :where [?e :node/title ?t] [(clojure.string/lower-case ?t) ?l]]`: "UNKNOWN_FUNCTION: Unknown function 'clojure.string/lower-case in [(clojure.string/lower-case ?t) ?l]",
		`[:find ?t :where [?e :node/title ?t] [(foo ?t)]]`:                          "UNKNOWN_FUNCTION: Unknown predicate 'foo in [(foo ?t)]",
		`[:find (frob ?t) :where [?e :node/title ?t]]`:                              "UNKNOWN_FUNCTION: Unknown aggregate 'frob",
		`[:find ?e :where [?e :node/title] [(> ?m 1)]]`:                             "INSUFFICIENT_BINDINGS: Insufficient bindings: #{?m} not bound in [(> ?m 1)]",
		`[:find ?e :where [?e :a] (not [?x :b])]`:                                   "INSUFFICIENT_BINDINGS: Insufficient bindings: none of its variables is bound in (not [?x :b])",
		`[:find ?e :where [?e :score] (not [?e :a ?a] [(> ?m 1)])]`:                 "INSUFFICIENT_BINDINGS: Insufficient bindings: #{?m} not bound in [(> ?m 1)]",
		`[:find ?e :where [?e :score] (or-join [?e] [?e :a] [(> ?m 1)])]`:           "INSUFFICIENT_BINDINGS: Insufficient bindings: #{?m} not bound in [(> ?m 1)]",
		`[:find ?e :in $ ?x :where [?e :a]]`:                                        "INPUT: Too few inputs passed: the query's :in expects 1 beside the database, got 0",
		`[:find ?e :in $ $b :where [?e :a]]`:                                        "INPUT: $b names a second database",
		`[:find ?e :where [?e :block/page [:node/title "no"]]]`:                     `NOT_FOUND: Nothing found for entity id [:node/title "no"]`,
		`[:find ?n :where [?e :score ?s] [(count ?s) ?n]]`:                          "FUNCTION: count works on collections, not on 2.5, in [(count ?s) ?n]",
		`[:find ?n :where [?e :score ?s] [(get-else $ ?e :x nil) ?n]]`:              "FUNCTION: get-else: nil default value is not supported",
		`[:find ?n :where [(ground 2147483648) ?e] [(get-else $ ?e :x 0) ?n]]`:      "FUNCTION: Highest supported entity id is 2147483647, got 2147483648",
		`[:find (pull ?u [:block/uid]) :where [_ :block/uid ?u]]`:                   "FUNCTION: Expected number or lookup ref for entity id, got \"",
		`[:find ?n :where [_ :block/uid ?u] [(get-else $ ?u :x 0) ?n]]`:             "FUNCTION: Expected number or lookup ref for entity id, got \"",
		`[:find ?n :where [_ :score ?s] [(- ?s ?s) ?e] [(get-some $ ?e :x) ?n]]`:    "FUNCTION: Expected number or lookup ref for entity id, got 0",
		`[:find ?n :where [?n :score] [(missing? $ [:block/string "s"] :x)]]`:       "FUNCTION: Expected number or lookup ref for entity id, got [",
		`[:find ?n :where [?e :block/uid ?s] [(re-find #"(a" ?s) ?n]]`:              "FUNCTION: The regular expression \"(a\" is not understood",
		`[:find (sum ?s) :where [_ :block/uid ?s]]`:                                 `FUNCTION: The aggregate sum works on numbers`,
	} {
		_, err := answer(t, db, query)
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(string(e.Code)+": "+e.Message, want) {
			t.Errorf("%s\n got %v\nwant %s", query, err, want)
		}
	}
	for rules, want := range map[string]string{
		`[[(r ?e) (r ?e ?x)]]`:                      "The rule r takes 1 arguments: (r ?e ?x)",
		`[[(r ?e) [?x :score]]]`:                    "The rule r never binds ?e",
		`[[(r ?e) [(> ?e 1)]]]`:                     "Insufficient bindings: #{?e} not bound in [(> ?e 1)]",
		`[[(r ?e) (s ?e)] [(s ?e) [(> ?e 1)]]]`:     "Insufficient bindings: #{?e} not bound in [(> ?e 1)]",
		`[[(r ?e) [?e :block/uid] (not (r ?e))]]`:   "The rule r calls itself within a not",
		`[[(q ?e) [?x :score]]]`:                    "Unknown rule 'r in (r ?e)",
		`[[(r ?e) [?e :a]] [(r ?a ?b) [?a :a ?b]]]`: "Arity mismatch for rule 'r",
		`[[(r [?x] ?e) [?e :a ?x]]]`:                "The rule r takes 2 arguments",
		`5`:                                         "The rules for % are a vector",
	} {
		if _, err := answer(t, db, `[:find ?e :in $ % :where (r ?e)]`, rules); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", rules, err, want)
		}
	}
}

func TestTheCacheKeepsTheQueriesUsedLast(t *testing.T) {
	c := NewCache(2)
	text := func(i int) string { return fmt.Sprintf("[:find ?e :where [?e :a %d]]", i) }
	first, err := c.Parse(text(1))
	require.NoError(t, err)
	for _, i := range []int{2, 1, 3} { // 2 is the one that was not used for longest
		if _, err := c.Parse(text(i)); err != nil {
			t.Fatal(err)
		}
	}
	if again, ok := c.Get(text(1)); !ok || again != first {
		t.Error("a query that was used lately is gone")
	}
	if _, ok := c.Get(text(2)); ok || len(c.byText) != 2 || c.used.Len() != 2 {
		t.Errorf("%d queries are kept", len(c.byText))
	}
	if _, err := c.Parse("[:find"); err == nil || len(c.byText) != 2 {
		t.Error("a text that is no query is kept")
	}
	if _, err := c.Parse(text(4) + strings.Repeat(" ", maxCachedText)); err != nil || len(c.byText) != 2 || c.byText[text(3)] == nil {
		t.Error("a text that is too long takes the place of another")
	}
}

func TestTextIsWrittenAsJSON(t *testing.T) {
	for _, s := range []string{"", "plain", `"quoted" \ slashed`, "tab\tline\nend\r\x00\x1f\x7f", "Ünïcode ✓ 𝄞", "\u2028\u2029", "<b>&amp;</b>", "broken \xff\xc3 text", "\xf0\x9d"} {
		var back string
		if err := json.Unmarshal(appendText(nil, s), &back); err != nil || back != strings.ToValidUTF8(s, "\uFFFD") && back != validEach(s) {
			t.Errorf("%q became %s, read back as %q (%v)", s, appendText(nil, s), back, err)
		}
	}
}

// validEach replaces every broken byte by itself, as encoding/json does.
func validEach(s string) string {
	var out strings.Builder
	for _, r := range s {
		out.WriteRune(r)
	}
	return out.String()
}
