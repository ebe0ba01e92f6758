package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf16"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/manage"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
)

// shown returns text as a terminal may show it: tokens, which may have been given
// in the place of a name, are redacted, and characters that must not be shown, such
// as in names of files in a foreign archive, are replaced. All that commands print for
// people goes through it; a printed command stays as it is, since those characters are
// escapes in it.
func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if textsafe.Unshowable(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, localapi.Redact(text))
}

// showing writes texts as shown. A write never ends within a character.
type showing struct{ to io.Writer }

// Write implements io.Writer.
func (w showing) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, shown(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// answer prints the answer of a command, as shown.
func (a *app) answer(format string, args ...any) error {
	_, err := fmt.Fprintf(showing{a.out}, format, args...)
	return err
}

// answerJSON prints the answer of a command as JSON, in which characters that must not be
// shown are escapes.
func (a *app) answerJSON(value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return a.answer("%s\n", visibleJSON(data))
}

// visibleJSON returns JSON with escapes for the characters that must not be shown.
func visibleJSON(data []byte) string {
	var out strings.Builder
	for _, r := range string(data) {
		switch {
		case !textsafe.Unshowable(r) || r == '\n':
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

// answerData has a command's answer written that is data: byte for byte into a file or a
// pipe, and as shown on a terminal.
func (a *app) answerData(write func(io.Writer) error) error {
	if isTerminal(a.out) {
		return write(showing{a.out})
	}
	out := bufio.NewWriter(a.out)
	if err := write(out); err != nil {
		_ = out.Flush()
		return err
	}
	return out.Flush()
}

// table returns a table of the answer, to be flushed.
func (a *app) table() *tabwriter.Writer {
	return tabwriter.NewWriter(showing{a.out}, 0, 0, 2, ' ', 0)
}

// tell prints to standard error what is going on, as shown.
func (a *app) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(showing{a.err}, format, args...) // nothing is left to tell it to
}

// next says on standard error what is to be done next, so that the answer of a command
// stays as it is.
func (a *app) next(todo problem.Hint) { a.tell("%s\n", instruct(a.hints, todo)) }

// explained returns what happened and what to do, in one text.
func (a *app) explained(message string, todo problem.Hint) string {
	return kit.Unwrapped(kit.Sanitize(message) + " " + kit.Advice(a.hints.Lines(todo)))
}

// instruct returns what to do in a world, with each command on a line of its own.
func instruct(world problem.World, todo problem.Hint) string {
	return kit.Unwrapped(kit.Advice(world.Lines(todo)))
}

// wording makes the sentences that the setup program has too.
func (a *app) wording(w dirs, graphs *manage.Manager) tui.Wording {
	options := tui.Options{World: w.hints(), Sandbox: w.sandbox, Version: version(), Environ: os.Environ(), HistoryFolder: w.historyFolder()}
	return options.Wording(graphs.Path, false)
}
