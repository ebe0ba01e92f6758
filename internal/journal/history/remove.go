package history

import (
	"context"
	"encoding/json"

	"zombiezen.com/go/sqlite"
)

// removal is a query for what is to be removed: numbers of calls, and those of versions
// with a minus in front.
type removal struct {
	query string
	args  []any
	lines bool // of calls the lines go too, and not only the texts
}

// mostAtOnce bounds a step of remove, which takes about a tenth of a second.
const mostAtOnce = 1000

// remove removes what a query finds, apart from calls that a live server is making, in steps
// between which others write. It returns what was removed, also where an error ended it. finish
// has to follow.
func (m *maintenance) remove(ctx context.Context, r removal) (removed Purged, err error) {
	found, err := numbersOf(m.conn, r.query, r.args...)
	for len(found) > 0 && err == nil {
		part := found[:min(mostAtOnce, len(found))]
		var step Purged
		err = m.transact(ctx, func() (err error) { // perhaps more than once
			step, err = m.removeStep(part, r.lines)
			return err
		})
		if err != nil {
			break
		}
		removed.Calls += step.Calls
		removed.Changes += step.Changes
		removed.Versions += step.Versions
		removed.UnderWay += step.UnderWay
		if found = found[len(part):]; len(found) > 0 {
			err = pause(ctx, betweenSteps)
		}
	}
	return removed, err
}

// removeStep removes a part of what a removal found, within a transaction.
func (m *maintenance) removeStep(part []int64, lines bool) (removed Purged, err error) {
	underWay, err := m.underWay()
	if err != nil {
		return removed, err
	}
	var calls, versions []int64
	for _, id := range part {
		switch {
		case id < 0:
			versions = append(versions, -id)
		case underWay[id]:
			removed.UnderWay++
		default:
			calls = append(calls, id)
		}
	}
	removed.Calls, removed.Versions = len(calls), len(versions)
	err = m.put(purgingName, "1")
	var bodies []int64
	if err == nil {
		bodies, err = m.bodiesOf(calls, versions)
	}
	if err == nil {
		removed.Changes, err = m.removeTexts(calls)
	}
	if err == nil {
		err = m.eachOf(versions, "DELETE FROM version WHERE id IN "+listed)
	}
	if err == nil {
		err = m.removeBodies(bodies)
	}
	if err == nil && lines {
		err = m.eachOf(calls,
			"DELETE FROM touch WHERE change IN (SELECT id FROM change WHERE call IN "+listed+")",
			"DELETE FROM change WHERE call IN "+listed,
			"DELETE FROM call WHERE id IN "+listed)
	}
	return removed, err
}

// underWay returns the calls of which a change is open with a server that lives.
func (m *maintenance) underWay() (map[int64]bool, error) {
	calls := map[int64]bool{}
	err := rows(m.conn, `SELECT call.id, session.server FROM change INDEXED BY change_open
		CROSS JOIN call ON call.id = change.call CROSS JOIN session ON session.id = call.session
		WHERE change.state = 'open'`, nil, func(row *sqlite.Stmt) error {
		if m.living(row.ColumnInt64(1)) {
			calls[row.ColumnInt64(0)] = true
		}
		return nil
	})
	return calls, err
}

// listed is a query for the numbers of a list, which is the first parameter.
const listed = "(SELECT value FROM json_each(?1))"

// list returns numbers as a parameter for json_each.
func list(ids []int64) string {
	if len(ids) == 0 {
		return "[]"
	}
	data, _ := json.Marshal(ids) // numbers can be encoded
	return string(data)
}

// eachOf runs statements on a list, unless that is empty.
func (m *maintenance) eachOf(ids []int64, statements ...string) error {
	if len(ids) == 0 {
		return nil
	}
	parameter := list(ids)
	for _, statement := range statements {
		if err := run(m.conn, statement, parameter); err != nil {
			return err
		}
	}
	return nil
}

// bodiesOf returns the texts of calls and versions.
func (m *maintenance) bodiesOf(calls, versions []int64) ([]int64, error) {
	return numbersOf(m.conn, `SELECT args FROM call WHERE args IS NOT NULL AND id IN `+listed+`
		UNION SELECT request FROM change WHERE request IS NOT NULL AND call IN `+listed+`
		UNION SELECT before FROM change WHERE before IS NOT NULL AND call IN `+listed+`
		UNION SELECT after FROM change WHERE after IS NOT NULL AND call IN `+listed+`
		UNION SELECT body FROM version WHERE id IN (SELECT value FROM json_each(?2))`, list(calls), list(versions))
}

// removeTexts takes the texts out of calls, and returns how many changes these have. A
// change that is open becomes unknown, since nobody can look for it any more; what a
// server has still to tell of one that is done is not wanted any more.
func (m *maintenance) removeTexts(calls []int64) (changes int, err error) {
	err = m.eachOf(calls, `UPDATE change SET request = NULL, before = NULL, after = NULL, lacks = NULL, evidence = NULL,
		after_by = ifnull(after_by, 'none'), state = iif(state = 'open', 'unknown', state) WHERE call IN `+listed)
	if err != nil || len(calls) == 0 {
		return 0, err
	}
	changes = m.conn.Changes()
	return changes, m.eachOf(calls,
		`UPDATE call SET args = NULL, summary = NULL, evidence = NULL, texts = 0, state = iif(state = 'open', 'unknown', state) WHERE id IN `+listed,
		`DELETE FROM page WHERE seen IN (SELECT id FROM change WHERE call IN `+listed+`)`)
}

// removeBodies removes those that nothing refers to.
func (m *maintenance) removeBodies(bodies []int64) error {
	return m.eachOf(bodies, `DELETE FROM body WHERE id IN `+listed+`
		AND NOT EXISTS (SELECT 1 FROM call WHERE args = body.id) AND NOT EXISTS (SELECT 1 FROM change WHERE request = body.id)
		AND NOT EXISTS (SELECT 1 FROM change WHERE before = body.id) AND NOT EXISTS (SELECT 1 FROM change WHERE after = body.id)
		AND NOT EXISTS (SELECT 1 FROM version WHERE version.body = body.id)`)
}

// removeUnused removes sessions without calls, servers without sessions and claims of
// servers that do not live, graphs without calls and versions, and titles that no change
// has seen.
func (m *maintenance) removeUnused(ctx context.Context) error {
	return m.transact(ctx, func() error {
		queries := []string{
			"DELETE FROM session WHERE NOT EXISTS (SELECT 1 FROM call WHERE call.session = session.id)",
			"DELETE FROM page WHERE NOT EXISTS (SELECT 1 FROM change WHERE change.id = page.seen)",
			`DELETE FROM graph WHERE NOT EXISTS (SELECT 1 FROM call WHERE call.graph = graph.id)
				AND NOT EXISTS (SELECT 1 FROM version WHERE version.graph = graph.id)`,
		}
		for _, query := range queries {
			if err := run(m.conn, query); err != nil {
				return err
			}
		}
		idle, err := numbersOf(m.conn, "SELECT id FROM server WHERE NOT EXISTS (SELECT 1 FROM session WHERE session.server = server.id)")
		for _, server := range idle {
			if err == nil && !m.living(server) {
				err = run(m.conn, "DELETE FROM server WHERE id = ?1", server)
			}
		}
		if err != nil {
			return err
		}
		claiming, err := numbersOf(m.conn, "SELECT DISTINCT server FROM claim")
		for _, server := range claiming {
			if err == nil && !m.living(server) {
				err = run(m.conn, "DELETE FROM claim WHERE server = ?1", server)
			}
		}
		return err
	})
}
