package faulttest

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/rebuild"
)

// truthPatience is how long an answer may take.
const truthPatience = 20 * time.Second

// call calls a tool, and reads its answer.
func (w *truthWorld) call(tool string, arguments map[string]any) truthAnswer {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, truthPatience)
	defer cancel()
	result, err := callTool(ctx, w.session, tool, arguments)
	var a truthAnswer
	var thrown *jsonrpc.Error
	switch {
	case errors.As(err, &thrown):
		a.raw = thrown.Message + " " + string(thrown.Data)
		a.texts = []string{thrown.Message}
		_ = json.Unmarshal(thrown.Data, &a.fields) // no data: the message says all
		a.say(a.fields)
		a.failed()
		return a
	case ctx.Err() != nil:
		return truthAnswer{kind: "none"}
	case err != nil:
		w.t.Fatalf("%s: %v", tool, err)
	}
	for i, content := range result.Content {
		said, isText := content.(*mcp.TextContent)
		if !isText {
			continue
		}
		a.raw += said.Text + "\n"
		var fields map[string]any
		if json.Unmarshal([]byte(said.Text), &fields) != nil {
			a.texts = append(a.texts, said.Text)
			a.warnings = append(a.warnings, strings.Split(said.Text, "\n")...)
			continue
		}
		a.say(fields)
		if i == 0 {
			a.fields = fields
		}
		for key, value := range fields {
			if strings.Contains(strings.ToLower(key), "warning") || strings.Contains(strings.ToLower(key), "notice") {
				a.warnings = append(a.warnings, string(rawjson.Encode(value)))
			}
		}
	}
	if !result.IsError {
		a.succeeded()
		return a
	}
	if nested, is := a.fields["error"].(map[string]any); is {
		a.fields = nested
	} else if a.fields == nil { // of the profile wiki
		a.fields = wikiFailure(a.raw)
	}
	a.failed()
	return a
}

// say notes all texts in a value.
func (a *truthAnswer) say(value any) {
	switch v := value.(type) {
	case string:
		a.texts = append(a.texts, v)
	case []any:
		for _, each := range v {
			a.say(each)
		}
	case map[string]any:
		for _, each := range v {
			a.say(each)
		}
	}
}

func (a *truthAnswer) succeeded() {
	a.kind = "done"
	results, _ := a.fields["results"].([]any)
	switch {
	case slices.ContainsFunc(results, func(each any) bool { part, _ := each.(map[string]any); return part["ok"] == false }):
		a.kind = "in part"
	case a.fields["success"] == false, a.fields["deleted"] == false, a.fields["applied"] == false:
		a.kind = "not done"
	}
}

func (a *truthAnswer) failed() {
	applied, told := a.fields["applied"]
	unknown := a.fields["code"] == string(ops.CodeOutcomeUnknown) || a.fields["cause"] == string(ops.CodeOutcomeUnknown)
	switch {
	case a.fields["done"] != nil, a.fields["results"] != nil:
		a.kind = "in part"
	case applied == true:
		a.kind = "done, said by an error"
	case told && applied == nil, unknown && !told, strings.Contains(a.raw, "may have been done"):
		a.kind = "unknown"
	default:
		a.kind = "not done"
	}
}

// judge takes an error for what it is that says nothing of what became of the write, and that
// the history has as not known.
func (a *truthAnswer) judge(changes []history.ChangeRecord) {
	open := slices.ContainsFunc(changes, func(c history.ChangeRecord) bool { return c.State == history.StateUnknown })
	text := strings.ToLower(a.raw)
	if a.kind == "not done" && open && !strings.Contains(text, "nothing was written") && !strings.Contains(text, "not done") {
		a.kind = "unknown"
	}
}

var versionInText = regexp.MustCompile(`\b[0-9a-f]{7}\b`)

// steady replaces what differs from run to run in warnings: uids that a call made, and
// versions.
func (a *truthAnswer) steady(after, known rebuild.Graph) {
	var pairs []string
	for uid := range after.Nodes {
		if known.Nodes[uid] == nil {
			pairs = append(pairs, uid, "+")
		}
	}
	names := strings.NewReplacer(pairs...)
	for i, each := range a.warnings {
		a.warnings[i] = versionInText.ReplaceAllString(names.Replace(each), "version")
	}
}
