package install

import (
	"cmp"
	"encoding/json"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Codes of tools whose packages this one does not know.
const (
	codeGraphNotConfigured problem.Code = "GRAPH_NOT_CONFIGURED"
	codeGraphDisabled      problem.Code = "GRAPH_DISABLED"
	codeNoToken            problem.Code = "NO_TOKEN"
)

// explain turns what a tool reported about a graph into what a person reads. The hints of
// tools are for models; a person has keys and commands. object has code and message, as
// far as it has them, and cause, where the profile has codes of its own; otherwise is the
// message where it has none.
func explain(nickname string, object json.RawMessage, otherwise string) error {
	var told struct {
		Code, Cause problem.Code
		Message     string
	}
	_ = json.Unmarshal(object, &told) // what is no object tells nothing
	code := problem.Code(line(string(cmp.Or(told.Cause, told.Code, problem.CodeFailed))))
	mend, hint := mends(code, nickname)
	return &failure{mend: mend, problem: &problem.Error{Code: code, Message: line(cmp.Or(told.Message, otherwise)), Hint: hint}}
}

// mends returns what mends a failed call on a graph, and the sentence that says so.
func mends(code problem.Code, nickname string) (Mend, problem.Hint) {
	switch code {
	case localapi.CodeConnectionFailed:
		return MendOpenRoam, problem.Say("Start %s, and try again.", problem.Roam)
	case localapi.CodeDisabled:
		return MendEnableAPI, problem.Say("Switch it on in %s: Settings > Graph > Local API.", problem.Roam)
	case localapi.CodeTokenNotFound, localapi.CodeMissingToken, localapi.CodeInvalidTokenFormat, localapi.CodeWrongGraphType,
		localapi.CodeInsufficientScope, localapi.CodeUnauthorized, localapi.CodeAccessDenied, codeNoToken:
		return MendReauthorize, problem.Say("%s asks Roam for a new token.", problem.Run("reauth", nickname))
	case codeGraphNotConfigured, localapi.CodeGraphNotFound, localapi.CodeGraphNotListed:
		return MendConnectGraph, problem.Say("%s shows the graphs that there are.", problem.Run("graphs"))
	case codeGraphDisabled:
		return MendConnectGraph, problem.Say("%s lets agents reach it again.", problem.Run("enable", nickname))
	}
	return MendNone, problem.Say("%s looks for the cause.", problem.Run("doctor"))
}
