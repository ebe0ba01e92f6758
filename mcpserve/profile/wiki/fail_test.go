package wiki

import (
	"testing"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/problem"
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
	} {
		t.Run(name, func(t *testing.T) {
			if got := fail(tc.failed, problem.World{Tool: func(problem.Task) string { return "" }}, 1000).Text; got != tc.want {
				t.Errorf("got %q", got)
			}
		})
	}
}
