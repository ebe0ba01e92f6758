package ops

import (
	"bytes"
	"fmt"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// CodeUnwritableMark is the code of a write whose text Roam would store without a mark that
// it has (TOOLS.md, "Errors of our own").
const CodeUnwritableMark problem.Code = "UNWRITABLE_MARK"

// KeepsMarks reports whether Roam stores a text with all that is spelled like what reads add
// (LOCAL_API.md 9.6).
func KeepsMarks(text string) bool { return outline.DecodeAnnotations(text) == text }

// UnwritableMark returns the error for a text that Roam would store without such a mark.
func UnwritableMark(text string) *problem.Error {
	return notRetryable(problem.Error{
		Code:    CodeUnwritableMark,
		Message: fmt.Sprintf("Roam's API removes from what is written what looks like the markup of reads: a block's tag, and the text behind a reference. So it can't store this text as it is: %s. It was not written.", textsafe.Quote(text)),
		Hint:    problem.Say("Send a reference as ((uid)) and nothing else; to change the text that it shows, change the block with that uid. Between backticks such markup stays."),
	})
}

// ChangedPreview returns the error for a preview with another text than reads show, whose
// block the write does not change.
func ChangedPreview(uid string) *problem.Error {
	return notRetryable(problem.Error{
		Code:    CodeUnwritableMark,
		Message: fmt.Sprintf("The text behind the reference ((%s)) is that of the block with this uid. It was shown with another text, and a change of it here would be lost. It was not written.", uid),
		Hint:    problem.Say("Change the block %s with %s, and send ((%s)) alone here.", uid, problem.UpdateBlock, uid).Or("Change the block itself, where it stands, and send ((%s)) alone here.", uid),
		Details: []problem.Detail{{Name: DetailUID, Value: uid}},
	})
}

// checkMarks refuses a request with a text that Roam would store without a mark that it has.
func checkMarks(args []any) error {
	request := rawjson.Encode(args)
	if !bytes.ContainsRune(request, '<') && !bytes.Contains(request, []byte(`\u003`)) {
		return nil
	}
	for s := range rawjson.Strings(request) {
		if text, ok := rawjson.DecodeString(request[s.Start:s.End]); ok && !KeepsMarks(text) {
			return UnwritableMark(text)
		}
	}
	return nil
}
