package datalog

import (
	"errors"
	"testing"
	"time"
)

var seeds = []string{
	`[:find ?e ?s :where [?e :block/string ?s] [(= ?s "Hello 3")]]`,
	`[:find (pull ?p [:block/uid {:block/children ...}]) (count ?b) . :where [?b :block/page ?p]]`,
	`[:find (min 2 ?n) (sum ?n) :with ?e :where [?e :create/time ?n] (not [?e :block/refs ?x] [(> ?x 3)])]`,
	`[:find [?e ...] :where (or-join [?e] [?e :score ?n] (and [?e :log/id ?x] [(missing? $ ?e :score)]))]`,
	`[:find ?x :where [(ground [[1 2] [3 [4]]]) [[?x _]]] [(re-find #"(a)|b" "b") ?y] [_ ?a ?x]]`,
	`{:find [?e .] :in [$ [[?x ?y]] %] :where [($ not [?e ?e ?e]) (r ?e _)] :timeout 5}`,
	`[:find [pull ?e [* [:block/uid :as "x" :limit nil] (default :score 1)]] :keys a :where [?e :block/_refs]]`,
	`[:find ?s :where [2 :block/string ?t] [(subs ?t 1 3) ?s] [(count ?s) ?n] [(range ?n) [?i ...]] [(get ?t ?i) ?c]]`,
}

// FuzzQuery reads any text as a query and, where it is one, answers it within a
// small budget: it ends in time, with an answer or an error of this package.
func FuzzQuery(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	db := garden(f)
	inputs := []any{[]any{1, "b2"}, `[[(r ?a ?b) [?a :block/refs ?b]] [(r ?a ?b) (r ?b ?a)]]`}
	f.Fuzz(func(t *testing.T, query string) {
		q, err := Parse(query)
		if err != nil {
			mustBeOurs(t, err)
			return
		}
		for n := range len(inputs) + 1 {
			res, err := Run(t.Context(), db, q, inputs[:n], Options{RowBudget: 20_000, Timeout: time.Second})
			if err != nil {
				mustBeOurs(t, err)
				continue
			}
			res.JSON(Stripped)
		}
	})
}

// FuzzPull does the same for pull patterns.
func FuzzPull(f *testing.F) {
	for _, s := range []string{`[*]`, `[:block/uid {:block/children ...} {:block/_refs 2}]`, `[(limit :block/refs 1) [:a :as "x" :default {}] {[:block/refs :limit nil] [*]}]`} {
		f.Add(s)
	}
	db := garden(f)
	f.Fuzz(func(t *testing.T, pattern string) {
		v, err := Pull(t.Context(), db, pattern, 2, Options{RowBudget: 20_000})
		if err != nil {
			mustBeOurs(t, err)
			return
		}
		AppendJSON(nil, v, Qualified)
	})
}

func mustBeOurs(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code == "" || e.Message == "" {
		t.Fatalf("%T: %v", err, err)
	}
}
