package desk

import (
	"fmt"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// CodeRequestOver is the code of an answer to a request that is not open.
const CodeRequestOver problem.Code = "REQUEST_OVER"

func invalid(what string) *problem.Error {
	return &problem.Error{Code: localapi.CodeValidation, Message: what}
}

func rejected(g localapi.Graph) *problem.Error {
	return &problem.Error{Code: localapi.CodeUserRejected, Message: "The user rejected the token request for " + g.Name + "."}
}

func blocked(g localapi.Graph) *problem.Error {
	return &problem.Error{
		Code:    localapi.CodeGraphBlocked,
		Message: "Token requests for " + g.Name + " are blocked: \"Never allow\" was chosen for this graph.",
		Hint:    problem.Say("Unblock the graph where the sandbox asks."),
	}
}

func inProgress(g localapi.Graph) *problem.Error {
	return &problem.Error{Code: localapi.CodeRequestInProgress, Message: "A token request for " + g.Name + " is already in progress."}
}

func timedOut(g localapi.Graph) *problem.Error {
	return &problem.Error{Code: localapi.CodeTimeout, Message: "The token request for " + g.Name + " timed out: nobody answered it."}
}

func cancelled(g localapi.Graph) *problem.Error {
	return &problem.Error{Code: localapi.CodeCancelled, Message: "The token request for " + g.Name + " was cancelled."}
}

func requestOver() *problem.Error {
	return &problem.Error{
		Code:    CodeRequestOver,
		Message: "This request is over: it was answered, timed out, or the asker went away.",
		Hint:    problem.Say("Ask for the token again."),
	}
}

func unsaved(err error) *problem.Error {
	return &problem.Error{
		Code:    localapi.CodeInternal,
		Message: fmt.Sprintf("The sandbox could not save its tokens: %v.", err),
		Hint:    problem.Say("Check the rights of the sandbox's data folder and the room left on its disk."),
		Err:     err,
	}
}
