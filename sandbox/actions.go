package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/sandbox/desk"
)

// action is one function under window.roamAlphaAPI.
type action struct {
	scope desk.Scope // the least a token needs (LOCAL_API.md 1.4)
	run   func(*call) (any, error)
}

// registry has every action that the sandbox knows; all others are unknown.
func registry() map[string]action {
	all := map[string]action{}
	for _, group := range []map[string]action{
		coreActions(), batchActions(), commentActions(), graphActions(), legacyActions(), windowActions(), sidebarActions(),
		filterActions(), extensionActions(), fileActions(), queryActions(),
		nativeQueryActions(), semanticActions(), searchActions(), historyActions(),
	} {
		maps.Copy(all, group)
	}
	return all
}

// coreActions read, write and find pages and blocks.
func coreActions() map[string]action {
	return map[string]action{
		"data.ai.getGraphGuidelines": {desk.Read, getGraphGuidelines},
		"data.ai.getPage":            {desk.Read, getPage},
		"data.ai.getBlock":           {desk.Read, getBlock},
		"data.ai.getBacklinks":       {desk.Read, getBacklinks},
		"data.ai.search":             {desk.Read, search},

		"data.block.create":       {desk.Append, createBlock},
		"data.block.fromMarkdown": {desk.Append, createBlocksFromMarkdown},
		"data.block.update":       {desk.Edit, updateBlock},
		"data.block.delete":       {desk.Edit, deleteBlock},
		"data.block.move":         {desk.Edit, moveBlock},

		"data.page.create":       {desk.Append, createPage},
		"data.page.fromMarkdown": {desk.Append, createPageFromMarkdown},
		"data.page.update":       {desk.Edit, updatePage},
		"data.page.delete":       {desk.Edit, deletePage},
	}
}

// undefined is the result of an action that gives none, as JavaScript's
// undefined: the reply has no result then. A nil result is null.
type undefined struct{}

// call is one action that runs.
type call struct {
	ctx    context.Context
	action string
	graph  *graph
	now    time.Time
	ai     bool // the token is an AI's
	args   []json.RawMessage

	server *Server
	token  desk.TokenInfo
}

// Users of every graph of the sandbox. A person has an e-mail address and an AI
// has none (LOCAL_API.md 9.1).
const (
	humanUID, humanName = "sandbox-user", "Sandbox user"
	humanEmail          = "user@sandbox.invalid"
	aiUID, aiName       = "sandbox-user-ai", "Sandbox user (AI)"
)

// writeAs runs a change as the user whose uid it is.
func writeAs(tx *graphdb.Tx, uid, name string, now time.Time, change func(*outline.Writer) error) error {
	user, err := outline.NewWriter(tx, outline.Author{Now: now}, rand.Reader).EnsureUser(uid, name)
	if err != nil {
		return err
	}
	if uid == humanUID {
		if err := tx.Set(user, graphdb.UserEmail, graphdb.StringValue(humanEmail)); err != nil {
			return err
		}
	}
	return change(outline.NewWriter(tx, outline.Author{User: user, Now: now}, rand.Reader))
}

// write runs a change of the graph. When it returns nil the change is on disk.
func (c *call) write(change func(*outline.Writer) error) error {
	return c.writeTx(func(_ *graphdb.Tx, w *outline.Writer) error { return change(w) })
}

// writeTx is write for a change that also reads what it has changed.
func (c *call) writeTx(change func(*graphdb.Tx, *outline.Writer) error) error {
	uid, name := humanUID, humanName
	if c.ai {
		uid, name = aiUID, aiName
	}
	_, err := c.graph.data.Transact(c.ctx, uid, func(tx *graphdb.Tx) error {
		return writeAs(tx, uid, name, c.now, func(w *outline.Writer) error { return change(tx, w) })
	})
	return err
}

// read gives the newest snapshot.
func (c *call) read() *graphdb.DB { return c.graph.data.DB() }

// queriedAt is the time of a read as JavaScript writes it.
func (c *call) queriedAt() string { return c.now.UTC().Format("2006-01-02T15:04:05.000Z") }

// deletion reports what became of a deletion (LOCAL_API.md 2.3).
type deletion struct {
	Deleted bool   `json:"deleted"`
	Reason  string `json:"reason,omitempty"`
}

func reportDeletion(deleted bool) deletion {
	if !deleted {
		return deletion{Reason: "not-found"}
	}
	return deletion{Deleted: true}
}
