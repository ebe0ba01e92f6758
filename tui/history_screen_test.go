package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/textsafe"
)

// written is a call of an agent at the start of the test.
func written(summary string) history.Call {
	return history.Call{Graph: workGraph, Session: 41, Agent: "claude-code", Tool: "create_block", At: start, State: history.CallDone, Summary: summary}
}

// longHistory has so many calls, each a minute before the next.
func longHistory(calls int) *fakeHistory {
	f := &fakeHistory{}
	for i := range calls {
		call := written(fmt.Sprintf("block no. %d", calls-i))
		call.ID, call.At, call.Args = int64(calls-i), start.Add(time.Duration(-i)*time.Minute), make([]byte, 1000)
		f.calls = append(f.calls, call)
	}
	return f
}

// writeMany records so many calls.
func (f *fakeHistory) writeMany(calls int, summary string) {
	more := make([]history.Call, calls)
	for i := range more {
		more[i] = written(summary)
		more[i].ID, more[i].Args = f.calls[0].ID+int64(calls-i), make([]byte, 1000)
	}
	f.calls = append(more, f.calls...)
}

// watchedBy waits until so many screens watch the journal.
func watchedBy(f *fakeHistory, want int) step {
	return func(h *harness) {
		h.t.Helper()
		h.until(fmt.Sprintf("%d who watch the journal", want), func() bool { return f.is(func(f *fakeHistory) bool { return len(f.watching) == want }) })
	}
}

// choiceLine is the line of the screen with the choice.
func (h *harness) choiceLine() int {
	return slices.IndexFunc(strings.Split(h.screen(), "\n"), func(line string) bool { return strings.HasPrefix(line, " ▌") })
}

func TestHistory(t *testing.T) {
	news, settled, purged, roamAway, filtered := recorded(), recorded(), recorded(), recorded(), recorded()
	graphs, failing, long, followed, gone := recorded(), recorded(), longHistory(450), recorded(), recorded()
	does := func(f *fakeHistory, change func(*fakeHistory)) step {
		return func(*harness) { f.change(change) }
	}
	at := 0
	play(t, map[string]scene{
		"is said not to be there where there is none": in(configured, func(h *harness) { h.ports.History = nil }).then(
			press("h"), shown("There is no history here. Where there is one, this prints it:"), depth(1),
			press("enter", "h"), shown("There is no history here."), depth(2)),
		"shows what is new at once, and leaves the choice where it is": remembered(news).then(
			press("end", "up", "up", "up", "up", "up", "up"), rests, see("call the miller"), watchedBy(news, 1), func(h *harness) {
				at = h.choiceLine()
				for i := range 3 {
					news.write(written(fmt.Sprintf("news no. %d", i)))
				}
			}, see("↑ 5 more"), rests, func(h *harness) {
				if line := h.choiceLine(); line != at {
					h.t.Errorf("the choice went from line %d to %d:\n%s", at, line, h.screen())
				}
			}, shown("call the miller"), press("home"), rests, see("news no. 2"), press("enter"), see("› Change 416")),
		"follows the newest until somebody chooses": remembered(followed).then(
			does(followed, func(f *fakeHistory) { f.calls[0].State = history.CallDone }), rests,
			func(*harness) { followed.write(written("the newest")) }, see("414 create_block by claude-code", "+ the newest")),
		"shows what becomes of a call, and of what it changed": remembered(settled).then(
			see("running"), does(settled, func(f *fakeHistory) {
				f.calls[0].State = history.CallFailed
				f.calls[0].Code = "PAGE_EXISTS"
				f.diffs[413] = review.Diff{Head: []string{"413 it was refused"}}
			}), see("✗ refuse", "413 it was refused")),
		"becomes empty when all is purged": remembered(purged).then(
			does(purged, func(f *fakeHistory) { f.calls, f.sessions = nil, nil }), see("Nothing is recorded yet.", "So far nothing is kept.")),
		"reads older calls as they come in sight": remembered(long).then(
			func(h *harness) {
				if asked := long.is(func(f *fakeHistory) bool { return len(f.asked) == 1 }); !asked {
					h.t.Error("more than a page was read at first")
				}
			}, func(h *harness) {
				for range 10 {
					h.press("end")
					rests(h)
				}
			}, see("block no. 1 "), unseen("↓ more"), press("up", "up"), shown("block no. 2 "), press("home"), rests, see("block no. 450")),
		"asks Roam again when it is back": in(configured, journaled(roamAway), away).then(press("h"), rests, press("down", "down"), rests, see("not known: Roam can't be asked"), func(h *harness) {
			roamAway.is(func(f *fakeHistory) bool { // nobody is told
				f.diffs[411].Sections[0].Now, f.read = "as it was left", nil
				return true
			})
			polled(func(r *fakeRoam) { r.err = nil })(h)
		}, see("as it was left")),
		"is filtered by words and fields": remembered(filtered).then(
			press("/"), typed("OVEN"), rests, see("Nothing that was written fits."),
			press("ctrl+u"), typed(`plan tool:create`), rests, see("Reading pla"), unseen("3 blocks"),
			press("ctrl+u"), typed(`page:"Plan Q4" `), rests, see("3 blocks on"), unseen("Reading pla", "Old list"),
			press("ctrl+u"), typed(`gone:`), rests, see("Old list"), unseen("3 blocks on", "Reading pla"),
			press("ctrl+u"), typed(`gone:plan`), rests, see("Nothing that was written fits."),
			press("ctrl+u"), typed(`agent:cursor`), rests, unseen("claude-code  "), press("enter"), see("/ agent:cursor"),
			press("esc"), rests, see("3 blocks on"), unseen("agent:"), depth(2),
			press("/"), pasted("graph:pers\n"), rests, see("Personal"), unseen("Work  "), press("backspace", "esc"), depth(2), press("esc"), depth(1)),
		"has filters ready": remembered(graphs).then(
			press("down", "tab"), rests, see("All that was written to Work", "delete_block"), unseen("Personal  "),
			press("tab"), rests, see("Session s41", "delete_block"), unseen("move_blocks"),
			press("tab"), rests, see("What was written today"), unseen("Nov 20"),
			press("tab"), rests, see("All that agents have written"), press("shift+tab", "esc"), rests, see("All that agents have written"), depth(2)),
		"of a graph is of no other": in(configured, journaled(graphs)).then(
			press("enter", "h"), rests, see("History of Work", "delete_block"), unseen("create_block"),
			press("tab"), rests, see("Session s41"), press("tab"), rests, see("What was written to Work today"), press("tab"), see("All that was written to Work"), press("esc"), top[*graphScreen]),
		"says why it can't be read, and goes on by itself": remembered(failing).then(
			does(failing, func(f *fakeHistory) { f.err = errors.New("the disk is gone") }), see("✗ The disk is gone.", "3 blocks on"),
			does(failing, func(f *fakeHistory) { f.err = nil }), func(h *harness) { h.handle(tickMsg{}) }, rests, unseen("The disk is gone.")),
		"ends its watching with its screens": remembered(gone).then(
			watchedBy(gone, 1), press("enter"), watchedBy(gone, 2), press("esc"), watchedBy(gone, 1), press("w"), see("What is kept", "To forget what is kept"), press("esc", "esc"), watchedBy(gone, 0)),
	})
}

func TestHistoryStaysSmall(t *testing.T) {
	f := recorded()
	h := remembered(f)(t, 80, 24)
	s := h.root.top().(*historyScreen)
	for i := range 30 {
		f.change(func(f *fakeHistory) { f.writeMany(100, fmt.Sprintf("round %d", i)) })
		h.untilShown(fmt.Sprintf("round %d ", i))
		rests(h)
	}
	if len(s.feed.calls) > keptFollowing || cap(s.feed.calls) > 4*keptFollowing {
		t.Errorf("%d calls are held, with room for %d", len(s.feed.calls), cap(s.feed.calls))
	}
	for i, call := range s.feed.calls {
		if call.ID != s.feed.calls[0].ID-int64(i) || call.Args != nil {
			t.Fatalf("call %d is at %d, with arguments of %d bytes", call.ID, i, len(call.Args))
		}
	}
	t.Run("and has no gap after much was written at once", func(t *testing.T) {
		h.press("down") // nothing is followed any more
		f.change(func(f *fakeHistory) { f.writeMany(3*historyScan, "at once") })
		h.until("what is new", func() bool { return s.feed.calls[0].Summary == "at once" })
		rests(h)
		for range 30 {
			h.press("pgdown")
			rests(h)
		}
		for i, call := range s.feed.calls {
			if call.ID != s.feed.calls[0].ID-int64(i) {
				t.Fatalf("call %d is at %d", call.ID, i)
			}
		}
	})
}

func TestUndoOnTheHistory(t *testing.T) {
	session, redo, ran, stopped, refused := recorded(), recorded(), recorded(), recorded(), recorded()
	redo.calls[1].UndoneBy, stopped.stuck = 414, true
	asked := func(f *fakeHistory, calls string, again bool) step {
		return func(h *harness) {
			want := Undo{Calls: calls, Redo: again}
			if last := f.planned[len(f.planned)-1]; last != want {
				h.t.Errorf("asked for %v, want %v", last, want)
			}
		}
	}
	play(t, map[string]scene{
		"asks first, and shows the differences": remembered(ran).then(
			press("down", "u"), rests, see("12 changes to be undone"), asked(ran, "412", false),
			press("d"), rests, see("› Change 412"), press("esc", "esc"), func(h *harness) {
				if ran.ran > 0 {
					h.t.Error("it ran without a yes")
				}
			}, press("u"), rests, press("y"), see("12 changes of Work undone", "● undone"), rests,
			press("u"), see("412 is undone already"), press("esc"), unseen("12 changes of Work"), depth(2)),
		"is of the session": remembered(session).then(press("down", "U"), rests, see("Undo session s41"), asked(session, "s41", false)),
		"is taken back":     remembered(redo).then(press("down", "r"), rests, see("Redo 412"), asked(redo, "412", true), press("y"), see("redone"), rests, press("r"), see("412 is not undone")),
		"stops after the step under way, and goes on": remembered(stopped).then(
			press("down", "u"), rests, press("y"), see("2 of 12 changes"), press("u"), see("One is under way"),
			press("esc"), see("Stopped. Undo 412: 3 of 12 changes taken back."), depth(2),
			func(*harness) { stopped.change(func(f *fakeHistory) { f.stuck = false }) },
			press("u"), rests, press("y"), see("12 changes of Work undone")),
		"of a call that runs is refused": remembered(refused).then(press("u"), see("413 is still running")),
	})
}

// TestHistoryOfHostileTexts relies on checkFrame, which looks at every frame.
func TestHistoryOfHostileTexts(t *testing.T) {
	texts := unusualNicknames()
	texts["control"] = "\x1b]0;evil\x07\x1b[31mred\x1b[2J \r\n\t\x00\x9b31m del\x7f"
	texts["direction"] = "\u202eevil\u202c \u2066x\u2069 \u200f"
	texts["long"] = strings.Repeat("word ", 400)
	texts["unbroken"] = strings.Repeat("x", 3000)
	texts["invalid"] = "\xff\xfe\xc3"
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := recorded()
			call := history.Call{
				ID: 500, Graph: history.Graph{Name: text, Type: "hosted"}, Session: 41, Agent: text, Client: text, Tool: text, At: start,
				State: history.CallFailed, Code: text, Summary: text,
			}
			f.calls = slices.Insert(f.calls, 0, call)
			f.sessions = slices.Insert(f.sessions, 0, history.Session{ID: 42, Agent: text, Opened: start, Alive: true})
			f.notices = []history.Notice{{Message: text}}
			section := review.Section{Path: []string{text, text}, UID: text, Now: text}
			for _, kind := range []review.Kind{review.Context, review.Removed, review.Added, review.Note} {
				section.Lines = append(section.Lines, review.DiffLine{Kind: kind, Text: "    " + text})
			}
			f.diffs[500] = review.Diff{Head: []string{text, text}, Says: text, Sections: []review.Section{section, {}}, Foot: []string{text}}
			h := remembered(f)(t, 80, 24)
			for _, keys := range [][]string{nil, {"/"}, {"enter", "tab"}, {"tab"}, {"esc", "enter"}, {"end"}} {
				h.press(keys...)
				if keys != nil && keys[0] == "/" {
					h.typeText("wor")
				}
				rests(h)
				for _, size := range [][2]int{{60, 16}, {61, 17}, {79, 24}, {99, 24}, {100, 30}, {140, 40}, {300, 80}} {
					resized(size[0], size[1])(h)
					for _, r := range h.screen() {
						if r != '\n' && textsafe.Unshowable(r) && r != '\u200d' {
							t.Fatalf("%U is on the screen:\n%q", r, h.screen())
						}
					}
				}
			}
		})
	}
}

// TestHistoryIsReadOnceAtATime counts on what keeps a screen cheap while agents write:
// keys and news start no second reading, of the journal or of a difference.
func TestHistoryIsReadOnceAtATime(t *testing.T) {
	f := recorded()
	h := remembered(f)(t, 80, 24)
	s := h.root.top().(*historyScreen)
	s.update(newsMsg{id: s.id})
	reading, id := s.reading.id, s.diff.id
	if reading == 0 || s.diff.reading == 0 {
		t.Fatal("nothing is read")
	}
	for range 5 {
		s.update(newsMsg{id: s.id})
		s.update(keyPress("down"))
	}
	if s.reading.id != reading || s.diff.id != id {
		t.Error("a second reading has begun")
	}
}

func TestHistoryOfPurgedTexts(t *testing.T) {
	f := recorded()
	f.change(func(f *fakeHistory) { f.calls[1].TextsGone, f.calls[1].Summary = true, "" })
	h := remembered(f)(t, 100, 30)
	shown("texts not kept")(h)
}
