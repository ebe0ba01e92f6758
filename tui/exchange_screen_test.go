package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

// exchangeStates lists the states that have words, in the order of the constants.
func exchangeStates() []exchange.State {
	var all []exchange.State
	for s := exchange.Locating; s.String() != "unknown state"; s++ {
		all = append(all, s)
	}
	return all
}

func TestEveryExchangeStateHasAScreen(t *testing.T) {
	scenes := scenes()
	for _, state := range exchangeStates() {
		t.Run(state.String(), func(t *testing.T) {
			scene, ok := scenes[stateName(state)]
			if !ok {
				t.Fatalf("the state %q has no scene", state)
			}
			if !slices.ContainsFunc(scene(t, 80, 24).root.top().keys(), func(b key.Binding) bool { return slices.Contains(b.Keys(), "esc") }) {
				t.Error("no key leads out")
			}
		})
	}
}

func TestExchangeKeysSendEvents(t *testing.T) {
	again := exchange.AskAgain{AccessLevel: localapi.Full}
	for _, test := range []struct {
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
		{exchange.Rejected, "a", again},
		{exchange.Rejected, "l", exchange.AskAgain{AccessLevel: localapi.ReadAppend}},
		{exchange.Blocked, "a", again},
		{exchange.Blocked, "o", exchange.OpenRoam{}},
		{exchange.TimedOut, "a", again},
		{exchange.Failed, "a", again},
		{exchange.Cancelled, "a", again},
	} {
		t.Run(test.state.String()+" "+test.key, func(t *testing.T) {
			asking(configured).then(state(test.state), press(test.key), sent(test.want))(t, 80, 24)
		})
	}
}

func TestEscLeavesAndEndsAnExchangeThatNobodyAnswers(t *testing.T) {
	for _, s := range []exchange.State{exchange.Locating, exchange.Unreachable, exchange.Disabled, exchange.Rejected, exchange.Cancelled} {
		t.Run(s.String(), func(t *testing.T) {
			h := asking(configured).then(state(s), press("esc"))(t, 80, 24)
			if h.asking() != nil {
				t.Fatal("the exchange is still on the screen")
			}
			isClosed(h)
		})
	}
}

func TestExchange(t *testing.T) {
	again := exchange.AskAgain{AccessLevel: localapi.Full}
	play(t, map[string]scene{
		"drops late answers to another one": asking(configured).then(state(exchange.Waiting), func(h *harness) {
			old := h.asking().id
			h.press("esc")
			state(exchange.Cancelled)(h)
			h.press("esc", "enter", "enter")
			h.until("another exchange", func() bool { return h.asking() != nil && h.asking().session != nil })
			h.handle(exchangeUpdateMsg{old, exchange.Machine{State: exchange.Failed}, true})
			h.handle(exchangeStartedMsg{id: old, err: errors.New("late")})
			h.handle(provenMsg{id: old})
			if h.asking().machine.State == exchange.Failed || h.asking().storeErr != nil {
				h.t.Error("an answer to another exchange was taken")
			}
		}),
		"does not ask before the token can be saved": scenes()["asking-unwritable"].then(unasked, func(h *harness) {
			h.store.unwritable = nil
			h.press("r")
			h.until("the exchange", func() bool { return h.running() != nil })
		}),
		"does not call what was asked for the access": scenes()["asking-lowered"].then(
			shown("You asked for full access, Roam granted read only."), unseen("Access full")),
		"leads to the clients after a grant": inState(exchangeScenes()[exchange.Granted]).then(
			top[*connectedScreen], shown("enter connect a client", "esc your graphs", "have an AI client start roam-mcp"),
			press("s"), top[*connectedScreen], press("enter"), top[*clientsScreen], press("esc"), see("Your graphs")),
		"leads back to the list after a new token": scenes()["reauthorize-granted"].then(
			top[*connectedScreen], shown("enter your graphs", "m connect a client"), press("enter"), see("Your graphs")),
		"unblocks in the sandbox, and asks again": scenes()["asking-blocked-in-the-sandbox"].then(
			shown("u unblock and ask again"), press("u"), sent(again), func(h *harness) {
				if got := <-h.desk.unblocked; got != hosted("demo") {
					h.t.Errorf("unblocked is %v", got)
				}
			}),
		"says in Roam's words where to unblock": asking(configured).then(state(exchange.Blocked),
			shown("open it in Roam: Settings > Graph > Local API Tokens. Then ask again here.", "o open it in Roam", "v enter a token by hand"),
			unseen("u unblock"), press("o"), sent(exchange.OpenRoam{})),
		"advises nothing in the sandbox that only Roam has": scenes()["asking-blocked-in-the-sandbox"].then(
			shown("It can be unblocked here"), unseen("Settings", "roam-mcp sandbox"), press("v"),
			shown("The sandbox makes no tokens by hand"), unseen("Settings"), press("esc", "esc"), func(h *harness) {
				h.run(h.root.perform(h.root.top(), open{newRemovalQuestion(h.root.env, []configstore.Entry{entry("Demo", hosted("demo"), localapi.Full, "wxyz")})}))
			}, shown("revoke demo"), unseen("Settings")),
		"uses the same quotes in every sentence": waitingWithPanel().then(
			shown("“roam-mcp on this computer” asks for full access"), unseen(`"`),
			func(h *harness) { h.root.env.Glyphs = kit.ASCIIGlyphs() },
			shown(`"roam-mcp on this computer" asks for full access`), unseen("“"), func(h *harness) {
				if !strings.Contains(h.screen(), "\n +") {
					h.t.Errorf("the panel is not in line with the text:\n%s", h.screen())
				}
			}),
		"checks a token given by hand, and never shows it": asking(configured).then(
			state(exchange.Blocked), press("v"), pasted("roam-graph-token-SECRETcloud"), press("enter"), see("token for Roam's cloud API"),
			press("ctrl+u"), pasted("  "+secret("hand").Reveal()+"\n"), press("enter"), sent(exchange.UseToken{Token: secret("hand")}),
			machine(func(m *exchange.Machine) { m.State, m.Request.Token = exchange.Verifying, secret("hand") }),
			see("entered by hand, …hand")),
	})
}

func TestSave(t *testing.T) {
	inSandbox := func(h *harness) { h.options.World.Flags = []string{"--sandbox"} }
	spaced := func(h *harness) {
		h.graphs.Rescue = func(configstore.Entry) (string, error) {
			return "/home/ada/Library/Application Support/roam-mcp/rescued/one.json", nil
		}
	}
	refused := []step{refuseSave(errDiskFull()), granted(localapi.Full), see("kept in a file of its own")}
	play(t, map[string]scene{
		"can be tried again":                        notSaved().then(refuseSave(nil), press("t"), see("Saved as “Reading list”")),
		"can be tried again from a file of its own": rescued().then(refuseSave(nil), press("t"), see("Saved as “Reading list”")),
		"numbers a nickname that was taken meanwhile": asking(configured).then(hold(func(h *harness) {
			h.store.config.Entries[3].Nickname = "Reading list"
		}), granted(localapi.Full), see("Saved as “Reading list 2”")),
		"asks before an unsaved token is left": notSaved().then(
			press("esc", "enter"), see("Granted, but not saved"),
			press("ctrl+c"), see("Press ctrl+c again to quit."), stays, press("esc", "y"), see("Your graphs")),
		"does not ask before a rescued token is left": rescued().then(press("esc"), see("Your graphs")),
		"quotes a path with a space in the command for a rescued token": asking(configured, spaced).then(refused...).then(
			says(`roam-mcp import '/home/ada/Library/Application Support/roam-mcp/rescued/one.json'`)),
		"advises a command for the configuration on the screen": asking(configured, inSandbox).then(refused...).then(
			says("roam-mcp --sandbox import /home/ada/")),
	})
}

func TestFinish(t *testing.T) {
	for name, test := range map[string]struct {
		from  scene
		saved bool
		err   string
	}{
		"saves a token that is granted as the program ends": {waitingWithPanel().then(grantedAtTheEnd), true, ""},
		"saves a token that could not be saved before":      {notSaved().then(refuseSave(nil)), true, ""},
		"rescues a token that could not be rescued before":  {notSaved().then(func(h *harness) { h.rescueErr = nil }), false, "was kept in /home/ada/.local/state/roam-mcp/rescued/"},
		"says that a token is lost":                         {notSaved(), false, "could not be kept elsewhere either"},
		"leaves a token in its file":                        {rescued(), false, ""},
		"has nothing to do where no token is granted":       {asking(configured).then(state(exchange.Rejected)), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := test.from(t, 80, 24)
			before := len(h.store.config.Entries)
			err := h.root.finish()
			if saved := len(h.store.config.Entries) > before; saved != test.saved {
				t.Errorf("saved %v, error %v", saved, err)
			}
			if test.err != "" {
				wantError(t, err, test.err)
			} else if err != nil {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
