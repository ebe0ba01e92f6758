package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

const (
	// batchLimit is how many items a batch may have (LOCAL_API.md 2.3).
	batchLimit = 25
	// batchlessFor is how long a graph is remembered as one of a Roam without
	// batch actions: Roam may be updated while this server runs.
	batchlessFor = 10 * time.Minute

	codeBatchFailed problem.Code = "BATCH_FAILED"
	codeNotSent     problem.Code = "NOT_SENT"
)

// batchless remembers the graphs whose Roam has no batch actions.
type batchless struct {
	mu    sync.Mutex
	known map[localapi.Graph]time.Time
}

func newBatchless() *batchless { return &batchless{known: map[localapi.Graph]time.Time{}} }

func (b *batchless) has(graph localapi.Graph, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, ok := b.known[graph]
	return ok && now.Sub(at) < batchlessFor
}

func (b *batchless) note(graph localapi.Graph, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[graph] = now
}

// batch runs an action on several things at once. Where Roam does not have it,
// one does the work of each thing; its items have the shape of Roam's own.
type batch struct {
	action string
	args   map[string]any
	uids   []string
	// find looks for one of the things where the reply is lost.
	find func(uid string) look
	one  func(ctx context.Context, at int) (json.RawMessage, error)
}

// run gives an item for each uid, in their order.
func (b batch) run(ctx context.Context, c *call) ([]rawjson.Object, error) {
	graph := c.target.entry.Graph()
	if c.server.batchless.has(graph, c.server.now()) {
		return b.runSingly(ctx, c)
	}
	result, err := c.write(ctx, b.action, []any{b.args}, lookForEach(b.uids, b.find))
	switch {
	case err == nil:
		return b.read(result)
	case unanswerable(err):
		c.server.batchless.note(graph, c.server.now())
		return b.runSingly(ctx, c)
	}
	return nil, err
}

// runSingly does one thing after the other. After a call that nobody answered
// the rest is not tried, since each would wait and fail alike.
func (b batch) runSingly(ctx context.Context, c *call) ([]rawjson.Object, error) {
	items := make([]rawjson.Object, 0, len(b.uids))
	var broken *failure
	for i, uid := range b.uids {
		item := rawjson.With("uid", uid)
		if broken != nil {
			items = append(items, item.Append(notOK(codeNotSent, "Not tried, since a call before it failed.")))
			continue
		}
		report, err := b.one(ctx, i)
		if err != nil {
			f := failureOf(err)
			if endsBatch(f) {
				broken = f
				nothing := f.Applied == nil || *f.Applied == appliedNo
				if i == 0 && (nothing || len(b.uids) == 1) {
					return nil, err // what is true of the one is true of the whole call
				}
			}
			item = item.Append(notOK(f.Code, f.Message))
			if f.Applied != nil {
				item = item.With("applied", f.Applied).With("evidence", f.Evidence)
			}
			if f.Code == localapi.CodeNotFound {
				item = item.With("reason", "not-found")
			}
			items = append(items, item)
			continue
		}
		item = item.With("ok", true)
		items = append(items, item.Append(rawjson.Parse(report)))
	}
	return items, nil
}

func notOK(code problem.Code, message string) rawjson.Object {
	return rawjson.With("ok", false).With("code", code).With("message", message)
}

// endsBatch reports whether an error is not about the one thing, but about the
// connection, the token or the caller.
func endsBatch(f *failure) bool {
	switch f.Code {
	case CodeOutcomeUnknown, localapi.CodeConnectionFailed, localapi.CodeCancelled, localapi.CodeTimeout,
		localapi.CodeRateLimited, localapi.CodeInvalidReply, localapi.CodeWindowClosed, localapi.CodeVersionMismatch:
		return true
	}
	return f.HTTPStatus == 401 || f.HTTPStatus == 403
}

// read checks Roam's report before it is believed: one item for each uid, in
// their order (LOCAL_API.md 3.6).
func (b batch) read(result json.RawMessage) ([]rawjson.Object, error) {
	results := rawjson.Parse(result).Get("results")
	list := rawjson.Elements(results)
	if len(list) != len(b.uids) {
		return nil, b.malformed(result, fmt.Sprintf("%d items for %d blocks", len(list), len(b.uids)))
	}
	items := make([]rawjson.Object, 0, len(list))
	for i, raw := range list {
		item := rawjson.Parse(raw)
		var uid string
		ok := string(item.Get("ok"))
		if json.Unmarshal(item.Get("uid"), &uid) != nil || uid != b.uids[i] || ok != "true" && ok != "false" {
			return nil, b.malformed(result, fmt.Sprintf("item %d is not about the block %s", i, quote(b.uids[i])))
		}
		items = append(items, item)
	}
	return items, nil
}

func (b batch) malformed(payload json.RawMessage, why string) *failure {
	if len(payload) > 2000 {
		payload = rawjson.Encode(printable(string(payload), 500))
	}
	return (&failure{
		Code:    localapi.CodeInternal,
		Message: "Roam's report on the batch can't be understood: " + why + ". Some or all of it may have been done.",
		Hint:    "Read the blocks before anything else.", Action: b.action, Payload: payload,
	}).retryable(false)
}

// batchReply counts the items, and is an error where none was done.
func batchReply(what deletable, action string, items []rawjson.Object) (json.RawMessage, error) {
	succeeded := 0
	list := make([]json.RawMessage, len(items))
	for i, item := range items {
		list[i] = item.JSON()
		if string(item.Get("ok")) == "true" {
			succeeded++
		}
	}
	failed := len(items) - succeeded
	if succeeded == 0 {
		return nil, allFailed(what, action, items, rawjson.Array(list))
	}
	return rawjson.With("success", failed == 0).
		With("succeeded", succeeded).
		With("failed", failed).
		With("results", rawjson.Array(list)).JSON(), nil
}

// allFailed is the error of a batch of which nothing was done.
func allFailed(what deletable, action string, items []rawjson.Object, results json.RawMessage) *failure {
	none, failed := 0, len(items)
	f := &failure{Action: action, Results: results, Succeeded: &none, Failed: &failed}
	codes, messages := map[problem.Code]bool{}, map[string]bool{}
	var reasons []string
	for _, item := range items {
		var code problem.Code
		var message string
		_ = json.Unmarshal(item.Get("code"), &code) // not a text: as if there were none
		_ = json.Unmarshal(item.Get("message"), &message)
		if reason, gone := reasonOf(item); code == "" && string(item.Get("deleted")) == "false" {
			if code = localapi.CodeNotFound; !gone {
				reasons = append(reasons, reason)
			}
		}
		codes[code], messages[message] = true, true
		f.Code, f.Message = code, redact(printable(message, 300))
	}
	switch {
	case len(codes) > 1:
		f.Code = codeBatchFailed
	case f.Code == "":
		f.Code = localapi.CodeInternal
	}
	if len(messages) > 1 || f.Message == "" {
		f.Message = fmt.Sprintf("All %d items failed; results says why for each.", failed)
	}
	if f.Code == localapi.CodeNotFound && !f.explainOne(what, items) {
		f.explainMissing(what, reasons)
	}
	return f.retryable(false)
}

// explainOne says of a batch of one what the single tool says; false where
// there are more, or Roam has said something of it.
func (f *failure) explainOne(what deletable, items []rawjson.Object) bool {
	if len(items) != 1 || items[0].Get("message") != nil {
		return false
	}
	_ = json.Unmarshal(items[0].Get("uid"), &f.UID) // checked when it was read
	one := notDeleted(what, f.UID, items[0].JSON())
	if one == nil {
		return false
	}
	f.Message, f.Hint, f.advice, f.SuggestedNextTool = one.Message, one.Hint, one.advice, one.SuggestedNextTool
	return true
}

// explainMissing says what to do about things that were not there.
func (f *failure) explainMissing(what deletable, reasons []string) {
	if len(reasons) > 0 {
		f.Message = fmt.Sprintf("Nothing was deleted; Roam gives as reasons %s.", strings.Join(reasons, ", "))
		f.Hint = "Do not assume that they are gone: read them again."
		f.SuggestedNextTool = what.readTool
		return
	}
	f.Hint = "They may be gone already. Do not try again; where they should exist, find them with search."
}

// lookForEach looks for the parts of a batch one by one. It claims to know only
// where all have gone the same way; else its sentence says which have.
func lookForEach(uids []string, find func(uid string) look) look {
	return func(ctx context.Context, since int64) (applied, string) {
		var done, not, unknown []string
		for _, uid := range uids {
			switch happened, _ := find(uid)(ctx, since); happened {
			case appliedYes:
				done = append(done, uid)
			case appliedNo:
				not = append(not, uid)
			case appliedUnknown:
				unknown = append(unknown, uid)
			}
		}
		return judgeEach(done, not, unknown)
	}
}

func judgeEach(done, not, unknown []string) (applied, string) {
	all := len(done) + len(not) + len(unknown)
	switch all {
	case len(done):
		return appliedYes, fmt.Sprintf("All %d were done.", all)
	case len(not):
		return appliedNo, fmt.Sprintf("None of the %d was done.", all)
	}
	var parts []string
	for _, part := range []struct {
		said string
		uids []string
	}{{"Done: ", done}, {"Not done: ", not}, {"Can't be told: ", unknown}} {
		if len(part.uids) > 0 {
			parts = append(parts, part.said+quoteAll(part.uids)+".")
		}
	}
	return appliedUnknown, strings.Join(parts, " ")
}

func quoteAll(uids []string) string {
	quoted := make([]string, len(uids))
	for i, uid := range uids {
		quoted[i] = quote(uid)
	}
	return strings.Join(quoted, ", ")
}
