//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
)

var servedGraph = localapi.Graph{Name: "notes", Type: localapi.Hosted}

// sharedGraph is a graph behind a proxy, and the home of servers that write to it with one
// journal. It is an ops.Caller that goes past the proxy.
type sharedGraph struct {
	ops.NoUser
	t       *testing.T
	home    string
	journal *history.Journal // for reading
	box     *sandbox.Server
	backend int // port of the sandbox
	proxy   *faultproxy.Proxy
	roam    *localapi.Client
	token   localapi.Token

	unchecked  bool // whether writes have their intents is not looked at, which takes longer than they do
	mu         sync.Mutex
	unrecorded []string                                          // requests of writes that reached the proxy without an intent
	writes     int                                               // that reached the proxy
	atWrite    func(number int) faultproxy.Fault                 // nil: none has a fault
	atRequest  func(faultproxy.Request) (faultproxy.Fault, bool) // likewise, of a write; false: it goes on to atWrite
}

func newShared(t *testing.T, pages ...map[string]any) *sharedGraph {
	t.Helper()
	s := &sharedGraph{t: t, home: t.TempDir()}
	export := filepath.Join(t.TempDir(), "export.json")
	content, err := json.Marshal(pages)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(export, content, 0o600))
	box := t.TempDir()
	server, err := sandbox.Start(t.Context(), sandbox.Options{Home: box, Policy: desk.Allow, Import: []sandbox.Import{{Path: export, Graph: servedGraph}}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close(context.Background()) })
	grant, err := server.Desk().RequestAccess(t.Context(), desk.Access{Graph: servedGraph, AccessLevel: localapi.Full, Description: "a test", AI: true})
	require.NoError(t, err)
	s.token = grant.Token
	s.roam = localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(box, localapi.PortFileName), Strict: true}})
	t.Cleanup(s.roam.CloseIdleConnections)
	s.box, s.backend = server, server.Port()
	s.listen()
	t.Cleanup(func() { s.proxy.Close() })
	config := fmt.Sprintf(`{"version":1,"graphs":[{"name":%q,"nickname":"Notes","token":%q}]}`, servedGraph.Name, s.token.Reveal())
	require.NoError(t, os.WriteFile(filepath.Join(s.home, configName), []byte(config), 0o600))
	s.journal = s.reads(history.KindCLI)
	return s
}

// listen starts a proxy that servers find from now on.
func (s *sharedGraph) listen() {
	s.t.Helper()
	var err error
	s.proxy, err = faultproxy.Start(faultproxy.Options{Backend: s.backend, PortFile: filepath.Join(s.home, localapi.PortFileName), Choose: s.choose})
	require.NoError(s.t, err)
}

// reads returns the journal as a program of a kind has it, which closes with the test.
func (s *sharedGraph) reads(kind history.Kind) *history.Journal {
	journal := history.New(history.Options{Folder: history.Folder(runtime.GOOS, s.home, filepath.Join(s.home, "state")), Kind: kind})
	s.t.Cleanup(func() { _ = journal.Close(context.Background()) })
	return journal
}

// choose checks that each write has its intent in the journal when Roam is asked for it.
func (s *sharedGraph) choose(request faultproxy.Request) faultproxy.Fault {
	if !strings.HasPrefix(request.Action, "data.block.") && !strings.HasPrefix(request.Action, "data.page.") && request.Action != "batchActions" {
		return faultproxy.Fault{}
	}
	recorded := s.unchecked || s.recorded(request)
	s.mu.Lock()
	atRequest := s.atRequest
	s.mu.Unlock()
	if atRequest != nil {
		if fault, chosen := atRequest(request); chosen {
			return fault
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !recorded {
		s.unrecorded = append(s.unrecorded, string(request.Body))
	}
	s.writes++
	if s.atWrite == nil {
		return faultproxy.Fault{}
	}
	return s.atWrite(s.writes)
}

// recorded reports whether one of the newest changes is open and has a request.
func (s *sharedGraph) recorded(request faultproxy.Request) bool {
	var sent struct {
		Args any `json:"args"`
	}
	if json.Unmarshal(request.Body, &sent) != nil {
		return false
	}
	for _, record := range s.records(history.Filter{Limit: 30}) {
		for _, change := range record.Changes {
			var args any
			if change.State == history.StateOpen && change.Action == request.Action && json.Unmarshal(change.Request, &args) == nil && reflect.DeepEqual(args, sent.Args) {
				return true
			}
		}
	}
	return false
}

// records returns all that is kept of some calls.
func (s *sharedGraph) records(filter history.Filter) []history.Record {
	ctx := context.Background() // the proxy may ask at the end of the test
	page, err := s.journal.Calls(ctx, filter)
	if err != nil {
		s.t.Error(err)
	}
	var records []history.Record
	for _, call := range page.Calls {
		record, _, err := s.journal.Record(ctx, call.ID)
		if err != nil {
			s.t.Error(err)
		}
		records = append(records, record)
	}
	return records
}

// everyWriteWasRecorded checks it for all that reached the proxy so far.
func (s *sharedGraph) everyWriteWasRecorded() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, request := range s.unrecorded {
		s.t.Errorf("it was sent before it was recorded: %s", request)
	}
	s.unrecorded = nil
}

// Send implements ops.Caller.
func (s *sharedGraph) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return s.roam.Call(ctx, servedGraph, s.token, action, args...)
}

// Look implements ops.Caller.
func (s *sharedGraph) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return s.Send(ctx, action, args...)
}

// onPage returns a page with blocks, each a uid and a text, as an export has it.
func onPage(title, uid string, blocks ...[2]string) map[string]any {
	children := make([]map[string]any, len(blocks))
	for i, b := range blocks {
		children[i] = map[string]any{"uid": b[0], "string": b[1]}
	}
	return map[string]any{"title": title, "uid": uid, "children": children}
}

// graphNow is what is on some pages, by uid.
type graphNow struct {
	texts, parents map[string]string
	titles         map[string]string
}

// numberOf returns how many blocks have a text.
func (g graphNow) numberOf(text string) (n int) {
	for _, each := range g.texts {
		if each == text {
			n++
		}
	}
	return n
}

// graph reads pages.
func (s *sharedGraph) graph(pages ...string) graphNow {
	s.t.Helper()
	g := graphNow{map[string]string{}, map[string]string{}, map[string]string{}}
	for query, note := range map[string]func(row [3]string){
		`[:find ?u ?s ?p :in $ [?g ...] :where [?page :block/uid ?g] [?e :block/page ?page] [?e :block/uid ?u] [?e :block/string ?s] [?c :block/children ?e] [?c :block/uid ?p]]`: func(row [3]string) {
			g.texts[row[0]], g.parents[row[0]] = row[1], row[2]
		},
		`[:find ?g ?t ?g :in $ [?g ...] :where [?page :block/uid ?g] [?page :node/title ?t]]`: func(row [3]string) { g.titles[row[0]] = row[1] },
	} {
		reply, err := s.Send(s.t.Context(), "q", query, pages)
		require.NoError(s.t, err)
		var rows [][3]string
		require.NoError(s.t, json.Unmarshal(reply.Result, &rows))
		for _, row := range rows {
			note(row)
		}
	}
	return g
}

// agentServer is a process of roam-mcp serve, and the client that has started it.
type agentServer struct {
	t       *testing.T
	process *exec.Cmd
	in      io.WriteCloser
	said    syncbuffer.Buffer
	exited  chan struct{}

	mu      sync.Mutex
	number  int
	waiting map[int]chan toolAnswer
}

// toolAnswer is the answer to a call of a tool. ok: there was one, and it is no error.
type toolAnswer struct {
	ok   bool
	text string // "" where the server has ended
}

// serve starts a server for an agent, with more flags, which is killed at the end of the
// test.
func (s *sharedGraph) serve(agent string, flags ...string) *agentServer {
	s.t.Helper()
	p := &agentServer{t: s.t, process: exec.Command(programPath(s.t, "roam-mcp"), append([]string{"serve", "--agent", agent}, flags...)...), exited: make(chan struct{}), waiting: map[int]chan toolAnswer{}}
	p.process.Env = append(environmentOf(s.home), "ROAM_MCP_CONFIG=")
	p.process.Stderr = &p.said
	var err error
	p.in, err = p.process.StdinPipe()
	require.NoError(s.t, err)
	out, err := p.process.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, p.process.Start())
	go p.listen(out)
	s.t.Cleanup(p.kill)
	await.Value(s.t, "the server", p.ask(`"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`))
	return p
}

// listen hands answers on until the server ends.
func (p *agentServer) listen(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var message struct {
			ID     int
			Error  json.RawMessage
			Result struct {
				Content []struct{ Text string }
				IsError bool
			}
		}
		if json.Unmarshal(bytes.TrimSpace(line), &message) != nil || message.ID == 0 {
			continue
		}
		answer := toolAnswer{ok: !message.Result.IsError && message.Error == nil, text: string(line)}
		for _, part := range message.Result.Content {
			answer.text = part.Text
			break
		}
		p.answer(message.ID, answer)
	}
	_ = p.process.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, waits := range p.waiting {
		waits <- toolAnswer{}
		delete(p.waiting, id)
	}
	close(p.exited)
}

func (p *agentServer) answer(id int, answer toolAnswer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if waits := p.waiting[id]; waits != nil {
		waits <- answer
		delete(p.waiting, id)
	}
}

// ask sends a request; what it is answered comes over the channel.
func (p *agentServer) ask(members string) <-chan toolAnswer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.number++
	answer := make(chan toolAnswer, 1)
	select {
	case <-p.exited:
		answer <- toolAnswer{}
		return answer
	default:
	}
	p.waiting[p.number] = answer
	_, _ = fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", p.number, members) // a server that has ended is told by listen
	return answer
}

// call calls a tool.
func (p *agentServer) call(tool string, args map[string]any) <-chan toolAnswer {
	p.t.Helper()
	encoded, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
	require.NoError(p.t, err)
	return p.ask(`"method":"tools/call","params":` + string(encoded))
}

// kill ends the server as kill -9 does, and waits for its end.
func (p *agentServer) kill() {
	_ = p.process.Process.Kill()
	<-p.exited
}

// close ends the server as a client does that goes.
func (p *agentServer) close() {
	p.t.Helper()
	_ = p.in.Close()
	await.Value(p.t, "the end of the server", p.exited)
}
