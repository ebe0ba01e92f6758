package tui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
)

// modeOpen is a configuration that others can read, which f mends.
func modeOpen(h *harness) {
	h.store.config.Problems = []configstore.Problem{{Code: configstore.CodeConfigModeOpen, Message: "Others can read it."}}
}

func TestWhatWasChangedIsWrittenBeforeTheProgramEnds(t *testing.T) {
	for name, test := range map[string]struct {
		before []string // until the change
		keys   []string
		call   string
	}{
		"disabled":              {nil, []string{"space", "q"}, "set disabled Work"},
		"removed":               {[]string{"x"}, []string{"y", "q"}, "remove Work"},
		"renamed":               {[]string{"e", "ctrl+u", "N"}, []string{"enter", "esc", "q"}, "rename Work to N"},
		"renamed, then ctrl+c":  {[]string{"e", "ctrl+u", "N"}, []string{"enter", "ctrl+c"}, "rename Work to N"},
		"closed to others":      {nil, []string{"f", "q"}, "fix mode"},
		"imported":              {[]string{"i"}, []string{"enter", "esc", "q"}, "import"},
		"disabled, then ctrl+c": {nil, []string{"space", "ctrl+c"}, "set disabled Work"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, 80, 24, configured, official, modeOpen)
			h.press(test.before...)
			if name == "imported" {
				h.untilShown("enter import 1 graph")
			}
			h.store.mu.Lock() // another program holds the file
			h.press(test.keys...)
			early := h.root.quitting
			h.press("x", "esc") // nothing more is taken
			h.store.mu.Unlock()
			h.until("the end", func() bool { return h.quit })
			if early {
				t.Error("it ended before that was written")
			}
			h.untilCall(test.call)
		})
	}
}

func TestAChangeThatFailsWhileTheProgramEndsKeepsItAndIsTold(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.store.mu.Lock()
	h.store.config.Entries = nil // another program has emptied the file
	h.press("space", "q")
	h.store.mu.Unlock()
	h.untilShown("No such graph.")
	if h.root.quitting {
		t.Error("it ends")
	}
	h.press("q")
	h.until("the end", func() bool { return h.quit })
}

func TestTheWarningOfControlCIsOfWhatIsLostNow(t *testing.T) {
	h := asked1(t, 80, 24, configured)
	h.machine(exchangeScenes()[exchange.Waiting])
	h.press("ctrl+c")
	h.untilShown("quitting drops that. Press ctrl+c again to quit.")
	h.store.mu.Lock() // the token can't be saved yet
	h.machine(exchangeScenes()[exchange.Granted])
	h.press("ctrl+c")
	early := h.root.quitting || h.root.quitAfterWrites
	warned := h.shows("The token is not saved yet")
	h.store.mu.Unlock()
	if early || !warned {
		t.Errorf("a warning of another thing was taken for one of this:\n%s", h.screen())
	}
}

func TestATokenThatIsGrantedInTheMomentAPersonQuitsIsRescued(t *testing.T) {
	h := waitingWithPanel(t, 80, 24)
	exchangeScenes()[exchange.Granted](&h.running().last)
	h.press("ctrl+c", "ctrl+c")
	h.until("the end", func() bool { return h.quit })
	if err := h.root.rescueLateGrant(); err == nil || h.rescued != 1 {
		t.Errorf("rescued %d, error %v", h.rescued, err)
	}
}

func TestATokenThatAPersonHasAgreedToLoseIsNotRescued(t *testing.T) {
	h := notSaved(t, 80, 24)
	h.press("ctrl+c", "ctrl+c")
	h.until("the end", func() bool { return h.quit })
	if err := h.root.rescueLateGrant(); err != nil || h.rescued != 0 {
		t.Errorf("rescued %d, error %v", h.rescued, err)
	}
}

func TestALongNoticeIsShownToItsEnd(t *testing.T) {
	h := newHarness(t, 60, 16, configured)
	path := "/home/ada/.local/state/roam-mcp/rescued/roam-mcp-rescued-2415397479.json"
	h.run(h.root.perform(h.root.top(), notify{notice{"Roam granted reading-list in that moment, and the token could not be saved; it is kept in " + path + ", and this takes it over: roam-mcp --sandbox import " + path, noticeFailure}}))
	if screen := strings.Join(strings.Fields(h.screen()), ""); strings.Count(screen, path) != 2 {
		t.Errorf("the screen is\n%s", h.screen())
	}
}

func TestAWindowThatIsTooSmallShowsWhatControlCWarnsOf(t *testing.T) {
	h := asked1(t, 80, 24, configured)
	h.machine(waiting)
	h.handle(tea.WindowSizeMsg{Width: 30, Height: 8})
	h.press("ctrl+c")
	h.untilShown("Press ctrl+c again to quit.")
	h.press("ctrl+c")
	h.until("the end", func() bool { return h.quit })
}

func TestATokenThatIsGrantedInTheMomentItsGraphIsSkippedIsSaved(t *testing.T) {
	for name, unwritable := range map[string]bool{"saved": false, "kept in a file of its own": true} {
		t.Run(name, func(t *testing.T) {
			h := queuedUp(t, 80, 24)
			h.press("enter", "enter")
			h.asksFor("reading-list")
			h.machine(waiting)
			h.running().last = grantedNow(h, localapi.Full)
			want := "Saved as “Reading list” in ~/.roam-mcp.json."
			if unwritable {
				h.store.saveErr, want = errors.New("no space left"), "it is kept in /home/ada/.local/state/roam-mcp/rescued/"
			}
			h.press("tab")
			h.untilShown("Roam granted reading-list in that moment")
			if !h.shows(want) {
				t.Errorf("there is no %q:\n%s", want, h.screen())
			}
		})
	}
}

func TestControlCDoesNotWaitForAFileThatAnotherProgramHolds(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.press("space", "q")
	if !h.shows("Press ctrl+c to quit without that.") {
		t.Errorf("nothing says what is waited for:\n%s", h.screen())
	}
	h.press("ctrl+c")
	h.until("the end", func() bool { return h.quit })
}

func TestATokenThatIsGrantedInTheMomentTheProgramIsEndedFromOutsideIsRescued(t *testing.T) {
	h := waitingWithPanel(t, 80, 24)
	exchangeScenes()[exchange.Granted](&h.running().last)
	err := h.root.rescueUnsaved()
	if err == nil || !strings.Contains(err.Error(), "/home/ada/.local/state/roam-mcp/rescued/") || h.rescued != 1 {
		t.Errorf("rescued %d, error %v", h.rescued, err)
	}
	select {
	case <-h.running().closed:
	default:
		t.Error("the request is still open")
	}
}

func TestACommandThatIsAdvisedIsForTheConfigurationOnTheScreen(t *testing.T) {
	h := notSaved(t, 80, 24)
	h.store.flags = []string{"--sandbox"}
	h.press("e")
	h.untilShown("kept in a file of its own")
	if said := strings.Join(h.asking().status().text, "\n"); !strings.Contains(said, ": roam-mcp --sandbox import ~/") {
		t.Errorf("it says:\n%s", said)
	}
	h.root.env.config.Problems = make([]configstore.Problem, 4)
	if said := strings.Join(h.root.env.problems(), "\n"); !strings.Contains(said, ": roam-mcp --sandbox graphs lists them.") {
		t.Errorf("it says:\n%s", said)
	}
}
