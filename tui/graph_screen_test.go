package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"roam-mcp/internal/localapi"
)

// advanced moves the clock on.
func advanced(d time.Duration) step { return func(h *harness) { h.advance(d) } }

func (h *harness) advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

func ticked(h *harness) { h.handle(tickMsg{}) }

func TestGuidelines(t *testing.T) {
	answer := make(chan struct{})
	slow := func(h *harness) { h.ports.Guidelines = slowly(answer) }
	inProfile := func(profile colorprofile.Profile, want string) step {
		return func(h *harness) {
			h.handle(tea.ColorProfileMsg{Profile: profile})
			shown(want)(h)
		}
	}
	play(t, map[string]scene{
		"of a graph that is not open are read on demand": in(configured, ruled).then(
			press("down", "enter"), see("is not open in Roam. enter reads them"), press("enter"), see("Weeks run from Monday to Sunday.")),
		"that could not be read are read again": in(configured, func(h *harness) { h.guidelinesErr = errors.New("no answer") }).then(
			press("enter"), see("They could not be read."),
			func(h *harness) { h.guidelines, h.guidelinesErr = houseRules, nil }, press("enter"), see("What is what")),
		"scroll to their end and back": in(configured, ruled).then(
			press("enter"), see("What is what"), press("end"), see("Where two notes disagree"), unseen("State ● connected"),
			press("pgup", "pgup", "pgup"), see("State ● connected"),
			press("j", "j", "k"), unseen("State ● connected"), press("g"), see("State ● connected")),
		"say for how long they are read": in(configured, slow).then(
			press("enter"), advanced(5*time.Second), ticked, see("reading, 0:05 so far"),
			func(*harness) { close(answer) }, see("What is what")),
		"keep the ticks of code where there are no colours": in(configured, ruled).then(
			press("enter"), see("What is what"), press("end"),
			inProfile(colorprofile.TrueColor, "with #inbox, on"), inProfile(colorprofile.ASCII, "with `#inbox`, on"), inProfile(colorprofile.ANSI, "with #inbox, on")),
	})
	for _, width := range []int{80, 140} {
		h := in(configured, ruled).then(press("enter"), see("more lines"))(t, width, 19)
		lines := strings.Split(h.screen(), "\n")
		at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "Guidelines for agents") })
		column := strings.Index(lines[at], "Guidelines") // bytes; all before is ASCII or beside it
		if next := lines[at+1]; len(next) > column && strings.TrimSpace(next[column:]) != "" {
			t.Errorf("at %d no empty line stands below the headline:\n%s", width, h.screen())
		}
	}
}

func TestGraphScreen(t *testing.T) {
	opened := make(chan localapi.Graph, 1)
	play(t, map[string]scene{
		"checks the token live": in(configured).then(press("enter"), see("checked just now"), func(h *harness) {
			h.roam.mu.Lock()
			defer h.roam.mu.Unlock()
			h.roam.tokens[hosted("jfb-work-notes-2024")] = localapi.TokenInfo{Status: localapi.TokenRevoked, Reason: errors.New("unknown token")}
		}, advanced(watchInterval), ticked, see("✗ token revoked", "was revoked in Roam. r asks for a new one.")),
		"says that the graph is gone": in(configured).then(press("enter"), hold(func(h *harness) {
			h.store.config.Entries = h.store.config.Entries[1:]
		}), press("D"), // fails, and reads the file anew
			see("This graph is no longer in ~/.roam-mcp.json."), press("esc"), see("Your graphs")),
		"opens the graph in Roam, or says that it can't": in(configured, func(h *harness) {
			h.ports.OpenRoam = func(_ context.Context, g localapi.Graph) error {
				opened <- g
				return errors.New("no handler")
			}
		}).then(press("enter", "o"), see("Roam could not be opened from here."), func(h *harness) {
			if g := <-opened; g != hosted("jfb-work-notes-2024") {
				h.t.Errorf("opened is %v", g)
			}
		}),
	})
}
