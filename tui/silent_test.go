package tui

import (
	"slices"
	"testing"

	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/proof"
)

func TestSilent(t *testing.T) {
	call := func(graph string) proof.Step { return proof.Step{ID: proof.Call, Graph: graph} }
	fails := func(graph string, code problem.Code, message, todo string) proof.Step {
		return proof.Step{ID: proof.Call, Graph: graph, Failed: true, Err: &problem.Error{Code: code, Message: message, Hint: problem.Say(todo)}}
	}
	result := func(calls ...proof.Step) proof.Result {
		return proof.Result{Steps: append([]proof.Step{{ID: proof.Start, Found: "/opt/roam-mcp"}}, calls...)}
	}
	revoked := fails("Old", localapi.CodeTokenNotFound, "Roam does not know it.", "roam-mcp reauth Old")
	closed := func(graph string) proof.Step {
		return fails(graph, localapi.CodeConnectionFailed, "Nothing answers.", "Start Roam.")
	}
	for name, test := range map[string]struct {
		proven []proof.Result
		want   []string
	}{
		"says nothing where nothing is proven":          {nil, nil},
		"says nothing where all answer":                 {[]proof.Result{result(call("Work"), call("Old"))}, nil},
		"says nothing of what could not be proven":      {[]proof.Result{{}}, nil},
		"names the graphs that answer, and the other":   {[]proof.Result{result(call("Work"), revoked)}, []string{"Proven on Work; Old does not answer: its token is revoked. roam-mcp reauth Old"}},
		"says once what several clients lack":           {[]proof.Result{result(call("Work"), revoked), result(call("Work"), revoked), result(call("Lab"), revoked)}, []string{"Proven on Work and Lab; Old does not answer: its token is revoked. roam-mcp reauth Old"}},
		"says once what several graphs lack":            {[]proof.Result{result(closed("A"), call("Work"), closed("B"), closed("C"))}, []string{"Proven on Work; A, B and C do not answer: Nothing answers. Start Roam."}},
		"has a line for each cause":                     {[]proof.Result{result(call("Work"), revoked, closed("Lab"))}, []string{"Proven on Work; Old does not answer: its token is revoked. roam-mcp reauth Old", "Lab does not answer: Nothing answers. Start Roam."}},
		"shows no nickname that speaks to the terminal": {[]proof.Result{result(call("W\x1b[2Jork"), closed("L\x1b]52;c;eA==\aab"))}, []string{"Proven on Work; Lab does not answer: Nothing answers. Start Roam."}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := words().Silent(test.proven...); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
