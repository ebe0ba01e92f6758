package tui

import (
	"context"
	"errors"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
)

// encrypted is a Roam that calls every graph encrypted.
func encrypted(h *harness) { h.says(localapi.Encrypted, nil) }

// unsaid is a Roam that does not say of any graph whether it is encrypted.
func unsaid(h *harness) { h.says(localapi.EncryptionUnsaid, nil) }

func (h *harness) says(said localapi.Encryption, err error) {
	h.graphs.Encryption = func(context.Context, configstore.Entry) (localapi.Encryption, error) { return said, err }
}

// asked is the question about the texts of a graph that was just connected.
func asked() scene {
	return asking(configured, encrypted).then(granted(localapi.Full), see("Keep texts of Reading list in the history?"))
}

const unsaidQuestion = "whether this graph is"

// askedUnsaid is the question about the texts of a graph of which Roam does not say whether
// it is encrypted.
func askedUnsaid() scene {
	return asking(configured, unsaid).then(granted(localapi.Full), see(unsaidQuestion))
}

// unkept is the history opened, of a journal that tells that no texts of Work were kept.
func unkept() scene {
	f := recorded()
	f.notices = []history.Notice{history.TextsUnsaid(workGraph, "Work")}
	return in(configured, journaled(f)).then(press("h"), rests, see(unsaidQuestion))
}

// unkeptMeanwhile is the history of a journal that tells it while the history is open.
func unkeptMeanwhile() scene {
	return func(t *testing.T, width, height int) *harness {
		f := recorded()
		tells := func(f *fakeHistory) { f.notices = []history.Notice{history.TextsUnsaid(workGraph, "Work")} }
		return remembered(f).then(func(*harness) { f.change(tells) }, see("whether the graph Work is", "roam-mcp history on"), rests)(t, width, height)
	}
}

func textsScenes() map[string]scene {
	return map[string]scene{
		"texts-question":        asked(),
		"texts-unsaid-question": askedUnsaid(),
		"texts-unsaid-history":  unkept(),
		"texts-unsaid-notice":   unkeptMeanwhile(),
		"texts-off":             graphOf(0, "read in 38 ms", ruled).then(press("K"), see("No new texts of Work are kept.")),
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
		"of an encrypted graph are not kept unless the person says so":                 asked().then(press("enter"), said(configstore.Off), see("No new texts of Reading list are kept.")),
		"of an encrypted graph are not kept where the person says no":                  asked().then(press("esc"), said(configstore.Off)),
		"of an encrypted graph are kept where the person says so":                      asked().then(press("y"), said(configstore.On), see("Texts of Reading list are kept for 90 days.")),
		"of a graph of which Roam does not say are not kept unless the person says so": askedUnsaid().then(press("enter"), said(configstore.Off), see("No new texts of Reading list are kept.")),
		"of a graph of which Roam does not say are kept where the person says so":      askedUnsaid().then(press("y"), said(configstore.On), see("Texts of Reading list are kept for 90 days.")),
		"are not asked about where Roam can't be asked now": asking(configured, func(h *harness) { h.says(localapi.EncryptionUnsaid, errors.New("away")) }).then(
			granted(localapi.Full), see("Saved as"), unseen(unsaidQuestion)),
		"that were not kept, since Roam does not say, are asked about in the history": unkept().then(
			press("y"), first(configstore.On), see("Texts of Work are kept for 90 days."), unseen("Roam does not say")),
		"are not asked about while a person is reading the history": unkeptMeanwhile().then(unseen(unsaidQuestion)),
		"are asked about in the history once": unkept().then(press("esc"), first(configstore.Off),
			press("esc"), press("h"), func(h *harness) {
				h.until("no question", func() bool { return !h.shows("Roam does not say") })
			}, see("All that agents have written")),
		"of another graph are not asked about": asking(configured).then(granted(localapi.Full), see("Saved as"), unseen("Keep texts"),
			shown("What agents write in it is recorded; its details say what is kept.")),
		"of a graph that is only read are no matter": asking(configured).then(granted(localapi.ReadOnly), see("Saved as"), unseen("is recorded")),
		"are kept or not by a key": in(configured).then(press("enter"), see("texts are kept if not encrypted"), offers("K keep no texts"),
			press("K"), first(configstore.Off), see("no texts are kept"), offers("K keep texts"),
			press("K"), first(configstore.On), see("texts are kept for 90 days")),
		"are kept of no graph where the file says so": in(configured, func(h *harness) { h.store.config.History.Texts = configstore.Off }).then(
			press("enter"), see("no texts are kept, of any graph"), press("K"), see("To keep them: roam-mcp history on"), first("")),
		"are no matter where there is no journal": in(configured, func(h *harness) { h.options.HistoryFolder = "" }).then(resized(79, 24), press("enter"), see("State"), unseen("History"), doesNotOffer("K keep no texts")),
	})
}

func TestAQueueTellsOfEncryptedGraphs(t *testing.T) {
	play(t, map[string]scene{
		"and asks nobody": func(t *testing.T, width, height int) *harness {
			return firstAsked(hosted("reading-list")).then(encrypted, grantedUnseen(localapi.Full), see("1 of 1 graph connected", "Roam calls it encrypted, so no texts of it"))(t, 100, 30)
		},
	})
}
