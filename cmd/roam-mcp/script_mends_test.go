package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/terminal"
)

type ailmentKey struct{}

// scriptAilment is what doctor found in a script, and how it says to mend it.
type scriptAilment struct {
	flags    []string // global ones of doctor
	found    *regexp.Regexp
	commands []string // that it prints
}

func ailmentOf(ts *testscript.TestScript) *scriptAilment {
	return ts.Value(ailmentKey{}).(*scriptAilment)
}

// finds MEND FOUND [FLAGS…] runs doctor, which must have a line that FOUND matches and say
// below it the sentence of MEND, the one that the source has in the function which it
// names: "doctor.token: Ask Roam for a new one: %s". The number of one that stands there
// more than once is in brackets behind it. A MEND that is "doctor.mode: fix LABEL" is one
// that --fix does.
func finds(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: finds MEND FOUND [FLAGS…]")
	}
	a := ailmentOf(ts)
	*a = scriptAilment{flags: args[2:], found: regexp.MustCompile(args[1])}
	var at string
	if err := await.NoError(patience, func() error { // a server that has just told its address is listed right after
		if at = a.look(ts); at == "" {
			return errors.New(ts.ReadFile("stdout"))
		}
		return nil
	}); err != nil {
		ts.Fatalf("doctor does not find %s:\n%v", a.found, err)
	}
	_, sentence, _ := strings.Cut(args[0], ": ")
	if strings.HasPrefix(sentence, "fix ") {
		a.commands = []string{"roam-mcp " + strings.Join(append(a.flags, "doctor", "--fix"), " ")}
		return
	}
	said := sentencePattern(sentence).FindStringSubmatch(at)
	if said == nil {
		ts.Fatalf("%s is not said:\n%s", sentence, at)
	}
	for _, operand := range said[1:] {
		if strings.HasPrefix(operand, "roam-mcp") || strings.HasPrefix(operand, "chmod ") {
			a.commands = append(a.commands, nextSentence.Split(operand, 2)[0])
		}
	}
}

// nextSentence matches the beginning of a sentence behind a command on its line.
var nextSentence = regexp.MustCompile(`[.;]? [A-Z][a-z' ,]*: `)

// look runs doctor, and returns what it says of the finding; nothing where it does not have it.
func (a *scriptAilment) look(ts *testscript.TestScript) string {
	_ = ts.Exec("roam-mcp", append(slices.Clone(a.flags), "doctor")...) // fails where anything is not well
	var about []string
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		switch begins := !strings.HasPrefix(line, " "); {
		case begins && len(about) > 0:
			return strings.Join(about, "\n")
		case begins && a.found.MatchString(line), !begins && len(about) > 0:
			about = append(about, strings.TrimSpace(line))
		}
	}
	return strings.Join(about, "\n")
}

// sentencePattern matches what is said in a format, with a group for each operand.
func sentencePattern(format string) *regexp.Regexp {
	format = regexp.MustCompile(` \(\d+\)$`).ReplaceAllString(format, "")
	pattern := regexp.QuoteMeta(format)
	pattern = regexp.MustCompile(`%[sdvq]$`).ReplaceAllString(pattern, "(.+)")
	pattern = regexp.MustCompile(`%[sdvq]`).ReplaceAllString(pattern, "(.*?)")
	pattern = strings.ReplaceAll(pattern, `\. `, `\.? `) // none stands behind a command
	pattern = regexp.MustCompile(`\\\.$`).ReplaceAllString(pattern, `(?:\.|$)`)
	return regexp.MustCompile(`(?m)` + regexp.MustCompile(` `).ReplaceAllString(pattern, `\s+`))
}

// command returns the command that is printed for what was found; the first one unless
// an argument is the number of another. Arguments that are NAME=VALUE say what a person
// puts in the place of a NAME in it.
func (a *scriptAilment) command(ts *testscript.TestScript, args []string) string {
	number := 1
	var placed []string
	for _, arg := range args {
		if n, err := strconv.Atoi(arg); err == nil {
			number = n
		} else if name, value, ok := strings.Cut(arg, "="); ok {
			placed = append(placed, name, value)
		}
	}
	if number > len(a.commands) {
		ts.Fatalf("%d commands are printed: %q", len(a.commands), a.commands)
	}
	return strings.NewReplacer(placed...).Replace(a.commands[number-1])
}

// mend [NUMBER] [NAME=VALUE…] runs the command that doctor has printed, as it is printed.
func mend(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("sh", "-c", ailmentOf(ts).command(ts, args)))
}

// mendInTerminal [NUMBER] [SEES TYPES]… runs it in a terminal, where a person types
// something each time when something is seen.
func mendInTerminal(ts *testscript.TestScript, _ bool, args []string) {
	number := args[:len(args)%2]
	code, screen := typeInto(ts, ailmentOf(ts).command(ts, number), args[len(number):])
	if code != 0 {
		ts.Fatalf("exit code %d:\n%s", code, screen)
	}
}

// commandInTerminal CODE COMMAND [SEES TYPES]… runs a command in a terminal, where a person types something
// each time when something is seen, and which is to end with an exit code.
func commandInTerminal(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: in-terminal CODE COMMAND [SEES TYPES]...")
	}
	if code, screen := typeInto(ts, os.Expand(args[1], ts.Getenv), args[2:]); strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d:\n%s", code, screen)
	}
}

// typeInto runs a command of a shell in a terminal, where something is typed each time when something
// is seen, and returns its exit code and what is on the screen then.
func typeInto(ts *testscript.TestScript, line string, typed []string) (code int, screen string) {
	command := exec.Command("sh", "-c", line)
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
		command.Env = append(command.Env, name+"="+ts.Getenv(name))
	}
	command.Env, command.Dir = append(command.Env, "TERM=xterm-256color", "LANG=C.UTF-8"), ts.MkAbs(".")
	t, err := terminal.Start(command, 200, 50)
	ts.Check(err)
	defer t.Kill()
	for i := 0; i < len(typed); i += 2 {
		ts.Check(t.Await(patience, typed[i]))
		keys, err := strconv.Unquote(`"` + typed[i+1] + `"`)
		ts.Check(err)
		ts.Check(t.Type(keys))
	}
	code, err = t.Wait(patience)
	ts.Check(err)
	return code, fmt.Sprint(t.Screen())
}

// gone [FLAGS…] runs doctor, with other flags where they are given, which must not find any
// more what it found.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	a := ailmentOf(ts)
	if len(args) > 0 {
		a.flags = args
	}
	if a.found == nil {
		ts.Fatalf("there was nothing to find")
	}
	if at := a.look(ts); at != "" {
		ts.Fatalf("it is still found:\n%s", at)
	}
	*a = scriptAilment{}
}
