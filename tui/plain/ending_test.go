package plain

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// answered are the answers of each job that changes the configuration: the last
// of them is the one with which it is done.
var answered = map[string]struct {
	lines []string
	ask   problem.Code // how Roam answers; empty: it grants
}{
	"connect":              {lines: []string{"connect", "archive", "Old", "read only", "Ada"}},
	"connect by default":   {lines: []string{"connect", "1", "", "", ""}},
	"connect by name":      {lines: []string{"connect", "other", "somebodys", "", ""}},
	"rename":               {lines: []string{"rename", "Work", "Mine"}},
	"enable":               {lines: []string{"enable", "1"}},
	"disable":              {lines: []string{"disable", "work"}},
	"re-authorize":         {lines: []string{"re-authorize", "2", "full", ""}},
	"remove":               {lines: []string{"remove", "Work", "remove"}},
	"import":               {lines: []string{"import", "import"}},
	"a token by hand":      {lines: []string{"connect", "archive", "", "", "", "token", "PASTED"}, ask: localapi.CodeGraphBlocked},
	"after wrong answers":  {lines: []string{"x", "rename", "no such", "1", "Reading", "\x01", "Mine"}},
	"after other jobs":     {lines: []string{"graphs", "test", "Work", "guidelines", "Work", "files", "clients", "put back", "help", "", "disable", "1"}},
	"less, then cancelled": {lines: []string{"connect", "archive", "", "", "", "less", "less", "back", "disable", "1"}, ask: localapi.CodeUserRejected},
}

func TestAnInputThatEndsAnywhereIsAnErrorAndDoesNothingMore(t *testing.T) {
	for name, job := range answered {
		for kept := 0; kept <= len(job.lines); kept++ {
			t.Run(fmt.Sprintf("%s after %d of %d lines", name, kept, len(job.lines)), func(t *testing.T) {
				w := newWorld(t)
				if job.ask != "" {
					w.roam.ask = refuses(job.ask)
				}
				before, err := os.ReadFile(w.store.Path())
				if err != nil {
					t.Fatal(err)
				}
				lines := append([]string(nil), job.lines[:kept]...)
				for i, line := range lines {
					if line == "PASTED" {
						lines[i] = secret("hnd0").Reveal()
					}
				}
				printed, err := w.run(lines...)
				if !endedAt(err, "") {
					t.Fatalf("the error is %v\n%s", err, printed)
				}
				after, err := os.ReadFile(w.store.Path())
				if err != nil {
					t.Fatal(err)
				}
				if changed := !bytes.Equal(before, after); changed != (kept == len(job.lines)) {
					t.Errorf("the configuration has changed: %v\n%s", changed, printed)
				}
			})
		}
	}
}

func TestALineThatTheEndHasCutIsNoAnswer(t *testing.T) {
	w := newWorld(t)
	printed, err := w.runFrom(strings.NewReader("remove\nWork\nremove"))
	if !endedAt(err, "Remove it") {
		t.Errorf("the error is %v\n%s", err, printed)
	}
	if len(w.config().Entries) != 2 {
		t.Error("half a line has removed a graph")
	}
}

func TestNothingOfTheInputIsLostBetweenTwoQuestionsOfMyriadLines(t *testing.T) {
	w := newWorld(t)
	var lines []string
	for i := range 60 {
		lines = append(lines, "rename", "1", fmt.Sprintf("Name %d", i))
	}
	printed, err := w.run(append(lines, "quit")...)
	w.done(printed, err)
	for i := range 60 {
		w.has(printed, fmt.Sprintf("is now Name %d.", i))
	}
}

func TestAnInputThatCannotBeReadIsAnErrorWithItsCause(t *testing.T) {
	w := newWorld(t)
	broken := errors.New("the line is down")
	printed, err := w.runFrom(readerFunc(func([]byte) (int, error) { return 0, broken }))
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "the line is down") {
		t.Errorf("the error is %v\n%s", err, printed)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestALineOfAnyLengthIsAnsweredAndLeavesTheNextOneWhole(t *testing.T) {
	for _, length := range []int{maxLine - 1, maxLine, maxLine + 1, 1 << 20} {
		w := newWorld(t)
		printed, err := w.run(strings.Repeat("x", length), "disable\r", "1", "quit")
		w.done(printed, err)
		if length >= maxLine {
			w.has(printed, "That line is longer than 4096 bytes.")
		}
		w.has(printed, "Work is disabled")
	}
}

func TestAnswersThatNoTerminalShouldSeeAreRefusedAndNotRepeated(t *testing.T) {
	w := newWorld(t)
	printed, err := w.run("rename", "Work", "\x1b]0;evil\x07", "bad \xff utf-8", secret("lost").Reveal(), "Fine", secret("lost").Reveal(), "quit")
	w.done(printed, err)
	w.has(printed, "That line holds characters that can't be part of an answer.", "This is a token, not a nickname.", "Work is now Fine.")
}

func TestAConfigurationThatCannotBeReadIsToldAndLeftAlone(t *testing.T) {
	w := newWorld(t)
	const broken = "{\n  \"graphs\": [,]\n}\n"
	if err := os.WriteFile(w.store.Path(), []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, err := w.run("connect", "rename", "remove", "graphs", "import", "import", "quit")
	w.done(printed, err)
	w.has(printed, "line 2", "archive, hosted: not open.")
	if strings.Contains(strings.ToLower(printed), "is connected") || strings.Contains(printed, "not connected") {
		t.Errorf("what is connected is not known, but told:\n%s", printed)
	}
	if data, err := os.ReadFile(w.store.Path()); err != nil || string(data) != broken {
		t.Errorf("the file is %q now, %v", data, err)
	}
}

func TestAConfigurationThatOthersCanReadIsClosed(t *testing.T) {
	w := newWorld(t)
	if err := os.Chmod(w.store.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	if len(w.config().Problems) == 0 {
		t.Skip("modes say nothing here")
	}
	printed, err := w.run("close", "help", "quit")
	w.done(printed, err)
	w.has(printed, "f closes it.", "is now yours alone to read.")
	if problems := w.config().Problems; len(problems) > 0 {
		t.Errorf("problems are left: %v", problems)
	}
}

// endedAt reports whether err says that the input ended at a question, which any
// is where question is empty.
func endedAt(err error, question string) bool {
	e, ok := problem.As(err)
	if question != "" {
		question = strconv.Quote(question)
	}
	return ok && e.Code == CodeInputEnded && strings.Contains(e.Message, "at the question "+question)
}
