package configstore

import (
	"cmp"
	"context"

	"roam-mcp/internal/problem"
)

// SaveGrant saves the entry of a token that was just granted and returns it as it
// was saved. Whatever was changed while a person was asked stays: a graph that is
// configured is disabled or enabled as the file has it, and where renews is set it
// keeps the nickname that the file has. A nickname that another graph has got
// meanwhile is numbered, and where the entry does not say whether texts may be kept,
// what the file says stays. The error's code is ENTRY_INVALID or NICKNAME_INVALID
// besides those of reading and writing.
func (s *Store) SaveGrant(ctx context.Context, entry Entry, renews bool) (Entry, error) {
	saved, err := checkEntry(entry)
	if err != nil {
		return Entry{}, err
	}
	err = s.update(ctx, func(d *document) error {
		c, _ := d.config()
		if current, ok := (Config{Entries: c.all()}).FindGraph(saved.Graph()); ok {
			saved.Disabled = current.Disabled
			saved.History = cmp.Or(saved.History, current.History)
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
