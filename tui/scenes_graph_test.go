package tui

import (
	"slices"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
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
  - Never change a block tagged #quote; see [the manual](https://example.com/manual) and ((k4B2xY9pL)).
  - ~~Ask me about tables.~~ {{[[DONE]]}} {{[[TODO]]}} ^^Ask^^ before you delete anything.
  - > Where two notes disagree, show me both.
`

// ruled has guidelines in every graph.
func ruled(h *harness) { h.guidelines = houseRules }

// graphOf leads to the screen of the graph after so many presses of down, and
// waits for a text on it.
func graphOf(down int, text string, worlds ...world) scene {
	return in(append([]world{configured}, worlds...)...).then(press(slices.Repeat([]string{"down"}, down)...), press("enter"), func(h *harness) {
		h.until(text, func() bool { return h.shows(text) || h.root.height < 20 && h.settled() })
	})
}

// settled reports whether the graph's screen waits for nothing: on a small one
// the guidelines are below what is shown.
func (h *harness) settled() bool {
	s, ok := h.root.top().(*graphScreen)
	return ok && s.guidelines.stage != guidelinesReading && !s.checking
}

func graphScenes() map[string]scene {
	unreadable := func(h *harness) {
		h.guidelinesErr = &problem.Error{Code: localapi.CodeTimeout, Message: "Roam did not answer in time.", Hint: problem.Say("Open the graph in Roam, then try again.")}
	}
	rules := graphOf(0, "read in 38 ms", ruled)
	return map[string]scene{
		"graph":               rules,
		"graph-end":           rules.then(press("end")),
		"graph-no-guidelines": graphOf(0, "This graph has none."),
		"graph-unreadable":    graphOf(0, "could not be read", unreadable),
		"graph-not-open":      graphOf(1, "is not open in Roam"),
		"graph-revoked":       graphOf(2, "r asks for a new one"),
		"graph-disabled":      graphOf(3, "agents don't see this graph"),
		"graph-gone":          rules.then(reconfigured(), see("no longer in")),
		"graph-roam-away":     graphOf(0, "once Roam is there", away),
	}
}
