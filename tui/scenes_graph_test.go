package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

const houseRules = `- ## What is what
  - I am Ada. "The lab" is [[Lab Notebook]], #[[reading list]] holds what I mean to read.
  - Weeks run from **Monday** to Sunday. Grams, kilometres, the 24-hour clock.
- ## Where to write
  - Dated notes go on the daily page of their day, __today's__ unless I name another.
  - Tag new material with ` + "`#inbox`" + `, on its top block only.
  - A query that I like:
    - ` + "```clojure" + `
[:find ?title
 :where [_ :node/title ?title]]
` + "```" + `
- ## What to leave alone
  - Never change a block tagged #quote. See [the manual](https://example.com/manual) and ((k4B2xY9pL)).
  - ~~Ask me about tables.~~ {{[[DONE]]}} {{[[TODO]]}} ^^Ask^^ before you delete anything.
  - > Where two notes disagree, show me both.
`

// ruled has guidelines in every graph.
func ruled(h *harness) { h.guidelines = houseRules }

// graphOf leads to the screen of the graph after so many presses of down, and
// waits for a text on it.
func graphOf(down int, text string, keys []string, worlds ...world) scene {
	return func(t *testing.T, width, height int) *harness {
		h := newHarness(t, width, height, append([]world{configured}, worlds...)...)
		for range down {
			h.press("down")
		}
		h.press("enter")
		h.until(text, func() bool { return h.shows(text) || height < 20 && h.settled() })
		h.press(keys...)
		return h
	}
}

// settled reports whether the graph's screen waits for nothing: on a small one
// the guidelines are below what is shown.
func (h *harness) settled() bool {
	s, ok := h.root.top().(*graphScreen)
	return ok && s.guidelines.stage != guidelinesReading && !s.checking
}

// graphGone is the screen of a graph that another program has removed.
func graphGone(t *testing.T, width, height int) *harness {
	h := graphOf(0, "read in 38 ms", nil, ruled)(t, width, height)
	over := make(chan configstore.Event)
	close(over)
	h.run(func() tea.Msg { return configMsg{events: over, open: true} })
	h.untilShown("no longer in")
	return h
}

func graphScenes() map[string]scene {
	unreadable := func(h *harness) {
		h.guidelinesErr = &problem.Error{Code: localapi.CodeTimeout, Message: "Roam did not answer in time.", Hint: problem.Say("Open the graph in Roam, then try again.")}
	}
	return map[string]scene{
		"graph":               graphOf(0, "read in 38 ms", nil, ruled),
		"graph-end":           graphOf(0, "read in 38 ms", []string{"end"}, ruled),
		"graph-no-guidelines": graphOf(0, "This graph has none.", nil),
		"graph-unreadable":    graphOf(0, "could not be read", nil, unreadable),
		"graph-not-open":      graphOf(1, "is not open in Roam", nil),
		"graph-revoked":       graphOf(2, "r asks for a new one", nil),
		"graph-disabled":      graphOf(3, "agents don't see this graph", nil),
		"graph-gone":          graphGone,
		"graph-roam-away":     graphOf(0, "once Roam is there", nil, away),
	}
}
