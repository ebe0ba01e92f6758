package review

import (
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
)

func TestGoneMarkdown(t *testing.T) {
	before := fact.State{Things: map[string]fact.Fact{
		"p": {UID: "p", Title: "Plan", Page: "p"},
		"a": {UID: "a", Text: "first\nline two", Parent: "p", Order: 0},
		"b": {UID: "b", Text: "below", Heading: 2, Parent: "a", Order: 0},
		"c": {UID: "c", Text: "second", Parent: "p", Order: 1},
		"r": {UID: "r", Text: "see [[Plan]]", Parent: "q"},
	}}
	after := fact.State{Things: map[string]fact.Fact{
		"p": {UID: "p", Gone: true}, "a": {UID: "a", Gone: true}, "b": {UID: "b", Gone: true}, "c": {UID: "c", Gone: true},
		"r": {UID: "r", Text: "see Plan", Parent: "q"},
	}}
	record := history.Record{Changes: []history.ChangeRecord{{
		Class: fact.ClassGone, State: history.StateDone, Before: before.JSON(), After: after.JSON(),
		Touches: []fact.Touch{{UID: "p", Role: fact.RoleGone}, {UID: "a", Role: fact.RoleGone}, {UID: "b", Role: fact.RoleGone}, {UID: "c", Role: fact.RoleGone}, {UID: "r", Role: fact.RoleReferrer}},
	}}}
	const want = "- [[Plan]]\n    - first\n      line two\n        - ## below\n    - second\n"
	if got := GoneMarkdown(record, ""); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := GoneMarkdown(record, "a"); got != "- first\n  line two\n    - ## below\n" {
		t.Errorf("of a block it is %q", got)
	}
	if got := GoneMarkdown(record, "r"); got != "" {
		t.Errorf("of what is there it is %q", got)
	}
}
