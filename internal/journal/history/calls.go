package history

import (
	"cmp"
	"context"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
)

// Call is a recorded tool call.
type Call struct {
	ID              int64
	Graph           Graph
	Session, Server int64
	Agent, Client   string
	Tool            string
	At              time.Time
	Took            time.Duration
	State           CallState
	Code, Evidence  string
	Summary         string
	Args            []byte // JSON; nil: not kept, or the call is one of a Page, which leaves it out
	Changes         int    // requests to Roam
	Blocks          int    // pages and blocks that were changed, made or deleted by themselves
	Abandoned       bool   // it is open, and its server does not live
	TextsGone       bool   // texts were purged, or never kept
	UndoneBy        int64  // number of the call that has taken it back; 0: none
	PartlyUndone    bool   // UndoneBy has left something
}

// Filter chooses calls. Zero fields choose all; a call has to fulfil those that are set.
type Filter struct {
	Graphs        []Graph   // one of these; without a type: of any type
	Agent         string    // exactly
	Session       int64     // number
	Tool          string    // name
	PageUID, Page string    // a page by uid or title: it was touched, or something on it was
	Block         string    // uid of a block or page that was touched
	Gone          bool      // something was no more after it, or rewritten elsewhere
	Since, Until  time.Time // when the call began, Since included
	After, Before int64     // numbers of calls, exclusive
	Limit         int       // of calls or sessions; 0: 50, for Export all
	OldestFirst   bool
}

// Page is a part of the calls that a filter chooses. The next one has the number of the
// last call as Filter.Before, or as Filter.After with OldestFirst.
type Page struct {
	Calls []Call
	More  bool // there are further ones
}

// Calls returns the calls that a filter chooses, newest first. It returns none where
// there is no journal, and makes none. The code of its errors is CodeUnavailable or
// CodeTooNew.
func (j *reader) Calls(ctx context.Context, filter Filter) (Page, error) {
	limit := cmp.Or(max(filter.Limit, 0), defaultLimit)
	page := Page{}
	_, err := j.read(ctx, func(conn *sqlite.Conn) error {
		found, err := choose(conn, filter, limit+1)
		if err != nil {
			return err
		}
		page = Page{More: len(found) > limit}
		for _, id := range found[:min(limit, len(found))] {
			call, _, err := readCall(conn, id)
			if err != nil {
				return err
			}
			page.Calls = append(page.Calls, call)
		}
		return nil
	})
	if err != nil {
		return Page{}, err
	}
	living := j.living()
	for i := range page.Calls {
		page.Calls[i].Abandoned = page.Calls[i].State == CallOpen && !living(page.Calls[i].Server)
	}
	return page, nil
}

// readCall returns a call without its arguments, and whether there is one.
func readCall(conn *sqlite.Conn, id int64) (call Call, ok bool, err error) {
	err = rows(conn, `SELECT graph.name, graph.type, call.session, session.server, session.agent, session.client,
			call.tool, call.at, call.done, call.state, call.code, call.evidence, call.summary, call.texts,
			(SELECT count(*) FROM change WHERE change.call = call.id),
			(SELECT count(DISTINCT touch.uid) FROM change CROSS JOIN touch ON touch.change = change.id
				WHERE change.call = call.id AND touch.role <= ?2)
		FROM call JOIN graph ON graph.id = call.graph JOIN session ON session.id = call.session WHERE call.id = ?1`,
		[]any{id, int(fact.RoleGone)}, func(row *sqlite.Stmt) error {
			call = Call{
				ID: id, Graph: Graph{Name: row.ColumnText(0), Type: row.ColumnText(1)},
				Session: row.ColumnInt64(2), Server: row.ColumnInt64(3), Agent: row.ColumnText(4), Client: row.ColumnText(5),
				Tool: row.ColumnText(6), At: timeOf(row, 7), State: CallState(row.ColumnText(9)),
				Code: row.ColumnText(10), Evidence: row.ColumnText(11), Summary: row.ColumnText(12), TextsGone: !row.ColumnBool(13),
				Changes: row.ColumnInt(14), Blocks: row.ColumnInt(15),
			}
			if done := timeOf(row, 8); !done.IsZero() {
				call.Took = max(0, done.Sub(call.At))
			}
			ok = true
			return nil
		})
	if err != nil || !ok {
		return call, ok, err
	}
	undone, err := readUndone(conn, id)
	call.UndoneBy, call.PartlyUndone = undone.by, undone.partly
	return call, ok, err
}

// Sums returns what calls did, by their agents, the one with the most calls first.
func (j *reader) Sums(ctx context.Context, calls []int64) (sums []Sum, err error) {
	if len(calls) == 0 {
		return nil, nil
	}
	args := make([]any, len(calls))
	for i, id := range calls {
		args[i] = id
	}
	of := "call.id IN (?" + strings.Repeat(", ?", len(calls)-1) + ")"
	_, err = j.read(ctx, func(conn *sqlite.Conn) error {
		sums = nil
		at := map[string]int{}
		err := rows(conn, `SELECT session.agent, count(*) FROM call JOIN session ON session.id = call.session WHERE `+of+` GROUP BY session.agent ORDER BY count(*) DESC, session.agent`, args, func(row *sqlite.Stmt) error {
			at[row.ColumnText(0)] = len(sums)
			sums = append(sums, Sum{Agent: row.ColumnText(0), Calls: row.ColumnInt(1)})
			return nil
		})
		if err != nil {
			return err
		}
		return rows(conn, `SELECT session.agent, touch.role, touch.page = touch.uid, count(DISTINCT touch.uid || ' ' || call.id)
			FROM call JOIN session ON session.id = call.session CROSS JOIN change ON change.call = call.id CROSS JOIN touch ON touch.change = change.id
			WHERE `+of+` AND change.state = 'done' GROUP BY 1, 2, 3`, args, func(row *sqlite.Stmt) error {
			sums[at[row.ColumnText(0)]].add(fact.Role(row.ColumnInt(1)), row.ColumnBool(2), row.ColumnInt(3))
			return nil
		})
	})
	return sums, err
}
