package architecture

import (
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/problem"
)

// hostile are names that a shell would obey if a command held them quoted wrongly.
func hostile() []string {
	return []string{
		"Notes $(touch x)", "`touch x`", "'; touch x; '", `"; touch x; "`, `a\'; touch x; '`, `a\"; touch x; "`, "-x", "--help", "=touch", "~", "*", "a&touch x", "a|touch x", "a>x",
		"$HOME ${HOME}", "!!", "%PATH%", "#x", "", " ", "a\ntouch x", "\u2018; touch x; \u2019", "\u201cx\u201d", "$env:PATH", "@(touch x)", "{x,y}", "a\u200b\u3164b", "\u202ex", "日本", `C:\notes\`,
	}
}

// TestCommands runs every command that the program prints, with hostile names in the
// place of what is known only when it runs, in the shells that are here. A stand-in
// for the programs keeps the words that it was started with.
func TestCommands(t *testing.T) {
	all, err := readSources(os.DirFS("../.."))
	require.NoError(t, err)
	commands := all.printedCommands()
	if len(commands) < 20 {
		t.Fatalf("there are only %d", len(commands))
	}
	for _, shell := range []struct {
		program string
		quotes  problem.Shell
		flags   []string
	}{
		{"sh", problem.POSIX, nil}, {"bash", problem.POSIX, nil}, {"zsh", problem.POSIX, nil}, {"fish", problem.POSIX, nil},
		{"pwsh", problem.PowerShell, []string{"-NoProfile", "-NonInteractive", "-File"}},
	} {
		t.Run(shell.program, func(t *testing.T) {
			path, err := exec.LookPath(shell.program)
			if err != nil {
				t.Skip("it is not here")
			}
			t.Parallel()
			runCommands(t, commands, shell.quotes, append([]string{path}, shell.flags...))
		})
	}
}

// runCommands writes all the command lines into one script and runs that.
func runCommands(t *testing.T, commands []problem.Command, quotes problem.Shell, shell []string) {
	t.Helper()
	bin, work := t.TempDir(), t.TempDir()
	record, script := filepath.Join(t.TempDir(), "record"), filepath.Join(t.TempDir(), "script.ps1")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "roam-mcp"), []byte("#!/bin/sh\nprintf '%s\\0' \"$@\" '\n\n' >>\"$RECORD\"\n"), 0o700))
	var lines, wanted []string
	names := hostile()
	for i := range max(2*len(commands), len(names)) {
		name := names[i%len(names)]
		command := commands[i%len(commands)]
		words := slices.Concat(command.Flags, command.Operands)
		for j, word := range words {
			if strings.Contains(word, "<") {
				words[j] = name
			}
		}
		flags := words[:len(command.Flags):len(command.Flags)]
		command = problem.Run(command.Name, append(words[len(flags):], name)...).With(flags...)
		world := problem.World{Flags: []string{"--config", name}, Shell: quotes}
		lines = append(lines, world.Command(command.Anywhere()), world.Command(command))
		rest := append(strings.Fields(command.Name), command.Flags...)
		if slices.ContainsFunc(command.Operands, func(s string) bool { return strings.HasPrefix(s, "-") }) {
			rest = append(rest, "--")
		}
		rest = append(rest, command.Operands...)
		wanted = append(wanted, strings.Join(rest, "\x00"), strings.Join(append([]string{"--config", name}, rest...), "\x00"))
	}
	require.NoError(t, os.WriteFile(script, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	run := exec.Command(shell[0], append(shell[1:], script)...)
	run.Dir, run.Env = work, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "RECORD="+record)
	if out, err := run.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
	kept, err := os.ReadFile(record)
	require.NoError(t, err)
	got := strings.Split(strings.TrimSuffix(string(kept), "\x00\n\n\x00"), "\x00\n\n\x00")
	for i := range min(len(got), len(wanted)) {
		if got[i] != wanted[i] {
			t.Fatalf("%s\narrived as %q\nand not as %q", lines[i], got[i], wanted[i])
		}
	}
	if len(got) != len(wanted) {
		t.Errorf("%d commands ran, and not %d", len(got), len(wanted))
	}
	if made, err := os.ReadDir(work); err != nil || len(made) > 0 {
		t.Errorf("something else ran: %v, %v", made, err)
	}
}

// printedCommands returns the commands that the sources make, with what is known only
// when the program runs in angle brackets.
func (all *sources) printedCommands() []problem.Command {
	var commands []problem.Command
	for _, s := range all.files {
		reader := reader{sources: all, source: s, variables: map[string]ast.Expr{}}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			command, ok := reader.command(call)
			if ok {
				commands = append(commands, command)
			}
			return !ok // the calls within are parts of it
		})
	}
	return commands
}
