// Package actions holds the functions of window.roamAlphaAPI that the sandbox
// answers (LOCAL_API.md 2): what each takes, does to a graph and gives back.
//
// It promises that a write which was reported is on disk, that one which failed
// changed nothing, and that every error says what was wrong with the call. It
// knows no HTTP and no tokens: the server checks an action's scope before it
// runs it.
package actions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"time"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/sandbox/desk"
)

// Options of a Registry.
type Options struct {
	// SemanticSearch is on in every graph; in most of Roam's it is off.
	SemanticSearch bool
	// Extensions are those that every graph has installed.
	Extensions []Extension
	// QueryMemory is how many bytes all queries and their results may hold together;
	// 0: datalog.DefaultMemory.
	QueryMemory int64
}

// Registry holds the actions. It is safe for concurrent use.
type Registry struct {
	options Options
	actions map[string]action
	parsed  *datalog.Cache // the queries that clients send again and again
	memory  *datalog.Memory
}

// OpenMemory returns an empty share of the memory that all queries hold together, for
// Call.Memory.
func (r *Registry) OpenMemory() *datalog.Share { return r.memory.Open() }

// New makes a Registry of all actions that the sandbox knows.
func New(options Options) *Registry {
	r := &Registry{options: options, actions: map[string]action{}, parsed: datalog.NewCache(keptQueries), memory: datalog.NewMemory(options.QueryMemory)}
	for _, group := range []map[string]action{
		pageAndBlockActions(), batchActions(), commentActions(), graphActions(), legacyActions(), windowActions(), sidebarActions(),
		filterActions(), extensionActions(), fileActions(), queryActions(), findActions(), dateActions(),
	} {
		maps.Copy(r.actions, group)
	}
	return r
}

// Scope returns the least scope that a token needs to call an action
// (LOCAL_API.md 1.4), and false if there is no such action.
func (r *Registry) Scope(name string) (desk.Scope, bool) {
	action, ok := r.actions[name]
	return action.scope, ok
}

// Names lists the actions, in any order.
func (r *Registry) Names() iter.Seq[string] { return maps.Keys(r.actions) }

// Call is a call of an action, whose scope the caller has checked.
type Call struct {
	Action string
	Args   []json.RawMessage
	Graph  *Graph
	Now    time.Time
	AI     bool // the token is an AI's
	// Memory holds what queries find, the result included: it is released when that is
	// sent. Nil: nobody counts the result.
	Memory *datalog.Share

	Encrypted bool // the graph counts as encrypted
	SignedOut bool // nobody is signed in
	MayEdit   bool // the signed-in user may edit the graph
	// OldGuidelines says that the graph's guidelines are those of a page with the
	// title that it had at first.
	OldGuidelines bool
	NoMoveStamp   bool // moves leave no times
	// Permit refuses what the token or the user does not allow. It is asked where
	// the scope that is needed depends on the arguments.
	Permit func(what string, scope desk.Scope) error
}

// Run runs an action and returns its result as JSON; nil for JavaScript's
// undefined. An error is that of a handler that threw, or Permit's own.
func (r *Registry) Run(ctx context.Context, c Call) (json.RawMessage, error) {
	action, ok := r.actions[c.Action]
	if !ok {
		return nil, fmt.Errorf("unknown action: %s", Loggable(c.Action))
	}
	if c.Memory == nil {
		c.Memory = r.memory.Open()
		defer c.Memory.Release()
	}
	result, err := action.run(&call{Call: c, ctx: ctx, registry: r})
	if _, none := result.(undefined); none || err != nil {
		return nil, err
	}
	if text, ok := result.(json.RawMessage); ok {
		return text, nil
	}
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false) // "<" stays "<", as in JavaScript
	err = encoder.Encode(result)
	return bytes.TrimRight(buffer.Bytes(), "\n"), err
}

// action is one function under window.roamAlphaAPI.
type action struct {
	scope desk.Scope
	run   func(*call) (any, error)
}

// undefined is the result of an action that gives none. A nil result is null.
type undefined struct{}

// call is one action that runs.
type call struct {
	Call
	ctx      context.Context
	registry *Registry
}

// read returns the newest snapshot.
func (c *call) read() *graphdb.DB { return c.Graph.Data.DB() }

// queriedAt is the time of a read, as results have it.
func (c *call) queriedAt() string { return isoTime(c.Now) }

// isoTime writes a time as JavaScript does.
func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// pageAndBlockActions read and write pages and blocks.
func pageAndBlockActions() map[string]action {
	return map[string]action{
		"data.ai.getGraphGuidelines": {desk.Read, getGraphGuidelines},
		"data.ai.getPage":            {desk.Read, on(getPage)},
		"data.ai.getBlock":           {desk.Read, getBlock},

		"data.block.create":       {desk.Append, on(createBlock)},
		"data.block.fromMarkdown": {desk.Append, on(createBlocksFromMarkdown)},
		"data.block.update":       {desk.Edit, on(updateBlock)},
		"data.block.delete":       {desk.Edit, on(deleteBlock)},
		"data.block.move":         {desk.Edit, on(moveBlock)},

		"data.page.create":       {desk.Append, on(createPage)},
		"data.page.fromMarkdown": {desk.Append, on(createPageFromMarkdown)},
		"data.page.update":       {desk.Edit, on(updatePage)},
		"data.page.delete":       {desk.Edit, on(deletePage)},
	}
}

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
