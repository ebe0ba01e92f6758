package datalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/require"
)

// wide is a graph of many blocks that all refer to one another.
func wide(t testing.TB, n int) *graphdb.DB {
	t.Helper()
	conn, err := graphdb.Load(t.Context(), graphdb.RoamSchema(), func(yield func(graphdb.Datom, error) bool) {
		for i := range n {
			e := graphdb.EID(i + 1)
			ok := yield(graphdb.Datom{E: e, A: graphdb.BlockUID, V: graphdb.StringValue(fmt.Sprint("u", i)), Added: true}, nil) &&
				yield(graphdb.Datom{E: e, A: graphdb.BlockString, V: graphdb.StringValue(fmt.Sprint("text ", i%100)), Added: true}, nil) &&
				yield(graphdb.Datom{E: e, A: graphdb.BlockOrder, V: graphdb.IntValue(int64(i % 10)), Added: true}, nil) &&
				yield(graphdb.Datom{E: e, A: graphdb.BlockPage, V: graphdb.RefValue(graphdb.EID(i%50 + 1)), Added: true}, nil) &&
				yield(graphdb.Datom{E: e, A: graphdb.BlockRefs, V: graphdb.RefValue(graphdb.EID(i*7%n + 1)), Added: true}, nil)
			if !ok {
				return
			}
		}
	})
	require.NoError(t, err)
	return conn.DB()
}

const product = `[:find (count ?a) . :where [?a :block/uid] [?b :block/uid] [?c :block/uid] [(!= ?a ?b ?c)]]`

func runWith(ctx context.Context, db *graphdb.DB, query string, o Options, inputs ...any) error {
	q, err := Parse(query)
	if err != nil {
		return err
	}
	_, err = Run(ctx, db, q, inputs, o)
	return err
}

// within returns a share of a memory of its own.
func within(bytes int64) *Share { return NewMemory(bytes).Open() }

func codeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

func TestAQueryStopsAtItsLimits(t *testing.T) {
	db := wide(t, 5000)
	if err := runWith(t.Context(), db, product, Options{RowBudget: 10_000}); codeOf(err) != CodeBudget {
		t.Errorf("row budget: %v", err)
	}
	for name, query := range map[string]string{
		"rows":             `[:find ?a ?b :in $ % :where [?a :block/uid] [?b :block/uid]]`,
		"answers of rules": `[:find (count ?a) . :in $ % :where (pair ?a ?b)]`,
	} {
		err := runWith(t.Context(), db, query, Options{Memory: within(400_000)}, `[[(pair ?a ?b) [?a :block/uid] [?b :block/uid]]]`)
		if codeOf(err) != CodeMemory {
			t.Errorf("%s kept: %v", name, err)
		}
	}
	if err := runWith(t.Context(), db, product, Options{Timeout: 5 * time.Millisecond}); codeOf(err) != CodeTimeout || !strings.Contains(err.Error(), "took too long: more than 5ms") {
		t.Errorf("timeout: %v", err)
	}
	if err := runWith(t.Context(), db, strings.TrimSuffix(product, "]")+" :timeout 5]", Options{Timeout: time.Hour}); codeOf(err) != CodeTimeout {
		t.Errorf(":timeout in the query: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client has gone")
	time.AfterFunc(5*time.Millisecond, func() { cancel(gone) })
	if err := runWith(ctx, db, product, Options{}); !errors.Is(err, gone) {
		t.Errorf("cancelled on the way: %v", err)
	}
	if err := runWith(ctx, db, `[:find ?e :where [?e :block/uid "u1"]]`, Options{}); !errors.Is(err, gone) {
		t.Errorf("cancelled before: %v", err)
	}
	if _, err := Pull(ctx, db, "[*]", 1, Options{}); !errors.Is(err, gone) {
		t.Errorf("pull, cancelled before: %v", err)
	}
	if _, err := Pull(t.Context(), db, "[{:block/_page [{:block/_page [{:block/refs ...}]}]}]", 1, Options{RowBudget: 100}); codeOf(err) != CodeBudget {
		t.Errorf("pull, row budget: %v", err)
	}
	all := `[[(reach ?a ?b) [?a :block/refs ?b]] [(reach ?a ?b) (reach ?a ?c) (reach ?c ?b)]]`
	if err := runWith(t.Context(), db, `[:find (count ?a) . :in $ % :where (reach ?a ?b)]`, Options{RowBudget: 100_000}, all); codeOf(err) != CodeBudget {
		t.Errorf("rules, row budget: %v", err)
	}
}

// TestQueriesHoldNoMoreTogetherThanTheirMemory keeps results of which each alone fits.
func TestQueriesHoldNoMoreTogetherThanTheirMemory(t *testing.T) {
	synctest.Test(t, holdNoMoreTogether) // some wait
}

func holdNoMoreTogether(t *testing.T) {
	const limit, readers = 5 << 20, 8
	db, memory := wide(t, 5000), NewMemory(limit)
	q, err := Parse(`[:find ?a ?t ?b :where [?a :block/uid] [?b :block/refs ?a] [?b :block/string ?s] [(str ?s ?a) ?t]]`)
	require.NoError(t, err)
	ask := func(share *Share) error {
		result, err := Run(t.Context(), db, q, nil, Options{Memory: share})
		if err == nil {
			_, err = result.JSON(Stripped)
		}
		if held := memory.Held(); held > limit {
			t.Errorf("%d bytes are held", held)
		}
		if err != nil && (codeOf(err) != CodeMemory || !strings.Contains(err.Error(), "more memory than is left")) {
			t.Error(err)
		}
		return err
	}
	shares := make([]*Share, readers)
	answered := 0
	for i := range shares {
		if shares[i] = memory.Open(); ask(shares[i]) == nil {
			answered++
		}
	}
	if answered == 0 || answered == readers {
		t.Errorf("%d of %d were answered", answered, readers)
	}
	var running sync.WaitGroup
	for _, share := range shares[readers/2:] { // beside the answers that are kept
		share.Release()
		running.Go(func() { _ = ask(share) })
	}
	running.Wait()
	for _, share := range shares {
		share.Release()
	}
	if held := memory.Held(); held != 0 {
		t.Errorf("%d bytes are held in the end", held)
	}
	if err := runWith(t.Context(), db, `[:find ?a ?b :where [?a :block/uid] [?b :block/uid]]`, Options{Memory: shares[0]}); codeOf(err) != CodeMemory || !strings.Contains(err.Error(), "than the 5 MB that all queries together may hold") {
		t.Errorf("alone: %v", err)
	}
	shares[0].Release()
	result, err := Run(t.Context(), db, q, nil, Options{Memory: shares[0]})
	require.NoError(t, err)
	if len(result.Rows) != 5000 {
		t.Errorf("then it finds %d rows", len(result.Rows))
	}
}

// TestAResultHoldsWhatItTakesAsJSON looks at the largest part of most results: texts that
// rows share are copied into their JSON.
func TestAResultHoldsWhatItTakesAsJSON(t *testing.T) {
	db := wide(t, 300)
	for name, query := range map[string]string{
		"rows":   `[:find ?s ?a :where [(range 1000) ?r] [(str ?r) ?s] [?a :block/uid]]`,
		"a list": `[:find [?v ...] :where [(range 1000) ?r] [(str ?r) ?s] [?a :block/uid] [(vector ?s ?a) ?v]]`,
		"maps":   `[:find ?s ?a :keys s a :where [(range 1000) ?r] [(str ?r) ?s] [?a :block/uid]]`,
		"tuple":  `[:find [?s (distinct ?s)] :where [(range 100000) ?r] [(str ?r) ?s] [?a :block/uid]]`,
	} {
		q, err := Parse(query)
		require.NoError(t, err)
		memory := NewMemory(0)
		result, err := Run(t.Context(), db, q, nil, Options{Memory: memory.Open()})
		require.NoError(t, err)
		before := memory.Held()
		text, err := result.JSON(Stripped)
		require.NoError(t, err)
		if held := memory.Held() - before; held < int64(len(text))-drawnAtOnce || string(text) != string(AppendJSON(nil, result.Value(), Stripped)) {
			t.Errorf("%s: %d bytes of JSON hold %d", name, len(text), held)
		}
		less := NewMemory(before + int64(len(text))/2).Open()
		if result, err = Run(t.Context(), db, q, nil, Options{Memory: less}); err == nil {
			_, err = result.JSON(Stripped)
		}
		if codeOf(err) != CodeMemory {
			t.Errorf("%s, with half of that: %v", name, err)
		}
	}
}

func TestSizeOfJSONIsNeverLess(t *testing.T) {
	for _, v := range []any{
		nil, true, int64(-1 << 62), 1e300, -1.2345678901234567e-300, 0.0000012345678901234567, "plain", "\u2028\x00\"\\\n\xff😀é", graphdb.Keyword(":a/b"),
		[]any{"a", []any{}}, edn.Set{int64(1)}, &edn.Map{Keys: []any{":x", int64(2)}, Values: []any{nil, "\t"}}, edn.Regex("a\"b"), edn.Symbol("s"),
	} {
		if text, size := AppendJSON(nil, v, Qualified), sizeOfJSON(v, Qualified); size < len(text) {
			t.Errorf("%d for %s", size, text)
		}
	}
}

func TestWhatPullsGiveIsCountedToo(t *testing.T) {
	db := wide(t, 5000)
	const found, pattern = `[:find (pull ?e [:block/uid]) :where [?e :block/uid]]`, "[{:block/_page [:block/uid {:block/refs ...}]}]"
	for bytes, want := range map[int64]Code{800_000: CodeMemory, 2_500_000: ""} {
		if err := runWith(t.Context(), db, found, Options{Memory: within(bytes)}); codeOf(err) != want {
			t.Errorf("%d bytes, in a query: %v", bytes, err)
		}
	}
	for bytes, want := range map[int64]Code{70_000: CodeMemory, DefaultMemory: ""} {
		if _, err := Pull(t.Context(), db, pattern, 1, Options{Memory: within(bytes)}); codeOf(err) != want {
			t.Errorf("%d bytes, in a pull: %v", bytes, err)
		}
	}
}

func TestWhatFunctionsMakeIsCountedToo(t *testing.T) {
	db := wide(t, 500)
	// doubled puts a value into a function twice, and what comes out again.
	doubled := func(function string) string {
		query := `[:find (count ?v40) . :where [?e :block/uid "u1"] [?e :block/string ?v0]`
		for i := range 40 {
			query += fmt.Sprintf(" [(%s ?v%d ?v%d) ?v%d]", function, i, i, i+1)
		}
		return query + "]"
	}
	for name, query := range map[string]string{
		"a text that doubles":         doubled("str"),
		"a printed text that doubles": doubled("pr-str"),
		"a list that doubles":         doubled("vector"),
		"a map that doubles":          doubled("hash-map"),
		"long lists":                  `[:find (count ?r) . :where [?e :block/uid] [(range ?e 100000) ?r]]`,
		"long texts that are kept":    `[:find ?t :where [(range 0 20000) ?r] [(str ?r) ?s] [?e :block/uid] [(str ?s ?e) ?t]]`,
		"a product of lists":          `[:find (count ?a) . :where [(range 100000) ?r] [(vector ?r ?r) [[?a ...] [?b ...]]]]`,
		"many groups":                 `[:find ?m . :where [(range 20000) ?r] [(str ?r) ?s] [(re-pattern "` + strings.Repeat("(", 200) + ".*" + strings.Repeat(")", 200) + `") ?p] [(re-find ?p ?s) ?m]]`,
	} {
		if err := runWith(t.Context(), db, query, Options{Memory: within(12_000_000)}); codeOf(err) != CodeMemory {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, query := range map[string]string{
		"a short list for each row":       `[:find (count ?r) . :where [?e :block/uid ?u] [(vector ?e ?u) ?r]]`,
		"one list that every row makes":   `[:find (count ?b) . :where [?a :block/order 1] [?b :block/uid] [(str "a") ?x] [(vector ?x ?x ?x) ?r]]`,
		"texts that no row keeps":         `[:find (count ?b) . :where [?a :block/order 1] [?b :block/string ?s] [(str ?s ?a) ?t] [(clojure.string/includes? ?t "1")]]`,
		"a list that rows are taken from": `[:find (count ?n) . :where [(range 5000) [?n ...]]]`,
	} {
		if err := runWith(t.Context(), db, query, Options{Memory: within(1_500_000)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAQuerySaysHowLongItMayTake(t *testing.T) {
	for name, c := range map[string]struct {
		allowed   time.Duration
		timeout   string
		wantLimit time.Duration
	}{
		"neither says anything":       {0, "", 20 * time.Second},
		"the query wants more":        {0, ":timeout 60000", time.Minute},
		"the query wants less":        {0, ":timeout 50", 50 * time.Millisecond},
		"more than the caller allows": {5 * time.Second, ":timeout 60000", 5 * time.Second},
		"less than the caller allows": {5 * time.Second, ":timeout 50", 50 * time.Millisecond},
		"only the caller":             {5 * time.Second, "", 5 * time.Second},
	} {
		q, err := Parse(`[:find ?e :where [?e :block/uid] ` + c.timeout + `]`)
		require.NoError(t, err)
		if got := newRun(t.Context(), wide(t, 1), Options{Timeout: c.allowed}.of(q)).timeout; got != c.wantLimit {
			t.Errorf("%s: %v, want %v", name, got, c.wantLimit)
		}
	}
}

func TestADeeplyNestedQueryIsRefusedNotPlannedForEver(t *testing.T) {
	db := wide(t, 10)
	body := "[?e :block/uid] [?e :block/order]"
	for range 30 {
		body = "[?e :block/string] (not " + body + ") (or [?e :block/uid] (and " + body + "))"
		if len(body) > 500_000 {
			break
		}
	}
	started := time.Now()
	err := runWith(t.Context(), db, "[:find ?e :where [?e :block/page] "+body+"]", Options{})
	if err != nil && codeOf(err) != CodeBudget && codeOf(err) != CodeParse || time.Since(started) > time.Minute {
		t.Errorf("%v after %v", err, time.Since(started))
	}
}

// TestClausesAreTakenFromTheCheapEnd gives queries in a bad order and a budget
// that only a good order keeps to.
func TestClausesAreTakenFromTheCheapEnd(t *testing.T) {
	db := wide(t, 20_000)
	for name, query := range map[string]string{
		"a title that comes last":        `[:find ?s :where [?b :block/string ?s] [?b :block/refs ?r] [?r :block/uid "u7"]]`,
		"two constants, one join":        `[:find ?b :where [?b :block/uid] [?b :block/refs ?r] [?b :block/page ?p] [?r :block/uid "u14"] [?p :block/uid "u2"]]`,
		"an unconnected clause between":  `[:find ?x ?y :where [?a :block/uid "u3"] [?c :block/uid "u4"] [?x :block/refs ?a] [?y :block/refs ?c]]`,
		"a not before what it needs":     `[:find ?b :where (not [?b :block/order 3]) [?b :block/string ?s] [?b :block/refs [:block/uid "u7"]]]`,
		"what occurs once is not listed": `[:find ?a :where [?b :block/refs ?a] [?b :block/page ?p] [?b :block/uid "u7"] [?any :block/page ?p]]`,
		"an or with a bound variable":    `[:find ?b :where (or [?b :block/order 1] [?b :block/order 2]) [?b :block/refs ?r] [?r :block/uid "u7"]]`,
		"an input":                       `[:find ?s :where [?b :block/string ?s] [(ground ["u1" "u2"]) [?u ...]] [?b :block/uid ?u]]`,
	} {
		if err := runWith(t.Context(), db, query, Options{RowBudget: 2000}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := runWith(t.Context(), db, `[:find ?a ?b :where [?a :block/order 1] [?a :block/string ?s] [?b :block/string ?s] [?b :block/order 2]]`, Options{RowBudget: 2_000_000}); err != nil {
		t.Errorf("a join on text without an index: %v", err)
	}
}

func TestManyReadersShareASnapshotAndAQuery(t *testing.T) {
	db := wide(t, 500)
	q, err := Parse(`[:find (count ?a) . :in $ % ?s :where (pair ?a ?b) [?b :block/string ?s]]`)
	require.NoError(t, err)
	done := make(chan error)
	for range 4 {
		go func() {
			res, err := Run(t.Context(), db, q, []any{`[[(pair ?a ?b) [?a :block/refs ?b]]]`, "text 3"}, Options{})
			if err == nil && res.Value() != int64(5) {
				err = fmt.Errorf("counted %v", res.Value())
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

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
			if _, err := res.JSON(Stripped); err != nil {
				mustBeOurs(t, err)
			}
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
