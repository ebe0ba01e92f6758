package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/journal/history"
	"roam-mcp/tui/kit"
)

// undoRun is an undo or a redo that is under way, or what came of the last one.
type undoRun struct {
	id        int // of the run under way; 0: none
	cancel    context.CancelFunc
	stopping  bool // it ends after the step under way
	what      string
	at, of    int           // plans that are done, and all of them
	done, all int           // changes of the plan under way
	waits     time.Duration // for Roam, which takes no more writes
	told      []string
	failed    string
}

// Messages of a run.
type (
	undoProgressMsg struct {
		id, at, done, all int
		waits             time.Duration
	}
	undoneMsg struct {
		id     int
		told   []string // what was done
		failed error
		done   int // changes that are taken back
		all    int // that were to be
	}
)

// undoSelected asks what taking back the chosen call, or its session, would do.
func (s *historyScreen) undoSelected(session bool) action {
	at := s.list.Selected()
	if at < 0 {
		return nil
	}
	call := s.feed.calls[at]
	switch {
	case s.run.id != 0:
		return inform("One is under way. esc stops it.")
	case session:
		return s.plan(fmt.Sprintf("s%d", call.Session), "Undo session", false)
	case call.State == history.CallOpen:
		return inform(fmt.Sprintf("%d is still running.", call.ID))
	case call.Changes == 0:
		return inform(fmt.Sprintf("%d changed nothing.", call.ID))
	case call.UndoneBy != 0 && !call.PartlyUndone:
		return inform(fmt.Sprintf("%d is undone already, by %d. r redoes it.", call.ID, call.UndoneBy))
	}
	return s.plan(fmt.Sprint(call.ID), "Undo", false)
}

// redoSelected asks what taking back the chosen undo would do, or that of the chosen call.
func (s *historyScreen) redoSelected() action {
	at := s.list.Selected()
	if at < 0 {
		return nil
	}
	call := s.feed.calls[at]
	switch {
	case s.run.id != 0:
		return inform("One is under way. esc stops it.")
	case !redoable(call):
		return inform(fmt.Sprintf("%d is not undone.", call.ID))
	}
	return s.plan(fmt.Sprint(call.ID), "Redo", true)
}

// redoable reports whether a call is an undo that is not taken back, or is undone.
func redoable(call history.Call) bool {
	return (history.IsUndo(call.Tool) && call.Tool != history.ToolRedo) == (call.UndoneBy == 0)
}

// plan opens the dialog that says what an undo would do. The chosen call stays chosen.
func (s *historyScreen) plan(calls, verb string, redo bool) action {
	s.list.Hold()
	what := verb + " " + calls
	return open{newUndoDialog(s.env, what, Undo{Calls: calls, Redo: redo}, func(plans []UndoPlan) tea.Cmd {
		return s.runUndo(what, plans)
	})}
}

// runUndo does what was planned, one graph after the other. What is sent is finished where
// the screen closes; the rest is left.
func (s *historyScreen) runUndo(what string, plans []UndoPlan) tea.Cmd {
	ctx, cancel := context.WithCancel(s.ctx)
	id, glyphs := s.env.nextID(), s.env.Glyphs
	s.run = undoRun{id: id, cancel: cancel, what: what, of: len(plans)}
	return reporting(s.ctx, func(send func(tea.Msg)) {
		defer cancel()
		end := undoneMsg{id: id}
		for i, p := range plans {
			result, err := Undone{}, ctx.Err()
			if err == nil {
				result, err = p.Run(ctx, func(done, all int, waits time.Duration) {
					send(undoProgressMsg{id, i, done, all, waits})
				})
			}
			end.done += result.Changes
			end.all += max(p.Changes, result.Changes)
			if end.failed == nil {
				end.failed = err
			}
			if err == nil {
				end.told = append(end.told, splitLines(result.Text(glyphs))...)
			}
		}
		send(end)
	})
}

// tellRun takes a message of the run.
func (s *historyScreen) tellRun(msg tea.Msg) {
	switch msg := msg.(type) {
	case undoProgressMsg:
		if msg.id == s.run.id {
			s.run.at, s.run.done, s.run.all, s.run.waits = msg.at, msg.done, msg.all, msg.waits
		}
	case undoneMsg:
		if msg.id != s.run.id {
			return
		}
		run := undoRun{told: msg.told}
		part := fmt.Sprintf("%s: %d of %s taken back.", s.run.what, msg.done, kit.Plural(msg.all, "change"))
		switch {
		case msg.failed != nil && s.run.stopping:
			run.failed = "Stopped. " + part + " The same key goes on."
		case msg.failed != nil:
			run.failed = part + " " + s.env.words.Error(msg.failed)
		}
		s.run = run
		s.reading.news, s.diff.stale = true, true
	}
}

// leaveRun stops the run, or takes away what is told of the last one. It reports whether
// there was either.
func (s *historyScreen) leaveRun() bool {
	switch {
	case s.run.id != 0:
		s.run.stopping = true
		s.run.cancel()
	case s.run.told == nil && s.run.failed == "":
		return false
	default:
		s.run = undoRun{}
	}
	return true
}

// lines says how far the run is, or what came of it.
func (r undoRun) lines(e *env, width int) (out []string) {
	add := func(glyph string, style kit.Style, text string) {
		out = append(out, kit.Hang(" "+glyph+" ", kit.WrapStyled(style, kit.Sanitize(text), width-5))...)
	}
	if r.id != 0 {
		text := r.what + e.Glyphs.Ellipsis
		if r.all > 0 {
			text = fmt.Sprintf("%s: %d of %s", r.what, r.done, kit.Plural(r.all, "change"))
		}
		if r.of > 1 {
			text += fmt.Sprintf(", graph %d of %d", r.at+1, r.of)
		}
		if r.waits > 0 {
			text += fmt.Sprintf("; Roam takes more writes in %d seconds", int(r.waits.Seconds()))
		}
		if r.stopping {
			text += "; it stops after the step under way"
		}
		add(e.Theme.Accent.Render(e.spinner()), e.Theme.Strong, text)
		return out
	}
	for _, line := range r.told {
		out = append(out, e.planLine(line, width-2)...)
	}
	if r.failed != "" {
		add(e.Theme.Warning.Render(e.Glyphs.Warning), e.Theme.Text, r.failed)
	}
	return out
}

// planLine returns a line of what historyview says of a plan, wrapped and in its colour.
func (d *drawing) planLine(line string, width int) []string {
	text := strings.TrimLeft(line, " ")
	lead, style := strings.Repeat(" ", 1+len(line)-len(text)), d.Theme.Muted
	for sign, look := range map[string]kit.Style{d.Glyphs.Warning: d.Theme.Warning, d.Glyphs.Marked: d.Theme.Success} {
		if rest, ok := strings.CutPrefix(text, sign+" "); ok {
			text, lead, style = rest, lead+look.Render(sign)+" ", d.Theme.Text
		}
	}
	return kit.Hang(lead, kit.WrapStyled(style, kit.Sanitize(text), width-ansi.StringWidth(lead)))
}

// splitLines returns the lines of a text that ends with one.
func splitLines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }
