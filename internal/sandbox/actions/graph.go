package actions

import (
	"context"
	"crypto/rand"
	"iter"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/search"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/store"
)

// Graph is a graph that actions run on, and what Roam's window of it shows. It is
// safe for concurrent use.
type Graph struct {
	ID   localapi.Graph
	Data *store.Graph

	files   store.Files
	window  window
	meaning *search.MeaningIndex // filled by the first semantic search
}

// Open opens a graph of a folder.
func Open(ctx context.Context, folder *store.Folder, id localapi.Graph, options store.Options) (*Graph, error) {
	data, err := folder.Open(ctx, id, options)
	return newGraph(folder, id, data), err
}

// InMemory makes a graph of datoms that is never on disk, but for the files that are
// uploaded to it, which are in the folder.
func InMemory(ctx context.Context, folder *store.Folder, id localapi.Graph, options store.Options, datoms iter.Seq2[graphdb.Datom, error]) (*Graph, error) {
	data, err := store.InMemory(ctx, options, datoms)
	return newGraph(folder, id, data), err
}

// Create makes a graph in a folder that has none of that name and type: with the
// users of the sandbox, and what fill writes as the human one.
func Create(ctx context.Context, folder *store.Folder, id localapi.Graph, options store.Options, fill func(*graphdb.Tx, *outline.Writer) error) (*Graph, error) {
	now := time.Now
	if options.Now != nil {
		now = options.Now
	}
	data, err := folder.Create(ctx, id, options, human.uid, func(tx *graphdb.Tx) error {
		nothing := func(*graphdb.Tx, *outline.Writer) error { return nil }
		if err := ai.write(tx, now(), nothing); err != nil {
			return err
		}
		return human.write(tx, now(), fill)
	})
	return newGraph(folder, id, data), err
}

// Reopen closes a graph and loads it anew, with other entity ids. Its window shows
// nothing then, and nothing of before can be undone.
func Reopen(ctx context.Context, folder *store.Folder, g *Graph, options store.Options) (*Graph, error) {
	options.Renumber = true
	if g.Data.OnDisk() {
		if err := g.Data.Close(); err != nil {
			return nil, err
		}
		return Open(ctx, folder, g.ID, options)
	}
	db := g.Data.DB()
	return InMemory(ctx, folder, g.ID, options, func(yield func(graphdb.Datom, error) bool) {
		for d := range db.All() {
			if !yield(d, nil) {
				return
			}
		}
	})
}

func newGraph(folder *store.Folder, id localapi.Graph, data *store.Graph) *Graph {
	return &Graph{ID: id, Data: data, files: folder.Files(id), meaning: search.NewMeaningIndex()}
}

// user is one of the users of every graph of the sandbox. A person has an e-mail
// address and an AI has none (LOCAL_API.md 9.1).
type user struct{ uid, name, email string }

var (
	human = user{"sandbox-user", "Sandbox user", "user@sandbox.invalid"}
	ai    = user{"sandbox-user-ai", "Sandbox user (AI)", ""}
)

// write runs a change as the user.
func (u user) write(tx *graphdb.Tx, now time.Time, change func(*graphdb.Tx, *outline.Writer) error) error {
	id, err := outline.NewWriter(tx, outline.Author{Now: now}, rand.Reader).EnsureUser(u.uid, u.name)
	if err == nil && u.email != "" {
		err = tx.Set(id, graphdb.UserEmail, graphdb.StringValue(u.email))
	}
	if err != nil {
		return err
	}
	return change(tx, outline.NewWriter(tx, outline.Author{User: id, Now: now}, rand.Reader))
}

// display makes the page by which clients show the user as author, with the first
// page or block that names the user.
func (u user) display(tx *graphdb.Tx, w *outline.Writer) error {
	id, _ := tx.Lookup(graphdb.UserUID, graphdb.StringValue(u.uid))
	if tx.Has(id, graphdb.UserDisplayPage) || tx.ReverseCount(graphdb.CreateUser, id)+tx.ReverseCount(graphdb.EditUser, id) == 0 {
		return nil
	}
	page, err := w.EnsurePage(u.name)
	if err != nil {
		return err
	}
	return tx.Set(id, graphdb.UserDisplayPage, graphdb.RefValue(page))
}

// author is the user who makes the call's writes.
func (c *call) author() user {
	if c.AI {
		return ai
	}
	return human
}

// write runs a change of the graph. When it returns nil the change is on disk.
func (c *call) write(change func(*outline.Writer) error) error {
	return c.writeTx(func(_ *graphdb.Tx, w *outline.Writer) error { return change(w) })
}

// writeTx is write for a change that also reads what it has changed.
func (c *call) writeTx(change func(*graphdb.Tx, *outline.Writer) error) error {
	author := c.author()
	_, err := c.Graph.Data.Transact(c.ctx, author.uid, func(tx *graphdb.Tx) error {
		return author.write(tx, c.Now, func(tx *graphdb.Tx, w *outline.Writer) error {
			if c.NoMoveStamp {
				w.LeaveTimesOfMoves()
			}
			if err := change(tx, w); err != nil {
				return err
			}
			return author.display(tx, w)
		})
	})
	return err
}

func graphActions() map[string]action {
	return map[string]action{
		"data.page.addShortcut":    {desk.Edit, addShortcut},
		"data.page.removeShortcut": {desk.Edit, removeShortcut},
		"data.user.upsert":         {desk.Append, on(upsertUser)},
		"util.generateUID":         {desk.Read, func(*call) (any, error) { return outline.NewUID(rand.Reader) }},
		"data.undo":                {desk.Edit, undo},
		"data.redo":                {desk.Edit, redo},

		"data.semanticSearchEnabled": {desk.Read, func(c *call) (any, error) { return c.checkSemanticSearch() == nil, nil }},

		"graph.name":        {desk.Read, func(c *call) (any, error) { return c.Graph.ID.Name, nil }},
		"graph.type":        {desk.Read, func(c *call) (any, error) { return c.Graph.ID.Type, nil }},
		"graph.isEncrypted": {desk.Read, func(c *call) (any, error) { return c.Encrypted, nil }},
		"user.uid":          {desk.Read, func(*call) (any, error) { return human.uid, nil }},
		"user.isAdmin":      {desk.Read, func(c *call) (any, error) { return c.MayEdit, nil }},
	}
}

// addShortcut is data.page.addShortcut, with a uid and perhaps an index; its
// result is undefined.
func addShortcut(c *call) (any, error) {
	uid, err := c.shortcut()
	if err != nil {
		return nil, err
	}
	var index whole
	if err := c.positional(1, "index", &index); err != nil {
		return nil, err
	}
	return undefined{}, c.write(func(w *outline.Writer) error {
		return w.AddShortcut(uid, outline.Order(max(0, index.or(maxIndex))))
	})
}

// maxIndex is beyond the end of any list.
const maxIndex = 1 << 30

// removeShortcut is data.page.removeShortcut; its result is undefined.
func removeShortcut(c *call) (any, error) {
	uid, err := c.shortcut()
	if err != nil {
		return nil, err
	}
	return undefined{}, c.write(func(w *outline.Writer) error { return w.RemoveShortcut(uid) })
}

// shortcut decodes the uid that is the first argument.
func (c *call) shortcut() (uid string, err error) {
	if err = c.positional(0, "uid", &uid); err == nil && uid == "" {
		err = c.missing("uid")
	}
	return uid, err
}

// upsertUser is data.user.upsert; its result is undefined.
func upsertUser(c *call, asked struct {
	UID         string `json:"user-uid"`
	DisplayName string `json:"display-name"`
	Photo       string `json:"photo-url"`
}) (any, error) {
	if asked.UID == "" {
		return nil, c.missing("user-uid")
	}
	return undefined{}, c.write(func(w *outline.Writer) error {
		return w.UpsertUser(asked.UID, asked.DisplayName, asked.Photo)
	})
}

// undo is data.undo: like the history of Roam's window it takes back what was
// written since the sandbox was started, by whomever. With nothing to undo it does
// nothing.
func undo(c *call) (any, error) {
	_, err := c.Graph.Data.Undo(c.ctx, c.author().uid)
	return undefined{}, err
}

// redo is data.redo; with nothing to redo it does nothing.
func redo(c *call) (any, error) {
	_, err := c.Graph.Data.Redo(c.ctx, c.author().uid)
	return undefined{}, err
}
