package configstore

import (
	"context"
	"errors"
	"fmt"

	"roam-mcp/problem"
)

// Keep saves the entry of a token that was just granted, so that the token is
// not lost: also where ctx has ended meanwhile, under a numbered nickname where
// another graph has got the nickname meanwhile, and in a file of its own in
// rescueDir where this one can't be written. A graph that is configured already
// stays disabled, or enabled, as it is in the file: that may have changed while a
// person was asked. Keep returns the entry as it was saved. On an error, which
// has the code of the failed Save and says where the token went, the
// configuration is unchanged.
func (s *Store) Keep(ctx context.Context, entry Entry, rescueDir string) (Entry, error) {
	return s.keep(ctx, entry, rescueDir, false)
}

// Renew is Keep for a new token of a graph that was configured before. Where it
// still is, its nickname also stays as it is in the file.
func (s *Store) Renew(ctx context.Context, entry Entry, rescueDir string) (Entry, error) {
	return s.keep(ctx, entry, rescueDir, true)
}

func (s *Store) keep(ctx context.Context, entry Entry, rescueDir string, keepNickname bool) (Entry, error) {
	kept, err := s.SaveGrant(context.WithoutCancel(ctx), entry, keepNickname)
	if err == nil {
		return kept, nil
	}
	path, rescueErr := WriteRescue(rescueDir, entry)
	return Entry{}, s.rescued(err, path, rescueErr)
}

// SaveGrant saves the entry of a token that was just granted and returns it as it
// was saved. Whatever was changed while a person was asked stays: a graph that is
// configured is disabled or enabled as the file has it, and where renews is set it
// keeps the nickname that the file has. A nickname that another graph has got
// meanwhile is numbered. The error's code is ENTRY_INVALID or NICKNAME_INVALID
// besides those of reading and writing.
func (s *Store) SaveGrant(ctx context.Context, entry Entry, renews bool) (Entry, error) {
	saved, err := checkEntry(entry)
	if err != nil {
		return Entry{}, err
	}
	err = s.update(ctx, func(d *document) error {
		c, _ := d.config()
		if current, ok := c.FindGraph(saved.Graph()); ok {
			saved.Disabled = current.Disabled
			if renews {
				saved.Nickname = current.Nickname
			}
		}
		if problem.CodeOf(c.CheckNickname(saved.Graph(), saved.Nickname)) == CodeNicknameTaken {
			saved.Nickname = c.UniqueNickname(saved.Nickname)
		}
		return d.save(saved)
	})
	return saved, err
}

// rescued says where a granted token went that could not be saved.
func (s *Store) rescued(err error, path string, rescueErr error) error {
	failed, ok := problem.As(err)
	if !ok {
		failed = &problem.Error{Code: CodeConfigUnwritable, Message: fmt.Sprintf("The token could not be saved: %v.", err), Err: err}
	}
	said := *failed
	if rescueErr != nil {
		said.Message += " The granted token could not be kept elsewhere either."
		said.Err = errors.Join(err, rescueErr)
		return &said
	}
	said.Message += " The granted token was kept in " + path + "."
	said.Hint = problem.Say("Mend that, then: %s", problem.Run("import", path))
	return &said
}
