package wiki

import (
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
)

func TestFail(t *testing.T) {
	for name, tc := range map[string]struct {
		failed *problem.Error
		want   string
	}{
		"a message alone":   {&problem.Error{Code: localapi.CodeInternal, Message: "It broke."}, "Error: It broke."},
		"with what to do":   {missing("a/b\n", nil), "Error: There is no note at a/b."},
		"with what is near": {missing("a", []string{"a \"b\""}), "Error: There is no note at a.\nThere is: \"a \\\"b\\\"\"."},
		"with what is known of a lost reply": {
			&problem.Error{Code: ops.CodeOutcomeUnknown, Message: "The reply was lost.", Details: []problem.Detail{{Name: ops.DetailApplied, Value: true}, {Name: ops.DetailEvidence, Value: "The block\nis there."}}},
			"Error: The reply was lost.\napplied: true\nevidence: The blockis there.",
		},
		"with blocks that somebody else has changed": {
			shown.TextConflict([]shown.Changed{{UID: "u00000001", Shown: "Bake at 230", Sent: new("Bake at 240"), Now: new("Bake at 230\nor less"), Below: "- Not on Fridays"}, {UID: "u00000002", Shown: "Rest", Now: new("Rest well")}}),
			"Error: Somebody else has changed 2 blocks since they were read. Nothing was written.\n" +
				"Compare what was shown, what you sent and what is there now. Make your change in what is there now, and make the same call with that.\n" +
				"1. Shown: \"Bake at 230\"\nSent: \"Bake at 240\"\nNow: \"Bake at 230\\nor less\"\nNew below it: \"- Not on Fridays\"\n" +
				"2. Shown: \"Rest\"\nSent: nothing, it was to go\nNow: \"Rest well\"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fail(tc.failed, problem.World{Tool: func(problem.Task) string { return "" }}, 1000).Text; got != tc.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
