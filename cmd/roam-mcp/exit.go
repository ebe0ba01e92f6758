package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve"
	"roam-mcp/problem"
	"roam-mcp/tui/plain"
)

// The exit codes, the same for every command (DESIGN.md, "Contract: commands").
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
	exitInterrupted = 130
)

// Codes of this package, beside those of the packages below.
const (
	codeUsage       problem.Code = "USAGE"
	codeInterrupted problem.Code = "INTERRUPTED"
	codeFailed      problem.Code = "FAILED"
)

// failure is an error that a command makes itself.
type failure struct {
	localapi.Explanation
	err error
}

var _ localapi.Explainer = (*failure)(nil)

func (f *failure) Error() string                 { return f.What }
func (f *failure) Unwrap() error                 { return f.err }
func (f *failure) Explain() localapi.Explanation { return f.Explanation }

func failed(what, todo string) error {
	return &failure{Explanation: localapi.Explanation{Code: codeFailed, What: what, Todo: todo}}
}

func usageError(err error) error {
	if _, known := localapi.Explained(err); known {
		return err
	}
	return &failure{localapi.Explanation{Code: codeUsage, What: problem.Sentence(err.Error()), Todo: "See roam-mcp --help."}, err}
}

func interrupted(err error) error {
	return &failure{localapi.Explanation{Code: codeInterrupted, What: "Interrupted. Nothing more was done."}, err}
}

// report says on w what happened and what to do in the world of the command, and
// returns the exit code.
func report(w io.Writer, err error, hints problem.World) int {
	said := explain(err, hints)
	_, _ = fmt.Fprintf(w, "roam-mcp: %s\n", shown(said.What))
	if said.Todo != "" {
		_, _ = fmt.Fprintln(w, shown(said.Todo))
	}
	return exitCode(said.Code)
}

// shown returns text as a terminal may show it: tokens, which may have been given
// in the place of a name, are redacted, and characters that are unsafe for a
// terminal, such as in names of files in a foreign archive, are replaced.
func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if localapi.UnsafeForTerminal(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, localapi.Redact(text))
}

func explain(err error, hints problem.World) localapi.Explanation {
	if known, ok := localapi.Explained(err); ok {
		return localapi.Explanation{Code: known.Code, What: known.Message, Todo: hints.Say(known.Hint)}
	}
	if errors.Is(err, context.Canceled) {
		return interrupted(err).(localapi.Explainer).Explain()
	}
	return localapi.Explanation{Code: codeFailed, What: problem.Sentence(err.Error())}
}

func exitCode(code problem.Code) int {
	switch code {
	case codeUsage, plain.CodeInputEnded, configstore.CodeConfigInvalid, configstore.CodeConfigTooNew, configstore.CodeConfigUnreadable,
		configstore.CodeConfigUnwritable, configstore.CodeConfigNotFound, configstore.CodeNicknameInvalid,
		configstore.CodeNicknameTaken, configstore.CodeGraphNotConfigured,
		mcpserve.CodeUnknownProfile, mcpserve.CodeUnknownToolset,
		mcpserve.CodeAddressInvalid, mcpserve.CodeAddressRemote:
		return exitUsage
	case localapi.CodeUserRejected:
		return exitRejected
	case localapi.CodeGraphBlocked:
		return exitBlocked
	case localapi.CodeTimeout:
		return exitTimedOut
	case localapi.CodeRequestInProgress:
		return exitBusy
	case localapi.CodeConnectionFailed, localapi.CodeNotRoam:
		return exitUnreachable
	case localapi.CodeDisabled:
		return exitDisabled
	case codeInterrupted:
		return exitInterrupted
	}
	return exitFailed
}
