package plain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// TestInputEnds ends the input after each answer of each job that changes the
// configuration: the last answer is the one with which it is done.
func TestInputEnds(t *testing.T) {
	byHand := secret("hnd0").Reveal()
	for name, job := range map[string]struct {
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
		"a token by hand":      {lines: []string{"connect", "archive", "", "", "", "token", byHand}, ask: localapi.CodeGraphBlocked},
		"after wrong answers":  {lines: []string{"x", "rename", "no such", "1", "Reading", "\x01", "Mine"}},
		"after other jobs":     {lines: []string{"graphs", "test", "Work", "guidelines", "Work", "files", "clients", "", "put back", "help", "", "disable", "1"}},
		"less, then cancelled": {lines: []string{"connect", "archive", "", "", "", "less", "less", "back", "disable", "1"}, ask: localapi.CodeUserRejected},
	} {
		for kept := range len(job.lines) + 1 {
			t.Run(fmt.Sprintf("%s after %d of %d lines", name, kept, len(job.lines)), func(t *testing.T) {
				w := newWorld(t)
				if job.ask != "" {
					w.roam.ask = refuses(job.ask)
				}
				before := w.file()
				printed, err := w.run(job.lines[:kept]...)
				if !endedAt(err, "") {
					t.Fatalf("the error is %v\n%s", err, printed)
				}
				if changed := !bytes.Equal(before, w.file()); changed != (kept == len(job.lines)) {
					t.Errorf("the configuration has changed: %v\n%s", changed, printed)
				}
			})
		}
	}
}

func TestInput(t *testing.T) {
	t.Run("that ends within a line is no answer", func(t *testing.T) {
		w := newWorld(t)
		if _, err := w.runFrom(strings.NewReader("remove\nWork\nremove")); !endedAt(err, "Remove it") || len(w.config().Entries) != 2 {
			t.Errorf("the error is %v, the entries are %v", err, w.config().Entries)
		}
	})
	t.Run("that can't be read is an error with its cause", func(t *testing.T) {
		broken := errors.New("the line is down")
		if _, err := newWorld(t).runFrom(iotest.ErrReader(broken)); !errors.Is(err, broken) || !strings.Contains(err.Error(), "the line is down") {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("is not lost between two questions", func(t *testing.T) {
		var lines, said []string
		for i := range 60 {
			lines = append(lines, "rename", "1", fmt.Sprintf("Name %d", i))
			said = append(said, fmt.Sprintf("is now Name %d.", i))
		}
		newWorld(t).says(lines, said...)
	})
	t.Run("of any length leaves the next line whole", func(t *testing.T) {
		for _, length := range []int{maxLine - 1, maxLine, maxLine + 1, 1 << 20} {
			printed := newWorld(t).says([]string{strings.Repeat("x", length), "disable\r", "1"}, "Work is disabled")
			if long := strings.Contains(printed, "That line is longer than 4096 bytes."); long != (length >= maxLine) {
				t.Errorf("of %d bytes it says:\n%s", length, printed)
			}
		}
	})
	t.Run("that no terminal should see is refused and not repeated", func(t *testing.T) {
		newWorld(t).says([]string{"rename", "Work", "\x1b]0;evil\x07", "bad \xff utf-8", secret("lost").Reveal(), "Fine", secret("lost").Reveal()},
			"That line holds characters that can't be part of an answer.", "This is a token, not a nickname.", "Work is now Fine.")
	})
}

func TestConfiguration(t *testing.T) {
	t.Run("that can't be read is told and left alone", func(t *testing.T) {
		w := newWorld(t)
		const broken = "{\n  \"graphs\": [,]\n}\n"
		require.NoError(t, os.WriteFile(w.store.Path(), []byte(broken), 0o600))
		printed := w.says([]string{"connect", "rename", "remove", "graphs", "import", "import"}, "line 2", "archive, hosted: not open.")
		if strings.Contains(strings.ToLower(printed), "is connected") || strings.Contains(printed, "not connected") || string(w.file()) != broken {
			t.Errorf("what is connected is not known, but told:\n%s", printed)
		}
	})
	t.Run("that lacks a token for a graph gets one", func(t *testing.T) {
		w := newWorld(t)
		require.NoError(t, os.WriteFile(w.store.Path(), []byte(`{"graphs":[{"name":"archive","nickname":"Mine"}]}`), 0o600))
		w.says(connecting(), "Mine, graph archive, hosted: not connected: no token in the configuration.", "it has no token.", "(default: Mine)")
		if config := w.config(); len(config.Entries) != 1 || config.Entries[0].Nickname != "Mine" || len(config.Problems) != 0 {
			t.Errorf("the configuration is %+v", config)
		}
	})
	t.Run("that others can read is closed", func(t *testing.T) {
		w := newWorld(t)
		require.NoError(t, os.Chmod(w.store.Path(), 0o644))
		if len(w.config().Problems) == 0 {
			t.Skip("modes say nothing here")
		}
		w.says([]string{"close", "help"}, "f closes it.", "is now yours alone to read.")
		if problems := w.config().Problems; len(problems) > 0 {
			t.Errorf("problems are left: %v", problems)
		}
	})
}

// says answers with the lines and then quits, and wants the texts printed.
func (w *world) says(lines []string, texts ...string) (printed string) {
	w.Helper()
	printed, err := w.run(append(slices.Clone(lines), "quit")...)
	if err != nil {
		w.Fatalf("%v\n%s", err, printed)
	}
	w.has(printed, texts...)
	return printed
}

// later is an input that writes lines, runs what is to happen then, and stays open
// where that leaves it open.
func later(then func(*io.PipeWriter), lines ...string) io.Reader {
	reader, writer := io.Pipe()
	go func() {
		_, _ = io.WriteString(writer, strings.Join(lines, "\n")+"\n") // the program may have ended
		then(writer)
	}()
	return reader
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
