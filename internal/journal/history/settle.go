package history

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
)

// Abandoned returns the changes that are open and whose server does not live, oldest
// first; of one graph, or of all for nil.
func (j *reader) Abandoned(ctx context.Context, graph *Graph) ([]Open, error) {
	return j.unsettled(ctx, graph, "change.state = 'open'", j.living())
}

// Unread returns the changes that are done, by servers that have ended, and of which the
// facts afterwards were never read, oldest first. If graph is nil it returns those of all
// graphs. It omits changes whose request was not kept.
func (j *reader) Unread(ctx context.Context, graph *Graph) ([]Open, error) {
	return j.unsettled(ctx, graph, "change.state = 'done' AND change.after_by IS NULL AND change.request IS NOT NULL", j.living())
}

// InDoubt returns the changes of a call whose outcome is unknown, oldest first.
func (j *reader) InDoubt(ctx context.Context, call int64) ([]Open, error) {
	nobody := func(int64) bool { return false }
	return j.unsettled(ctx, nil, fmt.Sprintf("change.state = 'unknown' AND change.call = %d", call), nobody)
}

// unsettled returns the changes of which a condition holds, but for those of servers that are alive.
func (j *reader) unsettled(ctx context.Context, graph *Graph, condition string, alive func(server int64) bool) ([]Open, error) {
	var found []Open
	query := `SELECT change.call, change.id, change.seq, graph.name, graph.type, call.tool, change.action, change.class, change.state,
		change.sent, change.done, coalesce(change.request, 0), coalesce(change.before, 0), session.server,
		EXISTS (SELECT 1 FROM change AS other JOIN call AS its ON its.id = other.call WHERE other.request = change.request AND other.action = change.action
			AND other.id <> change.id AND its.graph = call.graph AND other.state IN ('open', 'done', 'unknown') AND coalesce(other.done, change.sent) >= change.sent)
		FROM change JOIN call ON call.id = change.call JOIN session ON session.id = call.session JOIN graph ON graph.id = call.graph
		WHERE ` + condition + " AND (?1 IS NULL OR graph.name = ?1 AND graph.type = ?2) ORDER BY change.id"
	var name, kind any
	if graph != nil {
		name, kind = graph.Name, graph.Type
	}
	_, err := j.read(ctx, func(conn *sqlite.Conn) error {
		found = nil
		return rows(conn, query, []any{name, kind}, func(row *sqlite.Stmt) (err error) {
			if alive(row.ColumnInt64(13)) {
				return nil
			}
			o := Open{
				Change: Change{Call: row.ColumnInt64(0), ID: row.ColumnInt64(1), Seq: row.ColumnInt(2)},
				Graph:  Graph{row.ColumnText(3), row.ColumnText(4)}, Tool: row.ColumnText(5), Action: row.ColumnText(6),
				Class: fact.Class(row.ColumnText(7)), State: State(row.ColumnText(8)), Sent: timeOf(row, 9), Done: timeOf(row, 10), Repeated: row.ColumnBool(14),
			}
			if o.Request, err = getBody(conn, row.ColumnInt64(11)); err != nil {
				return err
			}
			if o.Before, err = getBody(conn, row.ColumnInt64(12)); err != nil {
				return err
			}
			o.Touches, err = touchesOf(conn, o.ID)
			found = append(found, o)
			return err
		})
	})
	return found, err
}
