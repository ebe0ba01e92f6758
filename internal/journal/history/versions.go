package history

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
)

// Version is what a page was at a time (JOURNAL.md, Versions of notes). What kinds there
// are, and what a tree holds, is for others to say.
type Version struct {
	ID            string    // hexadecimal digits in lower case, chosen by who records it
	Page          string    // uid
	Seen          time.Time // when it was recorded
	At            time.Time // of the edit
	Kind          string
	Author        string // as Roam has it; empty: unknown
	Agent, Client string // who wrote it through roam-mcp; empty: nobody, or unknown
	Title         string
	From          string // the title or version that it came from; empty: none
	Created       time.Time
	Updated       time.Time // of the page; zero: unknown
	Tree          []byte    // JSON; nil: it was not asked for
}

// VersionFilter chooses versions of a graph. Zero fields choose all.
type VersionFilter struct {
	Graph  Graph
	Page   string // uid
	Title  string // that the page had
	Prefix string // of the ID, hexadecimal digits in lower case
	Limit  int    // required
	Trees  bool   // with their trees
}

// Versions returns the versions that a filter chooses, newest first. It returns none
// where there is no journal, or one of a build that knew none. The code of its errors is
// CodeUnavailable or CodeTooNew.
func (j *reader) Versions(ctx context.Context, filter VersionFilter) ([]Version, error) {
	var found []Version
	_, err := j.read(ctx, func(conn *sqlite.Conn) error {
		found = nil
		if there, err := hasVersions(conn); err != nil || !there {
			return err
		}
		graph, err := number(conn, "SELECT id FROM graph WHERE name = ?1 AND type = ?2", filter.Graph.Name, filter.Graph.Type)
		if err == nil && graph != 0 {
			where, args := filter.where(graph)
			found, err = readVersions(conn, where+" ORDER BY id DESC LIMIT ?", append(args, filter.Limit), filter.Trees)
		}
		return err
	})
	return found, err
}

// hasVersions reports whether a file has the table of versions, which came with schema 2.
func hasVersions(conn *sqlite.Conn) (bool, error) {
	schema, err := number(conn, "PRAGMA user_version")
	return schema >= 2, err
}

// where returns the condition of a filter, for the graph of a number.
func (f VersionFilter) where(graph int64) (condition string, args []any) {
	condition, args = "graph = ?", []any{graph}
	add := func(text string, values ...any) {
		condition, args = condition+" AND "+text, append(args, values...)
	}
	if f.Page != "" {
		add("page = ?", f.Page)
	}
	if f.Title != "" {
		add("title = ?", f.Title)
	}
	if f.Prefix != "" {
		add("name >= ?", f.Prefix)
		add("name < ?", f.Prefix+"g") // the letter after the last digit
	}
	return condition, args
}

// readVersions returns the versions of a condition, in its order.
func readVersions(conn *sqlite.Conn, condition string, args []any, trees bool) (found []Version, err error) {
	err = rows(conn, "SELECT name, page, seen, at, kind, author, agent, client, title, origin, created, updated, body FROM version WHERE "+condition,
		args, func(row *sqlite.Stmt) (err error) {
			v := Version{
				ID: row.ColumnText(0), Page: row.ColumnText(1), Seen: timeOf(row, 2), At: timeOf(row, 3), Kind: row.ColumnText(4),
				Author: row.ColumnText(5), Agent: row.ColumnText(6), Client: row.ColumnText(7), Title: row.ColumnText(8), From: row.ColumnText(9),
				Created: timeOf(row, 10), Updated: timeOf(row, 11),
			}
			if trees {
				v.Tree, err = getBody(conn, row.ColumnInt64(12))
			}
			found = append(found, v)
			return err
		})
	return found, err
}

// errNewer has AddVersion roll back; it is never returned.
var errNewer = errors.New("another version is the newest")

// AddVersion records a version of a page, at the present time, where the newest of the
// page has the ID after, which is empty for none, and reports whether it has. The code of
// its errors is CodeUnavailable or CodeTooNew.
func (j *writer) AddVersion(ctx context.Context, graph Graph, v Version, after string) (bool, error) {
	err := j.transact(ctx, toSystem, func(conn *sqlite.Conn) error {
		id, err := graphID(conn, graph)
		if err != nil {
			return err
		}
		newest, err := text(conn, "SELECT name FROM version WHERE graph = ?1 AND page = ?2 ORDER BY id DESC LIMIT 1", id, v.Page)
		if err == nil && newest != after {
			err = errNewer
		}
		if err != nil {
			return err
		}
		body, err := j.w.putBody(v.Tree)
		if err != nil {
			return err
		}
		return run(conn, `INSERT INTO version (name, graph, page, seen, at, kind, author, agent, client, title, origin, created, updated, body)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)`,
			v.ID, id, v.Page, j.now(), v.At.UnixMilli(), v.Kind, clip(v.Author), clip(v.Agent), clip(v.Client), v.Title, v.From, msOf(v.Created), msOf(v.Updated), body)
	})
	if errors.Is(err, errNewer) {
		return false, nil
	}
	return err == nil, err
}

// msOf returns a time as it is stored.
func msOf(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// AmendVersion says anew how a version came to be: kind, origin and who wrote it.
func (j *writer) AmendVersion(ctx context.Context, graph Graph, v Version) error {
	return j.transact(ctx, toSystem, func(conn *sqlite.Conn) error {
		id, err := graphID(conn, graph)
		if err != nil {
			return err
		}
		return run(conn, "UPDATE version SET at = ?4, kind = ?5, origin = ?6, agent = ?7, client = ?8 WHERE graph = ?1 AND page = ?2 AND name = ?3",
			id, v.Page, v.ID, v.At.UnixMilli(), v.Kind, v.From, clip(v.Agent), clip(v.Client))
	})
}

// Writing is a change that touches certain pages or blocks, and was perhaps done.
type Writing struct {
	Change        int64 // number
	Agent, Client string
	Class         fact.Class
	Sent, Done    time.Time    // Done is zero where nobody knows
	Touches       []fact.Touch // of those that were asked for
	KnowsMade     bool         // what it made is known
}

// mostWritings is how many changes Writings looks at for each uid.
const mostWritings = 50

// Writings returns changes of a graph that touch any of the pages or blocks, newest first,
// of the newest 50 for each. Those that were refused or not done are not among them. The
// code of its errors is CodeUnavailable or CodeTooNew.
func (j *reader) Writings(ctx context.Context, graph Graph, uids []string) ([]Writing, error) {
	var found []Writing
	_, err := j.read(ctx, func(conn *sqlite.Conn) error {
		found = nil
		id, err := number(conn, "SELECT id FROM graph WHERE name = ?1 AND type = ?2", graph.Name, graph.Type)
		if err != nil || id == 0 {
			return err
		}
		touched, err := touchedBy(conn, id, uids)
		if err != nil {
			return err
		}
		changes := slices.Collect(maps.Keys(touched))
		return rows(conn, `SELECT change.id, session.agent, session.client, change.class, change.sent, change.done,
				EXISTS (SELECT 1 FROM touch WHERE touch.change = change.id AND touch.role = ?2)
			FROM change JOIN call ON call.id = change.call JOIN session ON session.id = call.session
			WHERE change.id IN `+listed+` AND change.state IN ('open', 'done', 'unknown') ORDER BY change.id DESC`, []any{list(changes), int(fact.RoleMade)},
			func(row *sqlite.Stmt) error {
				found = append(found, Writing{
					Change: row.ColumnInt64(0), Agent: row.ColumnText(1), Client: row.ColumnText(2), Class: fact.Class(row.ColumnText(3)),
					Sent: timeOf(row, 4), Done: timeOf(row, 5), KnowsMade: row.ColumnBool(6), Touches: touched[row.ColumnInt64(0)],
				})
				return nil
			})
	})
	return found, err
}

// touchedBy returns the touches of pages and blocks by the number of the change.
func touchedBy(conn *sqlite.Conn, graph int64, uids []string) (map[int64][]fact.Touch, error) {
	touched := map[int64][]fact.Touch{}
	for _, uid := range uids {
		err := rows(conn, "SELECT change, role, page FROM touch WHERE graph = ?1 AND uid = ?2 ORDER BY change DESC LIMIT ?3", []any{graph, uid, mostWritings},
			func(row *sqlite.Stmt) error {
				change := row.ColumnInt64(0)
				touched[change] = append(touched[change], fact.Touch{UID: uid, Role: fact.Role(row.ColumnInt64(1)), Page: row.ColumnText(2)})
				return nil
			})
		if err != nil {
			return nil, err
		}
	}
	return touched, nil
}
