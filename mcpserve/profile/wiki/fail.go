package wiki

import (
	"fmt"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// fail makes the answer to a call that failed: what happened, what to do, and what else is
// known of it, a line each. Its code is for programs, and stands beside it.
func fail(e *problem.Error, world problem.World, most int) surface.Failure {
	lines := []string{"Error: " + strings.TrimSpace(e.Message)}
	if hint := world.Say(e.Hint); hint != "" {
		lines = append(lines, hint)
	}
	lines = append(lines, shown.Lines(e)...)
	for _, each := range e.Details {
		if each.Name == shown.DetailBlocks {
			continue
		}
		value, isText := each.Value.(string)
		if !isText {
			value = string(rawjson.Encode(each.Value))
		}
		lines = append(lines, each.Name+": "+textsafe.Title(value))
	}
	return surface.Failure{Text: surface.CutLines(strings.Join(lines, "\n"), most, "It is longer than a reply may be."), Reason: e.Code}
}

// missing is the error of a path without a note. near are the paths of notes that it may
// have meant.
func missing(path string, near []string) *problem.Error {
	e := &problem.Error{
		Code: localapi.CodeNotFound, Message: fmt.Sprintf("There is no note at %s.", textsafe.Title(path)), Retry: problem.RetryNever,
		Hint: say("%s and %s find notes.", problem.Browse, problem.Search), Next: problem.Search,
	}
	if len(near) > 0 {
		quoted := make([]string, len(near))
		for i, each := range near {
			quoted[i] = textsafe.Quote(each)
		}
		e.Hint = say("There is: %s.", strings.Join(quoted, ", "))
	}
	return e
}

// moved is the error of a path that a note had which is at another by now.
func moved(path, now string) *problem.Error {
	e := missing(path, nil)
	e.Hint = movedTo(now)
	return e
}

// movedTo says where a note is that was looked for at a path that it had.
func movedTo(now string) problem.Hint { return say("It was moved to %s.", textsafe.Title(now)) }

// taken is the error of a path that has a note already.
func taken(path string) *problem.Error {
	return &problem.Error{
		Code: localapi.CodeAlreadyExists, Message: fmt.Sprintf("There is a note at %s already.", textsafe.Title(path)), Retry: problem.RetryNever,
		Hint: say("%s changes it.", problem.UpdatePage),
	}
}
