package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/transport"
	"roam-mcp/tui/historyview"
)

// The exit codes, the same for every command (COMMANDS.md, "Exit codes").
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2 // wrong usage or bad config
	exitRejected    = 3
	exitBlocked     = 4
	exitTimedOut    = 5
	exitBusy        = 6
	exitUnreachable = 7
	exitDisabled    = 8
	exitPartly      = 9
	exitUnknown     = 10
	exitInterrupted = 130
)

// Codes of this package, beside those of the packages below.
const (
	codeUsage       problem.Code = "USAGE"
	codeInterrupted problem.Code = "INTERRUPTED"
)

// failed is the error of a command that could not do what it was told to.
func failed(message string, hint problem.Hint) error {
	return &problem.Error{Code: problem.CodeFailed, Message: message, Hint: hint}
}

func usageError(err error) error {
	if _, known := problem.As(err); known {
		return err
	}
	return &problem.Error{Code: codeUsage, Message: problem.Sentence(err.Error()), Err: err}
}

// helpful is err, with the command's own help as the hint of wrong usage that has none.
func helpful(err error, command *cobra.Command) error {
	known, ok := problem.As(err)
	if !ok || known.Code != codeUsage || !known.Hint.IsZero() {
		return err
	}
	wrong := *known
	wrong.Hint = problem.Say("See %s.", commandOf(command).With("--help"))
	return &wrong
}

func interrupted(err error) *problem.Error {
	return &problem.Error{Code: codeInterrupted, Message: "Interrupted. Nothing more was done.", Err: err}
}

// report says on w what happened and what to do in the world of the command, and
// returns the exit code.
func report(w io.Writer, err error, hints problem.World) int {
	said := explain(err)
	to := showing{w}
	_, _ = fmt.Fprintf(to, "roam-mcp: %s\n", said.Message)
	if todo := instruct(hints, said.Hint); todo != "" {
		_, _ = fmt.Fprintln(to, todo)
	}
	return exitCode(said.Code)
}

func explain(err error) *problem.Error {
	if known, ok := problem.As(err); ok {
		return known
	}
	if errors.Is(err, context.Canceled) {
		return interrupted(err)
	}
	return problem.FromError(err)
}

func exitCode(code problem.Code) int {
	switch code {
	case codeUsage, install.CodeUnknownClient, configstore.CodeConfigInvalid, configstore.CodeConfigTooNew, configstore.CodeConfigUnreadable,
		configstore.CodeConfigUnwritable, configstore.CodeConfigNotFound, configstore.CodeNicknameInvalid,
		configstore.CodeNicknameTaken, configstore.CodeGraphNotConfigured,
		mcpserve.CodeUnknownProfile, surface.CodeUnknownToolset, surface.CodeInvalidParams,
		transport.CodeAddressInvalid, transport.CodeAddressRemote, transport.CodeOriginInvalid:
		return exitUsage
	case localapi.CodeUserRejected:
		return exitRejected
	case localapi.CodeGraphBlocked:
		return exitBlocked
	case localapi.CodeTimeout:
		return exitTimedOut
	case localapi.CodeRequestInProgress:
		return exitBusy
	case localapi.CodeConnectionFailed, localapi.CodeNotRoam, localapi.CodeOtherUser:
		return exitUnreachable
	case localapi.CodeDisabled:
		return exitDisabled
	case historyview.CodeUndoPartly, install.CodeInUse:
		return exitPartly
	case ops.CodeOutcomeUnknown:
		return exitUnknown
	case codeInterrupted:
		return exitInterrupted
	}
	return exitFailed
}
