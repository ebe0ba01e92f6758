package mcpserve

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// Probes of MCP.md 2.5 beside those of stdio_test.go. Those that need a process
// are in cmd/roam-mcp.

func TestAVersionFromAnyTimeIsAnsweredWithOneThatIsKnown(t *testing.T) {
	for name, version := range map[string]string{
		"from the future":    "2099-01-01",
		"from long ago":      "2023-01-01",
		"that is no version": "yes",
		"that is empty":      "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, configText("Work"))
			w.roam.result("data.ai.getPage", pageResult)
			p := w.serveStdio().listen()
			p.send(strings.Replace(helloLine, "2025-06-18", version, 1))
			result, _ := p.answer(0.0)["result"].(map[string]any)
			if result["protocolVersion"] != "2025-11-25" {
				t.Errorf("got %v", result)
			}
			p.send(fmt.Sprintf(pageLine, 1))
			if answer := fmt.Sprint(p.answer(1.0)); !strings.Contains(answer, "work-graph") {
				t.Errorf("got %s", answer)
			}
		})
	}
}

func TestIDsOfEveryKindComeBackAsTheyWere(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getPage", pageResult)
	p := w.serveStdio().listen()
	p.send(helloLine)
	p.answer(0.0)
	for sent, want := range map[string]any{`"text"`: "text", `""`: "", `-7`: -7.0, `9007199254740991`: 9007199254740991.0, `"\u00e9\""`: `é"`} {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"get_page","arguments":{"title":"x"}}}`+"\n", sent))
		if answer := p.answer(want); answer["result"] == nil {
			t.Errorf("%s: %v", sent, answer)
		}
	}
}

func TestACancelOfNothingIsSurvived(t *testing.T) {
	w := newWorld(t, configText("Work"))
	p := w.serveStdio().listen()
	p.send(helloLine)
	p.answer(0.0)
	p.send(`{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}` + "\n") // as careless clients do
	for _, params := range []string{`{"requestId":12345}`, `{"requestId":null}`, `{"requestId":"x","reason":7}`, `{}`, `[]`} {
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + params + `}` + "\n")
	}
	p.send(`{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n")
	p.answer(99.0)
}

func TestArgumentsThatComeAsTextAreTakenAsTheyAreMeant(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getPage", pageResult)
	p := w.serveStdio().listen()
	p.send(helloLine)
	p.answer(0.0)
	for i, arguments := range []string{`"{\"title\":\"x\",\"maxDepth\":\"2\"}"`, `{"title":"x","maxDepth":"2"}`} {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_page","arguments":%s}}`+"\n", i+1, arguments))
		if answer := fmt.Sprint(p.answer(float64(i + 1))); !strings.Contains(answer, "work-graph") {
			t.Errorf("%s: %s", arguments, answer)
		}
	}
	for _, request := range w.roam.requests("data.ai.getPage") {
		if !strings.Contains(string(request.Args), `"maxDepth":2`) {
			t.Errorf("Roam got %s", request.Args)
		}
	}
}

func TestCallsRunAtTheSameTime(t *testing.T) {
	const calls = 4
	w := newWorld(t, configText("Work"))
	var arrived atomic.Int32
	all := make(chan struct{})
	w.roam.on("data.ai.getPage", func(roamRequest) (int, string) {
		if arrived.Add(1) == calls {
			close(all)
		}
		<-all // none is answered before each has come
		return 200, `{"success":true,"result":` + pageResult + `}`
	})
	p := w.serveStdio().listen()
	p.send(helloLine)
	p.answer(0.0)
	for i := range calls {
		p.send(fmt.Sprintf(pageLine, i+1))
	}
	seen := map[any]bool{}
	for len(seen) < calls {
		if message := p.next(); message["id"] != nil {
			seen[message["id"]] = true
		}
	}
}

func TestALineOf20MBIsAnsweredAndTheNextOneToo(t *testing.T) {
	w := newWorld(t, configText("Work"))
	p := w.serveStdio().listen()
	p.send(helloLine)
	p.answer(0.0)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_block","arguments":{"markdown":"` + strings.Repeat("x", 20_000_000) + `"}}}` + "\n")
	p.send(`{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n")
	if got := p.answer(1.0); p.code(got) != -32600 {
		t.Errorf("got %v", got)
	}
	p.answer(99.0)
	if n := len(w.roam.requests("data.block.fromMarkdown")); n != 0 {
		t.Errorf("Roam got %d writes", n)
	}
}
