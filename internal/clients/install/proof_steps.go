package install

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

const (
	serverName = "roam-mcp" // in serverInfo
	protocol   = "2025-11-25"
	maxLine    = 16 << 20 // bytes of a message
	maxTools   = 1000
)

// initialize connects to the process as a client.
func (r *run) initialize(ctx context.Context, server *process) (*mcp.ClientSession, string, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "roam-mcp-proof", Version: "1"}, nil)
	transport := &mcp.IOTransport{Reader: server.stdout, Writer: server.stdin, MaxLineLength: maxLine}
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		return nil, "", r.noAnswer(ctx, server, "initialize", r.limits.answer, err)
	}
	info := session.InitializeResult().ServerInfo
	if info == nil || info.Name != serverName {
		_ = session.Close()
		name := "a server without a name"
		if info != nil {
			name = quoted(info.Name)
		}
		return nil, "", entryFails(r.launch, CodeOtherServer, "%s answers as %s, which is not roam-mcp.", quoted(server.path), name)
	}
	return session, line(info.Name + " " + info.Version), nil
}

func (r *run) listTools(ctx context.Context, server *process, session *mcp.ClientSession) ([]*mcp.Tool, string, error) {
	var tools []*mcp.Tool
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, "", r.noAnswer(ctx, server, "the list of tools", r.limits.answer, err)
		}
		if tools = append(tools, tool); len(tools) == maxTools {
			break
		}
	}
	r.result.Tools = len(tools)
	if len(tools) == 0 {
		return nil, "", entryFails(r.launch, CodeNotMCP, "The server offers no tool.")
	}
	if len(tools) == 1 {
		return tools, "1 tool", nil
	}
	return tools, fmt.Sprintf("%d tools", len(tools)), nil
}

// call calls a tool on each graph. Where one has answered, its error is that of a server
// that failed with another one, or nil.
func (r *run) call(ctx context.Context, server *process, session *mcp.ClientSession, tools []*mcp.Tool, graphs []Graph) error {
	nicknames := slices.Clone(r.launch.Graphs)
	if len(nicknames) == 0 {
		for _, graph := range graphs {
			nicknames = append(nicknames, graph.Nickname)
		}
	}
	probe := chooseProbe(tools, r.probes)
	if probe != nil {
		r.result.Call = probe.Name
	}
	if len(nicknames) == 0 {
		return r.step(ProofStep{ID: StepCall}, func() (string, error) {
			return "", &failure{mend: MendConnectGraph, problem: &problem.Error{
				Code: CodeNoGraph, Message: "The server runs, and no graph is connected and enabled that it could serve.",
				Hint: problem.Say("%s connects one.", problem.Run("connect", "GRAPH")),
			}}
		}).problem
	}
	var first *failure
	for i, nickname := range nicknames {
		failed := r.step(ProofStep{ID: StepCall, Graph: nickname}, func() (string, error) {
			if probe == nil {
				failed := entryFails(r.launch, CodeNotMCP, "The server offers no tool that reads without being told what.")
				failed.general = true
				return "", failed
			}
			return line(probe.Name), r.callOn(ctx, server, session, probe, nickname, i == len(nicknames)-1)
		})
		if failed != nil && failed.general {
			return failed.problem
		}
		first = cmp.Or(first, failed)
	}
	if first == nil || len(r.result.Answered()) > 0 {
		return nil
	}
	return first.problem
}

// callOn calls a tool on a graph. One that is not the last has half of the time that is
// left, so that the others are called where it hangs.
func (r *run) callOn(ctx context.Context, server *process, session *mcp.ClientSession, probe *mcp.Tool, nickname string, last bool) error {
	limit := r.limits.answer
	if deadline, ok := ctx.Deadline(); ok && !last {
		limit = time.Until(deadline) / 2
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: probe.Name, Arguments: map[string]any{graphParameter: nickname}})
	var coded *jsonrpc.Error
	switch {
	case errors.As(err, &coded):
		return explain(nickname, coded.Data, coded.Message)
	case err != nil:
		return r.noAnswer(ctx, server, "the call of "+line(probe.Name), limit, err)
	case !result.IsError:
		return nil
	}
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			object := rawjson.Parse([]byte(text.Text)).Get("error")
			if code, ok := result.Meta["code"].(string); ok && object == nil {
				object = rawjson.With("code", code).JSON()
			}
			return explain(nickname, object, text.Text)
		}
	}
	return explain(nickname, nil, "The tool reported an error without saying which.")
}

// graphParameter is the parameter with the nickname of a graph, in every profile.
const graphParameter = "graph"

// chooseProbe returns the first of the probes among the tools; where none is, a tool that only
// reads and can be called with nothing but a graph; nil where there is none either.
func chooseProbe(tools []*mcp.Tool, probes []string) *mcp.Tool {
	for _, name := range probes {
		if i := slices.IndexFunc(tools, func(t *mcp.Tool) bool { return t.Name == name }); i >= 0 {
			return tools[i]
		}
	}
	for _, tool := range tools {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil || tool.Annotations == nil || !tool.Annotations.ReadOnlyHint {
			continue
		}
		var wants struct {
			Required   []string
			Properties map[string]json.RawMessage
		}
		if json.Unmarshal(schema, &wants) != nil {
			continue
		}
		if _, takesGraph := wants.Properties[graphParameter]; takesGraph && len(slices.DeleteFunc(wants.Required, func(s string) bool { return s == graphParameter })) == 0 {
			return tool
		}
	}
	return nil
}

// noAnswer returns why the process has not answered a question, for which it had limit.
func (r *run) noAnswer(ctx context.Context, server *process, question string, limit time.Duration, err error) error {
	f := &failure{mend: anew(r.launch), general: ctx.Err() == nil, problem: &problem.Error{Err: err, Hint: writeAnew(r.launch)}}
	ended := ctx.Err() == nil && server.ended(time.Second)
	told, printed := lastLine(server.errors), server.printed.String()
	foreign := foreignLine(printed)
	switch {
	case ctx.Err() != nil:
		f.mend, f.problem.Code = MendNone, CodeNoAnswer
		f.problem.Message = fmt.Sprintf("The server has not answered %s within %v.", question, limit.Round(100*time.Millisecond))
		f.problem.Hint = problem.Say("Try again; if it stays so, %s tells what it waits for.", problem.Run("serve").With("--log-level", "debug"))
	case ended && (server.stdout.ended.Load() || printed == "" || server.failed()): // not since this closed its output
		told = cmp.Or(told, foreign)
		f.problem.Code, f.problem.Message = CodeEndedEarly, "The program ended before it answered "+question+", "+server.exit()+"."
	case foreign != "":
		f.problem.Code, f.problem.Message = CodeNotMCP, fmt.Sprintf("The program prints what is not MCP: %s.", quoted(foreign))
	default:
		f.problem.Code, f.problem.Message = CodeNotMCP, fmt.Sprintf("The answer to %s can't be understood: %s.", question, line(err.Error()))
	}
	if told != "" {
		f.problem.Message += " It says: " + told
	}
	return f
}

// failed reports whether a process that has ended did so with a code of failure.
func (p *process) failed() bool {
	var exit *exec.ExitError
	return errors.As(p.err, &exit) && exit.ExitCode() > 0
}

// exit returns how the process ended: "with code 2".
func (p *process) exit() string {
	var exit *exec.ExitError
	if errors.As(p.err, &exit) && exit.ExitCode() >= 0 {
		return fmt.Sprintf("with code %d", exit.ExitCode())
	} else if exit != nil {
		return "by a " + exit.Error()
	}
	return "with code 0"
}
