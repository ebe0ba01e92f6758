package history

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/internal/testutil/require"
)

// generated is a journal of 90 days that is written past Intend and its like, which take
// too long for many changes.
type generated struct {
	conn *sqlite.Conn
	rand *rand.Rand
	now  time.Time

	packer   packer
	sessions []int64
	body     int64
}

// generate makes a journal of so many changes in the folder. Some graphs, agents, tools,
// pages and blocks are in many of them, some in few, and some in few of long ago.
func generate(tb testing.TB, folder string, changes int, now time.Time) {
	tb.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(folder, "journal.db"), sqlite.OpenReadWrite|sqlite.OpenCreate)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, conn.Close()) }()
	g := &generated{conn: conn, rand: rand.New(rand.NewPCG(1, 2)), now: now}
	for _, pragma := range []string{"journal_mode = OFF", "synchronous = OFF", "cache_size = -300000"} {
		require.NoError(tb, sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, nil))
	}
	require.NoError(tb, migrate(conn))
	require.NoError(tb, inTransaction(conn, "BEGIN", func() error { return g.all(changes) }))
	require.NoError(tb, sqlitex.ExecuteTransient(conn, "PRAGMA journal_mode = WAL", nil))
}

func (g *generated) all(changes int) error {
	for i, name := range []string{"Work", "Personal", "Old"} {
		if err := run(g.conn, "INSERT INTO graph VALUES (?, ?, 'hosted')", i+1, name); err != nil {
			return err
		}
	}
	for i := range max(10, changes/80) {
		if err := g.session(int64(i+1), changes); err != nil {
			return err
		}
	}
	for i := range changes {
		if err := g.change(int64(i+1), changes); err != nil {
			return err
		}
	}
	return nil
}

// at returns when change i of all was made.
func (g *generated) at(i int64, all int) int64 {
	return g.now.Add(-90*24*time.Hour + time.Duration(float64(i)/float64(all)*float64(90*24*time.Hour))).UnixMilli()
}

func (g *generated) session(id int64, changes int) error {
	agent := []string{"claude-code", "cursor", "n8n"}[g.rand.IntN(3)]
	if id == 5 {
		agent = "once"
	}
	at := g.at(id*80, changes)
	if id%10 == 1 {
		if err := run(g.conn, "INSERT INTO server (id, pid, program, kind, started, ended) VALUES (?, 1, '1.0', 'stdio', ?, ?)", id/10+1, at, at); err != nil {
			return err
		}
	}
	g.sessions = append(g.sessions, id)
	return run(g.conn, "INSERT INTO session VALUES (?, ?, ?, 'client', '1.0', '2025-11-25', 'c', ?, ?)", id, (id-1)/10+1, agent, at, at)
}

// change adds a call of one change, which has the same number.
func (g *generated) change(id int64, all int) error {
	at := g.at(id, all)
	graph, tool := int64(1+g.rand.IntN(2)), []string{"update_block", "create_block", "append_to_daily_note", "move_block"}[g.rand.IntN(4)]
	page, block := fmt.Sprintf("page-%d", g.rand.IntN(1+g.rand.IntN(3000))), fmt.Sprintf("block-%d", g.rand.IntN(all))
	if id > int64(all/20) && id < int64(all/20+10) {
		graph, tool, page, block = 3, "delete_page", "page-once", "block-once"
	}
	if id < int64(all/10) && id%2 == 0 {
		page = "page-of-old"
	}
	// Calls of one session follow each other, a few at a time.
	session := g.sessions[min(len(g.sessions)-1, max(0, int(id/80)-g.rand.IntN(3)))]
	summary := fmt.Sprintf("%s: 3 blocks on \"Title of %s\"", tool, page)
	args, err := g.text(fmt.Sprintf(`{"uid":%q,"text":%q}`, block, words(g.rand, 20)))
	if err != nil {
		return err
	}
	before, err := g.text(fmt.Sprintf(`{"things":{%q:{"text":%q}}}`, block, words(g.rand, 30)))
	if err != nil {
		return err
	}
	after, err := g.text(fmt.Sprintf(`{"things":{%q:{"text":%q}}}`, block, words(g.rand, 30)))
	if err != nil {
		return err
	}
	if err := run(g.conn, "INSERT INTO call VALUES (?, ?, ?, ?, ?, ?, 'done', NULL, NULL, ?, ?, 1)", id, session, graph, tool, at, at+50, summary, args); err != nil {
		return err
	}
	err = run(g.conn, `INSERT INTO change VALUES (?, ?, 1, ?, 'data.block.update', 'text', 'done', ?, ?, NULL, NULL, ?, ?, ?, 'look', 'soon', NULL, NULL)`,
		id, id, 2*id, at, at+40, args, before, after)
	for i, uid := range []string{block, fmt.Sprintf("block-%d", g.rand.IntN(all)), fmt.Sprintf("new-%d", id)} {
		if err == nil {
			err = run(g.conn, "INSERT OR IGNORE INTO touch VALUES (?, ?, ?, ?, ?)", graph, uid, id, i+1, page)
		}
	}
	if err == nil {
		err = run(g.conn, "INSERT INTO page VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET seen = excluded.seen", graph, page, "Title of "+page, id)
	}
	return err
}

// text adds a body.
func (g *generated) text(text string) (int64, error) {
	packed, err := g.packer.deflate([]byte(text))
	if err != nil {
		return 0, err
	}
	g.body++
	mac := make([]byte, 16)
	binary.LittleEndian.PutUint64(mac, g.rand.Uint64())
	binary.LittleEndian.PutUint64(mac[8:], g.rand.Uint64())
	return g.body, run(g.conn, "INSERT INTO body VALUES (?, ?, ?, ?)", g.body, mac, len(text), packed)
}

// words returns a text of made-up words, which hardly deflates.
func words(r *rand.Rand, n int) string {
	var text []byte
	for range n {
		text = append(text, fmt.Sprintf("%x ", r.Uint32())...)
	}
	return string(text)
}
