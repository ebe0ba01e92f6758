package actions

import (
	"context"
	"crypto/rand"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/graphdb/semantic"
	"roam-mcp/localapi"
	"roam-mcp/sandbox/store"
)

// Graph is a graph that actions run on, and what Roam's window of it shows. It is
// safe for concurrent use.
type Graph struct {
	ID   localapi.Graph
	Data *store.Graph

	files   store.Files
	window  window
	meaning *semantic.Index // filled by the first semantic search
}

// Open opens a graph of a folder.
func Open(ctx context.Context, folder *store.Folder, id localapi.Graph, options store.Options) (*Graph, error) {
	data, err := folder.Open(ctx, id, options)
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

func newGraph(folder *store.Folder, id localapi.Graph, data *store.Graph) *Graph {
	return &Graph{ID: id, Data: data, files: folder.Files(id), meaning: semantic.New()}
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
		return author.write(tx, c.Now, change)
	})
	return err
}
