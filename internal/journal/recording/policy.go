package recording

import (
	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/problem"
)

// beingWritten is the error of a write to what others are writing to.
func beingWritten() *problem.Error {
	return &problem.Error{
		Code: CodeBeingWritten, Retry: problem.RetryLater,
		Message: "Another program is changing the same blocks, so nothing was written.",
		Hint:    problem.Say("Read them again, then send the call again."),
	}
}

// tooLarge is the error of a write that would replace more than is kept.
func tooLarge() *problem.Error {
	return &problem.Error{
		Code: CodeTooLargeToKeep, Retry: problem.RetryNever,
		Message: "The write would replace more than 20,000 blocks or 16 MB of text, which the history does not keep in one record, so nothing was written.",
		Hint:    problem.Say("Do it in smaller parts, or ask the user to do it in %s.", problem.Roam),
	}
}

// explainUnwritable returns the error of a journal with what follows from it for a
// write that is not sent without a record; other errors as they are.
func explainUnwritable(err error) error {
	failed, ok := problem.As(err)
	if !ok || !unwritable(err) {
		return err
	}
	told := *failed
	told.Message = "Nothing was written, since it can't be recorded in the history. " + failed.Message
	told.Retry = problem.RetryLater
	if told.Code == history.CodeTooNew {
		told.Retry = problem.RetryNever
	}
	return &told
}

// lacks returns what of the facts before a change can't be restored, in words: other
// attributes of what goes.
func lacks(before fact.State, touches []fact.Touch) []string {
	var gone []fact.Fact
	for _, touch := range touches {
		if touch.Role == fact.RoleGone {
			gone = append(gone, before.Things[touch.UID])
		}
	}
	return fact.Lacks(gone)
}
