package mcpserve

import (
	"context"
	"fmt"
	"sync"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// view is the configuration as this server serves it, at one moment.
type view struct {
	exists  bool
	gone    bool                // the file was there before, and is not now
	entries []configstore.Entry // those that --graph leaves, disabled ones too
	waiting []configstore.Entry // those without a token that --graph leaves
	config  configstore.Config  // all of it
}

func (v view) enabled() []configstore.Entry {
	var enabled []configstore.Entry
	for _, e := range v.entries {
		if !e.Disabled {
			enabled = append(enabled, e)
		}
	}
	return enabled
}

// choosing reports whether a graph has to be chosen: there are several, or none.
func (v view) choosing() bool { return len(v.enabled()) != 1 }

// findWaiting looks among the graphs served that have no token yet.
func (v view) findWaiting(nicknameOrName string) (configstore.Entry, bool) {
	return configstore.Config{Entries: v.waiting}.Find(nicknameOrName)
}

// withoutToken lists the enabled graphs that have no token yet.
func (v view) withoutToken() []configstore.Entry {
	return configstore.Config{Entries: v.waiting}.Enabled()
}

// find looks among the graphs served: nickname first, then name, then nickname as
// it is shown.
func (v view) find(nicknameOrName string) (configstore.Entry, bool) {
	if e, ok := (configstore.Config{Entries: v.entries}).Find(nicknameOrName); ok {
		return e, true
	}
	for _, e := range v.entries {
		if configstore.SameNickname(textsafe.Name(e.Nickname), nicknameOrName) {
			return e, true
		}
	}
	return configstore.Entry{}, false
}

func (v view) findGraph(graph localapi.Graph) (configstore.Entry, bool) {
	return configstore.Config{Entries: v.entries}.FindGraph(graph)
}

func (v view) choices() []graphChoice {
	choices := []graphChoice{}
	for _, e := range v.enabled() {
		choices = append(choices, graphChoice{textsafe.Name(e.Nickname), e.Name, e.AccessLevel, string(e.LastKnownTokenStatus)})
	}
	return choices
}

// serving restricts the configuration to the graphs of --graph. A graph is
// followed by what it is, not by what it is called, so that it stays served
// when it is renamed.
type serving struct {
	mu     sync.Mutex
	seen   bool                      // whether there was a configuration file
	wanted []string                  // as given
	known  map[string]localapi.Graph // those already seen in the configuration
}

func newServing(wanted []string) *serving {
	return &serving{wanted: wanted, known: map[string]localapi.Graph{}}
}

func (s *serving) view(config configstore.Config) view {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = s.seen || config.Exists
	v := view{exists: config.Exists, gone: s.seen && !config.Exists, config: config, entries: config.Entries, waiting: config.WithoutToken}
	if len(s.wanted) == 0 {
		return v
	}
	v.entries, v.waiting = nil, nil
	served := map[localapi.Graph]bool{}
	for _, name := range s.wanted {
		graph, ok := s.known[name]
		if !ok {
			e, found := config.FindAny(name)
			if !found {
				continue
			}
			graph = e.Graph()
			s.known[name] = graph
		}
		if e, found := (configstore.Config{Entries: config.WithoutToken}).FindGraph(graph); found && !served[graph] {
			served[graph] = true
			v.waiting = append(v.waiting, e)
		}
		if e, found := config.FindGraph(graph); found && !served[graph] {
			served[graph] = true
			v.entries = append(v.entries, e)
		}
	}
	return v
}

// unknown lists those of --graph that the configuration does not have.
func (s *serving) unknown(config configstore.Config) []string {
	var missing []string
	for _, name := range s.wanted {
		if _, found := config.FindAny(name); !found {
			missing = append(missing, name)
		}
	}
	return missing
}

// admits reports whether a graph may be served once it is connected: all may be
// without --graph, else those that it names.
func (s *serving) admits(name string, entry configstore.Entry) bool {
	if len(s.wanted) == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, wanted := range s.wanted {
		if wanted == name || configstore.SameNickname(wanted, entry.Nickname) || s.known[wanted].Name == name {
			return true
		}
	}
	return false
}

// look loads the configuration as it is at this moment, so that a graph that
// was disabled is refused from the next call on.
func (s *Server) look(ctx context.Context) (view, error) {
	s.mirrors.reading.Lock()
	defer s.mirrors.reading.Unlock()
	config, err := s.options.Store.Load(ctx)
	if err != nil {
		return view{}, err
	}
	v := s.serving.view(config)
	s.sessions.retain(v)
	s.mirrors.follow(v)
	return v, nil
}

// target is the graph that a call works on.
type target struct {
	entry configstore.Entry
	label string // as the caller named it, else the nickname
	// ticket is the caller's, where it could be opened.
	ticket *ticket
	// implicit: nothing but the configuration named the graph.
	implicit bool
}

// chooseGraph finds the graph of a call: the one it names, else its ticket's,
// else the selected one, else the only one. A selection outlives changes of the
// configuration: a call never slides from a graph that was disabled to another.
func (s *Server) chooseGraph(c *call) (target, error) {
	name, sealed := c.args.Text(surface.ParamGraph), c.args.Text(surface.ParamTicket)
	var chosen target
	if sealed != "" {
		if opened, ok := s.tickets().ticketOf(sealed); ok {
			chosen.ticket = &opened
		} else if _, selected := c.session.selection(); name == "" && c.view.choosing() && !(selected && c.tool.NeedsTicket()) {
			// A write to the selected graph is refused later, with what the next
			// try needs; a read would be answered from a graph that was not meant.
			return target{}, staleWithoutGraph(c.view)
		}
	}
	switch {
	case name != "":
		entry, ok := c.view.find(name)
		if !ok {
			return target{}, notConfigured(c.view, name)
		}
		chosen.entry, chosen.label = entry, name
	case chosen.ticket != nil:
		entry, ok := c.view.findGraph(chosen.ticket.graph)
		if !ok {
			return target{}, notConfigured(c.view, chosen.ticket.graph.Name)
		}
		chosen.entry, chosen.label = entry, entry.Nickname
	default:
		entry, implicit, err := s.defaultGraph(c)
		if err != nil {
			return target{}, err
		}
		chosen.entry, chosen.label, chosen.implicit = entry, entry.Nickname, implicit
	}
	if chosen.entry.Disabled {
		return target{}, disabled(c.view, chosen.entry)
	}
	return chosen, nil
}

// defaultGraph is the graph of a call that names none.
func (s *Server) defaultGraph(c *call) (entry configstore.Entry, implicit bool, err error) {
	if selected, ok := c.session.selection(); ok {
		entry, found := c.view.findGraph(selected)
		if !found {
			return entry, false, notConfigured(c.view, selected.Name)
		}
		return entry, false, nil
	}
	enabled := c.view.enabled()
	switch {
	case len(enabled) == 1:
		return enabled[0], true, nil
	case len(enabled) > 1:
		return entry, false, notSelected(c.view, c.session)
	case len(c.view.entries) == 1:
		return c.view.entries[0], true, nil // disabled, as the caller will see
	}
	return entry, false, nothingEnabled(c.view)
}

// withGraphs returns e with the graphs that the caller may name.
func withGraphs(v view, e *problem.Error) *problem.Error {
	if choices := v.choices(); len(choices) > 0 {
		return e.With(surface.DetailGraphs, choices)
	}
	return e
}

func notSelected(v view, of *session) *problem.Error {
	hint := problem.Say("Select one with %s, or name one in the parameter graph. Ask the user where it is not clear which.", problem.SelectGraph)
	if of == nil {
		hint = problem.Say("This connection keeps no selection: name one in the parameter graph, or send the ticket that %s or %s gave. Ask the user where it is not clear which.", problem.SelectGraph, problem.ReadGuidelines)
	}
	return withGraphs(v, &problem.Error{
		Code:    CodeGraphNotSelected,
		Message: "Several graphs are enabled and none is selected.",
		Hint:    hint.Or("Name one in the parameter graph. Ask the user where it is not clear which."),
		Next:    problem.SelectGraph,
	})
}

func nothingEnabled(v view) *problem.Error {
	none := &problem.Error{Code: configstore.CodeGraphNotConfigured, Message: "No graph is set up."}
	switch {
	case v.exists && len(v.entries) > 0:
		return withGraphs(v, &problem.Error{Code: CodeGraphDisabled, Message: "All configured graphs are disabled.", Hint: problem.Say("The user can enable one with: %s", problem.Run("enable", "NICKNAME"))})
	case len(v.withoutToken()) > 0:
		return withoutToken(v, v.withoutToken()[0])
	case v.gone:
		return &problem.Error{
			Code:    configstore.CodeConfigNotFound,
			Message: "The configuration file, which had the user's graphs and tokens, is gone: somebody deleted or moved it while this server ran.",
			Hint:    problem.Say("Tell the user: once the file is back in its place, it is used again. Or ask the user to run %s in a terminal and connect the graphs anew.", problem.Run("")),
		}
	case !v.exists:
		none = &problem.Error{Code: configstore.CodeConfigNotFound, Message: "No graph is set up yet: there is no configuration file."}
	}
	none.Hint = problem.Say("Call %s to see the graphs in Roam and connect one, or ask the user to run %s in a terminal.", problem.SetUpGraph, problem.Run("")).
		Or("Ask the user to run %s in a terminal and connect a graph.", problem.Run(""))
	none.Next = problem.SetUpGraph
	return none
}

// withoutToken says of a graph that it is configured and has no token yet.
func withoutToken(v view, entry configstore.Entry) *problem.Error {
	reauthorize := problem.Run("reauth", entry.Nickname)
	return withGraphs(v, &problem.Error{
		Code:    configstore.CodeNoToken,
		Message: fmt.Sprintf("The graph %s (%s) is configured, but has no token yet.", textsafe.Quote(entry.Nickname), textsafe.Quote(entry.Name)),
		Hint: problem.Say("Call %s with graph %s: Roam asks the user for a token. Or the user runs: %s", problem.SetUpGraph, textsafe.Quote(entry.Name), reauthorize).
			Or("Ask the user to connect it, in roam-mcp or with: %s", reauthorize),
		Next: problem.SetUpGraph,
	})
}

func notConfigured(v view, name string) *problem.Error {
	if v.gone {
		return nothingEnabled(v)
	}
	if entry, ok := v.findWaiting(name); ok {
		if entry.Disabled {
			return disabled(v, entry)
		}
		return withoutToken(v, entry)
	}
	e := &problem.Error{
		Code:    configstore.CodeGraphNotConfigured,
		Message: fmt.Sprintf("No graph with the nickname or name %s is configured.", textsafe.Quote(name)),
		Hint:    problem.Say("Use the nickname of one of the available graphs."),
	}
	if v.choosing() {
		e.Next = problem.ListGraphs
	}
	return withGraphs(v, e)
}

func disabled(v view, entry configstore.Entry) *problem.Error {
	e := &problem.Error{
		Code:    CodeGraphDisabled,
		Message: fmt.Sprintf("The graph %s is disabled.", textsafe.Quote(entry.Nickname)),
		Hint:    problem.Say("The user can enable it with: %s", problem.Run("enable", entry.Nickname)),
	}
	return withGraphs(v, e.With("graph", textsafe.Name(entry.Nickname)))
}

// graphChoice is a graph that the caller may name.
type graphChoice struct {
	Nickname    string               `json:"nickname"`
	Name        string               `json:"name"`
	AccessLevel localapi.AccessLevel `json:"accessLevel,omitempty"`
	TokenStatus string               `json:"lastKnownTokenStatus,omitempty"`
}
