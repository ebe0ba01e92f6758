package history

import (
	"context"
	"strings"

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
	graphs, err := graphRows(m.conn, purge.Graphs)
	if err != nil {
		return 0, err
	}
	query, args := "SELECT id FROM version WHERE graph IN (?"+strings.Repeat(", ?", max(0, len(graphs)-1))+")", graphs
	if len(graphs) == 0 {
		return 0, nil
	}
	if !purge.Before.IsZero() {
		query, args = query+" AND seen < ?", append(args, purge.Before.UnixMilli())
	}
	ids, err := column0(m.conn, query, args...)
	if err != nil {
		return 0, err
	}
	versions := make([]int64, len(ids))
	for i, id := range ids {
		versions[i] = id.(int64)
	}
	return len(versions), m.inSteps(ctx, versions, m.removeVersions)
}
