package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
)

func (h *harness) untilCall(call string) {
	h.t.Helper()
	h.until("the call "+call, func() bool { return strings.Contains(h.store.log(), call) })
}

func TestKeysOfTheExchangeSendItsEvents(t *testing.T) {
	tests := []struct {
		state exchange.State
		key   string
		want  exchange.Event
	}{
		{exchange.Unreachable, "r", exchange.Retry{}},
		{exchange.Unreachable, "enter", exchange.Retry{}},
		{exchange.Unreachable, "o", exchange.OpenRoam{}},
		{exchange.Disabled, "r", exchange.Retry{}},
		{exchange.Disabled, "o", exchange.OpenRoam{}},
		{exchange.Waiting, "o", exchange.OpenRoam{}},
		{exchange.Waiting, "esc", exchange.Cancel{}},
		{exchange.Busy, "r", exchange.Retry{}},
		{exchange.Busy, "esc", exchange.Cancel{}},
		{exchange.Verifying, "esc", exchange.Cancel{}},
		{exchange.Rejected, "a", exchange.AskAgain{AccessLevel: localapi.Full}},
		{exchange.Rejected, "l", exchange.AskAgain{AccessLevel: localapi.ReadAppend}},
		{exchange.Blocked, "a", exchange.AskAgain{AccessLevel: localapi.Full}},
		{exchange.TimedOut, "a", exchange.AskAgain{AccessLevel: localapi.Full}},
		{exchange.Failed, "a", exchange.AskAgain{AccessLevel: localapi.Full}},
		{exchange.Cancelled, "a", exchange.AskAgain{AccessLevel: localapi.Full}},
	}
	for _, test := range tests {
		t.Run(test.state.String()+" "+test.key, func(t *testing.T) {
			h := asked1(t, 80, 24, configured)
			h.machine(exchangeScenes()[test.state])
			h.press(test.key)
			if got := h.event(); got != test.want {
				t.Errorf("%s sends %#v, want %#v", test.key, got, test.want)
			}
		})
	}
}

func TestEscLeavesAnExchangeThatNobodyAnswersAndEndsIt(t *testing.T) {
	for _, state := range []exchange.State{exchange.Locating, exchange.Unreachable, exchange.Disabled, exchange.Rejected, exchange.Cancelled} {
		t.Run(state.String(), func(t *testing.T) {
			h := asked1(t, 80, 24, configured)
			h.machine(exchangeScenes()[state])
			h.press("esc")
			if h.asking() != nil {
				t.Fatal("the exchange is still on the screen")
			}
			h.until("the end of the exchange", func() bool {
				select {
				case <-h.running().closed:
					return true
				default:
					return false
				}
			})
		})
	}
}

func TestTheFormAsksForWhatWasChosen(t *testing.T) {
	h := newHarness(t, 80, 24, fresh)
	h.press("enter", "ctrl+u")
	h.typeText("My demo")
	h.press("enter", "down", "enter")
	h.typeText(" too")
	h.press("enter")
	h.until("the exchange", func() bool { return h.running() != nil })
	want := exchange.Request{Graph: hosted("demo"), AccessLevel: localapi.ReadAppend, Description: "roam-mcp on this computer too"}
	if got := h.running().request; got != want {
		t.Errorf("the request is %+v, want %+v", got, want)
	}
	h.machine(func(m *exchange.Machine) { grant(m, localapi.ReadAppend) })
	h.untilShown("Saved as “My demo”")
	saved := h.store.config.Entries[0]
	if saved.Nickname != "My demo" || saved.AccessLevel != localapi.ReadAppend || saved.LastKnownTokenStatus != localapi.TokenActive || saved.Token != secret("wxyz") {
		t.Errorf("saved %+v", saved)
	}
	h.press("enter")
	h.untilShown("Your graphs")
}

func TestAKnownGraphIsNotAskedForAgainByName(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("c")
	h.typeText("lab-notebook")
	h.press("enter")
	h.untilShown("is connected already, as Lab")
}

func TestAPublicGraphIsAskedForReadOnly(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("c")
	h.typeText("help")
	h.press("enter", "enter", "enter")
	h.until("the exchange", func() bool { return h.running() != nil })
	want := exchange.Request{Graph: hosted("help"), AccessLevel: localapi.ReadOnly, Description: "roam-mcp on this computer", Public: true}
	if got := h.running().request; got != want {
		t.Errorf("the request is %+v, want %+v", got, want)
	}
}

func TestTheTwinOfAConnectedGraphIsNotConnected(t *testing.T) {
	h := newHarness(t, 80, 24, configured, func(h *harness) {
		h.roam.open = append(h.roam.open, offline("archive-2019"))
	})
	h.press("/")
	h.typeText("archive")
	h.press("enter", "down", "enter")
	h.untilShown("only one of the two can be")
}

func TestReauthorizingKeepsNicknameAndOldTokenUntilTheNewOneIsSaved(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("down", "down", "r", "enter")
	h.until("the exchange", func() bool { return h.running() != nil })
	if got := h.running().request; got.Graph != hosted("archive-2019") || got.AccessLevel != localapi.ReadOnly {
		t.Errorf("the request is %+v", got)
	}
	h.machine(waiting)
	if strings.Contains(h.store.log(), "save") || strings.Contains(h.store.log(), "remove") {
		t.Errorf("the configuration was changed before a token was granted: %s", h.store.log())
	}
	h.machine(func(m *exchange.Machine) { grant(m, localapi.ReadOnly) })
	h.untilShown("Saved as “Old”")
	if got := h.store.config.Entries[2]; got.Token != secret("wxyz") || got.Nickname != "Old" {
		t.Errorf("saved %+v", got)
	}
}

func TestReauthorizingCanAskForAnotherLevel(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("down", "down", "r", "up", "tab")
	h.typeText(" again")
	h.press("enter")
	h.until("the exchange", func() bool { return h.running() != nil })
	want := exchange.Request{Graph: hosted("archive-2019"), AccessLevel: localapi.ReadAppend, Description: "roam-mcp on this computer again"}
	if got := h.running().request; got != want {
		t.Errorf("the request is %+v, want %+v", got, want)
	}
}

func TestReauthorizingAPublicGraphChoosesNothing(t *testing.T) {
	h := newHarness(t, 80, 24, configured, func(h *harness) { h.roam.available = h.roam.available[:1] })
	h.press("down", "down", "r")
	h.until("the exchange", func() bool { return h.running() != nil })
	if got := h.running().request; !got.Public || got.Graph != hosted("archive-2019") {
		t.Errorf("the request is %+v", got)
	}
}

func TestSpaceDisablesAndEnables(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("space")
	h.untilShown("Work is disabled")
	h.press("space")
	h.untilShown("Work is enabled")
	if h.store.config.Entries[0].Disabled {
		t.Error("Work is still disabled")
	}
}

func TestRemovingAsksAndEnterKeeps(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("x", "enter")
	if strings.Contains(h.store.log(), "remove") {
		t.Fatal("enter removed the graph")
	}
	h.press("x", "right", "enter")
	h.untilShown("Removed Work. u puts it back.")
	h.press("u")
	h.untilShown("Work is back.")
	h.press("u")
	h.untilShown("Nothing was removed")
}

func TestARenameIsCheckedWhileTyping(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.press("e", "ctrl+u")
	h.typeText("LAB")
	h.untilShown(`The nickname "LAB" belongs to the graph "lab-notebook"`)
	h.press("enter")
	if strings.Contains(h.store.log(), "rename") {
		t.Fatal("a taken nickname was saved")
	}
	h.typeText(" two")
	h.press("enter")
	h.untilShown("Work is now LAB two. Saved in ~/.roam-mcp.json.")
	h.untilShown("Your graphs")
}

func TestATokenGivenByHandIsCheckedAndNeverShown(t *testing.T) {
	h := asked1(t, 80, 24, configured)
	h.machine(exchangeScenes()[exchange.Blocked])
	h.press("v")
	h.handle(tea.PasteMsg{Content: "roam-graph-token-SECRETcloud"})
	h.press("enter")
	h.untilShown("token for Roam's cloud API")
	h.press("ctrl+u")
	h.handle(tea.PasteMsg{Content: "  " + secret("hand").Reveal() + "\n"})
	h.press("enter")
	if got, want := h.event(), (exchange.UseToken{Token: secret("hand")}); got != want {
		t.Errorf("sent %#v", got)
	}
	h.machine(func(m *exchange.Machine) { m.State, m.Request.Token = exchange.Verifying, secret("hand") })
	h.untilShown("entered by hand, …hand")
}

func TestAFailedSaveCanBeTriedAgain(t *testing.T) {
	h := notSaved(t, 80, 24)
	h.store.saveErr = nil
	h.press("t")
	h.untilShown("Saved as “Reading list”")
}

func TestTheCommandForARescuedTokenQuotesAPathWithASpace(t *testing.T) {
	h := notSaved(t, 80, 24)
	h.root.env.ports.Rescue = func(configstore.Entry) (string, error) {
		return "/home/ada/Library/Application Support/roam-mcp/rescued/one.json", nil
	}
	h.press("e")
	h.untilShown("kept in a file of its own")
	said := strings.Join(h.asking().status().text, "\n")
	if !strings.Contains(said, `: roam-mcp import "/home/ada/Library/Application Support/roam-mcp/rescued/one.json"`) {
		t.Errorf("it says:\n%s", said)
	}
}

func TestATakenNicknameLosesNoToken(t *testing.T) {
	h := asked1(t, 80, 24, configured)
	h.store.mu.Lock()
	h.store.config.Entries[3].Nickname = "Reading list"
	h.store.mu.Unlock()
	h.machine(func(m *exchange.Machine) { grant(m, localapi.Full) })
	h.untilShown("n save as Reading list 2")
	h.press("n")
	h.untilShown("Saved as “Reading list 2”")
}

func TestLeavingWithAnUnsavedTokenAsks(t *testing.T) {
	h := notSaved(t, 80, 24)
	h.press("esc", "enter")
	h.untilShown("Granted, but not saved")
	h.press("ctrl+c")
	h.untilShown("Press ctrl+c again to quit.")
	if h.quit {
		t.Fatal("the first ctrl+c has quit")
	}
	h.press("esc", "y")
	h.untilShown("Your graphs")
}

func TestAnUnsavedTokenIsRescuedWhenTheProgramIsEndedFromOutside(t *testing.T) {
	h := notSaved(t, 80, 24)
	err := h.root.rescueUnsaved()
	if err == nil || !strings.Contains(err.Error(), "/home/ada/.local/state/roam-mcp/rescued/") || h.rescued != 1 {
		t.Errorf("rescued %d, error %v", h.rescued, err)
	}
	if strings.Contains(err.Error(), "SECRET") {
		t.Error("the error shows the token")
	}
	// A save that has got through after all needs no rescue.
	h.store.config.Entries = append(h.store.config.Entries, h.asking().save.entry)
	if err := h.root.rescueUnsaved(); err != nil || h.rescued != 1 {
		t.Errorf("rescued %d, error %v", h.rescued, err)
	}
}

func TestThePanelAnswersForRoam(t *testing.T) {
	for key, want := range map[string]Decision{"a": Allow, "l": AllowReadOnly, "n": Deny, "!": Never} {
		t.Run(key, func(t *testing.T) {
			h := waitingWithPanel(t, 80, 24)
			h.press(key, key) // the second one has nothing to answer
			h.until("an answer", func() bool { return len(h.desk.answers) > 0 })
			if got := <-h.desk.answers; got != want {
				t.Errorf("%s answers %v, want %v", key, got, want)
			}
			if len(h.desk.answers) > 0 {
				t.Error("two answers were given")
			}
		})
	}
}

func TestThePanelTakesNoKeyThatMeansSomethingElse(t *testing.T) {
	for _, state := range exchange.States() {
		t.Run(state.String(), func(t *testing.T) {
			h := waitingWithPanel(t, 80, 24)
			h.machine(exchangeScenes()[state])
			own := make(map[string]bool)
			for _, b := range h.asking().keys() {
				for _, k := range b.Keys() {
					own[k] = true
				}
			}
			clash := own["a"] || own["l"] || own["n"] || own["!"]
			if has := h.root.panelTakesKeys(); has == clash {
				t.Errorf("the panel has the keys: %v, the screen uses one of them: %v", has, clash)
			}
		})
	}
	t.Run("typing", func(t *testing.T) {
		h := waitingWithPanel(t, 80, 24)
		h.machine(exchangeScenes()[exchange.Cancelled])
		h.press("v", "a", "n")
		if len(h.desk.answers) > 0 {
			t.Error("typed letters answered the request")
		}
		h.untilShown("Leave this screen to answer.")
	})
}

func TestFilesOfOthersAreImported(t *testing.T) {
	h := newHarness(t, 80, 24, configured, official)
	h.press("i")
	h.untilShown("import 1 graph")
	h.press("enter")
	h.untilCall("import")
	h.untilShown("Added Recipes.")
	h.press("enter")
	h.untilShown("Your graphs")
}

func TestAnAbsentOfficialFileIsNoFailure(t *testing.T) {
	h := newHarness(t, 80, 24, func(h *harness) {
		h.ports.Official = func() ([]configstore.Entry, []configstore.Problem, error) {
			return nil, nil, &configstore.Error{Code: configstore.CodeConfigNotFound, Message: "There is no file."}
		}
	})
	h.press("i")
	h.untilShown("there is nothing to import")
}

func TestFClosesAFileThatOthersCanRead(t *testing.T) {
	h := newHarness(t, 80, 24, configured, problems)
	h.press("f")
	h.untilCall("fix mode")
	h.untilShown("is now yours alone to read")
}

func TestABrokenConfigurationAllowsNoExchange(t *testing.T) {
	h := newHarness(t, 80, 24, brokenConfig)
	h.press("enter")
	h.untilShown("never overwrites what it can't read")
	if h.running() != nil || len(h.root.stack) != 1 {
		t.Error("an exchange was started")
	}
}

func TestAnErrorOfAChangeIsShown(t *testing.T) {
	h := newHarness(t, 80, 24, configured)
	h.store.mu.Lock()
	h.store.config.Entries = nil // another program has emptied the file
	h.store.mu.Unlock()
	h.press("space")
	h.untilShown("No such graph.")
}

func TestKeysOfConnectedGraphsSayWhyTheyDoNothing(t *testing.T) {
	h := newHarness(t, 80, 24, fresh)
	for _, k := range []string{"e", "r", "x", "t"} {
		h.press(k)
		if !h.shows("not connected yet. enter connects it.") {
			t.Errorf("%s says nothing", k)
		}
	}
}

func TestTheProofNamesTheFailingStep(t *testing.T) {
	h := newHarness(t, 80, 24, configured, func(h *harness) {
		h.ports.Prove = func(context.Context, string) (Proof, error) { return Proof{}, errors.New("the server did not start") }
	})
	h.press("t")
	h.untilShown("The server did not start.")
}
