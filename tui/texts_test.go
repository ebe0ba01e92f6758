package tui

import (
	"context"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
)

// encrypted is a Roam that calls every graph encrypted.
func encrypted(h *harness) {
	h.graphs.Encrypted = func(context.Context, configstore.Entry) (bool, error) { return true, nil }
}

// asked is the question about the texts of a graph that was just connected.
func asked() scene {
	return asking(configured, encrypted).then(granted(localapi.Full), see("Keep texts of Reading list in the history?"))
}

func textsScenes() map[string]scene {
	return map[string]scene{
		"texts-question": asked(),
		"texts-off":      graphOf(0, "read in 38 ms", ruled).then(press("K"), see("No new texts of Work are kept.")),
	}
}

func TestTexts(t *testing.T) {
	said := func(want configstore.Switch) step {
		return func(h *harness) {
			h.until("the answer in the file", func() bool {
				h.store.mu.Lock()
				defer h.store.mu.Unlock()
				last := h.store.config.Entries[len(h.store.config.Entries)-1]
				return last.Name == "reading-list" && last.History == want
			})
		}
	}
	first := func(want configstore.Switch) step {
		return func(h *harness) {
			h.until("the setting in the file", func() bool {
				h.store.mu.Lock()
				defer h.store.mu.Unlock()
				return h.store.config.Entries[0].History == want
			})
		}
	}
	play(t, map[string]scene{
		"of an encrypted graph are not kept unless the person says so": asked().then(press("enter"), said(configstore.Off), see("No new texts of Reading list are kept.")),
		"of an encrypted graph are not kept where the person says no":  asked().then(press("esc"), said(configstore.Off)),
		"of an encrypted graph are kept where the person says so":      asked().then(press("y"), said(configstore.On), see("Texts of Reading list are kept for 90 days.")),
		"of another graph are not asked about": asking(configured).then(granted(localapi.Full), see("Saved as"), unseen("Keep texts"),
			shown("What agents write in it is recorded; its details say what is kept.")),
		"of a graph that is only read are no matter": asking(configured).then(granted(localapi.ReadOnly), see("Saved as"), unseen("is recorded")),
		"are kept or not by a key": in(configured).then(press("enter"), see("texts are kept, unless encrypted"), offers("K keep no texts"),
			press("K"), first(configstore.Off), see("no texts are kept"), offers("K keep texts"),
			press("K"), first(configstore.On), see("texts are kept for 90 days")),
		"are kept of no graph where the file says so": in(configured, func(h *harness) { h.store.config.History.Texts = configstore.Off }).then(
			press("enter"), see("no texts are kept, of any graph"), press("K"), see("To keep them: roam-mcp history on"), first("")),
		"are no matter where there is no journal": in(configured, func(h *harness) { h.options.HistoryFolder = "" }).then(press("enter"), see("State"), unseen("History"), doesNotOffer("K keep no texts")),
	})
}

func TestAQueueTellsOfEncryptedGraphs(t *testing.T) {
	play(t, map[string]scene{
		"and asks nobody": func(t *testing.T, width, height int) *harness {
			return firstAsked(hosted("reading-list")).then(encrypted, grantedUnseen(localapi.Full), see("1 of 1 graph connected", "Roam calls it encrypted, so no texts of it"))(t, 100, 30)
		},
	})
}
