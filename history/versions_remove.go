package history

import (
	"context"

	"zombiezen.com/go/sqlite"
)

// removeVersions removes versions by their numbers.
func (m *maintenance) removeVersions(versions []int64) error {
	ids := list(versions)
	var bodies []int64
	err := rows(m.conn, "SELECT DISTINCT body FROM version WHERE id IN "+ofCalls, []any{ids}, func(row *sqlite.Stmt) error {
		bodies = append(bodies, row.ColumnInt64(0))
		return nil
	})
	if err == nil {
		err = run(m.conn, "DELETE FROM version WHERE id IN "+ofCalls, ids)
	}
	if err != nil {
		return err
	}
	return m.removeBodies(bodies)
}

// anyVersion is a query for the oldest versions, which were recorded before ?1.
const anyVersion = "SELECT id FROM version WHERE seen < ?1 ORDER BY seen LIMIT ?2"

// purgeVersions removes the versions that a purge chooses, and returns how many.
func (m *maintenance) purgeVersions(ctx context.Context, purge Purge) (int, error) {
	versions, err := purge.versions(m.conn)
	if err != nil {
		return 0, err
	}
	return len(versions), m.inSteps(ctx, versions, m.removeVersions)
}

// versions returns the numbers of the versions that a purge chooses.
func (p Purge) versions(conn *sqlite.Conn) ([]int64, error) {
	graphs, args := graphsQuery(p.Graphs)
	query := "SELECT id FROM version WHERE graph IN (" + graphs + ")"
	if !p.Before.IsZero() {
		query, args = query+" AND seen < ?", append(args, p.Before.UnixMilli())
	}
	return numbersOf(conn, query, args...)
}

// VersionsToPurge returns how many versions a purge would remove. The code of its errors
// is CodeUnavailable or CodeTooNew.
func (j *Journal) VersionsToPurge(ctx context.Context, purge Purge) (count int, err error) {
	_, err = j.read(ctx, func(conn *sqlite.Conn) error {
		if there, err := hasVersions(conn); err != nil || !there {
			return err
		}
		ids, err := purge.versions(conn)
		count = len(ids)
		return err
	})
	return count, err
}
