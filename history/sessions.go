package history

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"
)

// Session is a connection of a client, or calls of a stateless one that follow each
// other.
type Session struct {
	ID, Server             int64
	Agent, Client, Version string
	Opened, Last           time.Time
	Calls                  int  // all of the session that are kept
	Alive                  bool // its server lives
}

// Sessions returns the sessions that made a call which a filter chooses, newest first.
func (j *Journal) Sessions(ctx context.Context, filter Filter) ([]Session, error) {
	var sessions []Session
	_, err := j.read(ctx, func(conn *sqlite.Conn) (err error) {
		sessions, err = readSessions(conn, filter)
		return err
	})
	if err != nil {
		return nil, err
	}
	living := j.living()
	for i := range sessions {
		sessions[i].Alive = living(sessions[i].Server)
	}
	return sessions, nil
}

func readSessions(conn *sqlite.Conn, filter Filter) ([]Session, error) {
	ids, err := chooseSessions(conn, filter)
	if err != nil {
		return nil, err
	}
	var sessions []Session
	for _, id := range ids[:min(len(ids), cmp.Or(max(filter.Limit, 0), defaultLimit))] {
		err := rows(conn, `SELECT server, agent, client, version, opened, last, (SELECT count(*) FROM call WHERE session = ?1)
			FROM session WHERE id = ?1`, []any{id}, func(row *sqlite.Stmt) error {
			sessions = append(sessions, Session{
				ID: id, Server: row.ColumnInt64(0), Agent: row.ColumnText(1), Client: row.ColumnText(2), Version: row.ColumnText(3),
				Opened: timeOf(row, 4), Last: timeOf(row, 5), Calls: row.ColumnInt(6),
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return sessions, nil
}

// chooseSessions returns the numbers of the sessions that made a call which the filter
// chooses.
func chooseSessions(conn *sqlite.Conn, filter Filter) ([]int64, error) {
	c, err := newChoice(conn, filter, math.MaxInt)
	if err != nil || c.foundNothing {
		return nil, err
	}
	narrow := c.touched != nil
	for _, way := range c.ways {
		if n, err := c.count(way); err != nil {
			return nil, err
		} else if n < probed {
			narrow = true
		}
	}
	var sessions []int64
	add := func(row *sqlite.Stmt) error {
		sessions = append(sessions, row.ColumnInt64(0))
		return nil
	}
	if !narrow {
		c.conditionsBut(-1)
		where, args := c.where()
		err = rows(conn, "SELECT id FROM session WHERE EXISTS (SELECT 1 FROM call INDEXED BY call_session WHERE call.session = session.id"+where+
			") ORDER BY id"+c.order(), args, add)
		return sessions, err
	}
	err = c.walk()
	for _, call := range c.found {
		if err == nil {
			err = rows(conn, "SELECT session FROM call WHERE id = ?", []any{call}, add)
		}
	}
	slices.Sort(sessions)
	if sessions = slices.Compact(sessions); !filter.OldestFirst {
		slices.Reverse(sessions)
	}
	return sessions, err
}
