package mcpserve

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/surface"
)

// The matrix runs every tool of the registry against the real sandbox, in five
// columns: success, each documented error, bad arguments, cancelled, and the
// exact HTTP requests that Roam received.
//
// A tool without a row fails TestEveryToolHasItsRowInTheMatrix. To add one:
//
//  1. Add a matrixRow to the function of its toolset, in
//     matrix_<toolset>_test.go. A new toolset gets a file and a function there,
//     and a place in matrixRows.
//  2. Give the call that succeeds (args, wants, and for a write what stands in
//     the graph afterwards), the action that faults are to strike, the errors
//     that are the tool's own, and arguments that it refuses. What every tool
//     shares is run for each row: see commonErrors in matrix_errors_test.go.
//  3. go test ./mcpserve -run Matrix -update writes the requests to
//     testdata/requests/<tool>.http. Read what came out.
//
// The graph is testdata/matrix.json; now is november15, for both sides.

// matrixRow is one tool in the matrix.
type matrixRow struct {
	tool string
	// args of the call that succeeds, as JSON.
	args string
	// wants are the parts of its reply, as text.
	wants []string
	// action is where faults strike, one that is in its requests; empty for a tool that
	// never asks Roam.
	action string
	// routes: it asks Roam, but by routes that are no action on a graph, which
	// fail in ways of their own. Its requests are kept; see setup_test.go.
	routes bool
	// adding is the code of a call with a token that may only add; empty: INSUFFICIENT_SCOPE.
	adding problem.Code
	// place is where the tool is called; with several graphs a write has the
	// ticket of alpha.
	place place
	// together: the requests go out side by side, in no order.
	together bool
	// first are switches and calls that come before, such as "no-batch".
	first []string
	// holds are parts of the graph's contents after the call, or of what is open
	// in its windows; lacks are not.
	holds, lacks []string
	// lost is whether it is known that it was done where the reply of the action is
	// lost: true (as nil is), or lostUnknown. Writes only.
	lost any
	// recovers are parts of the reply that is made up where the reply of the action is lost,
	// and lost is true.
	recovers []string
	// more are other calls that succeed; their requests are kept too.
	more []matrixCell
	// errors are those that are the tool's own.
	errors []matrixCell
	// bad are arguments that are refused before anything is sent, and a part of
	// what the message says.
	bad map[string]string

	pantry string // see newPantry
}

// matrixCell is one more call of a tool.
type matrixCell struct {
	name  string // reads as a sentence behind the tool's name
	args  string // empty: those of the row
	turn  string // a switch
	place place
	code  problem.Code // of the error
	wants []string     // parts of the reply
	holds []string     // parts of the graph's contents afterwards
}

func matrixRows() []matrixRow {
	return slices.Concat(graphsRows(), readRows(), writeRows(), desktopRows(), filesRows(), discoverRows(), developerRows(), historyRows())
}

func november15() time.Time { return time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC) }

func TestEveryToolHasItsRowInTheMatrix(t *testing.T) {
	rows := map[string]matrixRow{}
	for _, row := range matrixRows() {
		if _, twice := rows[row.tool]; twice {
			t.Errorf("%s has two rows", row.tool)
		}
		rows[row.tool] = row
	}
	for _, each := range roamTools() {
		row, there := rows[each.Name]
		delete(rows, each.Name)
		asks := row.action != "" || row.routes
		requests, err := os.ReadFile(requestsOf(each.Name))
		switch {
		case !there:
			t.Errorf("%s has no row: see the comment in matrix_test.go", each.Name)
		case row.args == "" || len(row.wants) == 0:
			t.Errorf("%s: no call that succeeds, or nothing is wanted of it", each.Name)
		case !asks && each.Scope != surface.ScopeNone:
			t.Errorf("%s: no action, so no error of Roam's and no cancelled call", each.Name)
		case !asks && len(row.errors) == 0:
			t.Errorf("%s: no error", each.Name)
		case len(each.Params) > 0 && len(row.bad) == 0:
			t.Errorf("%s: no bad arguments", each.Name)
		case each.Writes() && len(row.holds)+len(row.lacks) == 0:
			t.Errorf("%s: nobody looks whether the write was done", each.Name)
		case asks && err != nil && !golden.Updating():
			t.Errorf("%s: no file of requests: %v", each.Name, err)
		case row.action != "" && err == nil && !strings.Contains(string(requests), `"action":"`+row.action+`"`):
			t.Errorf("%s: none of its requests in %s has the action %s, so no fault strikes", each.Name, requestsOf(each.Name), row.action)
		}
	}
	for name := range rows {
		t.Errorf("%s has a row and is no tool", name)
	}
}

func TestMatrix(t *testing.T) {
	pantry := newPantry(t)
	for i, row := range matrixRows() {
		if race.Enabled && i%3 != 0 { // the others take the same way
			continue
		}
		row.pantry = pantry
		t.Run(row.tool, func(t *testing.T) {
			t.Parallel()
			t.Run("succeeds", row.runSuccess)
			k := row.kitchen(t)
			before := k.contents()
			t.Run("refuses bad arguments", func(t *testing.T) { row.runBad(t, k) })
			t.Run("tells its errors", func(t *testing.T) { row.runErrors(t, k) })
			if after := k.contents(); after != before {
				t.Errorf("calls that failed changed the graph:\n%s\n%s", before, after)
			}
			t.Run("is cancelled", row.runCancelled)
			if tool, _ := roamTool(row.tool), true; tool.Writes() && row.action != "" {
				t.Run("tells what became of a write whose reply is lost", row.runLost)
			}
		})
	}
}

func requestsOf(tool string) string { return filepath.Join("testdata", "requests", tool+".http") }

// kitchen makes a fresh sandbox for the row.
func (row matrixRow) kitchen(t *testing.T) *kitchen {
	t.Helper()
	k := newKitchen(t, row.pantry)
	for _, text := range row.first {
		k.turn(text)
	}
	return k
}

// clear turns off what a cell has turned on.
func (row matrixRow) clear(k *kitchen) {
	k.roam.Clear()
	for _, text := range row.first {
		k.turn(text)
	}
}

// withTicket puts alpha's ticket into the arguments where a write needs it.
func (row matrixRow) withTicket(t *testing.T, c *client, args string, p place) string {
	t.Helper()
	if each, _ := roamTool(row.tool), true; len(p.graphs) < 2 || !each.NeedsTicket() {
		return args
	}
	ticket := c.call("get_graph_guidelines", `{"graph":"alpha"}`).ok().field("ticket")
	return string(rawjson.Parse([]byte(args)).With("ticket", ticket).JSON())
}

func (row matrixRow) runSuccess(t *testing.T) {
	var recorded []string
	calls := append([]matrixCell{{name: "", place: row.place, wants: row.wants, holds: row.holds}}, row.more...)
	for i, cell := range calls {
		k := row.kitchen(t)
		c := k.serve(cell.place).connect()
		k.turn(cell.turn)
		args := cell.args
		if args == "" {
			args = row.args
		}
		reply := c.call(row.tool, row.withTicket(t, c, args, cell.place)).ok()
		demand(t, cell.name+" the reply", reply.text, cell.wants, nil)
		tool, _ := roamTool(row.tool), true
		if tool.Writes() || len(cell.holds) > 0 {
			var lacks []string
			if i == 0 {
				lacks = row.lacks
			}
			demand(t, cell.name+" the graph", k.contents()+k.windows(), cell.holds, lacks)
		}
		if tool.Writes() {
			structured, err := json.Marshal(reply.result.StructuredContent)
			if require.NoError(t, err); !sameJSON(t, structured, reply.text) {
				t.Errorf("structured content is %s, the text %s", structured, reply.text)
			}
		}
		sent := k.wire.requests()
		if row.together {
			slices.Sort(sent)
		}
		if (row.action != "" || row.routes) && len(sent) == 0 {
			t.Errorf("%s: nothing was sent", cell.name)
		} else {
			recorded = append(recorded, "### "+row.tool+" "+args+"\n"+withoutNewUIDs(factsOnTheWire.ReplaceAllString(strings.Join(sent, "\n"), `"[facts]"`)))
		}
	}
	if row.action != "" || row.routes {
		golden.File(t, requestsOf(row.tool), strings.Join(recorded, "\n"))
	}
}

// factsOnTheWire matches the patterns of internal/graph/fact, which has its own tests.
var factsOnTheWire = regexp.MustCompile(`"(?:[^"\\]|\\.)*f-uid(?:[^"\\]|\\.)*"`)

// withoutNewUIDs returns requests without the uids that Roam made up.
func withoutNewUIDs(requests string) string {
	return uidOnTheWire.ReplaceAllStringFunc(requests, func(found string) string {
		if strings.HasPrefix(found, `"blk-`) || strings.HasPrefix(found, `"page-`) || strings.HasPrefix(found, `"cmt-`) {
			return found
		}
		return `"[new]"` + found[len(found)-1:]
	})
}

var uidOnTheWire = regexp.MustCompile(`"[A-Za-z0-9_-]{9}"[,\]}]`)

// demand looks for texts that have to be there, and for others that must not.
func demand(t *testing.T, what, text string, wants, lacks []string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s has no %s: %s", what, want, text)
		}
	}
	for _, lack := range lacks {
		if strings.Contains(text, lack) {
			t.Errorf("%s has %s: %s", what, lack, text)
		}
	}
}

func (row matrixRow) runBad(t *testing.T, k *kitchen) {
	c, already := k.serve(row.place).connect(), len(k.wire.requests())
	bad := map[string]string{`{"nonsense":1}`: "nonsense", `[1]`: "must be a JSON object"}
	for args, word := range row.bad {
		bad[args] = word
	}
	for args, word := range bad {
		refused := c.call(row.tool, args)
		code := refused.failure["code"]
		if message, _ := refused.failure["message"].(string); !refused.isError || !strings.Contains(message, word) || code != string(surface.CodeInvalidParams) && code != string(ops.CodeTruncatedSource) {
			t.Errorf("%s: want a refusal with %q in it, got %s", args, word, refused.text)
		}
	}
	if sent := k.wire.requests()[already:]; len(sent) > 0 {
		t.Errorf("%d requests were sent: %s", len(sent), sent[0])
	}
}

// runCancelled cancels the call while Roam waits for a graph's password. The
// request under it has to end, and nothing may be written.
func (row matrixRow) runCancelled(t *testing.T) {
	k := row.kitchen(t)
	w := k.serve(row.place)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if row.action == "" {
		cancel()
		each, _ := w.server.offering.profile.Find(row.tool)
		result, err := w.server.run(ctx, each, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: row.tool, Arguments: json.RawMessage(row.args)}})
		require.NoError(t, err)
		if reply := newToolReply(t, result); !reply.isError {
			t.Errorf("a call that was cancelled before it began is answered: %s", reply.text)
		}
		return
	}
	c := w.connect()
	args := row.withTicket(t, c, row.args, row.place)
	before := k.contents()
	passed, answered := k.wire.passed.Load(), k.answered()
	k.turn("locked=30m")
	defer row.clear(k)
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: row.tool, Arguments: json.RawMessage(args)})
		done <- err
	}()
	await.Condition(t, "the request reaches Roam", func() bool { return k.wire.passed.Load() > passed })
	cancel()
	if err := <-done; err == nil {
		t.Error("a call that was cancelled is answered")
	}
	await.Condition(t, "the request under the call ends", func() bool { return k.wire.open.Load() == 0 })
	// The sandbox has to have dropped it too before the password is there.
	await.Condition(t, "the sandbox drops the request", func() bool { return k.answered() > answered })
	row.clear(k)
	if after := k.contents(); after != before {
		t.Errorf("a cancelled call changed the graph:\n%s\n%s", before, after)
	}
}
