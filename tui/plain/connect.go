package plain

import (
	"context"
	"strings"

	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/wording"
)

// connect asks what the form of the setup program asks, and then Roam.
func (s *prompter) connect(ctx context.Context) error {
	s.look(ctx)
	if err := s.roster.ConfigErr; err != nil {
		s.fail(err)
		return nil
	}
	graph, public, err := s.chooseUnconnected(ctx)
	if err != nil || graph.Name == "" {
		return err
	}
	o := manage.Options{Public: public}
	o.Nickname, err = s.field(ctx, s.words.Nickname(s.roster, graph), manage.ProposedNickname(s.roster.Config, graph))
	if err != nil {
		return err
	}
	if !public {
		if o.AccessLevel, err = s.chooseLevel(ctx, localapi.Full); err != nil || o.AccessLevel == "" {
			return err
		}
	}
	if o.AccessLevel.CanAppend() {
		s.tell(s.words.History(s.roster.Config)...)
	}
	if o.Description, err = s.field(ctx, wording.Description(), s.options.Description); err != nil {
		return err
	}
	authorization, err := manage.Connect(s.roster.Config, graph, o)
	if err != nil {
		s.fail(err)
		return nil
	}
	return s.exchange(ctx, authorization)
}

// chooseUnconnected gives a graph that is not connected yet; no name: none was
// chosen. A public one is not listed by Roam.
func (s *prompter) chooseUnconnected(ctx context.Context) (graph localapi.Graph, public bool, err error) {
	var options []option
	var graphs []manage.Graph
	for _, g := range s.roster.Graphs() {
		if !g.Connected {
			options = append(options, option{word: g.Name, about: string(g.Type) + ", " + s.notConnected(g)})
			graphs = append(graphs, g)
		}
	}
	known := s.roster.ListKnown()
	if len(graphs) == 0 && known {
		s.tell("Roam lists no graph that is not connected.")
	}
	other := "somebody's public graph, by its name"
	if !known {
		other = "a graph, by its name"
	}
	options = append(options,
		option{word: "other", about: other},
		option{word: "back"})
	i, err := s.choose(ctx, "Which graph to connect", options, len(options)-1)
	if err != nil || i == len(options)-1 {
		return localapi.Graph{}, false, err
	}
	var chosen manage.Graph
	if i < len(graphs) {
		chosen = graphs[i]
	} else {
		s.tell(s.words.AboutGraphName(s.roster))
		name, err := s.field(ctx, wording.GraphName(), "")
		if err != nil || name == "" {
			return localapi.Graph{}, false, err
		}
		chosen, public = s.roster.Named(name)
	}
	if refused := s.words.Refusal(s.roster, chosen); refused != "" {
		s.tell(refused)
		return localapi.Graph{}, false, nil
	}
	return chosen.Graph, public, nil
}

// chooseLevel gives the access level to ask for; empty: none, go back.
func (s *prompter) chooseLevel(ctx context.Context, standard localapi.AccessLevel) (localapi.AccessLevel, error) {
	s.tell(wording.AboutAccess)
	levels := localapi.RequestableLevels()
	var options []option
	at := 0
	for i, level := range levels {
		options = append(options, option{word: level.Words(), about: level.Explain(), also: []string{string(level), strings.ReplaceAll(level.Words(), " ", "")}})
		if level == standard {
			at = i
		}
	}
	i, err := s.choose(ctx, "Access", append(options, option{word: "back"}), at)
	if err != nil || i == len(levels) {
		return "", err
	}
	return levels[i], nil
}

// reauthorize asks for a new token of a configured graph. The old one stays until
// the new one is saved.
func (s *prompter) reauthorize(ctx context.Context) error {
	entry, ok, err := s.chooseGraph(ctx, "Which graph to re-authorize", anyGraph)
	if err != nil || !ok {
		return err
	}
	authorization, err := manage.Reauthorize(s.roster.Config, entry, manage.Options{Description: s.options.Description})
	if err != nil {
		s.fail(err)
		return nil
	}
	if request := &authorization.Request; !s.roster.Omits(entry.Graph()) { // of a public graph there is nothing to choose
		if request.AccessLevel, err = s.chooseLevel(ctx, request.AccessLevel); err != nil || request.AccessLevel == "" {
			return err
		}
		if request.Description, err = s.field(ctx, wording.Description(), request.Description); err != nil {
			return err
		}
	}
	return s.exchange(ctx, authorization)
}
