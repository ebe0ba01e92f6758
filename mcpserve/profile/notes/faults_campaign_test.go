//go:build campaign

package notes_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve/ops"
)

var (
	faultyWrites = flag.Int("notes-faulty-writes", 1000, "how many writes of the profile notes meet faults")
	faultSeed    = flag.Uint64("notes-fault-seed", 1, "what the faults follow from")
)

// faults breaks every eighth request, in all ways there are.
func faults(seed uint64) func(faultproxy.Request) faultproxy.Fault {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 2))
	kinds := []faultproxy.Kind{
		faultproxy.ResetBefore, faultproxy.HTMLBefore, faultproxy.Fail, faultproxy.ResetAfter, faultproxy.Truncate,
		faultproxy.Half, faultproxy.HTMLAfter, faultproxy.FailAfter,
	}
	return func(faultproxy.Request) faultproxy.Fault {
		mu.Lock()
		defer mu.Unlock()
		if random.IntN(8) > 0 {
			return faultproxy.Fault{}
		}
		doubt := faultproxy.Doubts()[random.IntN(len(faultproxy.Doubts()))]
		return faultproxy.Fault{Kind: kinds[random.IntN(len(kinds))], Status: doubt.Status, Text: doubt.Text}
	}
}

// said is what an answer says of a write: that it was done, that it was not, or neither.
type said struct{ done, notDone bool }

func saidBy(r profiletest.Result) said {
	if r.RPC == nil {
		return said{done: !r.IsError, notDone: r.IsError}
	}
	var data struct {
		Code    string
		Applied *bool
		Changed []string
		Done    json.RawMessage
	}
	_ = json.Unmarshal(r.RPC.Data, &data)
	switch {
	case len(data.Changed) > 0 || data.Done != nil:
		return said{}
	case data.Code != string(ops.CodeOutcomeUnknown):
		return said{notDone: true}
	case data.Applied == nil:
		return said{}
	}
	return said{done: *data.Applied, notDone: !*data.Applied}
}

// Writes over a connection that keeps breaking are done once, and told as they are.
func TestWritesOfNotesUnderFaults(t *testing.T) {
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "notes"}).World(t)
	w.Fault(faults(*faultSeed))
	const callers = 8
	var mu sync.Mutex
	verdicts := map[string]int{}
	check := func(what string, r profiletest.Result, there, expected bool) {
		mu.Lock()
		defer mu.Unlock()
		told := saidBy(r)
		switch {
		case told.done:
			verdicts[what+" done"]++
		case told.notDone:
			verdicts[what+" not done"]++
		default:
			verdicts[what+" unknown"]++
		}
		if told.done && there != expected || told.notDone && there == expected {
			t.Errorf("%s was told wrongly: %s", what, r)
		}
	}
	count := func(query string, inputs ...any) int {
		var n int
		w.Query(&n, query, inputs...)
		return n
	}
	blocksWith := func(text string) int {
		return count(`[:find (count ?b) . :in $ ?s :where [?b :block/string ?s]]`, text)
	}
	var wait sync.WaitGroup
	for caller := range callers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			c := w.Connect(anyWay())
			for i := range *faultyWrites / callers / 5 {
				name := fmt.Sprintf("note %d of %d", i, caller)
				text := name + " text"
				r := c.Call("create_note", fmt.Sprintf(`{"title":%q,"content":%q}`, name, text))
				n := blocksWith(text)
				if check("create_note", r, n > 0, true); n > 1 || uidOf(w, name+" (2)") != "" {
					t.Errorf("%s was created twice", name)
				}
				quick := name + " quick"
				r = c.Call("create_note", fmt.Sprintf(`{"content":%q}`, quick))
				if n = blocksWith(quick); n > 1 {
					t.Errorf("%s was created twice", quick)
				}
				check("quick create_note", r, n > 0, true)
				uid := uidOf(w, name)
				if uid == "" || blocksWith(text) == 0 {
					continue
				}
				r = c.Call("toggle_archive", fmt.Sprintf(`{"id":%q}`, uid))
				archived := count(`[:find (count ?b) . :in $ ?u :where [?p :block/uid ?u] [?p :block/children ?b] [?b :block/string "Archived:: true"]]`, uid)
				if archived > 1 {
					t.Errorf("%s is archived twice", name)
				}
				if r.RPC != nil || !strings.Contains(strings.Join(r.Texts, ""), "was lost") {
					check("toggle_archive", r, archived > 0, true)
				}
				r = c.Call("update_note", fmt.Sprintf(`{"id":%q,"content":%q}`, uid, text+"\n\nmore of "+name))
				more := blocksWith("more of " + name)
				if check("update_note", r, more > 0, true); more > 1 {
					t.Errorf("%s was updated twice", name)
				}
				r = c.Call("delete_note", fmt.Sprintf(`{"id":%q}`, uid))
				check("delete_note", r, uidOf(w, name) == "", true)
			}
		}()
	}
	wait.Wait()
	t.Logf("%v", verdicts)
}
