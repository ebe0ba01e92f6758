package tui

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
)

// Worlds of the Clients screen.

// provesSo has every proof end like that.
func provesSo(run prove) world { return func(h *harness) { h.clients.prove = run } }

// threeHere has three clients on the machine, and none of them configured.
func threeHere(h *harness) {
	code := aClient("claude-code", "Claude Code", ".claude.json", clients.Present)
	desktop := aClient("claude-desktop", "Claude Desktop", ".config/Claude/claude_desktop_config.json", clients.Present)
	desktop.Client.AfterWrite = "Restart Claude Desktop."
	h.clients.all = []install.Status{code, desktop, aClient("cursor", "Cursor", ".cursor/mcp.json", clients.Present), aClient("zed", "Zed", ".config/zed/settings.json", clients.Absent)}
}

func noneHere(h *harness) {
	h.clients.all = []install.Status{aClient("zed", "Zed", ".config/zed/settings.json", clients.Absent), aClient("kiro", "Kiro", ".kiro/settings/mcp.json", clients.Absent)}
}

// linkHere has a client that is configured by a link.
func linkHere(h *harness) {
	cherry := aClient("cherry-studio", "Cherry Studio", "", clients.Present)
	cherry.File = ""
	h.clients.all = []install.Status{cherry}
}

func byWay(way clients.Way) world { return func(h *harness) { h.clients.way = way } }

// hangs is a proof that ends with its context.
func hangs(ctx context.Context, report func(install.ProofStep)) (install.Proof, error) {
	report(install.ProofStep{ID: install.StepStart, Found: "/usr/local/bin/roam-mcp"})
	report(install.ProofStep{ID: install.StepInitialize, Running: true})
	<-ctx.Done()
	return install.Proof{}, ctx.Err()
}

// clientsOf is the Clients screen in some worlds.
func clientsOf(worlds ...world) scene {
	return in(worlds...).then(press("m"), see("Where should agents find your graphs?"))
}

func clientsScenes() map[string]scene {
	written := clientsOf(configured, threeHere).then(press("enter"), planned, press("enter"), allProven(1))
	return map[string]scene{
		"clients":               clientsOf(configured),
		"clients-filter":        clientsOf(configured).then(press("/"), typed("co")),
		"clients-filter-none":   clientsOf(configured).then(press("/"), typed("zz")),
		"clients-three":         clientsOf(configured, threeHere).then(press("space", "space")),
		"clients-none":          clientsOf(configured, noneHere),
		"clients-all":           clientsOf(configured).then(press("a")),
		"clients-options":       clientsOf(configured).then(press("o", "right", "down"), see("this graph alone")),
		"clients-options-tools": clientsOf(configured).then(press("o", "end"), see("a graph")),
		"clients-first-call":    written.then(calls(3), see("first real call by claude-code, 3 s ago")),
		"clients-change":        clientsOf(configured, threeHere).then(press("enter"), see("write and prove")),
		"clients-command":       clientsOf(configured, threeHere, byWay(clients.ByCommand)).then(press("enter"), see("write and prove")),
		"clients-by-hand":       clientsOf(configured, threeHere, byWay(clients.ByText)).then(press("enter"), see("Paste this")),
		"clients-link":          clientsOf(configured, linkHere, byWay(clients.ByLink)).then(press("enter"), see("enter open the link", "y copy the link"), press("enter"), settled, see("Agree in Cherry Studio.")),
		"clients-link-shown":    clientsOf(configured, linkHere, byWay(clients.ByText)).then(press("enter"), see("Nothing opens links here", "cherrystudio://mcp/install", "y copy the link")),
		"clients-unreadable":    clientsOf(configured).then(press("down", "down", "down", "down", "enter"), see("column 7")),
		"clients-take-out":      clientsOf(configured).then(press("down", "u"), see("take it out")),
		"clients-proven":        written,
		"clients-three-done":    clientsOf(configured, threeHere).then(press("space", "space", "space", "enter"), planned, press("enter"), allProven(3)),
		"clients-proving":       clientsOf(configured, provesSo(hangs)).then(press("down", "t"), see("initialize")),
		"clients-roam-closed":   clientsOf(configured, provesSo(failsAt(install.MendOpenRoam, roamIsClosed()))).then(press("down", "t"), settled, see("Nothing answers")),
		"clients-one-silent":    clientsOf(configured, provesSo(provesWithoutOld(install.MendReauthorize, tokenIsGone()))).then(press("down", "t"), settled, see("Old does not answer", "f: re-authorize Old")),
		"clients-three-silent":  clientsOf(configured, threeHere, provesSo(provesWithoutOld(install.MendReauthorize, tokenIsGone()))).then(press("space", "space", "space", "enter"), planned, press("enter"), allProven(3), press("home"), see("its token is revoked")),
		"clients-revoked":       clientsOf(configured, provesSo(failsAt(install.MendReauthorize, tokenIsGone()))).then(press("down", "t"), settled, see("does not know this token")),
		"graph-test":            in(configured).then(press("t"), see("An agent can work with this graph.")),
		"graph-test-revoked": in(configured, func(h *harness) {
			h.ports.Prove = func(ctx context.Context, _ string, report func(install.ProofStep)) (install.Proof, error) {
				return failsAt(install.MendReauthorize, tokenIsGone())(ctx, report)
			}
		}).then(press("t"), see("f: re-authorize Work")),
		"serve-profile": clientsOf(configured, serves(newService())).then(press("o", "right", "esc", "s"), see("profile graph, Work")),
	}
}

// calls has Claude Code have called so many seconds ago, and the screen look.
func calls(seconds int) step {
	return func(h *harness) {
		h.t.Helper()
		h.clients.mu.Lock()
		h.clients.find("claude-code").Called = h.root.env.now.Add(-time.Duration(seconds) * time.Second)
		h.clients.mu.Unlock()
		h.run(h.root.top().(*clientsScreen).look())
		settled(h)
	}
}

// allProven waits until so many clients are.
func allProven(n int) step {
	return func(h *harness) {
		h.t.Helper()
		settled(h)
		proven := 0
		for _, job := range h.root.top().(*clientsScreen).jobs {
			if job.proving.succeeded() {
				proven++
			}
		}
		if proven != n {
			h.t.Errorf("%d clients are proven, want %d:\n%s", proven, n, h.screen())
		}
	}
}

// provesOn has every proof succeed from now on.
func provesOn(h *harness) { h.clients.prove = provesWork }

// stands wants a text to stand that often on the screen, of whatever height that takes.
func stands(text string, times int) step {
	return func(h *harness) {
		h.t.Helper()
		h.handle(tea.WindowSizeMsg{Width: 80, Height: 60}) // nothing stands beside the list
		if screen := h.screen(); strings.Count(screen, text) != times {
			h.t.Errorf("%q stands %d times on the screen, want %d:\n%s", text, strings.Count(screen, text), times, screen)
		}
	}
}

// planned waits until it is known what would change.
func planned(h *harness) {
	h.t.Helper()
	h.until("the plan", func() bool { s, ok := h.root.top().(*changesScreen); return ok && s.planned })
}

// settled waits until nothing is under way on the screen.
func settled(h *harness) {
	h.t.Helper()
	s := h.root.top().(*clientsScreen)
	h.until("the end of all work", func() bool {
		busy := s.looking != 0 || len(s.queue) > 0 || h.root.env.pendingWrites > 0
		for _, job := range s.jobs {
			busy = busy || job.queued || job.proving.stage == provingRuns
		}
		return !busy
	})
}

// applied wants the clients to have been written.
func applied(ids ...string) step {
	return func(h *harness) {
		h.t.Helper()
		h.clients.mu.Lock()
		defer h.clients.mu.Unlock()
		if !slices.Equal(h.clients.applied, ids) {
			h.t.Errorf("written: %q, want %q", h.clients.applied, ids)
		}
	}
}

func TestClients(t *testing.T) {
	play(t, map[string]scene{
		"writes and proves the selected client where it stands": clientsOf(configured, threeHere).then(
			press("enter"), planned, applied(), press("enter"),
			see("answered initialize as roam-mcp", "get_graph_guidelines on Work", "Ask Claude Code: what is in my graph?"), depth(2), applied("claude-code")),
		"writes and proves all that are chosen": clientsOf(configured, threeHere).then(
			press("space", "space", "space", "enter"), planned, press("enter"), allProven(3), applied("claude-code", "claude-desktop", "cursor"),
			press("home"), shown("Restart Claude Desktop. Ask Claude Desktop")),
		"esc leaves everything as it was":       clientsOf(configured, threeHere).then(press("enter"), see("Claude Code"), press("esc"), depth(2), applied()),
		"proves what is configured already":     clientsOf(configured).then(press("down", "enter"), see("configured like this already"), press("enter"), see("answered initialize"), applied()),
		"proves without writing":                clientsOf(configured).then(press("down", "t"), see("answered initialize"), applied()),
		"has nothing to prove before it is":     clientsOf(configured).then(press("t"), see("not configured yet, so there is nothing to prove")),
		"takes out":                             clientsOf(configured).then(press("down", "u"), see("take it out"), press("enter"), see("taken out of ~/.claude.json"), applied("claude-code")),
		"has nothing to take out":               clientsOf(configured).then(press("u"), see("nothing to take out")),
		"shows the text where a file is broken": clientsOf(configured).then(press("down", "down", "down", "down", "enter"), see("line 4, column 7"), press("enter"), depth(3), applied(), press("y"), see("Handed the text")),
		"copies the text of a client":           clientsOf(configured).then(press("y"), see("Handed the text for Claude Desktop to the terminal")),
		"keeps off clients that are not here":   clientsOf(configured).then(press("a", "end", "space"), see("Kiro is not on this machine"), press("enter"), depth(2)),
		"asks before it starts another program": clientsOf(configured, provesSo(failsAt(install.MendAgree, errGone()))).then(
			press("down", "t"), see("f: start it"), press("f"), see("Leave it", "Start it"), press("esc"), see("f: start it"), press("f"), press("tab", "enter"), settled),
		"says why writing failed":                    clientsOf(configured, threeHere, func(h *harness) { h.clients.applyErr = errDiskFull() }).then(press("enter"), planned, press("enter"), see("the disk is full"), unseen("answered initialize")),
		"says what the proof failed at":              clientsOf(configured, provesSo(failsAt(install.MendOpenRoam, roamIsClosed()))).then(press("down", "t"), see("Nothing answers on 127.0.0.1:3333."), shown("f open Roam")),
		"goes on once Roam answers":                  clientsOf(configured, provesSo(onceRoamAnswers())).then(press("down", "t"), see("Nothing answers"), roamIsAway, roamAnswers, see("get_graph_guidelines on Work")),
		"re-authorizes the graph, and goes on":       clientsOf(configured, provesSo(failsAt(install.MendReauthorize, tokenIsGone()))).then(press("down", "t"), see("f: re-authorize Work"), press("f"), see("Re-authorize Work")),
		"is proven where one graph answers":          clientsOf(configured, provesSo(provesWithoutOld(install.MendReauthorize, tokenIsGone()))).then(press("down", "t"), settled, allProven(1), see("get_graph_guidelines on Work", "Old does not answer: its token is revoked.", "Ask Claude Code"), unseen("its proof failed", "call Old")),
		"re-authorizes a graph that does not answer": clientsOf(configured, provesSo(provesWithoutOld(install.MendReauthorize, tokenIsGone()))).then(press("down", "t"), see("f: re-authorize Old"), press("f"), see("Re-authorize Old")),
		"goes on once Roam answers for the other":    clientsOf(configured, provesSo(provesWithoutOld(install.MendOpenRoam, roamIsClosed()))).then(press("down", "t"), see("Old does not answer: Nothing answers"), provesOn, roamIsAway, roamAnswers, settled, unseen("does not answer"), allProven(1)),
		"says once what several clients lack":        clientsOf(configured, threeHere, provesSo(provesWithoutOld(install.MendReauthorize, tokenIsGone()))).then(press("space", "space", "space", "enter"), planned, press("enter"), allProven(3), press("home"), stands("its token is revoked", 1), stands("f: re-authorize Old", 1), stands("Old does not answer", 3)),
		"says once why several proofs failed":        clientsOf(configured, threeHere, provesSo(failsAt(install.MendOpenRoam, roamIsClosed()))).then(press("space", "space", "space", "enter"), planned, press("enter"), settled, press("home"), stands("Nothing answers on 127.0.0.1:3333.", 1)),
		"leads to the graphs where none is":          clientsOf(configured, provesSo(failsAt(install.MendConnectGraph, tokenIsGone()))).then(press("down", "t"), see("f: your graphs"), press("f"), depth(1)),
		"writes an entry anew":                       clientsOf(configured, provesSo(failsAt(install.MendWriteAnew, errGone()))).then(press("down", "down", "down", "t"), see("f: write it anew"), press("f"), see("What would change")),
		"does not stay green where the proof failed": clientsOf(configured).then(press("down"), shown("proven 2 min ago"), func(h *harness) { h.clients.prove = failsAt(install.MendOpenRoam, roamIsClosed()) }, press("t"), settled, see("its proof failed"), unseen("proven 2 min ago")),
		"says the first real call once": clientsOf(configured, threeHere).then(
			press("enter"), planned, press("enter"), allProven(1), calls(3), see("✓ first real call by claude-code, 3 s ago"), unseen("Ask Claude Code"),
			calls(1), unseen("first real call"), see("ast call by Claude Code just now")),
		"has no key where nothing can be mended": clientsOf(configured, provesSo(failsAt(install.MendNone, errGone()))).then(press("down", "t"), see("is not there"), press("f"), see("Nothing here has failed that a key could mend")),
	})
	t.Run("follows a rename", func(t *testing.T) {
		client, _ := clients.Find("cursor")
		follows := func(h *harness) {
			h.clients.renaming = []clients.Plan{{Client: client, Way: clients.ByFile, File: "/home/ada/.cursor/mcp.json", Before: []byte("{\"Work\"}"), After: []byte("{\"Garden\"}"), Server: clients.Server{Name: "roam"}}}
		}
		h := in(configured).then(follows, press("e", "ctrl+u", "G", "a", "r", "d", "e", "n", "enter"), see("Clients that name it", "Cursor"), press("enter"))(t, 100, 30)
		settled(h)
		applied("cursor")(h)
	})
	t.Run("gives clients what was chosen", func(t *testing.T) {
		h := clientsOf(configured, threeHere)(t, 140, 40)
		for _, step := range []struct {
			keys []string
			want clients.Choice
		}{
			{nil, clients.Choice{}},
			{[]string{"o", "right", "esc"}, clients.Choice{Profile: "graph", Graphs: []string{"Work"}}},
			{[]string{"o", "down", "right", "esc"}, clients.Choice{Profile: "graph", Graphs: []string{"Personal"}}},
			{[]string{"o", "down", "left", "left", "esc"}, clients.Choice{Profile: "graph"}},
			{[]string{"o", "left", "end", "up", "up", "up", "right", "enter"}, clients.Choice{ReadOnly: true}},
			{[]string{"o", "end", "right", "esc"}, clients.Choice{ReadOnly: true, Toolsets: []string{"read", "write", "files"}}},
			{[]string{"o", "end", "right", "esc"}, clients.Choice{ReadOnly: true}},
		} {
			h.press(append(step.keys, "enter")...)
			planned(h)
			h.press("esc")
			got := h.clients.choices[len(h.clients.choices)-1]
			if got.Profile != step.want.Profile || !slices.Equal(got.Graphs, step.want.Graphs) || got.ReadOnly != step.want.ReadOnly || !slices.Equal(got.Toolsets, step.want.Toolsets) {
				t.Errorf("after %v: %+v", step.keys, got)
			}
		}
	})
	t.Run("can be seen to the last line", func(t *testing.T) {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {110, 32}, {160, 50}} {
			h := clientsOf(configured)(t, size[0], size[1])
			h.press("a")
			seen := h.screen()
			for range len(h.clients.all) {
				h.press("down")
				seen += h.screen()
			}
			for _, status := range h.clients.all {
				if !strings.Contains(seen, status.Client.Name) {
					t.Errorf("at %dx%d %s can't be seen", size[0], size[1], status.Client.Name)
				}
			}
		}
	})
}

// A proof starts a process, so it is not made again and again for what does not change, and
// not beside one that runs.
func TestProofsAreMadeOneAfterAnother(t *testing.T) {
	release := make(chan struct{})
	for name, tc := range map[string]struct {
		proof  func(begun int32) error
		then   []step
		proofs int32
	}{
		"not again while Roam answers all the time": {
			func(int32) error { return roamIsClosed() }, []step{press("down", "t"), see("Nothing answers"), roamAnswers, settled, roamAnswers, settled}, 1,
		},
		"again once Roam was away": {
			func(begun int32) error {
				if begun > 1 {
					return nil
				}
				return roamIsClosed()
			}, []step{press("down", "t"), see("Nothing answers"), roamIsAway, roamAnswers, see("get_graph_guidelines on Work"), roamAnswers, settled}, 2,
		},
		"the second of two presses after the first": {
			func(int32) error { <-release; return nil }, []step{press("down", "t", "t"), func(h *harness) {
				if job := h.root.top().(*clientsScreen).jobs["claude-code"]; job.proving.stage != provingRuns || !job.queued {
					h.t.Errorf("the first one is in stage %d, and that another one follows is %t", job.proving.stage, job.queued)
				}
				close(release)
			}, settled, shown("get_graph_guidelines on Work")}, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var begun, running atomic.Int32
			counted := func(ctx context.Context, report func(install.ProofStep)) (install.Proof, error) {
				n := begun.Add(1)
				if running.Add(1) > 1 {
					t.Error("two run at once")
				}
				defer running.Add(-1)
				if err := tc.proof(n); err != nil {
					return failsAt(install.MendOpenRoam, err)(ctx, report)
				}
				return provesWork(ctx, report)
			}
			clientsOf(configured, provesSo(counted)).then(tc.then...)(t, 80, 24)
			if got := begun.Load(); got != tc.proofs {
				t.Errorf("%d proofs were made, want %d", got, tc.proofs)
			}
		})
	}
}

func errGone() error {
	return &problem.Error{Code: install.CodeProgramGone, Message: "The client's file starts /opt/roam-mcp, which is not there."}
}

// onceRoamAnswers is a proof that fails at first.
func onceRoamAnswers() prove {
	failed := false
	return func(ctx context.Context, report func(install.ProofStep)) (install.Proof, error) {
		if !failed {
			failed = true
			return failsAt(install.MendOpenRoam, roamIsClosed())(ctx, report)
		}
		return provesWork(ctx, report)
	}
}

// roamIsAway has Roam polled, which does not answer.
func roamIsAway(h *harness) {
	h.handle(polledMsg{manage.RoamStatus{Known: true, Err: roamIsClosed()}})
}

// roamAnswers has Roam polled, and answer.
func roamAnswers(h *harness) {
	h.handle(polledMsg{manage.RoamStatus{Known: true, Address: "127.0.0.1:3333"}})
}
