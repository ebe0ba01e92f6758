package plain

import (
	"context"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// askAboutTexts asks whether the history may hold texts of a graph that was just
// connected, where that is to be asked.
func (s *session) askAboutTexts(ctx context.Context, entry configstore.Entry) error {
	said, asks := s.graphs.AsksAboutTexts(ctx, entry)
	if !asks {
		return nil
	}
	return s.askTexts(ctx, entry, said)
}

// askTexts asks whether the history may hold texts of a graph of which Roam says so much.
func (s *session) askTexts(ctx context.Context, entry configstore.Entry, said localapi.Encryption) error {
	question := s.words.AskAboutTexts(entry.Nickname, said)
	s.tell(question[1])
	return s.chooseTexts(ctx, question[0], entry, 0)
}

// texts has a graph chosen, and whether texts of it are kept.
func (s *session) texts(ctx context.Context) error {
	entry, ok, err := s.chooseGraph(ctx, "Of which graph", anyGraph)
	if err != nil || !ok {
		return err
	}
	s.tell(problem.Sentence("Of " + entry.Nickname + ", " + tui.KeptTextsText(s.roster.Config, entry)))
	now := 1
	if s.roster.Config.TextsOf(entry) == configstore.Off {
		now = 0
	}
	return s.chooseTexts(ctx, "Keep texts of "+entry.Nickname+" in the history", entry, now)
}

func (s *session) chooseTexts(ctx context.Context, question string, entry configstore.Entry, standard int) error {
	values := []configstore.Switch{configstore.Off, configstore.On}
	i, err := s.choose(ctx, question, []option{
		{word: "no", about: "keep no texts", also: []string{"n"}},
		{word: "yes", about: "keep texts", also: []string{"y"}},
	}, standard)
	if err != nil {
		return err
	}
	if err := s.graphs.SetHistory(ctx, entry.Nickname, values[i]); err != nil {
		s.fail(err)
		return nil
	}
	s.look(ctx)
	s.tell(s.words.TextsSet(s.roster.Config, entry.Nickname, values[i])...)
	return nil
}
