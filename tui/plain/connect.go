package plain

import (
	"context"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/tui"
)

// connect asks what the form of the setup program asks, and then Roam.
func (s *session) connect(ctx context.Context) error {
	s.look(ctx)
	config, err := s.words.Config()
	if err != nil {
		s.fail(err)
		return nil
	}
	graph, public, err := s.chooseUnconnected(ctx)
	if err != nil || graph.Name == "" {
		return err
	}
	nickname, err := s.question(ctx, s.words.Nickname(graph), config.UniqueNickname(localapi.DefaultNickname(graph.Name)))
	if err != nil {
		return err
	}
	if nickname, err = configstore.NormalizeNickname(nickname); err != nil {
		s.fail(err)
		return nil
	}
	request := exchange.Request{Graph: graph, AccessLevel: localapi.ReadOnly, Public: public}
	if !public {
		level, err := s.chooseLevel(ctx, localapi.Full)
		if err != nil || level == "" {
			return err
		}
		request.AccessLevel = level
	}
	if request.Description, err = s.question(ctx, s.words.Description(), s.options.Description); err != nil {
		return err
	}
	return s.exchange(ctx, s.words.Connect(request, nickname))
}

// chooseUnconnected gives a graph that is not connected yet; no name: none was
// chosen. A public one is not listed by Roam.
func (s *session) chooseUnconnected(ctx context.Context) (graph localapi.Graph, public bool, err error) {
	var options []option
	var graphs []localapi.Graph
	for _, g := range s.words.Graphs() {
		if !g.Configured {
			options = append(options, option{word: g.Graph.Name, about: string(g.Graph.Type) + ", " + notConnected(g)})
			graphs = append(graphs, g.Graph)
		}
	}
	if len(graphs) == 0 && s.words.ListKnown() {
		s.tell("Roam lists no graph that is not connected.")
	}
	other := "somebody's public graph, by its name"
	if !s.words.ListKnown() {
		other = "a graph, by its name"
	}
	options = append(options,
		option{word: "other", about: other},
		option{word: "back"})
	i, err := s.choose(ctx, "Which graph to connect", options, len(options)-1)
	switch {
	case err != nil || i == len(options)-1:
		return localapi.Graph{}, false, err
	case i == len(graphs):
		return s.graphByName(ctx)
	}
	if refused := s.words.Refusal(graphs[i]); refused != "" {
		s.tell(refused)
		return localapi.Graph{}, false, nil
	}
	return graphs[i], false, nil
}

// graphByName asks for the name of a graph that Roam may not list.
func (s *session) graphByName(ctx context.Context) (graph localapi.Graph, public bool, err error) {
	s.tell(s.words.ByNameAbout())
	name, err := s.question(ctx, s.words.GraphName(), "")
	if err != nil || name == "" {
		return localapi.Graph{}, false, err
	}
	graph, public = localapi.Graph{Name: name, Type: localapi.Hosted}, s.words.ListKnown()
	for _, g := range s.words.Graphs() {
		switch {
		case g.Graph.Name != name:
			continue
		case g.Configured:
			s.tell(name + " is connected already, as " + g.Entry.Nickname + ".")
			return localapi.Graph{}, false, nil
		}
		graph, public = g.Graph, false
		break
	}
	if refused := s.words.Refusal(graph); refused != "" {
		s.tell(refused)
		return localapi.Graph{}, false, nil
	}
	return graph, public, nil
}

// chooseLevel gives the access level to ask for; empty: none, go back.
func (s *session) chooseLevel(ctx context.Context, standard localapi.AccessLevel) (localapi.AccessLevel, error) {
	s.tell(tui.AccessAbout)
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
func (s *session) reauthorize(ctx context.Context) error {
	entry, ok, err := s.chooseGraph(ctx, "Which graph to re-authorize", anyGraph)
	if err != nil || !ok {
		return err
	}
	request := s.words.Reauthorization(entry)
	if !request.Public {
		request.AccessLevel, err = s.chooseLevel(ctx, request.AccessLevel)
		if err != nil || request.AccessLevel == "" {
			return err
		}
		if request.Description, err = s.question(ctx, s.words.Description(), request.Description); err != nil {
			return err
		}
	}
	return s.exchange(ctx, s.words.Reauthorize(request, entry))
}
