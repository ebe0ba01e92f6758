package plain

import (
	"context"
	"strings"

	"roam-mcp/tui/wording"
)

// clients prints what clients are told as it is: it is there to be copied, so
// its lines are not broken.
func (s *prompter) clients(context.Context) error {
	chosen := s.ports.Profiles[s.profile]
	s.tell(wording.AboutClients(s.graph))
	if len(s.ports.Profiles) > 1 {
		s.tell("Profile "+chosen.Sentence()+".", "profile chooses another one.")
	}
	for _, snippet := range s.ports.Snippets(chosen.Name, s.graph) {
		head := snippet.Client
		if snippet.Where != "" {
			head += ", in " + snippet.Where
		}
		s.say("")
		s.tell(head + ":")
		for _, text := range strings.Split(snippet.Text, "\n") {
			s.say(text)
		}
	}
	return nil
}

// chooseProfile asks which profile clients are given from now on. One that is not the usual
// one is made for a single graph, so the graph is asked for, too.
func (s *prompter) chooseProfile(ctx context.Context) error {
	var options []option
	for _, p := range s.ports.Profiles {
		options = append(options, option{word: p.Name, about: p.About})
	}
	chosen, err := s.choose(ctx, "Which profile", options, s.profile)
	if err != nil {
		return err
	}
	graph := ""
	if chosen > 0 {
		if graph, err = s.chooseOneGraph(ctx); err != nil {
			return err
		}
	}
	s.profile, s.graph = chosen, graph
	s.tell("Type clients to see what to tell a client, or test to call it.")
	return nil
}

// chooseOneGraph asks for the graph that clients are given alone, if there are several;
// "" stands for every enabled one.
func (s *prompter) chooseOneGraph(ctx context.Context) (nickname string, err error) {
	s.look(ctx)
	if s.roster.ConfigErr != nil {
		return "", nil
	}
	enabled := s.roster.Config.Enabled()
	if len(enabled) == 0 {
		return "", nil
	}
	if len(enabled) == 1 {
		return enabled[0].Nickname, nil
	}
	var options []option
	for _, entry := range enabled {
		options = append(options, option{word: entry.Nickname, also: []string{entry.Name}})
	}
	i, err := s.choose(ctx, "Which graph", append(options, option{word: "all", about: "every enabled graph"}), 0)
	if err != nil || i == len(enabled) {
		return "", err
	}
	return enabled[i].Nickname, nil
}
