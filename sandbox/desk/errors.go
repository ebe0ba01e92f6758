package desk

import (
	"fmt"

	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// CodeRequestOver is the code of an answer to a request that is not open.
const CodeRequestOver problem.Code = "REQUEST_OVER"

// Error is a request or a token that is refused. Code is one of localapi's, or
// CodeRequestOver.
type Error struct {
	Code    problem.Code
	Message string // what happened, fit to be sent to the asker
	Advice  string // what a person can do; may be empty
	Err     error  // the error underneath, if any
}

var _ localapi.Explainer = (*Error)(nil)

// Error gives code and message; never a token.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Explain implements localapi.Explainer.
func (e *Error) Explain() localapi.Explanation {
	return localapi.Explanation{Code: e.Code, What: e.Message, Todo: e.Advice}
}

func invalid(what string) *Error {
	return &Error{Code: localapi.CodeValidation, Message: what}
}

func rejected(g localapi.Graph) *Error {
	return &Error{Code: localapi.CodeUserRejected, Message: "The user rejected the token request for " + g.Name + "."}
}

func blocked(g localapi.Graph) *Error {
	return &Error{
		Code:    localapi.CodeGraphBlocked,
		Message: "Token requests for " + g.Name + " are blocked: \"Never allow\" was chosen for this graph.",
		Advice:  "Unblock the graph where the sandbox asks.",
	}
}

func inProgress(g localapi.Graph) *Error {
	return &Error{Code: localapi.CodeRequestInProgress, Message: "A token request for " + g.Name + " is already in progress."}
}

func timedOut(g localapi.Graph) *Error {
	return &Error{Code: localapi.CodeTimeout, Message: "The token request for " + g.Name + " timed out: nobody answered it."}
}

func cancelled(g localapi.Graph) *Error {
	return &Error{Code: localapi.CodeCancelled, Message: "The token request for " + g.Name + " was cancelled."}
}

func requestOver() *Error {
	return &Error{
		Code:    CodeRequestOver,
		Message: "This request is over: it was answered, timed out, or the asker went away.",
		Advice:  "Ask for the token again.",
	}
}

func unsaved(err error) *Error {
	return &Error{
		Code:    localapi.CodeInternal,
		Message: fmt.Sprintf("The sandbox could not save its tokens: %v.", err),
		Advice:  "Check the rights of the sandbox's data folder and the room left on its disk.",
		Err:     err,
	}
}
