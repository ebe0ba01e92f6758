package tui

import (
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// row is a graph of the list: a configured one, or one that Roam alone lists.
type row struct {
	graph      localapi.Graph
	configured bool
	entry      configstore.Entry // zero unless configured
	open       bool              // in Roam
	// The case-folded texts to search and sort by.
	foldedNickname, foldedName string
}

func newRow(graph localapi.Graph, open bool) row {
	return row{graph: graph, open: open, foldedName: configstore.FoldNickname(graph.Name)}
}

// rows returns the configured graphs in the file's order, then the others that Roam
// lists, open ones first. The caller must not change it.
func (e *env) rows() []row {
	if e.rowCacheRevision != e.revision {
		e.rowCache, e.rowCacheRevision = e.allRows(), e.revision
		e.widest = widestOf(e.rowCache)
	}
	return e.rowCache
}

func (e *env) allRows() []row {
	openNow := make(map[localapi.Graph]bool, len(e.roam.open))
	for _, g := range e.roam.open {
		openNow[g] = true
	}
	seen := make(map[localapi.Graph]bool)
	var rows []row
	for _, entry := range e.config.Entries {
		g := entry.Graph()
		seen[g] = true
		r := newRow(g, openNow[g])
		r.configured, r.entry, r.foldedNickname = true, entry, configstore.FoldNickname(entry.Nickname)
		rows = append(rows, r)
	}
	for _, listed := range [][]localapi.Graph{e.roam.open, e.roam.available} {
		for _, g := range listed {
			if !seen[g] {
				rows = append(rows, newRow(g, openNow[g]))
			}
			seen[g] = true
		}
	}
	return rows
}

// graphState is the state of a graph as the list shows it.
type graphState struct {
	kit.Sign
	// rank orders by state. What needs a person comes first.
	rank int
}

// stateOf returns the state of a graph.
func (e *env) stateOf(r row) graphState {
	g, t := e.Glyphs, e.Theme
	if !r.configured {
		if r.open {
			return graphState{kit.NewSign(g.Off, "open now", t.Text), 0}
		}
		if e.configUnreadable() {
			return graphState{kit.NewSign(g.Off, "not open", t.Muted), 1}
		}
		return graphState{kit.NewSign(g.Off, "not connected", t.Muted), 1}
	}
	checked, known := e.checks[keyOf(r.entry)]
	switch {
	case r.entry.Disabled:
		return graphState{kit.NewSign(g.None, "disabled", t.Muted), 6}
	case e.revoked(r.entry):
		return graphState{kit.NewSign(g.Failed, "token revoked", t.Danger), 0}
	case e.roam.known && problem.CodeOf(e.roam.err) == localapi.CodeDisabled:
		return graphState{kit.NewSign(g.Off, "Local API off", t.Muted), 2}
	case e.roam.known && e.roam.err != nil:
		return graphState{kit.NewSign(g.Off, "Roam is away", t.Muted), 3}
	case !known:
		return graphState{kit.NewSign(g.Busy, "checking", t.Muted), 4}
	case checked.info.Status == localapi.TokenActive:
		return graphState{kit.NewSign(g.On, "connected", t.Success), 5}
	}
	return graphState{kit.NewSign(g.Warning, "not checked", t.Warning), 1}
}

// revoked reports whether Roam, when last asked, no longer knew the token.
func (e *env) revoked(entry configstore.Entry) bool {
	if c, ok := e.checks[keyOf(entry)]; ok {
		return c.info.Status == localapi.TokenRevoked
	}
	return entry.LastKnownTokenStatus == localapi.TokenRevoked
}

// access returns the level of a configured graph as Roam last told it.
func (e *env) access(r row) localapi.AccessLevel {
	if c, ok := e.checks[keyOf(r.entry)]; ok && c.info.AccessLevel != "" {
		return c.info.AccessLevel
	}
	return r.entry.AccessLevel
}

// tokenSentence returns what is known of a graph's token: its last four characters,
// and Roam's last answer about it.
func (e *env) tokenSentence(r row) string {
	text := "Token " + r.entry.Token.Hint()
	c, ok := e.checks[keyOf(r.entry)]
	switch {
	case e.revoked(r.entry):
		return text + " was revoked in Roam. r asks for a new one."
	case !ok:
		return text + "."
	case c.info.Status == localapi.TokenActive:
		return text + ", checked " + kit.Ago(e.now.Sub(c.at)) + ", answered in " + kit.ShortDuration(c.took) + "."
	}
	what, todo := e.explain(c.info.Reason)
	return strings.TrimSpace(text + " could not be checked. " + what + " " + todo)
}

// summary returns a few sentences on what the graph is and what can be done with it.
func (e *env) summary(r row) []string {
	if !r.configured && e.configUnreadable() {
		return []string{"Roam lists it.", "Whether it is connected is not known before the configuration can be read."}
	}
	if !r.configured {
		first := "It is open in Roam."
		if !r.open {
			first = "Roam opens it when you connect it."
		}
		return []string{first, "enter connects it; Roam then asks you whether to allow that."}
	}
	level := e.access(r)
	access := "Access is " + level.Words() + "."
	if level.Known() {
		access = strings.ToUpper(level.Words()[:1]) + level.Words()[1:] + " access: agents can " + level.Explain() + "."
	}
	if r.entry.Disabled {
		return []string{"Disabled: agents don't see it. space enables it.", e.tokenSentence(r)}
	}
	if e.revoked(r.entry) {
		access = "Agents can't use it before it has a new token."
	}
	return []string{access, e.tokenSentence(r)}
}

// displayName returns what a person calls the graph.
func (r row) displayName() string {
	if r.configured {
		return r.entry.Nickname
	}
	return r.graph.Name
}
