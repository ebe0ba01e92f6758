package probe

import (
	"context"
	"strconv"
	"strings"

	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// unknownAction is one that no Roam has.
const unknownAction = "data.roamMcpProbe.noSuchAction"

// wrong is a check of what a wrong call gets: its status, and its code.
func wrong(id, follows string, call func(context.Context, *asking) error) Check {
	return Check{ID: "error-" + id, Follows: follows, run: func(ctx context.Context, a *asking) string {
		err := call(ctx, a)
		e, ok := problem.AsCall(err)
		switch {
		case err == nil:
			return "200"
		case !ok || e.Status() == 0:
			a.fail(err)
			return ""
		case e.Call.CodeSent:
			return strconv.Itoa(e.Status()) + " " + string(e.Code)
		}
		return strconv.Itoa(e.Status())
	}}
}

func wrongCalls() []Check {
	const told = "The program tells a person something else of such a failure; what it does stays safe."
	calling := func(action string, args ...any) func(context.Context, *asking) error {
		return func(ctx context.Context, a *asking) error {
			_, err := a.send(ctx, which(action == "query", a.query, action), args...)
			return err
		}
	}
	withToken := func(token localapi.Token) func(context.Context, *asking) error {
		return func(ctx context.Context, a *asking) error {
			_, err := a.sendAs(ctx, token, "graph.isEncrypted")
			return err
		}
	}
	unknown, _ := localapi.ParseToken(localapi.TokenPrefix + strings.Repeat("0", localapi.TokenLength-len(localapi.TokenPrefix)))
	return []Check{
		wrong("action", "A missing action can't be told from another failure, so what stands in for it is not tried.", calling(unknownAction)),
		wrong("no-action", told, calling("")),
		wrong("no-args", told, calling("data.pull")),
		wrong("wrong-type", told, calling("data.pull", 7, 7)),
		wrong("bad-query", "The advice to correct the query may be missing.", calling("query", `[:find`)),
		wrong("unbound", "The advice to correct the query may be missing.", calling("query", `[:find ?nothing :where [?b :block/uid "roam-mcp"]]`)),
		wrong("bad-pattern", "The advice to correct the pattern may be missing.", calling("data.pull", `[:block/uid`, `[:block/uid "roam-mcp"]`)),
		wrong("version", "Roam and roam-mcp may speak different versions without saying so.", func(ctx context.Context, a *asking) error {
			_, err := a.send(localapi.Expecting(ctx, "0.0"), "graph.isEncrypted")
			return err
		}),
		wrong("no-token", told, withToken(localapi.Token{})),
		wrong("token", "A token that was revoked may not be told as such.", withToken(unknown)),
	}
}
