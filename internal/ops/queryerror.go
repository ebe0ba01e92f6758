package ops

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// DatalogFunctions are the functions and predicates that Roam's Datalog has, those of
// DataScript 1.8.1, as a model is told of them. There are no others.
const DatalogFunctions = "= == not= != < > <= >= + - * / quot rem mod inc dec max min zero? pos? neg? even? odd? compare " +
	"rand rand-int true? false? nil? some? not and or identical? identity ground vector list tuple untuple set hash-map array-map " +
	"count range empty? not-empty contains? get str subs name namespace keyword type pr-str " +
	"re-pattern re-find re-matches re-seq get-else get-some missing? " +
	"clojure.string/blank? clojure.string/includes? clojure.string/starts-with? clojure.string/ends-with?"

// datalogAggregates are the functions of a :find clause.
const datalogAggregates = "count count-distinct distinct sum avg median variance stddev min max rand sample"

// invalidQuery returns what Roam reports of a query as the fault of the query, with its
// place where that can be told. Roam has no code for it: a query that it can't
// read or run throws (LOCAL_API.md 1.6).
func invalidQuery(err error, query string, advice func(text string) problem.Hint) error {
	failed, _ := problem.AsCall(err)
	if !localapi.CantRun(err) || failed.Call.Text == "" {
		return err
	}
	invalid := *failed
	return faultOf(invalid, query, "Roam can't run this query: ", failed.Call.Text, advice)
}

// InvalidDatalog returns the error of a Datalog query that this program can't run, for the
// reason that text gives, in the words of DataScript or of package edn.
func InvalidDatalog(query, text string) *problem.Error {
	return faultOf(problem.Error{}, query, "The query can't be run: ", text, adviceOnDatalog)
}

// faultOf makes an error that of a query which can't be run as it is written.
func faultOf(invalid problem.Error, query, before, text string, advice func(text string) problem.Hint) *problem.Error {
	invalid.Code, invalid.Next = CodeQueryInvalid, ""
	invalid.Message = before + strings.TrimSuffix(textsafe.Redact(textsafe.Line(text, 600)), ".") + "."
	invalid.Hint = advice(text)
	if place, found := placeOfFault(query, text); found {
		invalid.Details = []problem.Detail{{Name: DetailPosition, Value: place}}
	}
	return notRetryable(invalid)
}

// position is a place in a query. Lines and columns are counted from 1, columns in
// characters.
type position struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Near   string `json:"near,omitempty"` // what is there
}

// quotedParts find what an error of Datalog repeats of the query: the name of what is
// unknown, the clause, and variables.
var quotedParts = []*regexp.Regexp{
	regexp.MustCompile(`'([^\s'()\[\]{}",]+)`), regexp.MustCompile(`(?:in|got|:|;) ([\[({].*)$`), regexp.MustCompile(`(\?[^\s'()\[\]{}",]+)`),
}

// placeOfFault finds the place of what an error says of a query.
func placeOfFault(query, text string) (position, bool) {
	_, err := edn.ParseFirst(query, edn.Limits{})
	var unreadable *edn.Error
	if errors.As(err, &unreadable) {
		line := strings.Split(query, "\n")[unreadable.Line-1]
		before := strings.ToValidUTF8(line[:min(unreadable.Column-1, len(line))], "") // its columns are bytes
		return position{Line: unreadable.Line, Column: 1 + utf8.RuneCountInString(before)}, true
	}
	for _, quoted := range quotedParts {
		for _, match := range quoted.FindAllStringSubmatch(text, -1) {
			part := match[1]
			if at := wholeIn(query, part); at >= 0 {
				before := query[:at]
				start := strings.LastIndexByte(before, '\n') + 1
				return position{
					Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(before[start:]), Near: textsafe.Line(part, 80),
				}, true
			}
		}
	}
	return position{}, false
}

// wholeIn returns where a part is in a query that is not the beginning or the end of
// a longer name; -1 where it is not.
func wholeIn(query, part string) int {
	delimits := func(c byte) bool { return strings.IndexByte(" \t\r\n,()[]{}\"", c) >= 0 }
	for from := 0; ; {
		at := strings.Index(query[from:], part)
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(part)
		if (at == 0 || delimits(query[at-1]) || delimits(part[0])) && (end == len(query) || delimits(query[end]) || delimits(part[len(part)-1])) {
			return at
		}
		from = at + 1
	}
}

// adviceOnDatalog says what to do about an error of a Datalog query, by its text.
func adviceOnDatalog(text string) problem.Hint {
	text = strings.ToLower(text)
	has := func(part string) bool { return strings.Contains(text, part) }
	switch {
	case has("lower-case"), has("upper-case"):
		return matchAnyCase().Append(functionsThere())
	case has("unknown aggregate"):
		return problem.Say("Aggregates of :find: %s.", datalogAggregates)
	case has("unknown function"), has("unknown predicate"), has("can't resolve"), has("cannot resolve"):
		return functionsThere()
	case has("call within a call"), has("re-pattern"):
		return matchAnyCase()
	case has("insufficient bindings"), has("not bound"):
		return problem.Say("Bind the variable in a clause before the one that uses it; of an or, each branch binds the same.")
	case has("unknown vars"):
		return problem.Say("Each variable of :find and :with stands in a clause of :where, or in :in.")
	case has("missing rules"):
		return problem.Say("Put % into :in, and the rules, as text, into inputs at that place.")
	case has("inputs"):
		return problem.Say(":in is $ and then one name for each of inputs, in their order; % for rules.")
	}
	return problem.Say("Correct the query; as it is it will fail again.")
}

func matchAnyCase() problem.Hint {
	return problem.Say("Without regard to case: [(re-pattern \"(?i)word\") ?p] [(re-find ?p ?s)]. A call stands in a clause of its own.")
}

func functionsThere() problem.Hint {
	return problem.Say("Functions there are: %s.", DatalogFunctions)
}

// adviceOnQuery says how a query of Roam's own is written.
func adviceOnQuery(string) problem.Hint {
	return problem.Say("A query is {and: [[A]] [[B]]}, {or: …}, {not: …}, {between: [[day]] [[day]]} or {search: text}, and these in one another; each { and [[ is closed.")
}
