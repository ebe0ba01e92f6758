package ops

import (
	"encoding/json"
	"fmt"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// BatchReport says how the parts of a batch ended, of which one was done at least.
type BatchReport struct {
	Succeeded, Failed int
	// Parts are Roam's words on each block, in their order: uid, ok, and where ok
	// is false code and message (LOCAL_API.md 3.6).
	Parts []rawjson.Object
}

// failedPart says of a part of a batch how it failed.
func failedPart(failed *problem.Error) rawjson.Object {
	part := notOK(failed.Code, failed.Message)
	if applied := failed.Detail(DetailApplied); applied != nil {
		part = part.With(DetailApplied, applied).With(DetailEvidence, failed.Detail(DetailEvidence))
	}
	if failed.Code == localapi.CodeNotFound {
		part = part.With("reason", "not-found")
	}
	return part
}

func notOK(code problem.Code, message string) rawjson.Object {
	return rawjson.With("ok", false).With("code", code).With("message", message)
}

// readReport checks Roam's report before it is believed: one part for each uid,
// in their order (LOCAL_API.md 3.6).
func readReport(b batch, result json.RawMessage) ([]rawjson.Object, error) {
	list, uids := rawjson.Elements(rawjson.Parse(result).Get("results")), b.uids()
	if len(list) != len(uids) {
		return nil, malformed(b, result, fmt.Sprintf("%d items for %d blocks", len(list), len(uids)))
	}
	parts := make([]rawjson.Object, 0, len(list))
	for i, raw := range list {
		part := rawjson.Parse(raw)
		uid, isText := part.Text("uid")
		if ok := string(part.Get("ok")); !isText || uid != uids[i] || ok != "true" && ok != "false" {
			return nil, malformed(b, result, fmt.Sprintf("no item %d about the block %s", i, textsafe.Quote(uids[i])))
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func malformed(b batch, payload json.RawMessage, why string) *problem.Error {
	if len(payload) > 2000 {
		payload = rawjson.Encode(textsafe.Line(string(payload), 500))
	}
	action, _ := b.Request()
	return notRetryable(problem.Error{
		Code:    localapi.CodeUnsupportedRoam,
		Message: "roam-mcp does not support this Roam: its report on the batch has " + why + ". Some or all of it may have been done.",
		Hint:    problem.Say("Read the blocks before anything else, and update %s.", problem.Roam),
		Call:    &problem.Call{Action: action},
		Details: []problem.Detail{{Name: DetailPayload, Value: payload}},
	})
}

// reportOf counts the parts of a batch, and is an error where none was done.
func reportOf(b batch, parts []rawjson.Object) (BatchReport, error) {
	report := BatchReport{Parts: parts}
	for _, part := range parts {
		if isOK(part) {
			report.Succeeded++
		} else {
			report.Failed++
		}
	}
	if report.Succeeded == 0 {
		return BatchReport{}, nothingDone(b, report)
	}
	return report, nil
}

// List returns the parts as a JSON list.
func (r BatchReport) List() json.RawMessage {
	list := make([]json.RawMessage, len(r.Parts))
	for i, part := range r.Parts {
		list[i] = part.JSON()
	}
	return rawjson.Array(list)
}

// nothingDone is the error of a batch of which nothing was done.
func nothingDone(b batch, report BatchReport) *problem.Error {
	codes, messages := map[problem.Code]bool{}, map[string]bool{}
	var failed problem.Error
	var reasons []string
	for _, part := range report.Parts {
		code, _ := part.Text("code")
		message, _ := part.Text("message")
		if reason, gone := reasonOf(part); code == "" && string(part.Get("deleted")) == "false" {
			if code = string(localapi.CodeNotFound); !gone {
				reasons = append(reasons, reason)
			}
		}
		codes[problem.Code(code)], messages[message] = true, true
		failed.Code, failed.Message = problem.Code(code), textsafe.Redact(textsafe.Line(message, 300))
	}
	switch {
	case len(codes) > 1:
		failed.Code = CodeBatchFailed
	case failed.Code == "":
		failed.Code = localapi.CodeInternal
	}
	if len(messages) > 1 || failed.Message == "" {
		failed.Message = fmt.Sprintf("All %d items failed; results says why for each.", report.Failed)
	}
	action, _ := b.Request()
	if failed.Code == localapi.CodeNotFound {
		if one := onlyPart(b, action, report); one != nil {
			failed = *one
		} else {
			explainMissing(&failed, reasons)
		}
	}
	failed.Call = &problem.Call{Action: action}
	failed.Details = append(failed.Details,
		problem.Detail{Name: DetailSucceeded, Value: 0}, problem.Detail{Name: DetailFailed, Value: report.Failed}, problem.Detail{Name: DetailResults, Value: report.List()})
	return notRetryable(failed)
}

// onlyPart says of a batch of one what the single removal says; nil where there
// are more, or Roam has said something of it.
func onlyPart(b batch, action string, report BatchReport) *problem.Error {
	if len(report.Parts) != 1 || report.Parts[0].Get("message") != nil {
		return nil
	}
	return notRemoved(Block, b.uids()[0], action, report.Parts[0])
}

// explainMissing says what to do about things that were not there.
func explainMissing(failed *problem.Error, reasons []string) {
	if len(reasons) > 0 {
		failed.Message = fmt.Sprintf("Nothing was deleted; Roam gives as reasons %s.", strings.Join(reasons, ", "))
		failed.Hint = problem.Say("Do not assume that they are gone: read them again.")
		failed.Next = problem.ReadBlock
		return
	}
	failed.Hint = problem.Say("They may be gone already.").
		Then("Do not try again; where they should exist, find them with %s.", problem.Search).Or("Do not try again.")
}
