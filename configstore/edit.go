package configstore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Save adds an entry, or replaces that of the same graph in its place, valid or not;
// unknown fields are kept. An access level or status unknown to this build is left
// out of the file. The error's code is ENTRY_INVALID, NICKNAME_INVALID or
// NICKNAME_TAKEN besides those of reading and writing.
func (s *Store) Save(ctx context.Context, entry Entry) error {
	entry, err := checkEntry(entry)
	if err != nil {
		return err
	}
	return s.update(ctx, func(d *document) error { return d.save(entry) })
}

// Rename changes a graph's nickname, maybe only its case.
func (s *Store) Rename(ctx context.Context, nickname, newNickname string) error {
	normal, err := NormalizeNickname(newNickname)
	if err != nil {
		return err
	}
	return s.update(ctx, func(d *document) error {
		i, err := d.find(nickname, s.path)
		if err != nil {
			return err
		}
		e := &d.graphs[i]
		c, _ := d.config()
		if err := c.CheckNewNickname(e.entry.Graph(), normal); err != nil {
			return err
		}
		// Not by save, which would drop a level that this build does not know.
		if e.entry.Nickname != normal {
			e.setString("nickname", normal)
			e.reread()
			d.modified = true
		}
		return nil
	})
}

// SetDisabled disables or enables a graph. Its token stays as it is.
func (s *Store) SetDisabled(ctx context.Context, nickname string, disabled bool) error {
	return s.update(ctx, func(d *document) error {
		i, err := d.find(nickname, s.path)
		if err != nil {
			return err
		}
		if e := &d.graphs[i]; e.entry.Disabled != disabled {
			e.setDisabled(disabled)
			d.modified = true
		}
		return nil
	})
}

// SetTokenStatus records the status of a graph's token and, if it is known, its access
// level. It writes only if that is a change, and only if the entry still has that
// token.
func (s *Store) SetTokenStatus(ctx context.Context, g localapi.Graph, token localapi.Token, status localapi.TokenStatus, level localapi.AccessLevel) error {
	record := func(d *document) error {
		d.setTokenStatus(g, token, status, level)
		return nil
	}
	// Most calls change nothing and need not wait for the lock.
	if changes, err := s.wouldModify(ctx, record); err != nil || !changes {
		return err
	}
	return s.update(ctx, record)
}

// wouldModify reports whether a change would modify the file.
func (s *Store) wouldModify(ctx context.Context, change func(*document) error) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, interrupted(s.path, err)
	}
	d, _, err := openDocument(s.path, s.path)
	if err != nil {
		return false, err
	}
	err = change(d)
	return d.modified, err
}

// Removed is an entry that was removed from the file, for PutBack.
type Removed struct {
	Entry Entry `json:"entry"`
	// A pointer, so that printing a Removed prints no token.
	kept *keptElement
}

type keptElement struct {
	raw   json.RawMessage
	index int
}

// Remove removes a graph and its token from the file. The token stays valid until it is
// revoked in Roam.
func (s *Store) Remove(ctx context.Context, nickname string) (Removed, error) {
	var removed Removed
	err := s.update(ctx, func(d *document) error {
		i, err := d.find(nickname, s.path)
		if err != nil {
			return err
		}
		removed = Removed{Entry: d.graphs[i].entry, kept: &keptElement{raw: d.graphs[i].raw, index: i}}
		d.graphs = slices.Delete(d.graphs, i, i+1)
		d.modified = true
		return nil
	})
	if err != nil {
		return Removed{}, err
	}
	return removed, nil
}

// PutBack undoes Remove: it inserts the entry at its former place with all its fields.
// The error's code is GRAPH_CONFIGURED if the graph was connected again since, and
// NICKNAME_TAKEN if another graph has got its nickname.
func (s *Store) PutBack(ctx context.Context, removed Removed) error {
	if removed.kept == nil {
		return &problem.Error{Code: CodeEntryInvalid, Message: "There is no removed graph to put back.", Place: &problem.Place{Path: s.path}}
	}
	return s.update(ctx, func(d *document) error {
		c, _ := d.config()
		entry := removed.Entry
		if _, ok := c.FindGraph(entry.Graph()); ok {
			return &problem.Error{
				Code:    CodeGraphConfigured,
				Message: fmt.Sprintf("The graph %s is configured again already.", quoted(entry.Name)),
				Hint:    problem.Say("Nothing was changed; keep the entry that is there."),
				Place:   &problem.Place{Path: s.path},
			}
		}
		if err := c.CheckNickname(entry.Graph(), entry.Nickname); err != nil {
			return err
		}
		at := min(removed.kept.index, len(d.graphs))
		d.graphs = slices.Insert(d.graphs, at, parseElement(removed.kept.raw, 0))
		d.modified = true
		return nil
	})
}

// checkEntry returns a normalized entry, or an error for one that would not load.
func checkEntry(entry Entry) (Entry, error) {
	entry.Type = cmp.Or(entry.Type, localapi.Hosted)
	invalid := func(message string) (Entry, error) {
		return Entry{}, &problem.Error{Code: CodeEntryInvalid, Message: message, Hint: problem.Say("Nothing was saved.")}
	}
	if checkName(entry.Name) != nil {
		return invalid(fmt.Sprintf("%s is not a graph's name.", quoted(entry.Name)))
	}
	if _, err := localapi.ParseGraphType(string(entry.Type)); err != nil {
		return invalid(fmt.Sprintf("%s is not a graph type: it is hosted or offline.", quoted(string(entry.Type))))
	}
	if entry.Token.IsZero() {
		return invalid(fmt.Sprintf("There is no token for the graph %s.", quoted(entry.Name)))
	}
	nickname, err := NormalizeNickname(entry.Nickname)
	if err != nil {
		return Entry{}, err
	}
	entry.Nickname = nickname
	return entry, nil
}

// save puts a checked entry into the document.
func (d *document) save(entry Entry) error {
	c, _ := d.config()
	if err := c.CheckNickname(entry.Graph(), entry.Nickname); err != nil {
		return err
	}
	i := d.elementOf(entry.Graph())
	if i < 0 {
		d.graphs = append(d.graphs, newElement(entry))
		d.modified = true
		return nil
	}
	if e := &d.graphs[i]; e.flaw != nil || e.entry != entry {
		e.assign(entry)
		d.modified = true
	}
	return nil
}

func (d *document) setTokenStatus(g localapi.Graph, token localapi.Token, status localapi.TokenStatus, level localapi.AccessLevel) {
	i := d.elementOf(g)
	if i < 0 || d.graphs[i].flaw != nil || d.graphs[i].entry.Token != token {
		return
	}
	e := &d.graphs[i]
	changed := false
	if storable(status) && e.entry.LastKnownTokenStatus != status {
		e.setString("lastKnownTokenStatus", string(status))
		changed = true
	}
	if level.Known() && e.entry.AccessLevel != level {
		e.setString("accessLevel", string(level))
		changed = true
	}
	if changed {
		e.reread()
		d.modified = true
	}
}
