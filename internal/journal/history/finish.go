package history

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/problem"
)

// Finish records how a change ended; the end of the context does not keep it from that.
// Where it can't be written, Finish returns an error that says why, keeps the outcome in
// memory and tries again by itself, and Intend refuses until it is written. A change
// that has ended stays as it is, unless its state is StateUnknown.
func (j *writer) Finish(ctx context.Context, c Change, out Outcome) error {
	ctx = context.WithoutCancel(ctx)
	err := j.inFiller(func() error { return j.finish(ctx, c, out) })
	if err != nil {
		j.options.Log.Error("how a change ended can't be recorded yet", "change", c.ID, "error", err)
		j.unsaved.add(outcomeOf{c, out}, func() { _ = j.saveUnsaved(context.Background()) })
	}
	return err
}

func (j *writer) finish(ctx context.Context, c Change, out Outcome) error {
	return j.update(ctx, c, func(conn *sqlite.Conn) error {
		was, err := stateOf(conn, c)
		if err != nil || was.state != StateOpen && was.state != StateUnknown {
			return err
		}
		err = run(conn, "UPDATE change SET state = ?2, done = ?3, mark = (SELECT max(mark) + 1 FROM change), code = ?4, evidence = ?5 WHERE id = ?1",
			c.ID, string(out.State), j.now(), nullable(clip(out.Code)), nullable(clip(out.Evidence)))
		if err != nil {
			return err
		}
		if err := putTouches(conn, c, out.Touches); err != nil {
			return err
		}
		return errors.Join(settleCall(conn, c.Call), summarize(conn, c.Call, out.Summary))
	})
}

// changeState is what is to be known of a change before it is updated.
type changeState struct {
	state State // empty: there is no such change
	read  bool  // what it left was read, or tried to be
	lacks []string
}

func stateOf(conn *sqlite.Conn, c Change) (was changeState, err error) {
	err = rows(conn, "SELECT call, state, after_by IS NOT NULL, lacks FROM change WHERE id = ?1", []any{c.ID}, func(row *sqlite.Stmt) error {
		if row.ColumnInt64(0) == c.Call {
			was = changeState{State(row.ColumnText(1)), row.ColumnBool(2), parseLacks(row.ColumnText(3))}
		}
		return nil
	})
	return was, err
}

// After records what a change left. The first that is recorded of a change stays.
func (j *writer) After(ctx context.Context, c Change, a Aftermath) error {
	return j.update(ctx, c, func(conn *sqlite.Conn) error {
		was, err := stateOf(conn, c)
		if err != nil || was.state == "" || was.read {
			return err
		}
		facts, err := j.w.putBody(a.Facts)
		if err != nil {
			return err
		}
		lacks := was.lacks
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
		if facts != nil {
			if err := run(conn, "UPDATE call SET texts = 1 WHERE id = ?1 AND texts = 0", c.Call); err != nil {
				return err
			}
		}
		graph, err := graphOf(conn, c)
		if err != nil {
			return err
		}
		for uid, title := range a.Pages {
			err := run(conn, `INSERT INTO page (graph, uid, title, seen) VALUES (?1, ?2, ?3, ?4)
				ON CONFLICT DO UPDATE SET seen = max(seen, excluded.seen)`, graph, uid, clip(title), c.ID)
			if err != nil {
				return err
			}
		}
		return summarize(conn, c.Call, a.Summary)
	})
}

// update is transact for a change of the present file. One of a file that was deleted or
// damaged has nothing to be updated.
func (j *writer) update(ctx context.Context, c Change, do func(*sqlite.Conn) error) error {
	return j.transact(ctx, toSystem, func(conn *sqlite.Conn) error {
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
func (j *writer) saveUnsaved(ctx context.Context) error {
	j.unsaved.mu.Lock()
	defer j.unsaved.mu.Unlock()
	for len(j.unsaved.list) > 0 {
		o := j.unsaved.list[0]
		err := j.inFiller(func() error { return j.finish(ctx, o.change, o.outcome) })
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
