package tui

import (
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// Asking is an exchange in words.
type Asking struct{ screen *exchangeScreen }

// Connect is an exchange for a graph that gets this nickname.
func (w *Words) Connect(request exchange.Request, nickname string) *Asking {
	entry := configstore.Entry{Name: request.Graph.Name, Type: request.Graph.Type, Nickname: nickname}
	return &Asking{newExchangeScreen(w.root.env, request, entry)}
}

// Reauthorization is the request for a new token of a configured graph, as its
// form proposes it. Of a public one there is nothing to choose.
func (w *Words) Reauthorization(entry configstore.Entry) exchange.Request {
	return w.root.env.reauthorization(entry, entry.AccessLevel)
}

// Reauthorize is an exchange for a new token of a configured graph.
func (w *Words) Reauthorize(request exchange.Request, entry configstore.Entry) *Asking {
	return &Asking{newExchangeScreen(w.root.env, request, entry)}
}

// Request is what is asked for.
func (a *Asking) Request() exchange.Request { return a.screen.request }

// Machine is the newest machine that Follow was given.
func (a *Asking) Machine() exchange.Machine { return a.screen.machine }

// Follow takes the exchange's newest machine.
func (a *Asking) Follow(machine exchange.Machine) {
	e := a.screen.env
	e.now = e.ports.Now()
	a.screen.machine = machine
}

// Unwritable notes that nobody was asked, since the token could not be saved.
func (a *Asking) Unwritable(err error) { a.screen.storeErr = err }

// Saved notes what became of the granted token: an error means that it is not
// saved.
func (a *Asking) Saved(entry configstore.Entry, err error) {
	a.screen.save = saving{stage: saved, entry: entry, err: err}
	if err != nil {
		a.screen.save.stage = saveFailed
	}
}

// Rescued notes the file that keeps the token instead.
func (a *Asking) Rescued(path string) {
	a.screen.save.stage, a.screen.save.rescued = rescued, path
}

// Sentences say how the exchange stands, the headline first.
func (a *Asking) Sentences() []string {
	st := a.screen.status()
	all := []string{problem.Sentence(st.headline)}
	for _, text := range st.text {
		if text != "" && text != all[0] {
			all = append(all, text)
		}
	}
	if a.screen.machine.State == exchange.Failed {
		all = append(all, strings.Split(a.screen.details(), "\n")...)
	}
	return all
}

// Granted is the entry to save: what Roam granted, not what was asked.
func (a *Asking) Granted() configstore.Entry { return a.screen.grantedEntry() }

// Lower is the level below the one asked for; empty where there is none.
func (a *Asking) Lower() localapi.AccessLevel { return a.screen.lowerLevel() }

// Close frees what the exchange holds; the exchange itself is ended elsewhere.
func (a *Asking) Close() { a.screen.cancel() }
