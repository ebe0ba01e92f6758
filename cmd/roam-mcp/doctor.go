package main

import (
	"context"
	"os"
	"runtime"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"roam-mcp/internal/clients/doctor"
	"roam-mcp/internal/problem"
	"roam-mcp/tui"
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
	var printed error
	tell := func(f doctor.Finding) {
		if err := a.tellFinding(f); printed == nil {
			printed = err
		}
	}
	if o.json {
		tell = func(doctor.Finding) {}
	}
	report := doctor.Run(ctx, checks, tell)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if o.fix && a.mend(ctx, report) {
		a.tell("\n")
		report = doctor.Run(ctx, checks, tell)
	}
	if printed != nil {
		return printed
	}
	if o.json {
		home, _ := os.UserHomeDir() // world has told where there is none
		if err := a.answerJSON(report.Tell(w.hints(), version(), runtime.GOOS+"/"+runtime.GOARCH, home, w.sandbox)); err != nil {
			return err
		}
	}
	if report.Well() {
		return nil
	}
	hint := problem.Say("The lines above say how to mend it.")
	if n := len(report.Safe()); n > 0 && !o.fix {
		hint = problem.Say("%d of it is mended by %s; the lines above say how to mend the rest.", n, problem.Run("doctor").With("--fix"))
	}
	return failed(report.Summary(w.sandbox), hint)
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

// tellFinding prints a finding.
func (a checkCommands) tellFinding(f doctor.Finding) error {
	width := tui.Unbroken // so that commands in files and pipes stay whole
	if columns, _, err := term.GetSize(a.out.Fd()); err == nil && columns > 50 {
		width = min(columns, 110)
	}
	lines := tui.FindingLines(f, a.hints, kit.GlyphsFor(os.Environ()), width)
	return a.answer("%s\n", strings.Join(lines, "\n"))
}
