package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/localapi"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

func TestTheGuidelinesOfAGraphThatIsNotOpenAreReadOnDemand(t *testing.T) {
	h := newHarness(t, 80, 24, configured, ruled)
	h.press("down", "enter")
	h.untilShown("is not open in Roam. enter reads them")
	h.press("enter")
	h.untilShown("Weeks run from Monday to Sunday.")
}

func TestGuidelinesThatCouldNotBeReadAreReadAgain(t *testing.T) {
	h := newHarness(t, 80, 24, configured, func(h *harness) { h.guidelinesErr = errors.New("no answer") })
	h.press("enter")
	h.untilShown("They could not be read.")
	h.guidelines, h.guidelinesErr = houseRules, nil
	h.press("enter")
	h.untilShown("What is what")
}

func TestGuidelinesScrollToTheirEndAndBack(t *testing.T) {
	h := newHarness(t, 80, 24, configured, ruled)
	h.press("enter")
	h.untilShown("What is what")
	h.press("end")
	h.untilShown("Where two notes disagree")
	if h.shows("State ● connected") {
		t.Error("nothing has moved")
	}
	h.press("pgup", "pgup", "pgup")
	h.untilShown("State ● connected")
	h.press("j", "j", "k")
	if h.shows("State ● connected") {
		t.Error("down twice and up once is not one down")
	}
	h.press("g")
	h.untilShown("State ● connected")
}

func TestTheTokenOfTheGraphOnTheScreenIsCheckedLive(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("enter")
	h.untilShown("checked just now")
	h.roam.mu.Lock()
	h.roam.tokens[hosted("jfb-work-notes-2024")] = localapi.TokenInfo{Status: localapi.TokenRevoked, Reason: errors.New("unknown token")}
	h.roam.mu.Unlock()
	h.advance(watchInterval)
	h.handle(tickMsg{})
	h.untilShown("✗ token revoked")
	h.untilShown("was revoked in Roam. r asks for a new one.")
}

// advance moves the clock on.
func (h *harness) advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

func TestAReadingThatTakesLongSaysForHowLong(t *testing.T) {
	answer := make(chan struct{})
	h := newHarness(t, 80, 24, configured, func(h *harness) {
		h.ports.Guidelines = slowly(answer)
	})
	h.press("enter")
	h.advance(5 * time.Second)
	h.handle(tickMsg{})
	h.untilShown("reading, 0:05 so far")
	close(answer)
	h.untilShown("What is what")
}

func TestRemovedGraphsArePutBackNewestFirst(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	for _, name := range []string{"Work", "Personal", "Old"} {
		h.press("g", "x", "y")
		h.untilShown("Removed " + name + ". u puts it back.")
	}
	h.press("u", "u") // the second one is not about the same graph
	h.untilCall("put back Personal")
	h.untilCall("put back Old")
	h.press("u")
	h.untilShown("Work is back.")
	if got := h.store.log(); strings.Count(got, "put back Old;") != 1 {
		t.Errorf("the calls are %s", got)
	}
	h.press("u")
	h.untilShown("Nothing was removed")
}

func TestWhatCantBePutBackStaysFirstInLine(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("x", "y")
	h.untilShown("Removed Work.")
	h.store.putBackErr = errDiskFull()
	h.press("u")
	h.untilShown("the disk is full")
	h.store.putBackErr = nil
	h.press("u")
	h.untilShown("Work is back.")
}

func TestTheGuidelinesStandApartAndSayHowMuchIsBelow(t *testing.T) {
	for _, width := range []int{80, 140} {
		h := newHarness(t, width, 18, configured, ruled)
		h.press("enter")
		h.untilShown("more lines")
		lines := strings.Split(h.screen(), "\n")
		at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "Guidelines for agents") })
		column := strings.Index(lines[at], "Guidelines") // bytes; all before is ASCII or beside it
		if next := lines[at+1]; len(next) > column && strings.TrimSpace(next[column:]) != "" {
			t.Errorf("at %d no empty line stands below the headline:\n%s", width, h.screen())
		}
	}
}

func TestCodeKeepsItsTicksWhereThereAreNoColours(t *testing.T) {
	h := newHarness(t, 80, 24, configured, ruled)
	h.press("enter")
	h.untilShown("What is what")
	h.press("end")
	for _, test := range []struct {
		profile colorprofile.Profile
		want    string
	}{{colorprofile.TrueColor, "with #inbox, on"}, {colorprofile.ASCII, "with `#inbox`, on"}, {colorprofile.ANSI, "with #inbox, on"}} {
		if h.handle(tea.ColorProfileMsg{Profile: test.profile}); !h.shows(test.want) {
			t.Errorf("%v does not show %s:\n%s", test.profile, test.want, h.screen())
		}
	}
}
