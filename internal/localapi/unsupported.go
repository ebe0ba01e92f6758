package localapi

import (
	"fmt"
	"strconv"

	"roam-mcp/internal/problem"
)

// A Roam is supported that is as LOCAL_API.md says, from API version 0.0.9 on. What another
// one lacks is CodeUnsupportedRoam.

// inEveryRoam reports whether every supported Roam has an action.
func inEveryRoam(action string) bool {
	switch action {
	case "q", "data.q", "data.pull", "data.pull_many", GuidelinesAction,
		"data.ai.getPage", "data.ai.getBlock", "data.ai.getBacklinks", "data.ai.search", "data.ai.searchTemplates",
		"data.block.create", "data.block.fromMarkdown", "data.block.update", "data.block.delete", "data.block.move", "data.block.reorderBlocks",
		"data.page.fromMarkdown", "data.page.update", "data.page.delete", "data.page.addShortcut", "data.page.removeShortcut",
		"file.upload", "file.delete":
		return true
	}
	return false
}

// unsupportedAction returns the error of a call that named an action which Roam does not know,
// and which every supported Roam has, as one that says so; any other as it is.
func unsupportedAction(err error) error {
	failed, ok := problem.AsCall(err)
	if !ok || failed.Code != CodeUnknownAction || !inEveryRoam(failed.Action()) {
		return err
	}
	return unsupported(*failed, "it does not have the function "+strconv.Quote(failed.Action())+".")
}

// UnsupportedQuery returns the error of a query of this program that Roam can't run as one
// that says so; any other as it is.
func UnsupportedQuery(err error) error {
	if !CantRun(err) {
		return err
	}
	failed, _ := problem.AsCall(err)
	out := unsupported(*failed, "its queries can't do what roam-mcp needs here.")
	out.Hint = problem.Say("Try again; if it stays so, update %s.", problem.Roam)
	return out
}

// UnsupportedReply returns the error of a reply that has not the form which Roam is documented
// to send: what it lacks, such as "a list of rows". cause may be nil.
func UnsupportedReply(action, lacks string, cause error) *problem.Error {
	failed := problem.Error{Call: &problem.Call{Action: action, Sent: true}, Err: cause}
	return unsupported(failed, fmt.Sprintf("its reply to %s is not %s.", action, lacks))
}

func unsupported(failed problem.Error, why string) *problem.Error {
	failed.Code = CodeUnsupportedRoam
	failed.Message = "roam-mcp does not support this Roam: " + why
	if failed.Call.Text != "" {
		failed.Message += " Roam says: " + period(failed.Call.Text)
	}
	failed.Hint = problem.Say("Update %s.", problem.Roam)
	return &failed
}
