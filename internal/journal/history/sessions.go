package history

import (
	"cmp"
	"context"
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

// ClientShell is the Client of the sessions of a person's shell, each of which makes one call.
const ClientShell = "shell"

// Sessions returns the sessions that made a call which a filter chooses, newest first.
func (j *reader) Sessions(ctx context.Context, filter Filter) ([]Session, error) {
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

// manyCalls is from how many calls on each of the newest sessions soon has one.
const manyCalls = 1000

// readSessions returns the sessions of the calls that a filter chooses. Where these are
// many, it looks at the calls of one session after the other; those that touched a page or
// block are found at once.
func readSessions(conn *sqlite.Conn, filter Filter) (sessions []Session, err error) {
	where, args := filter.where()
	condition := "id IN (SELECT call.session FROM call WHERE " + where + ")"
	if filter.Page == "" && filter.PageUID == "" && filter.Block == "" {
		calls, err := choose(conn, filter, manyCalls)
		if err != nil {
			return nil, err
		}
		if len(calls) == manyCalls {
			condition = "EXISTS (SELECT 1 FROM call INDEXED BY call_session WHERE call.session = session.id AND " + where + ")"
		}
	}
	limit := cmp.Or(max(filter.Limit, 0), defaultLimit)
	err = rows(conn, `SELECT id, server, agent, client, version, opened, last, (SELECT count(*) FROM call WHERE call.session = session.id)
		FROM session WHERE `+condition+" ORDER BY id"+filter.order()+" LIMIT ?", append(args, limit), func(row *sqlite.Stmt) error {
		sessions = append(sessions, Session{
			ID: row.ColumnInt64(0), Server: row.ColumnInt64(1), Agent: row.ColumnText(2), Client: row.ColumnText(3), Version: row.ColumnText(4),
			Opened: timeOf(row, 5), Last: timeOf(row, 6), Calls: row.ColumnInt(7),
		})
		return nil
	})
	return sessions, err
}
