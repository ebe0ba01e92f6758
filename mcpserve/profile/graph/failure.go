package graph

import (
	"fmt"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// The error codes of the seed, beside INVALID_PARAMS (profiles/graph.md, "Errors").
const (
	CodeNodeExists    problem.Code = "NODE_EXISTS"    // what was to be made is there
	CodeNodeNotFound  problem.Code = "NODE_NOT_FOUND" // what was to be changed is not there
	CodeProviderError problem.Code = "PROVIDER_ERROR" // Roam, or the way to it, failed
)

// detailCause is the code that stands behind a PROVIDER_ERROR.
const detailCause = "cause"

// fail makes the answer to a call that failed, as the seed's clients expect it.
func fail(e *problem.Error, world problem.World, most int) surface.Failure {
	return surface.Failure{Text: surface.FailureJSON(seedError(e), world, most)}
}

// seedError returns an error with a code of the seed. What the server refuses without
// having asked Roam, such as a write while it is read-only, keeps its own.
func seedError(e *problem.Error) *problem.Error {
	told := *e
	switch {
	case e.Code == localapi.CodeAlreadyExists:
		told.Code = CodeNodeExists
	case e.Code == localapi.CodeNotFound:
		told.Code = CodeNodeNotFound
	case e.Call != nil || isProviders(e.Code):
		told.Code = CodeProviderError
		told.Details = append([]problem.Detail{{Name: detailCause, Value: e.Code}}, e.Details...)
	}
	return &told
}

// isProviders reports whether a code that came from no call of Roam is a failure of
// what the tools are made of.
func isProviders(code problem.Code) bool {
	switch code {
	case ops.CodeOutcomeUnknown, ops.CodeGuidelinesProtected, ops.CodeCodeProtected, ops.CodeBatchFailed, ops.CodeNotSent, surface.CodeReplyTooLarge, mirror.CodeGraphTooLarge,
		localapi.CodeInternal, localapi.CodeTimeout, localapi.CodeCancelled, localapi.CodeConnectionFailed, localapi.CodeInsufficientScope, localapi.CodeRateLimited:
		return true
	}
	return false
}

// nodeExists is the error of a title that another page has.
func nodeExists(title, uid string) *problem.Error {
	return &problem.Error{
		Code: CodeNodeExists, Message: fmt.Sprintf("There is a node %s already, so nothing was written.", textsafe.Quote(title)),
		Hint:    say("Read it with %s; %s changes it.", problem.ReadPage, problem.UpdatePage).Or("Choose another title."),
		Details: []problem.Detail{{Name: "id", Value: uid}}, Retry: problem.RetryNever,
	}
}

// severalNodes is the error of an id that names several pages alike.
func severalNodes(id string, titles []string) *problem.Error {
	several := ops.AnyOf(id, titles)
	several.Code = CodeNodeNotFound
	return several
}

// nodeNotFound is the error of an id that names nothing; candidates are titles that it
// may have meant.
func nodeNotFound(id string, candidates []string) *problem.Error {
	missing := &problem.Error{
		Code: CodeNodeNotFound, Message: fmt.Sprintf("There is no node %s.", textsafe.Quote(id)), Retry: problem.RetryNever,
		Hint: say("Find it with %s; %s makes it.", problem.Search, problem.CreatePage).Or("Find it with %s.", problem.Search), Next: problem.Search,
	}
	if len(candidates) > 0 {
		missing.Details = []problem.Detail{{Name: "candidates", Value: candidates}}
	}
	return missing
}
