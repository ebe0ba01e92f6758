package mcpserve

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/transport"
)

// receive handles every message of a client.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				result, err = s.panicked(method, request, fault)
			}
		}()
		readEscapes(request)
		if transport.IsCall(method) {
			limited, end := s.limitCall(ctx)
			defer end()
			ctx = limited
		}
		known := s.noteSender(request)
		if err := refuseLevel(request); err != nil {
			return nil, err
		}
		if call, kept := s.keptTool(request); kept != nil {
			result, err = s.run(ctx, kept, call)
		} else {
			result, err = next(ctx, method, request)
			result, err = s.complete(request, result, err)
		}
		if !known { // it introduces the client
			s.noteSender(request)
		}
		return result, writeEscapes(result, err)
	}
}

// keptTool returns the call of a tool that is not in the list now, and the tool: a client may go
// by a list that it has kept. nil: the library knows what to do.
func (s *Server) keptTool(request mcp.Request) (*mcp.CallToolRequest, *surface.Tool) {
	call, isCall := request.(*mcp.CallToolRequest)
	if !isCall || call.Params == nil || s.isOffered(call.Params.Name) {
		return nil, nil
	}
	kept, _ := s.offering.profile.Find(call.Params.Name)
	return call, kept
}

// complete adds to the library's answer what it does not know.
func (s *Server) complete(request mcp.Request, result mcp.Result, err error) (mcp.Result, error) {
	if read, isRead := request.(*mcp.ReadResourceRequest); isRead {
		return result, missingResource(read, err)
	}
	if err == nil {
		switch welcome := result.(type) { // with the graphs that are enabled when the client comes
		case *mcp.InitializeResult:
			welcome.Instructions = s.promptList().instructions()
		case *mcp.DiscoverResult:
			welcome.Instructions = s.promptList().instructions()
		}
	}
	return result, err
}

// panicked returns what a message is answered at which the server has panicked: an error of
// that message alone. The stack goes to the log, without anything like a token.
func (s *Server) panicked(method string, request mcp.Request, fault any) (mcp.Result, error) {
	s.logPanic(method, fault)
	if _, isCall := request.(*mcp.CallToolRequest); isCall {
		return s.panicResult()
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "roam-mcp failed on this message; its log has the details"}
}

// recoverBackground keeps a panic in a goroutine of the server from ending the
// process. It is to be deferred.
func (s *Server) recoverBackground(doing string) {
	if fault := recover(); fault != nil {
		s.logPanic(doing, fault)
	}
}

func (s *Server) logPanic(doing string, fault any) {
	s.log.Error("panic", "while", doing, "panic", textsafe.Redact(textsafe.Line(fmt.Sprint(fault), 500)), "stack", textsafe.Redact(string(debug.Stack())))
}

// panicResult is the answer to a call whose tool has panicked.
func (s *Server) panicResult() (mcp.Result, error) {
	failed := &problem.Error{
		Code:    localapi.CodeInternal,
		Message: "roam-mcp failed while it ran this tool. Where the call was a write, it may have happened.",
		Hint:    problem.Say("Look at the graph before trying again; the log of roam-mcp has the details."),
	}
	result, _, err := failureResult(s.offering.failure(failed, problem.World{}, SmallestReply))
	return result, err
}

// protocolError is a failure where no tool result can carry it.
func (s *Server) protocolError(err error, v view) error {
	failed, world := Explained(err), s.promptList().worldOf(v)
	message := failed.Message
	if hint := world.Say(failed.Hint); hint != "" {
		message += " " + hint
	}
	code := int64(jsonrpc.CodeInternalError)
	if failed.Code == surface.CodeInvalidParams || failed.Code == configstore.CodeGraphNotConfigured || failed.Code == CodeGraphDisabled {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: code, Message: message, Data: surface.ErrorObject(failed, world).JSON()}
}
