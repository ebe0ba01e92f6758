package outline

import (
	"fmt"
	"net/http"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// The error codes of the Logseq skill (profiles/outline.md, "Errors").
const (
	CodeCapabilityMissing problem.Code = "CAPABILITY_MISSING" // the token, the server or this Roam does not permit it
	CodeNotFound          problem.Code = "NOT_FOUND"          // there is no such page or block
	CodeInvalidInput      problem.Code = "INVALID_INPUT"      // the arguments are wrong
	CodeTimeout           problem.Code = "TIMEOUT"            // it took too long
	CodeInternal          problem.Code = "INTERNAL"           // Roam, or the way to it, failed
)

// The details of errors that are the profile's own.
const (
	detailCause      = "cause"      // the code behind the skill's
	detailCapability = "capability" // key of what is missing
	detailReason     = "reason"     // why it is
	detailRemedy     = "remedy"     // what the user can do about it, in place of the hint
)

// explain adds to an error of a tool that is not available which capability that is.
func explain(t *surface.Tool, e *problem.Error) *problem.Error {
	key := capabilityOf(t.Name)
	if key == "" || skillCode(e) != CodeCapabilityMissing || e.Code == ops.CodeGuidelinesProtected || e.Code == ops.CodeCodeProtected { // what else the tool does is there
		return e
	}
	return e.With(detailCapability, key)
}

// fail makes the answer to a call that failed, as the skill's clients expect it.
func fail(e *problem.Error, world problem.World, most int) surface.Failure {
	told := *e
	if told.Code = skillCode(e); told.Code != e.Code {
		told.Details = append([]problem.Detail{{Name: detailCause, Value: e.Code}}, e.Details...)
	}
	if key := e.Detail(detailCapability); key != nil {
		told.Message = fmt.Sprintf("%s is not available.", key)
		told.Hint, told.Next = problem.Hint{}, ""
		told.Details = append(told.Details, problem.Detail{Name: detailReason, Value: e.Message}, problem.Detail{Name: detailRemedy, Value: remedy(e, world)})
	}
	return surface.Failure{Text: surface.FailureJSON(&told, world, most)}
}

// skillCode returns the code of the skill for an error.
func skillCode(e *problem.Error) problem.Code {
	switch e.Code {
	case CodeInvalidInput, surface.CodeInvalidParams, surface.CodeReplyTooLarge, ops.CodeTruncatedSource, ops.CodeQueryInvalid, ops.CodeTextNotMatched, ops.CodeUnwritableMark,
		shown.CodeChangedSinceRead, localapi.CodeAlreadyExists, localapi.CodeValidation, localapi.CodeRequestTooLarge:
		return CodeInvalidInput
	case localapi.CodeNotFound:
		return CodeNotFound
	case CodeCapabilityMissing, surface.CodeReadOnly, surface.CodeWritesPaused, surface.CodeToolNotOffered, ops.CodeGuidelinesProtected, ops.CodeCodeProtected,
		localapi.CodeInsufficientScope, localapi.CodeScopeExceedsPermission, localapi.CodeAccessDenied:
		return CodeCapabilityMissing
	case ops.CodeOutcomeUnknown, ops.CodeBatchFailed:
		return CodeInternal
	case ops.CodeBusy, localapi.CodeTimeout, localapi.CodeQueryTimeout:
		return CodeTimeout
	}
	switch {
	case ops.IsUnsupported(e), e.Status() == http.StatusUnauthorized:
		return CodeCapabilityMissing
	case e.Status() == http.StatusRequestTimeout, e.Status() == http.StatusGatewayTimeout:
		return CodeTimeout
	}
	return CodeInternal
}
