package history

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
)

// Limits of Journal.Intend.
const (
	longestAfterReads = 3 * time.Second        // that others are given for reading what a change left, or for rewriting
	longestOpen       = 250 * time.Millisecond // that an open change is waited for before ErrLookAgain
	between           = 10 * time.Millisecond  // two looks at either
	statelessPause    = 30 * time.Minute       // between calls of a stateless client that end its session
)

// mostName is the most of a name, a code or a summary that is kept, in bytes.
const mostName = 500

// errWait has Intend wait; it is never returned.
var errWait = errors.New("wait")

// errImmutable has Mark ask the connection for writing; it is never returned.
var errImmutable = errors.New("what others write is not seen")

// Mark returns a number for Intent.Mark. It is to be taken before a look: every change
// that is recorded or ends later is newer: its number is given while it is written, by the
// only one who writes then, and is greater than all that a reader sees.
func (j *Journal) Mark(ctx context.Context) (mark int64, err error) {
	newest := func(conn *sqlite.Conn) (err error) {
		mark, err = newestMark(conn)
		return err
	}
	_, err = j.read(ctx, func(conn *sqlite.Conn) error { // where there is no file, nothing is older
		if j.r.immutable {
			return errImmutable
		}
		return newest(conn)
	})
	if err != nil { // a damaged file is put right by who writes
		err = j.transact(ctx, toSystem, newest)
	}
	return mark + 1, err
}

func newestMark(conn *sqlite.Conn) (int64, error) {
	return number(conn, "SELECT coalesce(max(mark), 0) FROM change")
}

// Intend records a change that is about to be sent. When it returns nil, the record is
// on disk.
//
// Where Intent.Mark is set, it waits up to 3 seconds for what other servers still have to
// read about earlier changes of the graph, and returns ErrLookAgain where a change that
// is newer than the mark, or that is open with a server that lives, touches the same
// blocks, or one of both rewrites all that mentions something and the other writes texts.
// What adds without a look waits as long for others that rewrite. The code of other errors
// is CodeUnavailable or CodeTooNew; nothing is recorded then.
func (j *writer) Intend(ctx context.Context, in Intent) (Change, error) {
	if err := j.saveUnsaved(ctx); err != nil {
		return Change{}, err
	}
	started := time.Now()
	for {
		var change Change
		err := j.transact(ctx, levelOf(in.Class), func(conn *sqlite.Conn) (err error) {
			if err = j.makeFiller(); err != nil {
				return err
			}
			if err = j.meet(conn, in, time.Since(started)); err != nil {
				return err
			}
			if err = noteTexts(conn, in); err != nil {
				return err
			}
			change, err = j.insert(conn, in, StateOpen, "")
			return err
		})
		if !errors.Is(err, errWait) {
			return change, err
		}
		select {
		case <-ctx.Done():
			return Change{}, j.explain(ctx, ctx.Err())
		case <-time.After(between):
		}
	}
}

// meet returns ErrLookAgain or errWait where others are in the way of an intent, which has
// waited so long.
func (j *writer) meet(conn *sqlite.Conn, in Intent, waited time.Duration) error {
	graph, err := graphID(conn, in.Graph)
	if err != nil {
		return err
	}
	m := meeting{conn: conn, graph: graph, in: in, waited: waited, now: j.now(), alive: j.living()}
	if j.server != nil {
		m.own = j.server.id
	}
	return m.check()
}

// levelOf returns how safe an intent has to be. What is deleted or rewritten all over the
// graph is worth the time that a disk's own cache takes.
func levelOf(class fact.Class) level {
	if class == fact.ClassGone || class == fact.ClassRename || class == fact.ClassMerge {
		return beyondDiskCache
	}
	return toDisk
}

// Stopped records a call that was refused with the code before anything was sent. Of the
// intent it keeps who, where and which tool, and no text. Where the call has changes
// already, it becomes one more that was not done.
func (j *writer) Stopped(ctx context.Context, in Intent, code string) error {
	in.Args, in.Request, in.Before, in.Lacks, in.Touches = nil, nil, nil, nil, nil
	return j.transact(ctx, toSystem, func(conn *sqlite.Conn) error {
		if in.Call != 0 {
			_, err := j.insert(conn, in, StateNotDone, code)
			return err
		}
		_, err := j.insertCall(conn, in, CallStopped, code)
		return err
	})
}

// TakenBack records that the change Intent.Undoes is taken back now, but for what is left,
// for the reasons in Intent.Lacks: a change without a request, and thus without an action.
func (j *writer) TakenBack(ctx context.Context, in Intent) (change Change, err error) {
	in.Action, in.Request, in.Before, in.Touches = "", nil, nil, nil
	err = j.transact(ctx, toDisk, func(conn *sqlite.Conn) (err error) {
		change, err = j.insert(conn, in, StateDone, "")
		if err == nil {
			err = run(conn, "UPDATE change SET after_by = ?2 WHERE id = ?1", change.ID, string(ByNone))
		}
		if err == nil {
			err = settleCall(conn, change.Call)
		}
		return err
	})
	return change, err
}

// insert adds a change, and its call where it is the first of it.
func (j *writer) insert(conn *sqlite.Conn, in Intent, state State, code string) (Change, error) {
	c := Change{Seq: 1, file: j.files}
	var err error
	if c.Call, err = j.ownCall(conn, in.Call); err != nil {
		return Change{}, err
	}
	first := c.Call == 0
	if first {
		c.Call, err = j.insertCall(conn, in, CallOpen, "")
	} else {
		var newest int64
		newest, err = number(conn, "SELECT max(seq) FROM change WHERE call = ?1", c.Call)
		c.Seq += int(newest)
	}
	if err == nil {
		err = j.insertChange(conn, &c, in, state, code)
	}
	if err == nil && !first {
		err = settleCall(conn, c.Call)
	}
	return c, err
}

// insertChange adds a change to a call, and gives it its number.
func (j *writer) insertChange(conn *sqlite.Conn, c *Change, in Intent, state State, code string) error {
	request, err := j.w.putBody(in.Request)
	if err != nil {
		return err
	}
	before, err := j.w.putBody(in.Before)
	if err != nil {
		return err
	}
	now := j.now()
	var done any
	if state != StateOpen {
		done = now
	}
	var undoes any
	if in.Undoes != 0 {
		undoes = in.Undoes
	}
	err = run(conn, `INSERT INTO change (call, seq, mark, action, class, state, sent, done, code, request, before, before_by, lacks, undoes)
		VALUES (?1, ?2, (SELECT coalesce(max(mark), 0) + 1 FROM change), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)`,
		c.Call, c.Seq, clip(in.Action), string(in.Class), string(state), now, done, nullable(clip(code)), request, before, string(in.BeforeBy), lacksOf(in.Lacks), undoes)
	if err != nil {
		return err
	}
	c.ID = conn.LastInsertRowID()
	if in.Request != nil || in.Before != nil {
		if err := run(conn, "UPDATE call SET texts = 1 WHERE id = ?1 AND texts = 0", c.Call); err != nil {
			return err
		}
	}
	return putTouches(conn, *c, in.Touches)
}

// ownCall returns a call if it is of this server, and else 0: the file that it was
// recorded in may be no more, and another call may have its number.
func (j *writer) ownCall(conn *sqlite.Conn, call int64) (int64, error) {
	if call == 0 || j.server == nil {
		return 0, nil
	}
	return number(conn, "SELECT call.id FROM call JOIN session ON session.id = call.session WHERE call.id = ?1 AND session.server = ?2", call, j.server.id)
}

// insertCall adds a call.
func (j *writer) insertCall(conn *sqlite.Conn, in Intent, state CallState, code string) (int64, error) {
	session, err := j.sessionOf(conn, in.Who)
	if err != nil {
		return 0, err
	}
	graph, err := graphID(conn, in.Graph)
	if err != nil {
		return 0, err
	}
	args, err := j.w.putBody(in.Args)
	if err != nil {
		return 0, err
	}
	err = run(conn, "INSERT INTO call (session, graph, tool, at, state, code, args, texts) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
		session, graph, clip(in.Tool), j.now(), string(state), nullable(clip(code)), args, in.Args != nil)
	if err != nil {
		return 0, err
	}
	id := conn.LastInsertRowID()
	if id%callsAhead == 1 {
		j.raiseNumbers(numbers{Calls: id + callsAhead - 1})
	}
	return id, nil
}

// Session returns the number of the session that a caller has on this server; 0: it has none, since
// nothing of it is recorded.
func (j *writer) Session(ctx context.Context, who Who) (int64, error) {
	if err := j.writing.enter(ctx); err != nil {
		return 0, err
	}
	defer j.writing.leave()
	if j.server == nil {
		return 0, nil
	}
	return j.server.sessions[who.named()].id, nil
}

// named returns who calls with the name that is recorded.
func (w Who) named() Who {
	if w.Agent = clip(w.Agent); w.Agent == "" {
		w.Agent = "unknown"
	}
	return w
}

// sessionOf returns the session that a call belongs to, and notes that it is in use.
func (j *writer) sessionOf(conn *sqlite.Conn, who Who) (int64, error) {
	server, err := j.self(conn)
	if err != nil {
		return 0, err
	}
	who = who.named()
	agent, now := who.Agent, j.now()
	known, ok := j.server.sessions[who]
	if ok && (who.Connection != "" || now-known.last < statelessPause.Milliseconds()) {
		err := run(conn, "UPDATE session SET last = ?1 WHERE id = ?2", now, known.id)
		if err != nil || conn.Changes() == 1 { // else it was purged
			j.server.sessions[who] = session{known.id, now}
			return known.id, err
		}
	}
	err = run(conn, "INSERT INTO session (server, agent, client, version, era, connection, opened, last) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
		server, agent, clip(who.Client), clip(who.Version), clip(who.Era), clip(who.Connection), now)
	j.server.sessions[who] = session{conn.LastInsertRowID(), now}
	return conn.LastInsertRowID(), err
}

// graphID returns the number of a graph, a new one if it has none.
func graphID(conn *sqlite.Conn, graph Graph) (int64, error) {
	id, err := number(conn, "SELECT id FROM graph WHERE name = ?1 AND type = ?2", graph.Name, graph.Type)
	if err != nil || id != 0 {
		return id, err
	}
	err = run(conn, "INSERT INTO graph (name, type) VALUES (?1, ?2)", graph.Name, graph.Type)
	return conn.LastInsertRowID(), err
}

// graphOf returns the number of the graph that a change is of.
func graphOf(conn *sqlite.Conn, c Change) (int64, error) {
	return number(conn, "SELECT graph FROM call WHERE id = ?1", c.Call)
}

// putTouches adds to what a change touches. A page that was unknown may become known.
func putTouches(conn *sqlite.Conn, c Change, touches []fact.Touch) error {
	if len(touches) == 0 {
		return nil
	}
	graph, err := graphOf(conn, c)
	for _, t := range touches {
		if err != nil {
			break
		}
		err = run(conn, `INSERT INTO touch (graph, uid, change, role, page) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT DO UPDATE SET page = excluded.page WHERE excluded.page <> ''`,
			graph, t.UID, c.ID, int(t.Role), t.Page)
	}
	return err
}

// settleCall gives a call what follows from its changes.
func settleCall(conn *sqlite.Conn, call int64) error {
	var ended any
	var code, evidence nullable
	count := map[State]int{}
	all := 0
	// The cast keeps SQLite from planning anew for each value of the parameter.
	err := rows(conn, "SELECT state, done, code, evidence FROM change WHERE call = CAST(?1 AS INTEGER) ORDER BY seq", []any{call}, func(row *sqlite.Stmt) error {
		all++
		count[State(row.ColumnText(0))]++
		if !row.ColumnIsNull(1) {
			ended = row.ColumnInt64(1)
		}
		code = nullable(cmp.Or(row.ColumnText(2), string(code)))
		evidence = nullable(cmp.Or(row.ColumnText(3), string(evidence)))
		return nil
	})
	if err != nil {
		return err
	}
	state := CallPartly
	switch {
	case count[StateOpen] > 0:
		state = CallOpen
	case count[StateUnknown] > 0:
		state = CallUnknown
	case count[StateDone] == all:
		state = CallDone
	case count[StateDone] == 0:
		state = CallFailed
	}
	return run(conn, "UPDATE call SET state = ?2, done = ?3, code = ?4, evidence = ?5 WHERE id = ?1", call, string(state), ended, code, evidence)
}

// summarize gives a call a summary, unless that is empty.
func summarize(conn *sqlite.Conn, call int64, summary string) error {
	if summary == "" {
		return nil
	}
	return run(conn, "UPDATE call SET summary = ?2 WHERE id = ?1", call, clip(summary))
}

// clip returns what is kept of a name.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "�")
	if len(s) <= mostName {
		return s
	}
	cut := mostName
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}

// lacksOf returns a list as it is stored.
func lacksOf(lacks []string) any {
	if len(lacks) == 0 {
		return nil
	}
	data, _ := json.Marshal(lacks) // strings can be encoded
	return string(data)
}

// parseLacks returns a list that was stored, nil where it is malformed.
func parseLacks(stored string) []string {
	var lacks []string
	if stored != "" {
		_ = json.Unmarshal([]byte(stored), &lacks)
	}
	return lacks
}
