package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/race"
)

const patience = 30 * time.Second // beyond what any step takes on a slow machine; one that needs longer has hung

func TestScripts(t *testing.T) {
	t.Parallel()
	runScripts(t)
}

// runScripts runs these scripts, or those of testdata.
func runScripts(t *testing.T, files ...string) {
	help, there := helpgraph.Find("help.json")
	params := testscript.Params{
		Dir: "testdata/script", UpdateScripts: golden.Updating(),
		Condition: func(condition string) (bool, error) {
			if condition == "help-graph" {
				return there, nil
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_DATA_HOME", filepath.Join(home, ".local", "share"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(home, ".local", "state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
			env.Setenv("HELP_GRAPH", help)
			env.Setenv("SANDBOX", filepath.Join(home, ".local", "share", "roam-mcp", "sandbox"))
			transcript := filepath.Join(env.WorkDir, "transcript")
			env.Setenv(transcriptVariable, transcript)
			clients := &mcpClients{sessions: map[string]*mcp.ClientSession{}}
			env.Values[clientsKey{}] = clients
			env.Values[ailmentKey{}] = &scriptAilment{}
			roam := &scriptRoam{}
			env.Values[scriptRoamKey{}] = roam
			env.Defer(func() {
				clients.close()
				_ = roam.end()
				if err := lookForTokens(env.WorkDir); err != nil {
					t.Errorf("%s: %v", filepath.Base(env.WorkDir), err)
				}
			})
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await-text":     awaitText,
			"await-roam":     awaitRoam,
			"mcp-start":      mcpStart(""),
			"mcp-start-2025": mcpStart("2025-11-25"),
			"mcp-http":       mcpHTTP(""),
			"mcp-http-2025":  mcpHTTP("2025-11-25"),
			"http-status":    httpStatus,
			"http-address":   httpAddress,
			"terminate":      terminate,
			"mcp-stop":       mcpStop,
			"mcp-call":       mcpCall,
			"mcp-tools":      mcpTools,
			"mcp-call-later": mcpCallLater,
			"mcp-called":     mcpCalled,
			"mcp-await":      mcpAwait,
			"remember":       remember,
			"ask-and-hold":   askAndHold,
			"exits":          exits,
			"mode":           mode,
			"leave-write":    leaveWrite,
			"midday":         midday,
			"normal":         normal,
			"finds":          finds,
			"mend":           mend,
			"mend-typing":    mendInTerminal,
			"in-terminal":    commandInTerminal,
			"gone":           gone,
		},
	}
	maps.Copy(params.Cmds, selfCommandsOfScripts())
	maps.Copy(params.Cmds, faultCommands())
	if race.Enabled { // each command takes a second to start; those that only print are left out
		params.Dir = ""
		for _, name := range []string{"main-job", "open-roam", "sandbox-switch", "sandbox-world", "serve-http", "setup-in-conversation", "two-graphs"} {
			params.Files = append(params.Files, filepath.Join("testdata", "script", name+".txtar"))
		}
	}
	if len(files) > 0 {
		params.Dir, params.Files = "", files
	}
	testscript.Run(t, params)
}

var tokenPattern = regexp.MustCompile(regexp.QuoteMeta(localapi.TokenPrefix) + `[A-Za-z0-9_-]{8,}`)

// lookForTokens searches everything below the folder for a token. Only the
// configuration itself may hold one, its copies and the rescue files included.
func lookForTokens(folder string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if name := entry.Name(); name == configName || name == officialName || strings.HasPrefix(name, "secret-") || strings.HasPrefix(name, "roam-mcp") && filepath.Ext(name) != ".json" { // programs of tests have their tokens
			return nil
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // somebody who still runs has taken it away meanwhile
		}
		if err != nil {
			return err
		}
		if tokenPattern.Match(data) || httpTokenPattern.Match(data) && !isHTTPTokenFile(path) {
			return fmt.Errorf("a token shows in %s", path)
		}
		return nil
	})
}

// poll tries until done, and fails with the last reason.
func poll(ts *testscript.TestScript, try func() error) {
	ts.Check(await.NoError(patience, try))
}

// awaitText FILE TEXT waits until a file holds a text.
func awaitText(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: await-text FILE TEXT")
	}
	poll(ts, func() error {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && !bytes.Contains(data, []byte(args[1])) {
			err = fmt.Errorf("%s has no %q:\n%s", args[0], args[1], data)
		}
		return err
	})
}

// awaitRoam [HOME] waits until the port file of a home leads to a Roam.
func awaitRoam(ts *testscript.TestScript, _ bool, args []string) {
	home := ts.Getenv("HOME")
	if len(args) == 1 {
		home = ts.MkAbs(args[0])
	}
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	defer client.CloseIdleConnections()
	poll(ts, func() error {
		_, err := client.OpenGraphs(context.Background())
		return err
	})
}

// exits CODE ARGS… runs roam-mcp and wants that exit code, and two sentences at
// most on standard error that are no stack trace.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec("roam-mcp", args[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("roam-mcp could not be run: %v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
	if strings.Contains(ts.ReadFile("stderr"), "goroutine ") {
		ts.Fatalf("a stack trace:\n%s", ts.ReadFile("stderr"))
	}
	if code != 0 && ts.ReadFile("stdout") != "" {
		ts.Fatalf("a failure wrote to stdout: %s", ts.ReadFile("stdout"))
	}
}

// askAndHold GRAPH opens a token request and keeps it open until the script ends.
// It returns once Roam refuses another one.
func askAndHold(ts *testscript.TestScript, _ bool, args []string) {
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(ts.Getenv("HOME"), localapi.PortFileName)}})
	request := func(ctx context.Context) bool {
		_, err := client.RequestToken(ctx, localapi.TokenRequest{
			Graph: localapi.Graph{Name: args[0], Type: localapi.Hosted}, AccessLevel: localapi.Full, Description: "the first"})
		return problem.CodeOf(err) == localapi.CodeRequestInProgress
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for request(ctx) && ctx.Err() == nil { // refused only while the probe below was quicker
		}
	}()
	ts.Defer(func() { cancel(); <-ended })
	limit := 25 * time.Millisecond
	poll(ts, func() error {
		limit *= 2 // on a slow machine even a refusal takes its time
		probe, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		if !request(probe) {
			return errors.New("the graph is not busy")
		}
		return nil
	})
}

type clientsKey struct{}

// mcpClients are the MCP sessions of one script, by name, and what it remembers.
type mcpClients struct {
	sessions   map[string]*mcp.ClientSession
	remembered map[string]string
	later      chan string // the result of a call that was left running
}

func (c *mcpClients) close() {
	for _, session := range c.sessions {
		_ = session.Close() // the server may have been killed
	}
}

func clientsOf(ts *testscript.TestScript) *mcpClients {
	return ts.Value(clientsKey{}).(*mcpClients)
}

func sessionOf(ts *testscript.TestScript, name string) *mcp.ClientSession {
	session := clientsOf(ts).sessions[name]
	if session == nil {
		ts.Fatalf("no MCP session is called %s", name)
	}
	return session
}

// mcpStart makes the command that starts roam-mcp with the arguments as an MCP
// server on stdio, as a client of that protocol version does; an empty version
// is the newest.
//
//	mcp-start NAME ARGS…
func mcpStart(version string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		if len(args) < 2 {
			ts.Fatalf("usage: mcp-start NAME ARGS…")
		}
		startClient(ts, version, args)
	}
}

func startClient(ts *testscript.TestScript, version string, args []string) {
	binary, err := exec.LookPath("roam-mcp")
	ts.Check(err)
	command := exec.Command(binary, args[1:]...)
	for _, name := range []string{"HOME", "PATH", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", transcriptVariable, releaseVariable} {
		command.Env = append(command.Env, name+"="+ts.Getenv(name))
	}
	stderr, err := os.OpenFile(ts.Getenv(transcriptVariable), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	ts.Defer(func() { stderr.Close() })
	command.Stderr = io.Writer(stderr)
	client := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	transport := &mcp.CommandTransport{Command: command, TerminateDuration: patience} // for its end, too
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	ts.Check(err)
	clientsOf(ts).sessions[args[0]] = session
}

func mcpStop(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(sessionOf(ts, args[0]).Close())
	delete(clientsOf(ts).sessions, args[0])
}

// mcpTools NAME prints the names of the tools, one a line.
func mcpTools(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	list, err := sessionOf(ts, args[0]).ListTools(ctx, nil)
	ts.Check(err)
	for _, tool := range list.Tools {
		fmt.Fprintln(ts.Stdout(), tool.Name)
	}
}

// mcpCall NAME TOOL [ARGUMENTS] prints the tool's result as text. With "!" the
// result must be an error. $name in the arguments is what was remembered.
func mcpCall(ts *testscript.TestScript, neg bool, args []string) {
	text, isError := call(ts, args)
	fmt.Fprintln(ts.Stdout(), text)
	if isError != neg {
		ts.Fatalf("isError is %v: %s", isError, text)
	}
}

// mcpCallLater NAME TOOL [ARGUMENTS] calls and does not wait for the result.
func mcpCallLater(ts *testscript.TestScript, _ bool, args []string) {
	later := make(chan string, 1)
	clientsOf(ts).later = later
	session, arguments := sessionOf(ts, args[0]), json.RawMessage(args[2])
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: args[1], Arguments: arguments})
		later <- fmt.Sprint(textOf(result), err)
	}()
}

// mcpCalled prints what came of mcp-call-later.
func mcpCalled(ts *testscript.TestScript, _ bool, _ []string) {
	fmt.Fprintln(ts.Stdout(), <-clientsOf(ts).later)
}

// mcpAwait TEXT NAME TOOL [ARGUMENTS] calls until the result holds the text.
func mcpAwait(ts *testscript.TestScript, _ bool, args []string) {
	poll(ts, func() error {
		if text, _ := call(ts, args[1:]); !strings.Contains(text, args[0]) {
			return fmt.Errorf("there is no %q in: %s", args[0], text)
		}
		return nil
	})
}

func call(ts *testscript.TestScript, args []string) (text string, isError bool) {
	if len(args) < 2 {
		ts.Fatalf("usage: NAME TOOL [ARGUMENTS]")
	}
	arguments := "{}"
	if len(args) > 2 {
		arguments = os.Expand(args[2], func(name string) string {
			return clientsOf(ts).remembered[name]
		})
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	result, err := sessionOf(ts, args[0]).CallTool(ctx, &mcp.CallToolParams{Name: args[1], Arguments: json.RawMessage(arguments)})
	ts.Check(err)
	return textOf(result), result.IsError
}

func textOf(result *mcp.CallToolResult) string {
	if result == nil {
		return ""
	}
	var out strings.Builder
	for _, content := range result.Content {
		if c, ok := content.(*mcp.TextContent); ok {
			out.WriteString(c.Text)
		}
	}
	return out.String()
}

// remember NAME PATTERN keeps what the first group of the pattern finds in the
// last output, for later arguments, and as a variable of the environment.
func remember(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("%s is not in the output:\n%s", args[1], ts.ReadFile("stdout"))
	}
	clients := clientsOf(ts)
	if clients.remembered == nil {
		clients.remembered = map[string]string{}
	}
	clients.remembered[args[0]] = found[1]
	ts.Setenv(args[0], found[1])
}
