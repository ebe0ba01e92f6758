package tui

import (
	"testing"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/problem"
)

var (
	workGraph     = history.Graph{Name: "jfb-work-notes-2024", Type: "hosted"}
	personalGraph = history.Graph{Name: "personal-zettelkasten", Type: "offline"}
)

// recorded is a journal with calls of two agents, in every state.
func recorded() *fakeHistory {
	f := &fakeHistory{}
	add := func(id int64, before time.Duration, agent string, session int64, graph history.Graph, tool, summary string, state history.CallState) *history.Call {
		f.calls = append(f.calls, history.Call{
			ID: id, Graph: graph, Session: session, Server: session, Agent: agent, Client: agent, Tool: tool,
			At: start.Add(-before), Took: 61 * time.Millisecond, State: state, Summary: summary, Changes: 1, Blocks: 1,
		})
		return &f.calls[len(f.calls)-1]
	}
	add(413, time.Second, "cursor", 40, personalGraph, "create_page", `page "Reading plan"`, history.CallOpen)
	add(412, 61*time.Second, "claude-code", 41, workGraph, "update_blocks", `3 blocks on "Plan Q4"`, history.CallDone)
	add(411, 69*time.Second, "claude-code", 41, workGraph, "delete_block", `"Old list" and 11 below, 2 refs`, history.CallDone)
	add(410, 80*time.Second, "cursor", 40, personalGraph, "create_block", `4 blocks on November 21st, 2026`, history.CallDone)
	add(409, 91*time.Second, "claude-code", 41, workGraph, "update_page", `"Ideas" renamed "Ideas 2026"; 23 refs`, history.CallDone).Evidence = "looked"
	add(408, 5*time.Minute, "cursor", 40, personalGraph, "update_block", "", history.CallStopped).Code = "READ_ONLY"
	add(407, 2*time.Hour, "claude-code", 39, workGraph, "move_blocks", `2 blocks to "Archive"`, history.CallPartly)
	add(406, 30*time.Hour, "claude-code", 38, workGraph, "create_page", `page "Plan Q4"`, history.CallUnknown)
	add(405, 31*time.Hour, "an agent with quite a long name", 37, workGraph, "batch", `12 blocks on 3 pages`, history.CallFailed).Code = "TOKEN_NOT_FOUND"
	f.sessions = []history.Session{
		{ID: 41, Agent: "claude-code", Opened: start.Add(-4 * time.Minute), Last: start.Add(-61 * time.Second), Calls: 3, Alive: true},
		{ID: 40, Agent: "cursor", Opened: start.Add(-2 * time.Hour), Last: start.Add(-time.Second), Calls: 3, Alive: true},
		{ID: 39, Agent: "claude-code", Opened: start.Add(-3 * time.Hour), Last: start.Add(-2 * time.Hour), Calls: 1},
	}
	f.diffs = map[int64]review.Diff{
		412: {
			Head: []string{"412  update_blocks by claude-code (session s41) in Work, 14:01:10, 61 ms"},
			Says: "tidy up the plan",
			Sections: []review.Section{
				{Path: []string{"Plan Q4", "Milestones"}, UID: "hH38FJnvO", Now: "as it was left", NowMark: review.Done, Lines: []review.DiffLine{
					{Kind: review.Removed, Text: "Ship the beta by [[December 1st, 2026]]"},
					{Kind: review.Added, Text: "Ship the beta by [[December 8th, 2026]]"},
					{Kind: review.Note, Text: "heading 2, was 3"},
				}},
				{Path: []string{"Plan Q4", "Budget"}, UID: "k4B2xY9pL", Now: "changed since by Ana, 14:20", NowMark: review.Unsure, Lines: []review.DiffLine{
					{Kind: review.Context, Text: "Budget"},
					{Kind: review.Removed, Text: "  two ovens and the van, as we said when we last went through the list together with the people of the bakery"},
					{Kind: review.Added, Text: "  two ovens"},
				}},
				{Path: []string{"Plan Q4", "Open questions"}, UID: "zQ81mmT0a", Now: "gone", NowMark: review.Failed, Lines: []review.DiffLine{
					{Kind: review.Added, Text: "Who drives?"},
				}},
			},
			Foot: []string{"Times and users can't be restored."},
		},
		411: {
			Head: []string{"411  delete_block by claude-code (session s41) in Work, 14:01:02, 40 ms"},
			Sections: []review.Section{{Path: []string{"Plan Q4", "Old list"}, UID: "oLd111111", Now: "not known: Roam can't be asked", NowMark: review.Unsure, Lines: []review.DiffLine{
				{Kind: review.Removed, Text: "Old list"}, {Kind: review.Removed, Text: "  call the miller"}, {Kind: review.Removed, Text: "  ask for the price"},
			}}},
		},
	}
	return f
}

// journaled has a journal.
func journaled(f *fakeHistory) world { return func(h *harness) { h.ports.History = f } }

// remembered is a history with calls of today and before, opened.
func remembered(f *fakeHistory) scene {
	return in(configured, journaled(f)).then(press("h"), func(h *harness) {
		h.t.Helper()
		h.until("the history", h.atRest)
	})
}

// atRest reports whether the screens of the history wait for nothing.
func (h *harness) atRest() bool {
	for _, s := range h.root.stack {
		switch s := s.(type) {
		case *historyScreen:
			if !s.watched || s.reading.id != 0 || s.outdated && s.err == nil || s.diff.reading != 0 {
				return false
			}
		case *diffScreen:
			if s.diff.reading != 0 {
				return false
			}
		case *undoDialog:
			if s.id != 0 {
				return false
			}
		}
	}
	return true
}

func rests(h *harness) { h.t.Helper(); h.until("rest", h.atRest) }

func historyScenes() map[string]scene {
	of := func(steps ...step) scene {
		return func(t *testing.T, width, height int) *harness {
			return remembered(recorded()).then(steps...).then(rests)(t, width, height)
		}
	}
	notices := func(h *harness) {
		f := recorded()
		f.notices = []history.Notice{{Code: "HISTORY_DAMAGED", Message: "The journal was damaged. It is kept as journal.damaged-2026-11-21.db, and a new one has begun.", Hint: problem.Say("What was recorded before is not listed here.")}}
		h.ports.History = f
	}
	undoes := func(left string, stuck bool, steps ...step) scene {
		return func(t *testing.T, width, height int) *harness {
			f := recorded()
			f.left, f.stuck = left, stuck
			return remembered(f).then(press("down", "u"), rests).then(steps...).then(rests)(t, width, height)
		}
	}
	const stays = "  ▲ 412.2  ((k4B2xY9pL))  text stays: it was changed since, by Ana (was \"two ovens and the van\", left \"two ovens\", is \"three ovens\")\n  ▲ 412.3  ((zQ81mmT0a)) stays: something that was written since refers to it\n"
	opened := []step{press("h"), rests}
	ascii := func(h *harness) { h.options.Environ = []string{"TERM=xterm-256color", "LANG=C", "HOME=/home/ada"} }
	return map[string]scene{
		"history":          of(press("down")),
		"history-top":      of(),
		"history-end":      of(press("end")),
		"history-diff":     of(press("down", "enter")),
		"history-diff-end": of(press("down", "enter", "end")),
		"history-gone":     of(press("down", "down")),
		"history-filter":   of(press("/"), typed("plan"), rests),
		"history-none":     of(press("/"), typed("nothing like it"), rests),
		"history-session":  of(press("down", "tab", "tab")),
		"history-today":    of(press("shift+tab")),
		"history-kept":     of(press("w")),
		"history-empty":    in(configured, journaled(&fakeHistory{})).then(opened...),
		"history-notices":  in(configured, notices).then(opened...),
		"history-newer": in(configured, journaled(&fakeHistory{err: &problem.Error{
			Code: "HISTORY_TOO_NEW", Message: "The journal was written by a newer roam-mcp.", Hint: problem.Say("Update this one."),
		}})).then(opened...),
		"history-ascii":      in(configured, ascii, journaled(recorded())).then(press("h"), rests, press("down"), rests),
		"history-ascii-diff": in(configured, ascii, journaled(recorded())).then(press("h"), rests, press("down"), rests, press("enter"), rests),
		"history-undo":       undoes("", false),
		"history-undo-left":  undoes(stays, false),
		"history-undo-runs":  undoes("", true, press("y"), see("2 of 12 changes")),
		"history-undo-stop":  undoes("", true, press("y"), see("2 of 12 changes"), press("esc"), see("Stopped")),
		"history-undo-done":  undoes("", false, press("y"), see("12 changes of Work undone")),
		"history-undo-part":  undoes(stays, false, press("y"), see("2 things left")),
		"history-of-graph":   in(configured, journaled(recorded())).then(press("enter", "h"), rests),
	}
}
