package desk

import (
	"context"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// Ending is the predetermined outcome of a request, to see how a client takes it.
type Ending struct {
	// Code of the refusal, one of LOCAL_API.md 1.3.3; empty grants.
	// localapi.CodeTimeout comes after the answer limit.
	Code problem.Code
	// AccessLevel is the highest level that is granted; empty: the one asked for.
	AccessLevel localapi.AccessLevel
}

// RequestEnding is RequestAccess with a predetermined outcome, whatever the policy.
// Nobody is asked, and Pending does not list the request.
func (d *Desk) RequestEnding(ctx context.Context, access Access, ending Ending) (Grant, error) {
	access, err := checkAccess(access)
	if err != nil {
		return Grant{}, err
	}
	switch ending.Code {
	case "":
		level := access.AccessLevel
		if ending.AccessLevel != "" && ending.AccessLevel.LowerThan(level) {
			level = ending.AccessLevel
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.issue(access, level)
	case localapi.CodeUserRejected:
		return Grant{}, rejected(access.Graph)
	case localapi.CodeGraphBlocked:
		return Grant{}, blocked(access.Graph)
	case localapi.CodeRequestInProgress:
		return Grant{}, inProgress(access.Graph)
	case localapi.CodeCancelled:
		return Grant{}, cancelled(access.Graph)
	case localapi.CodeTimeout:
		return Grant{}, d.neverAnswered(ctx, access.Graph)
	}
	return Grant{}, &problem.Error{Code: ending.Code, Message: "The token request for " + access.Graph.Name + " failed."}
}

func (d *Desk) neverAnswered(ctx context.Context, graph localapi.Graph) error {
	limit := time.NewTimer(d.options.AnswerLimit)
	defer limit.Stop()
	select {
	case <-limit.C:
		return timedOut(graph)
	case <-ctx.Done():
		return cancelled(graph)
	}
}
