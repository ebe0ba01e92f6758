package localapi

import (
	"net/http"
	"strings"
	"time"

	"roam-mcp/internal/problem"
)

// longQuery is the time after which a query that threw has timed out, whatever the text says:
// Roam ends them after 20 s (LOCAL_API.md 1.7), and reads them at once.
const longQuery = 15 * time.Second

// isQuery reports whether an action answers a query or a pull.
func isQuery(action string) bool {
	switch action[strings.LastIndexByte(action, '.')+1:] {
	case "q", "pull", "pull_many", "roamQuery":
		return true
	}
	return false
}

// tookTooLong returns the error of a query that threw after a time as that of one which
// took too long; any other as it is.
func tookTooLong(err error, expected string, took time.Duration) error {
	failed, ok := problem.AsCall(err)
	if !ok || took < longQuery || !isQuery(failed.Action()) || !CantRun(err) {
		return err
	}
	late := *failed
	late.Code = CodeQueryTimeout
	late.Message, late.Hint = describe(&late, expected)
	return &late
}

// CantRun reports whether Roam has answered that a query threw, for no reason that passes
// by itself (LOCAL_API.md 1.6). Words of the query may make the other codes of it.
func CantRun(err error) bool {
	failed, ok := problem.AsCall(err)
	return ok && failed.Status() == http.StatusInternalServerError &&
		(failed.Code == CodeInternal || failed.Code == CodeNotFound || failed.Code == CodeAlreadyExists)
}
