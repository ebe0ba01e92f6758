package mcpserve

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

const (
	twoUpdates = `{"updates":[{"uid":"a","string":"x"},{"uid":"b","string":"y"}]}`
	twoDeletes = `{"uids":["a","b"]}`
)

// textsNow answers the query for what a block is with these texts, by uid. A text that is x or y
// is new; others can't be read.
func textsNow(texts map[string]string) answerFunc {
	return func(r roamRequest) (int, string) {
		if strings.HasSuffix(string(r.Args), `"]]`) { // of several, before the write
			return 200, `{"success":true,"result":[]}`
		}
		for uid, text := range texts {
			if strings.HasSuffix(string(r.Args), fmt.Sprintf(`,%q]`, uid)) {
				edited := map[bool]string{true: "9e15", false: "1"}[text == "x" || text == "y"]
				return 200, fmt.Sprintf(`{"success":true,"result":[[%q,0,true,"left",":bullet",%s]]}`, text, edited)
			}
		}
		return 500, `{"success":false,"error":"it broke"}`
	}
}

func TestABatchReportIsCheckedBeforeItIsBelieved(t *testing.T) {
	w := newWorld(t, configText("Work"))
	c := w.connect()
	for name, report := range map[string]string{
		"nothing":         `null`,
		"no list":         `{"results":{}}`,
		"too short":       `{"results":[{"uid":"a","ok":true}]}`,
		"too long":        `{"results":[{"uid":"a","ok":true},{"uid":"b","ok":true},{"uid":"c","ok":true}]}`,
		"another order":   `{"results":[{"uid":"b","ok":true},{"uid":"a","ok":true}]}`,
		"ok is no truth":  `{"results":[{"uid":"a","ok":"true"},{"uid":"b","ok":1}]}`,
		"an item is text": `{"results":["a","b"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			w.roam.result("data.block.updateBlocks", report)
			refused := c.call("update_blocks", twoUpdates).fails(localapi.CodeUnsupportedRoam)
			if refused.failure["action"] != "data.block.updateBlocks" || !strings.Contains(refused.failure["hint"].(string), "Read the blocks") {
				t.Errorf("it does not say what to do: %s", refused.text)
			}
			if _, there := refused.failure["payload"]; !there {
				t.Errorf("what Roam sent is lost: %s", refused.text)
			}
		})
	}
}

func TestABatchOfWhichNothingWasDoneIsAnError(t *testing.T) {
	w := newWorld(t, configText("Work"))
	c := w.connect()
	for name, tc := range map[string]struct {
		items string
		code  problem.Code
		words []string
	}{
		"all gone":             {`{"uid":"a","ok":false,"deleted":false},{"uid":"b","ok":false,"deleted":false,"reason":"not-found"}`, localapi.CodeNotFound, []string{"gone already"}},
		"for a reason":         {`{"uid":"a","ok":false,"deleted":false,"reason":"locked"},{"uid":"b","ok":false,"deleted":false}`, localapi.CodeNotFound, []string{`locked`, "Do not assume", "get_block"}},
		"for one code":         {`{"uid":"a","ok":false,"code":"INSUFFICIENT_SCOPE","message":"no"},{"uid":"b","ok":false,"code":"INSUFFICIENT_SCOPE","message":"no"}`, "INSUFFICIENT_SCOPE", []string{`"message":"no"`}},
		"for different codes":  {`{"uid":"a","ok":false,"code":"X","message":"no"},{"uid":"b","ok":false,"code":"Y","message":"never"}`, ops.CodeBatchFailed, []string{"results says why"}},
		"without any code":     {`{"uid":"a","ok":false},{"uid":"b","ok":false}`, localapi.CodeInternal, []string{"results says why"}},
		"with a code in a map": {`{"uid":"a","ok":false,"code":{}},{"uid":"b","ok":false,"code":7}`, localapi.CodeInternal, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w.roam.result("data.pull_many", `[]`)
			w.roam.result("data.block.deleteBlocks", `{"results":[`+tc.items+`]}`)
			refused := c.call("delete_blocks", twoDeletes).fails(tc.code)
			demand(t, "the error", refused.text, append(tc.words, `"succeeded":0`, `"failed":2`, `"results":[`), nil)
		})
	}
}

func TestABatchOfOneFailsInTheWordsOfTheSingleTool(t *testing.T) {
	w := newWorld(t, configText("Work"))
	c := w.connect()
	w.roam.result("data.pull_many", `[]`)
	for reason, tool := range map[string]any{"not-found": nil, "locked": "get_block"} {
		report := fmt.Sprintf(`"deleted":false,"reason":%q}`, reason)
		w.roam.result("data.block.delete", `{`+report)
		w.roam.result("data.block.deleteBlocks", `{"results":[{"uid":"a","ok":false,`+report+`]}`)
		one := c.call("delete_block", `{"uid":"a"}`).fails(localapi.CodeNotFound)
		batch := c.call("delete_blocks", `{"uids":["a"]}`).fails(localapi.CodeNotFound)
		for _, key := range []string{"message", "hint", "uid"} {
			if batch.failure[key] != one.failure[key] {
				t.Errorf("%s: %s is %v, want %v", reason, key, batch.failure[key], one.failure[key])
			}
		}
		if one.failure["suggested_next_tool"] != tool || batch.failure["suggested_next_tool"] != tool {
			t.Errorf("%s: the next tool is not %v: %s", reason, tool, batch.text)
		}
		demand(t, "the error", batch.text, []string{`"action":"data.block.deleteBlocks"`, `"succeeded":0`, `"failed":1`, `"results":[`}, nil)
	}
}

func TestARoamWithoutBatchesIsRememberedForAWhile(t *testing.T) {
	var later atomic.Int64
	w := newWorld(t, configText("Work", "Home"), func(o *Options) {
		o.Now = func() time.Time { return november15().Add(time.Duration(later.Load())) }
	})
	w.roam.result("data.block.update", `null`)
	w.roam.on("q", textsNow(map[string]string{"a": "x", "b": "y"}))
	c := w.connect()
	ticketOf := func(graph string) string {
		return c.call("get_graph_guidelines", fmt.Sprintf(`{"graph":%q}`, graph)).ok().field("ticket")
	}
	tries := func(graph string) int {
		args := strings.Replace(twoUpdates, "{", fmt.Sprintf(`{"ticket":%q,`, ticketOf(graph)), 1)
		c.call("update_blocks", args).ok().has("succeeded", 2.0)
		return len(w.roam.requests("data.block.updateBlocks"))
	}
	for _, step := range []struct {
		graph string
		later time.Duration
		want  int
	}{{"Work", 0, 1}, {"Work", time.Minute, 1}, {"Home", 0, 2}, {"Work", time.Hour, 3}} {
		later.Add(int64(step.later))
		if got := tries(step.graph); got != step.want {
			t.Errorf("%s after %v: the batch action was tried %d times, want %d", step.graph, step.later, got, step.want)
		}
	}
}

func TestSingleCallsInPlaceOfABatchEndWithTheConnection(t *testing.T) {
	var ticks atomic.Int64 // no two writes at one moment
	w := newWorld(t, configText("Work"), func(o *Options) {
		o.Now = func() time.Time { return november15().Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
	})
	var sent atomic.Int64
	w.roam.on("q", textsNow(map[string]string{"a": "x", "b": "z", "c": "z"}))
	w.roam.on("data.block.update", func(roamRequest) (int, string) {
		if sent.Add(1) == 2 {
			return 0, ""
		}
		return 200, `{"success":true,"result":null}`
	})
	reply := w.connect().call("update_blocks", `{"updates":[{"uid":"a","string":"x"},{"uid":"b","string":"y"},{"uid":"c","string":"y"}]}`).ok()
	demand(t, "the reply", reply.text, []string{
		`"success":false`, `"succeeded":1`, `"failed":2`, `{"uid":"a","ok":true}`, `"code":"OUTCOME_UNKNOWN"`, `"applied":null`, `{"uid":"c","ok":false,"code":"NOT_SENT"`,
	}, nil)
	if n := sent.Load(); n != 2 {
		t.Errorf("%d updates were sent", n)
	}
	w.roam.on("q", textsNow(map[string]string{"a": "z", "b": "z"}))
	sent.Store(1)
	refused := w.connect().call("update_blocks", twoUpdates).fails(ops.CodeBatchFailed)
	if n := sent.Load(); n != 2 {
		t.Errorf("%d were sent: %s", n-1, refused.text)
	}
	demand(t, "the error", refused.text, []string{`"applied":null`, `"code":"NOT_SENT"`}, nil)
	// The first was done, which is seen: the second can be sent.
	w.roam.on("q", textsNow(map[string]string{"a": "x", "b": "y"}))
	sent.Store(1)
	parts := w.connect().call("update_blocks", `{"updates":[{"uid":"a","string":"x"},{"uid":"b","string":"y"}]}`).ok()
	demand(t, "the reply", parts.text, []string{`"succeeded":2`, `{"uid":"a","ok":true,"recovered":true}`, `{"uid":"b","ok":true}`}, nil)
}

func TestALostBatchIsLookedIntoItemByItem(t *testing.T) {
	for name, tc := range map[string]struct {
		texts map[string]string
		want  any
		words []string
	}{
		"all were done":   {map[string]string{"a": "x", "b": "y"}, true, nil},
		"none was done":   {map[string]string{"a": "1", "b": "2"}, nil, []string{"None of the 2 was done. Roam may still do it."}},
		"one was done":    {map[string]string{"a": "x", "b": "2"}, nil, []string{`Done: \"a\"`, `Not done: \"b\"`}},
		"one is not read": {map[string]string{"a": "x"}, nil, []string{`Can't be told: \"b\"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, configText("Work"))
			w.roam.on("q", textsNow(tc.texts))
			w.roam.on("data.block.updateBlocks", func(roamRequest) (int, string) { return 0, "" })
			reply := w.connect().call("update_blocks", twoUpdates)
			if tc.want == true {
				demand(t, "the reply", reply.ok().text, []string{`{"uid":"a","ok":true,"recovered":true}`, `{"uid":"b","ok":true,"recovered":true}`}, nil)
				return
			}
			reply.fails(ops.CodeOutcomeUnknown)
			if reply.failure["applied"] != tc.want {
				t.Errorf("applied is %v, want %v: %s", reply.failure["applied"], tc.want, reply.text)
			}
			demand(t, "the evidence", reply.text, tc.words, nil)
		})
	}
}
