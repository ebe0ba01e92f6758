package plain

import (
	"context"
	"errors"

	"roam-mcp/exchange"
	"roam-mcp/manage"
)

// save keeps a granted token, whatever happens. Where it could not be kept at all
// the person decides.
func (s *prompter) save(ctx context.Context, a manage.Authorization, machine exchange.Machine) error {
	kept := s.graphs.Keep(ctx, a, machine.Grant)
	for {
		s.tell(s.words.Exchange(a, machine, &kept).Sentences()...)
		if kept.Err == nil {
			if a.Entry.Token.IsZero() {
				s.tell(s.words.ClientNext(kept.Entry.Nickname) + " To do that, choose: clients.")
			}
			return s.askAboutTexts(ctx, kept.Entry)
		}
		if !kept.Lost() {
			return nil
		}
		i, err := s.choose(ctx, "How to go on", []option{
			{word: "again", about: "try again", also: []string{"t"}},
			{word: "leave", about: "leave and lose it; it stays valid in Roam until you revoke it there"},
		}, 0)
		if err != nil {
			return errors.Join(err, kept.Err) // nobody has decided anything
		}
		if i == 1 {
			return nil
		}
		kept = s.graphs.Retry(ctx, kept)
	}
}
