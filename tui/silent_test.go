package tui

import (
	"slices"
	"testing"

	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

func TestSilent(t *testing.T) {
	call := func(graph string) install.ProofStep { return install.ProofStep{ID: install.StepCall, Graph: graph} }
	fails := func(graph string, code problem.Code, message, todo string) install.ProofStep {
		return install.ProofStep{ID: install.StepCall, Graph: graph, Failed: true, Err: &problem.Error{Code: code, Message: message, Hint: problem.Say(todo)}}
	}
	result := func(calls ...install.ProofStep) install.Proof {
		return install.Proof{Steps: append([]install.ProofStep{{ID: install.StepStart, Found: "/opt/roam-mcp"}}, calls...)}
	}
	revoked := fails("Old", localapi.CodeTokenNotFound, "Roam does not know it.", "roam-mcp reauth Old")
	closed := func(graph string) install.ProofStep {
		return fails(graph, localapi.CodeConnectionFailed, "Nothing answers.", "Start Roam.")
	}
	for name, test := range map[string]struct {
		proven []install.Proof
		want   []string
	}{
		"says nothing where nothing is proven":          {nil, nil},
		"says nothing where all answer":                 {[]install.Proof{result(call("Work"), call("Old"))}, nil},
		"says nothing of what could not be proven":      {[]install.Proof{{}}, nil},
		"names the graphs that answer, and the other":   {[]install.Proof{result(call("Work"), revoked)}, []string{"Proven on Work; Old does not answer: its token is revoked. roam-mcp reauth Old"}},
		"says once what several clients lack":           {[]install.Proof{result(call("Work"), revoked), result(call("Work"), revoked), result(call("Lab"), revoked)}, []string{"Proven on Work and Lab; Old does not answer: its token is revoked. roam-mcp reauth Old"}},
		"says once what several graphs lack":            {[]install.Proof{result(closed("A"), call("Work"), closed("B"), closed("C"))}, []string{"Proven on Work; A, B and C do not answer: Nothing answers. Start Roam."}},
		"has a line for each cause":                     {[]install.Proof{result(call("Work"), revoked, closed("Lab"))}, []string{"Proven on Work; Old does not answer: its token is revoked. roam-mcp reauth Old", "Lab does not answer: Nothing answers. Start Roam."}},
		"shows no nickname that speaks to the terminal": {[]install.Proof{result(call("W\x1b[2Jork"), closed("L\x1b]52;c;eA==\aab"))}, []string{"Proven on Work; Lab does not answer: Nothing answers. Start Roam."}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := words().Silent(test.proven...); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
