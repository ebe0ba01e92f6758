package tui

import (
	"fmt"
	"slices"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// many has more graphs than a screen holds.
func many(h *harness) {
	configured(h)
	for i := range 60 {
		h.roam.available = append(h.roam.available, hosted(fmt.Sprintf("graph-%02d", i)))
	}
}

func listScenes() map[string]scene {
	files := in(configured).then(press("?"), typed("files"), press("enter"), see("Configuration"))
	return map[string]scene{
		"graphs":              in(configured),
		"graphs-unconnected":  in(configured).then(press("down", "down", "down", "down")),
		"graphs-many":         in(many).then(press(slices.Repeat([]string{"down"}, 17)...)),
		"graphs-sorted":       in(configured).then(press("S", "S", "S")),
		"graphs-marked":       in(configured).then(press("end", "space", "up", "space")),
		"graphs-marked-own":   in(configured).then(press("space", "space", "end", "space", "home")),
		"graphs-filter":       in(many).then(press("/", "w", "o")),
		"graphs-filter-none":  in(configured).then(press("/", "z", "z")),
		"graphs-first":        in(fresh),
		"graphs-empty":        in(),
		"graphs-roam-away":    in(away, official),
		"graphs-away-config":  in(configured, away),
		"graphs-disabled-api": in(configured, apiDisabled),
		"graphs-problems":     in(configured, problems),
		"graphs-broken":       in(brokenConfig),
		"menu":                in(configured).then(press("?")),
		"menu-typed":          in(configured).then(press("?"), typed("re")),
		"menu-sandbox":        in(fresh).then(press("?")),
		"menu-rejected":       inState(exchangeScenes()[exchange.Rejected]).then(press("?")), // with long words
		"menu-clients":        clientsOf(configured).then(press("?")),
		"menu-broken":         in(brokenConfig).then(press("?")),
		"menu-question":       in(configured).then(press("x", "?")),
		"signs":               in(configured).then(press("?"), typed("sig"), press("enter")),
		"about":               files,
		"about-long-path":     files.then(press("down", "down", "down")),
	}
}

func apiDisabled(h *harness) {
	h.roam.err = &problem.Error{Code: localapi.CodeDisabled, Call: &problem.Call{Status: 403}, Message: "Roam's Local API is disabled.", Hint: problem.Say("Open Settings in Roam Desktop and switch the Local API on, or update Roam: newer builds always have it on.")}
}

func problems(h *harness) {
	h.store.config.Problems = []configstore.Problem{
		{Code: configstore.CodeEntryInvalid, Message: `Entry 3 ("notes") has no token.`, Hint: problem.Say("Re-authorize the graph, or take the entry out."), Index: 2},
		{Code: configstore.CodeConfigModeOpen, Message: "Other users of this machine can read or change /home/ada/.roam-mcp.json, which holds tokens (mode 644).", Hint: problem.Say("chmod 600"), Index: -1},
	}
}

func brokenConfig(h *harness) {
	h.roam.open = []localapi.Graph{hosted("work")}
	h.store.loadErr = &problem.Error{Code: configstore.CodeConfigInvalid, Message: "/home/ada/.roam-mcp.json is not valid JSON at line 4, column 7.", Hint: problem.Say("Mend the file; roam-mcp never overwrites what it can't read."),
		Place: &problem.Place{Path: "/home/ada/.roam-mcp.json", Line: 4, Column: 7, Text: `"graphs": [,]`, Mark: 11}}
}

// officialMany has more graphs in the file of the official tools than a screen
// holds.
func officialMany(h *harness) {
	h.graphs.Official = func() ([]configstore.Entry, []configstore.Problem, error) {
		var entries []configstore.Entry
		for i := range 50 {
			entries = append(entries, entry(fmt.Sprintf("Graph %d", i), hosted(fmt.Sprintf("graph-%d", i)), localapi.Full, "aaaa"))
		}
		return entries, nil, nil
	}
}

// awaitedScenes are those beside an exchange that wait for something on the way.
func awaitedScenes() map[string]scene {
	offered := in(configured, official).then(press("i"), see("Recipes"))
	return map[string]scene{
		"import":         offered,
		"import-checked": offered.then(see("its token could not be checked")),
		"import-many":    in(configured, officialMany).then(press("i"), see("Graph 0"), press("end")),
		"import-done":    offered.then(press("enter"), see("Added Recipes")),
	}
}
