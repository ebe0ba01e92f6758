package undo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// OwnJournal is the part of a history.Journal that Own needs.
type OwnJournal interface {
	Journal
	Session(ctx context.Context, who history.Who) (int64, error)
}

// Own lists, shows and takes back what one agent has changed in one graph itself (JOURNAL.md,
// For agents). All but the flags is required.
type Own struct {
	Journal OwnJournal
	Graph   history.Graph
	Who     history.Who
	// Named says that the user gave the agent its name: all changes of that name are its own. Else
	// those of its connection are.
	Named bool
	// Sessionless says that nothing is known of a connection: over HTTP, in the stateless era.
	Sessionless bool
	// Ask reads the graph as it is.
	Ask fact.Ask
}

// Stateless reports whether none are known to be the agent's own, since its connection keeps no
// session.
func (c *Own) Stateless() bool { return !c.Named && c.Sessionless }

// filter returns the Filter of the changes, or of those of this connection alone; false where there
// are none.
func (c *Own) filter(ctx context.Context, connection bool) (history.Filter, bool, error) {
	filter := history.Filter{Graphs: []history.Graph{c.Graph}, Agent: c.Who.Agent}
	if c.Named && !connection {
		return filter, true, nil
	}
	if c.Sessionless {
		return history.Filter{}, false, nil
	}
	var err error
	filter.Session, err = c.Journal.Session(ctx, c.Who)
	return filter, filter.Session != 0, err
}

// own reports whether a call is the agent's. What commands took back is a person's.
func (c *Own) own(call history.Call, filter history.Filter) bool {
	return call.Graph == c.Graph && call.Agent == filter.Agent && (filter.Session == 0 || call.Session == filter.Session) &&
		call.Tool != history.ToolUndo && call.Tool != history.ToolRedo
}

// find returns the record of a number. What is another's is told in the words of what is not there.
func (c *Own) find(ctx context.Context, text string) (Number, history.Record, error) {
	number, ok := ParseNumber(text)
	filter, some, err := c.filter(ctx, false)
	if err != nil {
		return number, history.Record{}, err
	}
	if ok && some {
		record, found, err := Find(ctx, c.Journal, number)
		if err != nil || found && c.own(record.Call, filter) {
			return number, record, err
		}
	}
	return number, history.Record{}, &problem.Error{
		Code: localapi.CodeNotFound, Retry: problem.RetryNever, Message: fmt.Sprintf("No change %q of yours is recorded in this graph.", text),
		Hint: problem.Say("%s lists yours.", problem.ListOwnChanges), Next: problem.ListOwnChanges,
	}
}

// OwnQuery selects changes. The zero value selects all.
type OwnQuery struct {
	Page   string // title or uid of a page that was touched, or something on it
	Block  string // uid of a block or page that was touched
	Since  string // as history.ParseMoment takes it
	Before int64  // number of a call; 0: no bound
	Limit  int
	Now    time.Time
}

// ErrSince is the error of an OwnQuery.Since that is no time.
var ErrSince = errors.New("since")

// OwnList is a page of changes, the newest first.
type OwnList struct {
	Changes []OwnListed `json:"changes"`
	Next    int64       `json:"next,omitempty"` // OwnQuery.Before of the next page; 0: there is none
}

// OwnListed is a call in an OwnList.
type OwnListed struct {
	Change   string            `json:"change"`
	At       time.Time         `json:"at"`
	Tool     string            `json:"tool"`
	Summary  string            `json:"summary,omitempty"`
	State    history.CallState `json:"state"`
	Undone   string            `json:"undone,omitempty"` // number of the call that took it back
	Partly   bool              `json:"partlyUndone,omitempty"`
	Undoable *bool             `json:"undoable,omitempty"` // nil: it may be
}

// List returns the changes of a query.
func (c *Own) List(ctx context.Context, q OwnQuery) (OwnList, error) {
	list := OwnList{Changes: []OwnListed{}}
	filter, some, err := c.filter(ctx, false)
	if err != nil {
		return list, err
	}
	filter.Block, filter.Page, filter.Limit = q.Block, q.Page, q.Limit
	if q.Since != "" {
		moment, err := history.ParseMoment(q.Since, q.Now)
		if err != nil {
			return list, fmt.Errorf("%w: %w", ErrSince, err)
		}
		moment.Since(&filter)
	}
	if filter.Before = q.Before; !some {
		return list, nil
	}
	page, err := c.Journal.Calls(ctx, filter)
	if err == nil && q.Page != "" && len(page.Calls) == 0 {
		filter.Page, filter.PageUID = "", q.Page
		page, err = c.Journal.Calls(ctx, filter)
	}
	if err != nil {
		return list, err
	}
	for _, call := range page.Calls {
		if page.More {
			list.Next = call.ID
		}
		if !c.own(call, filter) {
			continue
		}
		listed, err := c.listed(ctx, call)
		if err != nil {
			return OwnList{}, err
		}
		list.Changes = append(list.Changes, listed)
	}
	return list, nil
}

// listed returns a call as it is listed. Its summary is made anew, without texts of blocks: it is not
// known which of them are hidden by now.
func (c *Own) listed(ctx context.Context, call history.Call) (OwnListed, error) {
	l := OwnListed{Change: fmt.Sprint(call.ID), At: call.At.UTC().Truncate(time.Second), Tool: call.Tool, State: call.State, Partly: call.PartlyUndone}
	if call.UndoneBy != 0 {
		l.Undone = fmt.Sprint(call.UndoneBy)
	}
	record, found, err := c.Journal.Record(ctx, call.ID)
	if err != nil || !found { // purged meanwhile
		return l, err
	}
	tally, never := review.Tally{Unquoted: true}, history.IsUndo(call.Tool) || call.TextsGone || !MayUndo(call)
	opaque := 0
	for _, change := range record.Changes {
		if change.Class == fact.ClassOpaque || change.Class == fact.ClassFile {
			opaque++
		}
		if change.Action == "" || change.State == history.StateRefused || change.State == history.StateNotDone {
			continue
		}
		part, _ := review.PartOf(change, record.Pages) // what can't be read counts as not kept
		tally.Add(part)
	}
	l.Summary = tally.String()
	if never || opaque == len(record.Changes) {
		l.Undoable = new(bool)
	}
	return l, nil
}
