package plain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
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
	s.tell("What you and your agents call this graph.")
	nickname, err := s.text(ctx, "Nickname", config.UniqueNickname(localapi.DefaultNickname(graph.Name)), func(text string) error {
		return config.CheckNickname(graph, text)
	})
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
	s.tell("Roam's dialog says who asks; the token is listed under this name.")
	request.Description, err = s.text(ctx, "Shown in Roam", s.options.Description, checkDescription)
	if err != nil {
		return err
	}
	return s.exchange(ctx, s.words.Connect(request, nickname))
}

// maxDescription bounds what Roam's dialog is given to show, in characters.
const maxDescription = 120

func checkDescription(text string) error {
	if text == "" {
		return errors.New("roam needs a few words on who asks")
	}
	if utf8.RuneCountInString(text) > maxDescription {
		return fmt.Errorf("that is longer than %d characters", maxDescription)
	}
	return nil
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
	if len(graphs) == 0 {
		s.tell("Roam lists no graph that is not connected.")
	}
	options = append(options,
		option{word: "other", about: "somebody's public graph, by its name"},
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
	s.tell("Other people's public graphs are not in Roam's list. Type the name of one to ask for read access. It is in its address: roamresearch.com/#/app/NAME")
	name, err := s.text(ctx, "Name of the graph", "", func(name string) error {
		if name != "" && !localapi.ValidGraphName(name) {
			return errors.New("a graph's name holds letters, digits, - and _ only")
		}
		return nil
	})
	if err != nil || name == "" {
		return localapi.Graph{}, false, err
	}
	graph, public = localapi.Graph{Name: name, Type: localapi.Hosted}, true
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
	s.tell("What agents may do in this graph.")
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

// reauthorize asks for a new token of a configured graph.
func (s *session) reauthorize(ctx context.Context) error {
	entry, ok, err := s.chooseGraph(ctx, "Which graph to re-authorize", anyGraph)
	if err != nil || !ok {
		return err
	}
	level, err := s.chooseLevel(ctx, entry.AccessLevel)
	if err != nil || level == "" {
		return err
	}
	return s.exchange(ctx, s.words.Reauthorize(entry, level))
}
