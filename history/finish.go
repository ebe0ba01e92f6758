package history

import (
	"context"
	"slices"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/problem"
)

// Finish records how a change ended; the end of the context does not keep it from that.
// Where it can't be written, Finish returns an error that says why, keeps the outcome in
// memory and tries again by itself, and Intend refuses until it is written. A change
// that has ended stays as it is, unless its state is StateUnknown.
func (j *Journal) Finish(ctx context.Context, c Change, out Outcome) error {
	ctx = context.WithoutCancel(ctx)
	err := j.finish(ctx, c, out)
	if isFull(err) && j.dropFiller() {
		err = j.finish(ctx, c, out)
	}
	if err != nil {
		j.options.Log.Error("how a change ended can't be recorded yet", "change", c.ID, "error", err)
		j.unsaved.add(outcomeOf{c, out}, func() { _ = j.saveUnsaved(context.Background()) })
	}
	return err
}

func (j *Journal) finish(ctx context.Context, c Change, out Outcome) error {
	return j.update(ctx, c, func(conn *sqlite.Conn) error {
		mark, err := newestMark(conn)
		if err != nil {
			return err
		}
		err = run(conn, `UPDATE change SET state = ?3, done = ?4, mark = ?5, code = ?6, evidence = ?7
			WHERE id = ?1 AND call = ?2 AND state IN ('open', 'unknown')`,
			c.ID, c.Call, string(out.State), j.now(), mark+1, nullable(clip(out.Code)), nullable(clip(out.Evidence)))
		if err != nil || conn.Changes() == 0 {
			return err
		}
		if err := putTouches(conn, c, out.Touches); err != nil {
			return err
		}
		return settleCall(conn, c.Call, false, out.Summary)
	})
}

// After records what a change left. The first that is recorded of a change stays.
func (j *Journal) After(ctx context.Context, c Change, a Aftermath) error {
	return j.update(ctx, c, func(conn *sqlite.Conn) error {
		var call, graph int64
		var lacks []string
		err := rows(conn, `SELECT call.id, call.graph, change.lacks FROM change JOIN call ON call.id = change.call
			WHERE change.id = ?1 AND change.call = ?2 AND change.after_by IS NULL`, []any{c.ID, c.Call}, func(row *sqlite.Stmt) error {
			call, graph, lacks = row.ColumnInt64(0), row.ColumnInt64(1), parseLacks(row.ColumnText(2))
			return nil
		})
		if err != nil || call == 0 {
			return err
		}
		facts, err := j.putBody(conn, a.Facts)
		if err != nil {
			return err
		}
		for _, lack := range a.Lacks {
			if !slices.Contains(lacks, lack) {
				lacks = append(lacks, lack)
			}
		}
		err = run(conn, "UPDATE change SET after = ?2, after_by = ?3, lacks = ?4 WHERE id = ?1", c.ID, facts, string(a.By), lacksOf(lacks))
		if err != nil {
			return err
		}
		if err := putTouches(conn, c, a.Touches); err != nil {
			return err
		}
		for uid, title := range a.Pages {
			err := run(conn, `INSERT INTO page (graph, uid, title, seen) VALUES (?1, ?2, ?3, ?4)
				ON CONFLICT DO UPDATE SET seen = max(seen, excluded.seen)`, graph, uid, clip(title), c.ID)
			if err != nil {
				return err
			}
		}
		return settleCall(conn, call, facts != nil, a.Summary)
	})
}

// update is transact for a change of the present file. One of a file that was deleted or
// damaged has nothing to be updated.
func (j *Journal) update(ctx context.Context, c Change, do func(*sqlite.Conn) error) error {
	return j.transact(ctx, false, func(conn *sqlite.Conn) error {
		if c.file != 0 && c.file != j.files {
			j.options.Log.Warn("the journal that a change was recorded in is no more", "change", c.ID)
			return nil
		}
		return do(conn)
	})
}

// outcomeOf is how a change ended.
type outcomeOf struct {
	change  Change
	outcome Outcome
}

// unsavedOutcomes are those that could not be written yet.
type unsavedOutcomes struct {
	mu    sync.Mutex
	list  []outcomeOf
	timer *time.Timer
}

// tryAgain is how long an unsaved outcome waits for the next attempt.
const tryAgain = time.Second

// add keeps an outcome, and calls a function later.
func (u *unsavedOutcomes) add(o outcomeOf, later func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = append(u.list, o)
	if u.timer != nil {
		u.timer.Stop()
	}
	u.timer = time.AfterFunc(tryAgain, later)
}

func (u *unsavedOutcomes) stop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.timer != nil {
		u.timer.Stop()
	}
}

// saveUnsaved writes the outcomes that could not be written before. It returns an error
// if one still can't be.
func (j *Journal) saveUnsaved(ctx context.Context) error {
	j.unsaved.mu.Lock()
	defer j.unsaved.mu.Unlock()
	for len(j.unsaved.list) > 0 {
		o := j.unsaved.list[0]
		err := j.finish(ctx, o.change, o.outcome)
		if isFull(err) && j.dropFiller() {
			err = j.finish(ctx, o.change, o.outcome)
		}
		if err != nil {
			j.unsaved.timer.Reset(tryAgain)
			e := *problem.FromError(err)
			e.Message = "How an earlier change ended could not be recorded yet. " + e.Message
			return &e
		}
		j.unsaved.list = j.unsaved.list[1:]
	}
	return nil
}
