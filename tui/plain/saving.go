package plain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// saveTimeout bounds one try to save a token, the wait for other writers included.
const saveTimeout = 15 * time.Second

// save keeps a granted token, whatever happens: where the configuration can't be
// written the person chooses, and where nobody chooses it goes to a file of its
// own.
func (s *session) save(ctx context.Context, asking *tui.Asking) error {
	entry := asking.Granted()
	for {
		err := s.trySave(ctx, entry)
		asking.Saved(entry, err)
		s.tell(asking.Sentences()...)
		if err == nil {
			return nil
		}
		again, err := s.chooseUnsaved(ctx, asking, &entry, err)
		if err != nil {
			return errors.Join(err, s.rescue(asking, entry))
		}
		if !again {
			return nil
		}
	}
}

// trySave is not cut short by the end of the program: the token is granted.
func (s *session) trySave(ctx context.Context, entry configstore.Entry) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	return s.ports.Store.Save(ctx, entry)
}

// chooseUnsaved asks what to do with a token that could not be saved. Its error
// says that nobody has decided anything.
func (s *session) chooseUnsaved(ctx context.Context, asking *tui.Asking, entry *configstore.Entry, failure error) (again bool, err error) {
	options := []option{{word: "again", about: "try again", also: []string{"t"}}}
	if problem.CodeOf(failure) == configstore.CodeNicknameTaken {
		s.look(ctx)
		config, _ := s.words.Config()
		entry.Nickname = config.UniqueNickname(entry.Nickname)
		options[0].about = "save it as " + entry.Nickname
	}
	if s.ports.Rescue != nil {
		options = append(options, option{word: "file", about: "keep it in a file of its own"})
	}
	options = append(options, option{word: "leave", about: "leave and lose it; it stays valid in Roam until you revoke it there"})
	i, err := s.choose(ctx, "How to go on", options, 0)
	if err != nil {
		return false, err
	}
	switch options[i].word {
	case "again":
		return true, nil
	case "file":
		if err := s.rescue(asking, *entry); err != nil {
			s.fail(err)
			return true, nil
		}
	}
	return false, nil
}

// rescue puts the token into a file of its own and tells where.
func (s *session) rescue(asking *tui.Asking, entry configstore.Entry) error {
	if s.ports.Rescue == nil {
		return nil
	}
	path, err := s.ports.Rescue(entry)
	if err != nil {
		return fmt.Errorf("the token that Roam granted for %s could not be saved: %w", entry.Name, err)
	}
	asking.Rescued(path)
	s.tell(asking.Sentences()...)
	return nil
}
