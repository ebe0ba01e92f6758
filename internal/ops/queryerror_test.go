package ops

import (
	"strings"
	"testing"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/problem"
)

func TestDatalogFunctions(t *testing.T) {
	// What is said to be there is there, in the engine that is held against DataScript.
	for name := range strings.FieldsSeq(DatalogFunctions) {
		if _, err := datalog.Parse("[:find ?y :where [?x :block/order ?y] [(" + name + " ?x) ?z]]"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlaceOfFault(t *testing.T) {
	query := "[:find ?söz (foo ?a)\n :where [?a :block/string ?söz]\n [(str/lower ?söz) ?l] [(< ?b 3)]]"
	for name, tc := range map[string]struct {
		query, text string
		want        position
		found       bool
	}{
		"is where an unknown function is":                    {query, "Unknown function 'str/lower in [(str/lower ?söz) ?l]", position{3, 4, "str/lower"}, true},
		"is where an unknown aggregate is":                   {query, "Unknown aggregate 'foo", position{1, 14, "foo"}, true},
		"is where a clause is that is repeated":              {query, "Insufficient bindings: #{?b} not bound in [(< ?b 3)]", position{3, 24, "[(< ?b 3)]"}, true},
		"is no beginning of another name":                    {"[:find ?ab ?a]", "Query for unknown vars: [?a]", position{1, 12, "?a"}, true},
		"is where a variable is first":                       {"[:find ?a\n :where\n [?a]]", "Cannot parse clause, got [ ?a ]", position{1, 8, "?a"}, true},
		"is where the text ends in the middle":               {"[:find ?é", "EOF while reading", position{1, 9, ""}, true},
		"is not told where nothing of the query is repeated": {query, "boom", position{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, found := placeOfFault(tc.query, tc.text)
			if got != tc.want || found != tc.found {
				t.Errorf("got %+v, %v", got, found)
			}
		})
	}
}

func TestInvalidQuery(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		code   problem.Code
		want   problem.Code
	}{
		"is the query's where it threw":            {500, "INTERNAL_ERROR", CodeQueryInvalid},
		"is Roam's where a gateway answered":       {502, "INTERNAL_ERROR", "INTERNAL_ERROR"},
		"stays a query that took too long":         {500, "QUERY_TIMEOUT", "QUERY_TIMEOUT"},
		"stays a window that was closed":           {500, "WINDOW_CLOSED", "WINDOW_CLOSED"},
		"stays a graph that is not there any more": {500, "GRAPH_NOT_FOUND", "GRAPH_NOT_FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			failed := failedCall(tc.code, tc.status)
			failed.Call.Text = "Unknown function 'x"
			if err := invalidQuery(failed, "[]", adviceOnDatalog); problem.CodeOf(err) != tc.want {
				t.Errorf("got %v", err)
			}
		})
	}
}
