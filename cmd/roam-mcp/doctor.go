package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"roam-mcp/doctor"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// checkCommands are the commands that check this computer, and a Roam.
type checkCommands struct{ *app }

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	json, fix, openGraphs bool
}

func (a checkCommands) doctorCommand() *cobra.Command {
	options := doctorOptions{}
	command := &cobra.Command{
		Use: "doctor", Short: "Check everything from the port file to a real call, and say how to mend what does not work",
		Long: `Check everything between Roam and the clients of this program, from the ground
up: the port file, who listens there, the Local API and its version, the
configuration, each token, a real call on each graph that is open, the clients and
what they start, the servers that run, the history, the clock and the folders. What
does not work is said with why it matters and how to mend it.

A run changes nothing, unless --fix is given. Its exit code is 0 only where
nothing needs mending.`,
		Example: `roam-mcp doctor
# Mend what can be mended without asking anybody
roam-mcp doctor --fix
# For a report of a fault
roam-mcp doctor --json > report.json`,
		SuggestFor: []string{"check", "diagnose", "test"},
		Args:       arguments(0, 0),
		RunE:       func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), options) },
	}
	flags := command.Flags()
	flags.BoolVar(&options.json, "json", false, "print JSON for a report of a fault: without tokens, and without names of graphs")
	flags.BoolVar(&options.fix, "fix", false, "mend what can be mended without asking anybody, say so, and check again")
	flags.BoolVar(&options.openGraphs, "open-graphs", false, "call graphs that are not open, too; Roam opens a window for each")
	return command
}

func (a checkCommands) doctor(ctx context.Context, o doctorOptions) error {
	w, err := a.world()
	if err != nil {
		return err
	}
	log, end, err := a.hosted(ctx, w)
	if err != nil {
		return err
	}
	defer end()
	checks, done := w.checks(ctx, log, o.openGraphs)
	defer done()
	printer := newFindingPrinter(a.app)
	if o.json {
		printer.out = io.Discard
	}
	report := doctor.Run(ctx, checks, printer.print)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if o.fix && a.mend(ctx, report) {
		a.tell("\n")
		report = doctor.Run(ctx, checks, printer.print)
	}
	if printer.err != nil {
		return printer.err
	}
	if o.json {
		home, _ := os.UserHomeDir() // world has told where there is none
		if err := a.answerJSON(report.Tell(w.hints(), version(), runtime.GOOS+"/"+runtime.GOARCH, home, w.sandbox)); err != nil {
			return err
		}
	}
	return unwell(report, o.fix, w.sandbox)
}

// mend does what needs nobody's word, and says what was done. It reports whether there was
// something to do.
func (a checkCommands) mend(ctx context.Context, report doctor.Report) bool {
	a.tell("\n")
	for _, f := range report.Safe() {
		if err := doctor.Mend(ctx, f); err != nil {
			what := explain(err)
			a.tell("%s: not mended. %s\n", f.Subject, a.explained(what.Message, what.Hint))
			continue
		}
		a.tell("%s: mended. %s\n", f.Subject, f.Fix.Done)
	}
	return len(report.Safe()) > 0
}

// unwell is the error of a report of what needs mending; nil where nothing does.
func unwell(report doctor.Report, mended, sandbox bool) error {
	if report.Well() {
		return nil
	}
	var parts []string
	count := func(level doctor.Level, what string) {
		if n := report.Count(level); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	count(doctor.Failed, "failed")
	count(doctor.Warning, "to be mended")
	count(doctor.Skipped, "not looked at")
	where := ""
	if sandbox {
		where = " in the sandbox"
	}
	message := "Not all is well" + where + ": " + strings.Join(parts, ", ") + "."
	hint := problem.Say("The lines above say how to mend it.")
	if n := len(report.Safe()); n > 0 && !mended {
		hint = problem.Say("%d of it is mended by %s; the lines above say how to mend the rest.", n, problem.Run("doctor").With("--fix"))
	}
	return failed(message, hint)
}

// findingPrinter prints findings as they come.
type findingPrinter struct {
	hints  problem.World
	out    io.Writer
	glyphs map[doctor.Level]string
	width  int
	err    error
}

// subjectWidth is how wide the first column is.
const subjectWidth = 20

func newFindingPrinter(a *app) *findingPrinter {
	g := kit.GlyphsFor(os.Environ())
	const unbroken = 10_000 // for files and pipes, so that commands stay whole
	p := &findingPrinter{hints: a.hints, out: showing{a.out}, width: unbroken, glyphs: map[doctor.Level]string{
		doctor.OK: g.Marked, doctor.Note: g.Dot, doctor.Warning: g.Warning, doctor.Failed: g.Failed, doctor.Skipped: g.None,
	}}
	if width, _, err := term.GetSize(a.out.Fd()); err == nil && width > subjectWidth+30 {
		p.width = min(width, 110)
	}
	return p
}

// print prints one finding: its sign, what was looked at and what was found, and below
// that why it matters and what to do.
func (p *findingPrinter) print(f doctor.Finding) {
	head := fmt.Sprintf("%s %-*s ", p.glyphs[f.Level], subjectWidth-1, kit.Sanitize(f.Subject))
	lines := kit.Hang(head, kit.Wrap(kit.Sanitize(f.Found), p.width-ansi.StringWidth(head)))
	if !f.Well() || f.Level == doctor.Note && !f.Todo.IsZero() {
		for _, text := range []string{kit.Sanitize(f.Why), kit.Advice(p.hints.Lines(f.Todo))} {
			if text != "" {
				lines = append(lines, kit.Indent(kit.Wrap(text, p.width-subjectWidth-2), subjectWidth+2)...)
			}
		}
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(p.out, strings.TrimRight(kit.Unmarked(line), " ")); err != nil && p.err == nil {
			p.err = err
		}
	}
}
