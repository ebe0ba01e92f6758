package history

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
)

// ClaimedError reports that a call of another server has a page, or is before this one in
// the line for it.
type ClaimedError struct{ Agent string }

func (e *ClaimedError) Error() string { return fmt.Sprintf("%s is changing the page", e.Agent) }

// Claim is the place of a call in the line for a page of a graph. The first in the line
// whose server lives has the page to itself (JOURNAL.md, Claims). A Claim is for one
// goroutine.
type Claim struct {
	Graph Graph
	Page  string // uid
	Agent string // who calls, as others are told
	Call  int64  // number of the call; 0: it has none yet
	Mark  int64  // what Journal.Mark returned before the call's first read; 0: none was taken

	journal *writer
	row     claimRow
}

// claimRow names a row of the table of claims.
type claimRow struct {
	file int // which of the files that this process had open it is in
	id   int64
}

// Claim returns a claim that is to be taken. It writes nothing.
func (j *writer) Claim(graph Graph, page, agent string) *Claim {
	return &Claim{Graph: graph, Page: page, Agent: agent, journal: j}
}

// Take takes the page if it is the call's turn. If not, the error is a *ClaimedError, the
// call keeps its place in the line, and Take is to be called again. Claims of servers that
// do not live are removed; where one of them had the page, a notice says so.
//
// changed reports whether others may have changed the page since Claim.Mark, which is a
// newer one then. The code of other errors is CodeUnavailable or CodeTooNew. Whatever Take
// returns, Release is to be called.
func (c *Claim) Take(ctx context.Context) (changed bool, err error) {
	j, row, mark := c.journal, claimRow{}, int64(0)
	var ahead *ClaimedError
	err = j.transact(ctx, toSystem, func(conn *sqlite.Conn) (err error) {
		if row = c.row; row.file != j.files {
			row = claimRow{file: j.files}
		}
		if ahead, err = c.ahead(conn, row); err != nil {
			return err
		}
		if row.id, err = c.put(conn, row.id, ahead == nil); err != nil {
			return err
		}
		j.claims.live(row, true)
		if ahead == nil {
			changed, mark, err = c.changed(conn)
		}
		return err
	})
	if err != nil {
		j.claims.live(row, false)
		return false, err
	}
	if c.row = row; ahead != nil {
		return false, ahead
	}
	if changed {
		c.Mark = mark
	}
	return changed, nil
}

// ahead returns who is the first in the line before a claim, nil where nobody is. Those
// whose server does not live are removed, and so are those that this process could not
// remove when their call ended.
func (c *Claim) ahead(conn *sqlite.Conn, row claimRow) (first *ClaimedError, err error) {
	j := c.journal
	own, err := j.self(conn)
	if err != nil {
		return nil, err
	}
	gone := map[int64]string{} // agents that had the page, empty of those that waited
	alive := j.living()
	err = rows(conn, `SELECT id, server, agent, since IS NOT NULL FROM claim WHERE graph = ?1 AND type = ?2 AND page = ?3 AND (?4 = 0 OR id < ?4) ORDER BY id`,
		[]any{c.Graph.Name, c.Graph.Type, c.Page, row.id}, func(each *sqlite.Stmt) error {
			id, server, agent := each.ColumnInt64(0), each.ColumnInt64(1), each.ColumnText(2)
			switch {
			case server == own && j.claims.lives(claimRow{row.file, id}) || server != own && alive(server):
				if first == nil {
					first = &ClaimedError{agent}
				}
			case server == own || !each.ColumnBool(3):
				gone[id] = ""
			default:
				gone[id] = agent
			}
			return nil
		})
	for id, agent := range gone {
		if err == nil {
			err = run(conn, "DELETE FROM claim WHERE id = ?1", id)
		}
		if err == nil && agent != "" {
			j.options.Log.Warn("a server ended while it changed a page; another call takes the page over", "page", c.Page)
			err = putNote(conn, event{CodeTakenOver, strings.Join([]string{c.Graph.Name, c.Page, agent}, "\n")})
		}
	}
	return first, err
}

// put writes the row of a claim, a new one where it has none, and returns its number. has
// reports whether the claim has the page.
func (c *Claim) put(conn *sqlite.Conn, id int64, has bool) (int64, error) {
	var since any
	if has {
		since = c.journal.now()
	}
	if id != 0 {
		return id, run(conn, "UPDATE claim SET since = ?2 WHERE id = ?1", id, since)
	}
	err := run(conn, "INSERT INTO claim (graph, type, page, server, agent, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
		c.Graph.Name, c.Graph.Type, c.Page, c.journal.server.id, clip(c.Agent), since)
	return conn.LastInsertRowID(), err
}

// changed reports whether others may have changed the page since the mark, and returns one
// of now. A change whose page is not known may be of this one.
func (c *Claim) changed(conn *sqlite.Conn) (changed bool, mark int64, err error) {
	newest, err := newestMark(conn)
	if err != nil || c.Mark == 0 || c.Mark > newest+1 { // of no file, or of one that is no more
		return true, newest + 1, err
	}
	if newest < c.Mark { // as nearly always
		if open, err := number(conn, "SELECT EXISTS (SELECT 1 FROM change WHERE state = 'open')"); err != nil || open == 0 {
			return false, newest + 1, err
		}
	}
	n, err := number(conn, `SELECT EXISTS (SELECT 1 FROM (SELECT id FROM change WHERE mark >= ?1 UNION SELECT id FROM change WHERE state = 'open') AS recent
		CROSS JOIN change ON change.id = recent.id CROSS JOIN call ON call.id = change.call CROSS JOIN graph ON graph.id = call.graph
		WHERE call.id <> ?2 AND graph.name = ?3 AND graph.type = ?4 AND change.state NOT IN ('refused', 'not-done')
		AND (NOT EXISTS (SELECT 1 FROM touch WHERE touch.change = change.id)
			OR EXISTS (SELECT 1 FROM touch WHERE touch.change = change.id AND (touch.uid = ?5 OR touch.page IN (?5, '')))))`,
		c.Mark, c.Call, c.Graph.Name, c.Graph.Type, c.Page)
	return n != 0, newest + 1, err
}

// Release gives the page to the next in the line, or leaves the line. Where the journal
// can't be written at the moment, it is tried again until it can.
func (c *Claim) Release() {
	j, row := c.journal, c.row
	c.row = claimRow{}
	if row.id == 0 {
		return
	}
	j.claims.live(row, false)
	if err := j.removeClaims(row); err != nil {
		j.options.Log.Warn("the claim of a call that has ended can't be removed yet", "page", c.Page, "error", err)
		j.claims.keep(row, func() { j.removeLeftClaims() })
	}
}

// removeClaims removes rows of this process.
func (j *writer) removeClaims(all ...claimRow) error {
	if len(all) == 0 {
		return nil
	}
	return j.inFiller(func() error { return j.transact(context.Background(), toSystem, j.deleteClaims(all)) })
}

// deleteClaims returns a transaction that removes rows of this process.
func (j *writer) deleteClaims(all []claimRow) func(conn *sqlite.Conn) error {
	return func(conn *sqlite.Conn) error {
		for _, row := range all {
			if row.file != j.files || j.server == nil {
				continue
			}
			if err := run(conn, "DELETE FROM claim WHERE id = ?1 AND server = ?2", row.id, j.server.id); err != nil {
				return err
			}
		}
		return nil
	}
}

// removeLeftClaims removes what Release could not.
func (j *writer) removeLeftClaims() {
	left := j.claims.take()
	if err := j.removeClaims(left...); err != nil {
		for _, row := range left {
			j.claims.keep(row, func() { j.removeLeftClaims() })
		}
	}
}

// claims are those of the calls of this process.
type claims struct {
	mu    sync.Mutex
	known map[claimRow]bool // of calls that have not ended
	left  []claimRow        // of calls that have, and whose rows could not be removed
	timer *time.Timer
}

// live notes whether the call of a row goes on.
func (c *claims) live(row claimRow, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !on {
		delete(c.known, row)
		return
	}
	if c.known == nil {
		c.known = map[claimRow]bool{}
	}
	c.known[row] = true
}

func (c *claims) lives(row claimRow) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[row]
}

// keep keeps a row to be removed, and calls a function later.
func (c *claims) keep(row claimRow, later func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = append(c.left, row)
	if c.timer != nil {
		c.timer.Stop()
	}
	c.timer = time.AfterFunc(tryAgain, later)
}

// take returns the rows that are to be removed, and forgets them.
func (c *claims) take() []claimRow {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
	left := c.left
	c.left = nil
	return left
}
