package ops

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
)

func TestColumnsOf(t *testing.T) {
	for query, want := range map[string]string{
		`[:find ?a (count ?b) :where [?a :x ?b]]`:                     `?a|(count ?b)`,
		"[:find\n ?a, ?b\n:keys a b\n:where [?a :x ?b]]":              `?a|?b keys a|b`,
		`{:find [?a ?b] :strs [x y] :where [[?a :x ?b]]}`:             `?a|?b keys x|y`,
		`[:find [?a ...] :where [?a :x]]`:                             `?a rows are values`,
		`[:find (pull ?b [:block/uid {:block/refs ["]"]}]) ?n :in $]`: `(pull ?b [:block/uid {:block/refs ["]"]}])|?n`,
		`[:find ?x . :where [?x :a]]`:                                 `?x|.`,
		`[:find`:                                                      ``,
		`[:find [`:                                                    ` rows are values`,
	} {
		got := ColumnsOf(query)
		text := strings.Join(got.Elements, "|")
		if len(got.Keys) > 0 {
			text += " keys " + strings.Join(got.Keys, "|")
		}
		if got.Collection {
			text += " rows are values"
		}
		if text != want {
			t.Errorf("%s: %q, want %q", query, text, want)
		}
	}
}

func TestRowsAreSortedByColumns(t *testing.T) {
	for name, tc := range map[string]struct{ query, order, rows, want string }{
		"by a number, then another":    {`[:find ?t (count ?b) :where x]`, "2 desc, 1", `[["b",2],["a",2],["c",10]]`, `[["c",10],["a",2],["b",2]]`},
		"by a name":                    {`[:find ?t (count ?b) :where x]`, "(count  ?b) ASC", `[["b",2],["c",10],["a",1]]`, `[["a",1],["b",2],["c",10]]`},
		"by a name without its sign":   {`[:find ?t ?n :where x]`, "n desc", `[["b",2],["c",10]]`, `[["c",10],["b",2]]`},
		"texts without regard to case": {`[:find ?t :where x]`, "1", `[["b"],["C"],["a"],[null]]`, `[[null],["a"],["b"],["C"]]`},
		"values":                       {`[:find [?t ...] :where x]`, "?t desc", `[1,3,2]`, `[3,2,1]`},
		"maps by a name of :keys":      {`[:find ?t ?n :keys title n :where x]`, "n", `[{"title":"a","n":2},{"title":"b","n":1}]`, `[{"title":"b","n":1},{"title":"a","n":2}]`},
		"maps by a number":             {`[:find ?t ?n :keys title n :where x]`, "2", `[{"title":"a","n":2},{"title":"b","n":1}]`, `[{"title":"b","n":1},{"title":"a","n":2}]`},
		"by a key of what is pulled":   {`[:find (pull ?b [:block/string]) :where x]`, "string", `[[{"string":"b"}],[{}],[{"string":"a"}]]`, `[[{}],[{"string":"a"}],[{"string":"b"}]]`},
		"values that are pulled":       {`[:find [(pull ?b [*]) ...] :where x]`, "string", `[{"string":"b"},{"string":"a"}]`, `[{"string":"a"},{"string":"b"}]`},
		"equal ones by the whole row":  {`[:find ?n ?t :where x]`, "1", `[[1,"b"],[1,"a"]]`, `[[1,"a"],[1,"b"]]`},
		"nothing, by the whole row":    {`[:find ?n ?t :where x]`, "", `[[2,"b"],[1,"a"]]`, `[[1,"a"],[2,"b"]]`},
	} {
		t.Run(name, func(t *testing.T) {
			columns := ColumnsOf(tc.query)
			var order []OrderBy
			var err error
			if tc.order != "" {
				order, err = columns.ParseOrder(tc.order)
			}
			sorted := Found{Rows: rawjson.Elements(json.RawMessage(tc.rows)), Columns: columns}.Sorted(order)
			if got := rawjson.Encode(rawjson.Array(sorted)); err != nil || string(got) != tc.want {
				t.Errorf("got %s, %v; want %s", got, err, tc.want)
			}
		})
	}
	for _, order := range []string{"0", "3", "-1", "?x", "1 up", ",", "string", "1;2"} {
		if _, err := ColumnsOf(`[:find ?t ?n :where x]`).ParseOrder(order); err == nil || !strings.Contains(err.Error(), "(?t, ?n)") {
			t.Errorf("%q: %v", order, err)
		}
	}
}

func FuzzOrderOfRows(f *testing.F) {
	f.Add(`[:find ?a (count ?b) :keys a b :where [?a :x ?b]]`, "2 desc, a", `[["x",1],{"a":2},3]`)
	f.Add(`{:find [(pull ?b [*]) ...]}`, "string", `[{"string":1}]`)
	f.Fuzz(func(t *testing.T, query, by, rows string) {
		if !json.Valid([]byte(rows)) {
			return
		}
		columns := ColumnsOf(query)
		order, err := columns.ParseOrder(by)
		if err != nil {
			return
		}
		found := Found{Rows: rawjson.Elements(json.RawMessage(rows)), Columns: columns}
		once := fmt.Sprintf("%s", found.Sorted(order))
		slices.Reverse(found.Rows)
		if again := fmt.Sprintf("%s", found.Sorted(order)); again != once {
			t.Errorf("in another order at first, %s, then %s", once, again)
		}
	})
}
