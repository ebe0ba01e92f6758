package wiki

import (
	"fmt"
	"strings"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// fail makes the answer to a call that failed: a text that says what happened and what
// to do.
func fail(e *problem.Error, world problem.World, most int) surface.Failure {
	text := "Error: " + strings.TrimSpace(e.Message)
	if hint := world.Say(e.Hint); hint != "" {
		text += "\n" + hint
	}
	return surface.Failure{Text: surface.CutLines(text, most, "")}
}

// missing is the error of a path without a note. near are the paths of notes that it may
// have meant.
func missing(path string, near []string) *problem.Error {
	e := &problem.Error{
		Code: localapi.CodeNotFound, Message: fmt.Sprintf("There is no note at %s.", safetext.Name(path)), Retry: problem.RetryNever,
		Hint: say("%s and %s find notes.", task.Browse, task.Search), Next: task.Search,
	}
	if len(near) > 0 {
		quoted := make([]string, len(near))
		for i, each := range near {
			quoted[i] = safetext.Quote(each)
		}
		e.Hint = say("There is: %s.", strings.Join(quoted, ", "))
	}
	return e
}

// taken is the error of a path that has a note already.
func taken(path string) *problem.Error {
	return &problem.Error{
		Code: localapi.CodeAlreadyExists, Message: fmt.Sprintf("There is a note at %s already.", safetext.Name(path)), Retry: problem.RetryNever,
		Hint: say("%s changes it.", task.UpdatePage),
	}
}
