package mcpserve

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/surface"
)

// runErrors makes every error happen that a call of the row can come to. None
// may change the graph.
func (row matrixRow) runErrors(t *testing.T, k *kitchen) {
	for _, cell := range row.errors {
		t.Run(cell.name, func(t *testing.T) { row.runError(t, k, cell) })
	}
	each, _ := roamTool(row.tool), true
	if row.action != "" {
		t.Run("of Roam", func(t *testing.T) { row.runRoamErrors(t, k, each) })
		t.Run("of a Roam that lacks it", func(t *testing.T) { row.runLackingErrors(t, k) })
		t.Run("of a Roam that is closed", row.runClosed)
	}
	if each.OnGraph {
		t.Run("of the choice of a graph", func(t *testing.T) { row.runChoiceErrors(t, k, each) })
		t.Run("of the configuration", func(t *testing.T) { row.runConfigErrors(t, k) })
	}
	if each.Writes() {
		t.Run("of a call that may not write", func(t *testing.T) { row.runWriteErrors(t, k, each) })
	}
}

func (row matrixRow) runError(t *testing.T, k *kitchen, cell matrixCell) {
	p := cell.place
	if len(p.graphs) == 0 {
		p.graphs = row.place.graphs
	}
	c := k.serve(p).connect()
	k.turn(cell.turn)
	defer row.clear(k)
	args := cell.args
	if args == "" {
		args = row.args
	}
	refused := c.call(row.tool, row.withTicket(t, c, args, p)).fails(cell.code)
	demand(t, "the error", refused.text, cell.wants, nil)
}

// roamErrors are what a switch makes of any call. after is the code where a
// write may have been done all the same.
func roamErrors(action string) []struct {
	turn        string
	code, after problem.Code
} {
	return []struct {
		turn        string
		code, after problem.Code
	}{
		{"tokens=revoked", localapi.CodeTokenNotFound, ""},
		{"tokens=wrong-graph", localapi.CodeTokenNotFound, ""},
		{"tokens=wrong-type", localapi.CodeWrongGraphType, ""},
		{"tokens=cloud", localapi.CodeInvalidTokenFormat, ""},
		{"tokens=corrupt-file", localapi.CodeTokenFileCorrupted, ops.CodeOutcomeUnknown},
		{"disabled", localapi.CodeDisabled, ""},
		{"api-version=1.2.0", localapi.CodeVersionMismatch, ""},
		{"api-version=1.0.9", localapi.CodeVersionMismatch, ""},
		{"fail=" + action + ":it broke", localapi.CodeInternal, ""},
		{"fail=" + action + ":rate limit exceeded", localapi.CodeRateLimited, ""},
		{"fail=" + action + ":the block doesn't exist", localapi.CodeNotFound, ""},
		{"fail=" + action + ":the graph alpha does not exist", localapi.CodeGraphNotFound, ""},
		{"fail=" + action + ":Promise error", localapi.CodeWindowClosed, ops.CodeOutcomeUnknown},
		{"window-closed", localapi.CodeWindowClosed, ops.CodeOutcomeUnknown},
		{"reply=html", localapi.CodeInvalidReply, ops.CodeOutcomeUnknown},
		{"reply=empty", localapi.CodeInvalidReply, ops.CodeOutcomeUnknown},
		{"reply=half", localapi.CodeInvalidReply, ops.CodeOutcomeUnknown},
		{"too-large", localapi.CodeRequestTooLarge, ""},
	}
}

func (row matrixRow) runRoamErrors(t *testing.T, k *kitchen, each *surface.Tool) {
	w := k.serve(row.place)
	c := w.connect()
	args := row.withTicket(t, c, row.args, row.place)
	for _, fault := range roamErrors(row.action) {
		if each.Writes() && strings.HasPrefix(fault.turn, "reply=") {
			continue // the write would be done; runLost looks at that
		}
		k.turn(fault.turn)
		refused := c.call(row.tool, args)
		row.clear(k)
		allowed := []string{string(fault.code)}
		if each.Writes() && fault.after != "" {
			allowed = append(allowed, string(fault.after))
		}
		if isQuery := row.tool == "datalog_query" || row.tool == "roam_query"; isQuery && slices.Contains([]problem.Code{localapi.CodeInternal, localapi.CodeNotFound}, fault.code) {
			allowed = []string{string(ops.CodeQueryInvalid)}
		}
		if row.tool == "find_path" && slices.Contains([]problem.Code{localapi.CodeInternal, localapi.CodeNotFound}, fault.code) { // it asks for the whole graph
			allowed = []string{string(localapi.CodeUnsupportedRoam)}
		}
		if strings.HasPrefix(fault.turn, "reply=") { // a tool that calls twice finds it out
			allowed = append(allowed, string(localapi.CodeNotRoam))
		}
		if code, _ := refused.failure["code"].(string); !refused.isError || !slices.Contains(allowed, code) || refused.failure["message"] == "" {
			t.Errorf("%s: want %v, got %s", fault.turn, allowed, refused.text)
		}
		if next := refused.failure["suggested_next_tool"]; next == row.tool {
			t.Errorf("%s: the tool suggests itself: %s", fault.turn, refused.text)
		}
		if fault.code == localapi.CodeGraphNotFound {
			demand(t, "a graph that is gone", refused.text, []string{"deleted or renamed", "what became of the graph"}, []string{"suggested_next_tool"})
		}
		if refused.failure["applied"] == true {
			t.Errorf("%s: said to be done, which it is not: %s", fault.turn, refused.text)
		}
		if strings.HasPrefix(fault.turn, "fail=") && !strings.Contains(refused.text, strings.TrimPrefix(fault.turn, "fail="+row.action+":")) {
			t.Errorf("%s: Roam's text is lost: %s", fault.turn, refused.text)
		}
	}
}

// runLackingErrors are those of a Roam that does not have the action, and of a
// request whose token got lost. A batch is then done one by one.
func (row matrixRow) runLackingErrors(t *testing.T, k *kitchen) {
	c := k.serve(row.place).connect()
	args := row.withTicket(t, c, row.args, row.place)
	k.wire.tokenless.Store(true)
	refused := c.call(row.tool, args).fails(localapi.CodeMissingToken)
	k.wire.tokenless.Store(false)
	demand(t, "a token that got lost", refused.text, []string{setupTool, `"httpStatus":401`}, nil)
	if row.tool == "update_blocks" || row.tool == "delete_blocks" {
		return
	}
	k.wire.lacks.Store(&row.action)
	lacking := c.call(row.tool, args)
	k.wire.lacks.Store(nil)
	if code := lacking.failure["code"]; code != string(localapi.CodeUnknownAction) && code != string(localapi.CodeUnsupportedRoam) {
		t.Errorf("the error is %s", lacking.text)
	}
	demand(t, "an action that is not there", strings.ToLower(lacking.text), []string{"update roam", fmt.Sprintf(`"action":%q`, strings.ToLower(row.action))}, nil)
}

// runConfigErrors are those of a configuration that can't be used, or has no
// graph that may be.
func (row matrixRow) runConfigErrors(t *testing.T, k *kitchen) {
	for broken, code := range map[string]problem.Code{
		`{"graphs":`:                configstore.CodeConfigInvalid,
		`{"version":2,"graphs":[]}`: configstore.CodeConfigTooNew,
		`{"version":1,"graphs":[]}`: configstore.CodeGraphNotConfigured,
	} {
		k.serve(place{broken: broken}).connect().call(row.tool, row.args).fails(code)
	}
	w := k.serve(place{})
	require.NoError(t, os.Remove(w.path))
	for _, args := range []string{row.args, string(rawjson.Parse([]byte(row.args)).With("graph", "alpha").JSON())} {
		demand(t, "a file that is gone", w.connect().call(row.tool, args).fails(configstore.CodeConfigNotFound).text, []string{"is gone", "deleted or moved"}, nil)
	}
}

func (row matrixRow) runClosed(t *testing.T) {
	k := row.kitchen(t)
	c := k.serve(row.place).connect()
	args := row.withTicket(t, c, row.args, row.place)
	k.wire.Close()
	refused := c.call(row.tool, args).fails(localapi.CodeConnectionFailed)
	if refused.failure["retryable"] != true {
		t.Errorf("nothing was sent, so it can be tried again: %s", refused.text)
	}
}

// runChoiceErrors are those of a call that names no graph, or the wrong one.
func (row matrixRow) runChoiceErrors(t *testing.T, k *kitchen, each *surface.Tool) {
	with := func(key, value string) string {
		return string(rawjson.Parse([]byte(row.args)).With(key, value).JSON())
	}
	p := place{graphs: []string{"alpha", "beta"}}
	w := k.serve(p)
	fails := func(c *client, args string, code problem.Code) {
		t.Helper()
		if reply := c.call(row.tool, args).fails(code); !strings.Contains(reply.text, `"available_graphs"`) && code != CodeTicketStale {
			t.Errorf("%s does not say which graphs there are: %s", code, reply.text)
		}
	}
	fails(w.connect(), row.args, CodeGraphNotSelected)
	fails(w.connect(), with("graph", "gamma"), configstore.CodeGraphNotConfigured)
	fails(k.serve(place{graphs: []string{"alpha"}, disabled: []string{"beta"}}).connect(), with("graph", "beta"), CodeGraphDisabled)
	if each.NeedsTicket() {
		c := w.connect()
		beta := c.call("get_graph_guidelines", `{"graph":"beta"}`).ok().field("ticket")
		foreign := k.serve(p).connect().call("get_graph_guidelines", `{"graph":"alpha"}`).ok().field("ticket")
		fails(c, with("graph", "alpha"), CodeTicketRequired)
		fails(c, string(rawjson.Parse([]byte(with("graph", "alpha"))).With("ticket", beta).JSON()), CodeTicketWrongGraph)
		fails(c, string(rawjson.Parse([]byte(with("graph", "alpha"))).With("ticket", foreign).JSON()), CodeTicketStale)
	}
}

// runWriteErrors are those of a call that may not write.
func (row matrixRow) runWriteErrors(t *testing.T, k *kitchen, each *surface.Tool) {
	readOnly := k.serve(place{change: func(o *Options) { o.ReadOnly = true }}).connect()
	readOnly.call(row.tool, row.args).fails(CodeReadOnly)
	k.serve(place{level: localapi.ReadOnly}).connect().call(row.tool, row.args).fails(CodeReadOnly)
	k.serve(place{level: localapi.ReadOnly, untold: true, recorded: row.place.recorded}).connect().call(row.tool, row.args).fails(localapi.CodeInsufficientScope)
	if each.Scope == surface.ScopeEdit {
		k.serve(place{level: localapi.ReadAppend}).connect().call(row.tool, row.args).fails(cmp.Or(row.adding, localapi.CodeInsufficientScope))
	}
	c := k.serve(place{recorded: row.place.recorded}).connect()
	k.turn("demoted")
	c.call(row.tool, row.args).fails(localapi.CodeScopeExceedsPermission)
	row.clear(k)
}

// runLost cuts the connection after the action was done, and once more before
// it reached Roam. What the tool claims to know has to be true.
func (row matrixRow) runLost(t *testing.T) {
	sent := func(k *kitchen) (n int) {
		for _, request := range k.wire.requests() {
			if strings.Contains(request, fmt.Sprintf(`"action":%q`, row.action)) {
				n++
			}
		}
		return n
	}
	k := row.kitchen(t)
	c := k.serve(row.place).connect()
	args := row.withTicket(t, c, row.args, row.place)
	k.wire.before = func(action string) {
		if action == row.action {
			k.turn("drop=1")
		}
	}
	want := row.lost
	if want == nil {
		want = true
	}
	if row.lost == lostUnknown {
		want = nil
	}
	done := c.call(row.tool, args)
	if want == true { // it is known, so the reply is as if it had come
		demand(t, "the reply", done.ok().text, append([]string{`"recovered":true`}, row.recovers...), nil)
	} else if got := done.fails(ops.CodeOutcomeUnknown).failure["applied"]; got != want || done.failure["evidence"] == nil {
		t.Errorf("done, and applied is %v, want %v: %s", got, want, done.text)
	}
	demand(t, "the graph", k.contents(), row.holds, row.lacks)
	if n := sent(k); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
	k = row.kitchen(t)
	c = k.serve(row.place).connect()
	args = row.withTicket(t, c, row.args, row.place)
	before := k.contents()
	k.wire.before = func(action string) {
		if action == row.action {
			panic(http.ErrAbortHandler)
		}
	}
	undone := c.call(row.tool, args).fails(ops.CodeOutcomeUnknown)
	if got := undone.failure["applied"]; got == true || k.contents() != before || sent(k) != 1 {
		t.Errorf("not done, and applied is %v, sent %d times: %s", got, sent(k), undone.text)
	}
}

// lostUnknown stands in matrixRow.lost for null.
const lostUnknown = "unknown"
