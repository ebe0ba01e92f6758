package history

import (
	"context"
	"strings"

	"zombiezen.com/go/sqlite"

	"roam-mcp/history/fact"
)

// Sum is what calls of one agent did together, as far as their changes are done.
type Sum struct {
	Agent                 string
	Calls                 int
	Written, Changed      int // blocks that were made; pages and blocks that were changed by themselves
	BlocksGone, PagesGone int
	Rewritten             int // texts that Roam rewrote since what they refer to went or got another name
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

// add counts things with a role.
func (s *Sum) add(role fact.Role, isPage bool, n int) {
	switch role {
	case fact.RoleMade:
		if !isPage {
			s.Written += n
		}
	case fact.RoleTarget:
		s.Changed += n
	case fact.RoleGone:
		if isPage {
			s.PagesGone += n
		} else {
			s.BlocksGone += n
		}
	case fact.RoleReferrer:
		s.Rewritten += n
	case fact.RolePlace, fact.RoleImplied:
	}
}
