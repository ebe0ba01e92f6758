//go:build unix

package install

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/files"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/textsafe"
)

// The test binary becomes a server of the kind that this variable names.
const serverVariable = "PROOF_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serverVariable); kind != "" {
		serve(kind)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const secret = "roam-graph-token-abcdefghijklmnop"

// serve is a server of that kind, until its input ends.
func serve(kind string) {
	switch kind {
	case "no MCP":
		fmt.Println("Welcome! \x1b[1mUsage:\x1b[0m " + secret)
	case "ends":
		fmt.Fprintln(os.Stderr, "starting\nno such flag, token "+secret)
		os.Exit(3)
	case "ends with many words":
		fmt.Fprint(os.Stderr, strings.Repeat("x", 9<<10), " Bearer ", strings.Repeat("A", keptOutput-10), " the end\n")
		os.Exit(3)
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "child":
		listener, err := net.Listen("unix", os.Args[1])
		if err != nil {
			os.Exit(1)
		}
		for {
			if _, err := listener.Accept(); err != nil {
				return
			}
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ProtocolVersion string
				Arguments       struct{ Graph string }
			}
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		if graph := request.Params.Arguments.Graph; graph != "" {
			kind := kindOn(kind, graph)
			switch kind {
			case "hangs":
				continue
			case "ends":
				os.Exit(3)
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", request.ID, answer(kind, request.Method, ""))
			continue
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", request.ID, answer(kind, request.Method, request.Params.ProtocolVersion))
	}
	if kind == "stays" {
		child := exec.Command(os.Args[0], os.Args[1])
		child.Env = []string{serverVariable + "=child"}
		_ = child.Run()
	}
}

// kindOn returns the kind of a server on a graph, of "Work: well, Old: hangs".
func kindOn(kind, graph string) string {
	for each := range strings.SplitSeq(kind, ", ") {
		if on, found := strings.CutPrefix(each, graph+": "); found {
			return on
		}
	}
	return kind
}

// answer returns the result or the error of a request.
func answer(kind, method, version string) string {
	failed := func(text, more string) string {
		return fmt.Sprintf(`"result":{"isError":true,"content":[{"type":"text","text":%s}]%s}`, strconv.Quote(text), more)
	}
	switch method {
	case "initialize":
		name := "roam-mcp"
		if kind == "other" {
			name = "other-" + secret
		}
		return fmt.Sprintf(`"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":%q,"version":"1.0"}}`, version, name)
	case "tools/list":
		if kind == "no tools" {
			return `"result":{"tools":[]}`
		}
		return `"result":{"tools":[{"name":"write","inputSchema":{"type":"object"}},{"name":"look","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"graph":{"type":"string"}},"required":["graph"]}}]}`
	case "tools/call":
		switch kind {
		case "fails with JSON":
			return failed(`{"error":{"code":"TOKEN_NOT_FOUND","message":"Roam does not know `+secret+`."}}`, "")
		case "fails with a cause":
			return failed(`{"error":{"code":"PROVIDER_ERROR","cause":"CONNECTION_FAILED","message":"Nothing answers."}}`, "")
		case "fails with text":
			return failed("Error: the disk is full, "+secret, "")
		case "fails with a code beside it":
			return failed("Error: Nothing answers.", `,"_meta":{"code":"CONNECTION_FAILED"}`)
		case "fails without words":
			return `"result":{"isError":true,"content":[]}`
		case "fails by JSON-RPC":
			return `"error":{"code":-32603,"message":"MCP error","data":{"code":"GRAPH_DISABLED"}}`
		case "20 MB":
			return failed(strings.Repeat("x", 20<<20), "")
		}
		return `"result":{"content":[{"type":"text","text":"{}"}]}`
	}
	return `"error":{"code":-32601,"message":"no such method"}`
}

// launchOf starts the test binary as a server of that kind.
func launchOf(t *testing.T, kind string, args ...string) clients.Launch {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return clients.Launch{Client: "cursor", Command: path, Args: args, Env: []string{serverVariable + "=" + kind}}
}

func TestRun(t *testing.T) {
	work := []Graph{{Nickname: "Work"}}
	for name, test := range map[string]struct {
		kind   string
		graphs []Graph
		limits limits
		at     ProofStepID
		code   problem.Code
		mend   Mend
		words  string
	}{
		"succeeds":                    {kind: "well", graphs: work},
		"names output that is no MCP": {"no MCP", work, limits{}, StepInitialize, CodeNotMCP, MendWriteAnew, `prints what is not MCP: "Welcome! `},
		"names a process that ends, with its words":      {"ends", work, limits{}, StepInitialize, CodeEndedEarly, MendWriteAnew, "with code 3. It says: no such flag, token [token redacted]"},
		"keeps the end of many words":                    {"ends with many words", work, limits{}, StepInitialize, CodeEndedEarly, MendWriteAnew, "the end"},
		"names a process that never answers":             {"silent", work, limits{answer: 100 * time.Millisecond}, StepInitialize, CodeNoAnswer, MendNone, "has not answered initialize"},
		"names another server":                           {"other", work, limits{}, StepInitialize, CodeOtherServer, MendWriteAnew, `answers as "other-[token redacted]"`},
		"names a server without tools":                   {"no tools", work, limits{}, StepListTools, CodeNotMCP, MendWriteAnew, "no tool"},
		"names a reply that is too large":                {"20 MB", work, limits{}, StepCall, CodeNotMCP, MendWriteAnew, "the call of look"},
		"names what a tool says in JSON":                 {"fails with JSON", work, limits{}, StepCall, localapi.CodeTokenNotFound, MendReauthorize, "Roam does not know [token redacted]"},
		"names the cause of a tool's error":              {"fails with a cause", work, limits{}, StepCall, localapi.CodeConnectionFailed, MendOpenRoam, "Nothing answers."},
		"names what a tool says in plain text":           {"fails with text", work, limits{}, StepCall, problem.CodeFailed, MendNone, "the disk is full"},
		"names what a tool says with a code beside it":   {"fails with a code beside it", work, limits{}, StepCall, localapi.CodeConnectionFailed, MendOpenRoam, "Nothing answers."},
		"names a tool that fails without words":          {"fails without words", work, limits{}, StepCall, problem.CodeFailed, MendNone, "without saying which"},
		"names what a tool says as an error of JSON-RPC": {"fails by JSON-RPC", work, limits{}, StepCall, codeGraphDisabled, MendConnectGraph, "MCP error"},
		"names that no graph is connected":               {"well", nil, limits{}, StepCall, CodeNoGraph, MendConnectGraph, "no graph is connected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told []string
			result, err := prove(t.Context(), launchOf(t, test.kind), test.graphs, nil, orUsual(test.limits), func(s ProofStep) { told = append(told, fmt.Sprint(s)) })
			if all := fmt.Sprint(result, err, told); strings.Contains(all, "abcdefghijklmnop") || strings.Contains(all, "AAAA") || strings.ContainsRune(all, 0x1b) {
				t.Errorf("what must not be shown is: %s", all)
			}
			if test.code == "" {
				if err != nil || result.Tools != 2 || result.Call != "look" || len(result.Steps) != 4 || len(told) != 8 {
					t.Fatalf("%v, %+v", err, result)
				}
				return
			}
			last := result.Steps[len(result.Steps)-1]
			failed, ok := problem.As(err)
			if !ok || last.ID != test.at || !last.Failed || failed.Code != test.code || last.Mend != test.mend || !strings.Contains(failed.Message, test.words) || failed.Hint.IsZero() {
				t.Errorf("at %v with mend %v: %v", last.ID, last.Mend, err)
			}
			if len(failed.Message) > 900 {
				t.Errorf("the message has %d bytes", len(failed.Message))
			}
		})
	}
}

func TestAProofTellsPerGraph(t *testing.T) {
	for name, test := range map[string]struct {
		kind     string
		named    []string
		limit    time.Duration
		calls    string // the graphs in the order of their calls, the failed ones with their mends
		code     problem.Code
		failedAt string
		words    string // of the first graph that is silent
	}{
		"is proven where all answer":                              {kind: "Work: well, Old: well", calls: "Work, Old"},
		"is proven where the first answers":                       {kind: "Work: well, Old: fails with JSON", calls: "Work, Old (re-authorize)", words: "Roam does not know"},
		"is proven where the last answers":                        {kind: "Work: fails with JSON, Old: well", calls: "Work (re-authorize), Old", words: "Roam does not know"},
		"is proven where one of three answers":                    {kind: "Work: fails with JSON, Old: well, Lab: fails by JSON-RPC", named: three(), calls: "Work (re-authorize), Old, Lab (connect)", words: "Roam does not know"},
		"asks the graphs of the entry alone":                      {kind: "Work: fails with JSON, Old: well", named: []string{"Old"}, calls: "Old"},
		"fails where the one graph of the entry does not answer":  {kind: "Work: well, Old: fails with JSON", named: []string{"Old"}, calls: "Old (re-authorize)", code: localapi.CodeTokenNotFound, failedAt: "Old", words: "Roam does not know"},
		"fails where none answers, with what the first one lacks": {kind: "Work: fails with a cause, Old: fails with JSON", calls: "Work (open), Old (re-authorize)", code: localapi.CodeConnectionFailed, failedAt: "Work", words: "Nothing answers."},
		"asks the next one where one hangs":                       {kind: "Work: hangs, Old: well", limit: 8 * time.Second, calls: "Work (none), Old", words: "has not answered the call of look within"},
		"fails where the server ends, although one answered":      {kind: "Work: fails with JSON, Old: well, Lab: ends, More: well", named: append(three(), "More"), calls: "Work (re-authorize), Old, Lab (anew)", code: CodeEndedEarly, failedAt: "Lab", words: "Roam does not know"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			graphs := []Graph{{Nickname: "Work"}, {Nickname: "Old"}}
			launch := launchOf(t, test.kind)
			launch.Graphs = test.named
			result, err := prove(t.Context(), launch, graphs, nil, orUsual(limits{answer: test.limit}), nil)
			var calls []string
			for _, step := range result.Steps[3:] {
				said := step.Graph
				if step.Failed {
					said += " (" + [...]string{MendNone: "none", MendWriteAnew: "anew", MendOpenRoam: "open", MendReauthorize: "re-authorize", MendConnectGraph: "connect"}[step.Mend] + ")"
				}
				calls = append(calls, said)
			}
			if got := strings.Join(calls, ", "); got != test.calls {
				t.Errorf("the calls are %s, want %s", got, test.calls)
			}
			if problem.CodeOf(err) != test.code || len(result.Answered())+len(result.Silent()) != len(calls) {
				t.Errorf("%v, %q answered, of %d are silent", err, result.Answered(), len(result.Silent()))
			}
			if step, _ := result.FailedAt(err); step.Graph != test.failedAt {
				t.Errorf("it failed at %q", step.Graph)
			}
			if silent := result.Silent(); test.words != "" && (len(silent) == 0 || !strings.Contains(silent[0].Err.Error(), test.words)) {
				t.Errorf("silent: %v", silent)
			}
		})
	}
}

func three() []string { return []string{"Work", "Old", "Lab"} }

// orUsual fills in what a test does not say.
func orUsual(l limits) limits {
	usual := usualLimits()
	return limits{cmp.Or(l.answer, usual.answer), cmp.Or(l.farewell, usual.farewell)}
}

func TestRunEndsTheProcess(t *testing.T) {
	folder, err := os.MkdirTemp("", "proof") // a socket's path is short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	socket := filepath.Join(folder, "s")
	dials := func() bool {
		connection, err := net.Dial("unix", socket)
		if err == nil {
			_ = connection.Close()
		}
		return err == nil
	}
	server, err := startProcess(launchOf(t, "stays", socket), 50*time.Millisecond)
	require.NoError(t, err)
	require.NoError(t, server.stdin.Close())
	await.Condition(t, "the child of the server", dials)
	server.end()
	await.Condition(t, "the end of the child", func() bool { return !dials() })
}

func FuzzForeignText(f *testing.F) {
	for _, seed := range []string{
		`{"error":{"code":"TOKEN_NOT_FOUND","message":"m"}}`, `{"error":{"cause":["x"]}}`, `{"error":null}`, "Bearer\nabc", "roam-graph-to\u200bken-abc", secret, "\x1b[31mred\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		long := &files.Tail{Max: keptOutput}
		for range 3 {
			_, _ = long.Write(data)
		}
		err := explain("Work", rawjson.Parse(data).Get("error"), string(data))
		known, ok := problem.As(err)
		if !ok || known.Hint.IsZero() || known.Code == "" {
			t.Fatalf("%#v", err)
		}
		for _, text := range []string{known.Message, string(known.Code), line(string(data)), lastLine(long)} {
			if n := utf8.RuneCountInString(text); n > 201 || secrets().MatchString(text) || strings.IndexFunc(text, textsafe.Unshowable) >= 0 {
				t.Errorf("%q", text)
			}
		}
	})
}
