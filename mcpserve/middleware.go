package mcpserve

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/problem"
)

// recoverPanics turns a panic while a message is handled into an error of that
// message alone. The stack goes to the log, without anything like a token.
func (s *Server) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
		defer func() {
			fault := recover()
			if fault == nil {
				return
			}
			s.logPanic(method, fault)
			if _, isCall := request.(*mcp.CallToolRequest); isCall {
				result, err = s.panicResult()
				return
			}
			result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "roam-mcp failed on this message; its log has the details"}
		}()
		return next(ctx, method, request)
	}
}

// recoverBackground keeps a panic in a goroutine of the server from ending the
// process. It is to be deferred.
func (s *Server) recoverBackground(doing string) {
	if fault := recover(); fault != nil {
		s.logPanic(doing, fault)
	}
}

func (s *Server) logPanic(doing string, fault any) {
	s.log.Error("panic", "while", doing, "panic", safetext.Redact(safetext.Line(fmt.Sprint(fault), 500)), "stack", safetext.Redact(string(debug.Stack())))
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

// instruct gives each client the instructions for the graphs that are enabled
// when it comes.
func (s *Server) instruct(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		if err != nil {
			return result, err
		}
		switch welcome := result.(type) {
		case *mcp.InitializeResult:
			welcome.Instructions = s.instructions()
		case *mcp.DiscoverResult:
			welcome.Instructions = s.instructions()
		}
		return result, nil
	}
}

// answerUnlisted answers calls of tools that exist but are not in the list: a
// client may go by a list that it has kept. Those about choosing a graph work
// all the same; the others say why they are not offered.
func (s *Server) answerUnlisted(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if call, isCall := request.(*mcp.CallToolRequest); isCall && call.Params != nil && !s.isOffered(call.Params.Name) {
			if t, known := s.offering.profile.Find(call.Params.Name); known {
				return s.run(ctx, t, call)
			}
		}
		return next(ctx, method, request)
	}
}
