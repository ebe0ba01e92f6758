package history

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

func childJournal(folder string) *Journal {
	return New(Options{Folder: folder, Kind: KindStdio, Program: "child"})
}

// intendAndWait records an intent, and waits to be killed.
func intendAndWait(folder string) {
	c, err := childJournal(folder).Intend(context.Background(), someIntent("killed"))
	must(err)
	say("%d", c.ID)
	waitForTheEnd()
}

// takeTheLock begins to live, and waits.
func takeTheLock(folder string) {
	j := childJournal(folder)
	must(j.Stopped(context.Background(), someIntent("x"), "PAUSED"))
	say("lives")
	waitForTheEnd()
	must(j.Close(context.Background()))
}

// holdTheLock keeps the write lock.
func holdTheLock(folder string) {
	j := childJournal(folder)
	must(j.Stopped(context.Background(), someIntent("x"), "PAUSED"))
	must(j.transact(context.Background(), toSystem, func(*sqlite.Conn) error {
		say("%d %d", j.server.id, os.Getpid())
		waitForTheEnd()
		return nil
	}))
}

// writeForever records changes, and says before and after each step which it is.
func writeForever(folder string) {
	j, ctx := childJournal(folder), context.Background()
	for n := 0; ; n++ {
		c, err := j.Intend(ctx, someIntent(fmt.Sprint("block", n)))
		must(err)
		say("intended %d", c.ID)
		say("finishing %d", c.ID)
		must(j.Finish(ctx, c, Outcome{State: StateDone, Summary: "1 block"}))
		say("finished %d", c.ID)
		must(j.After(ctx, c, Aftermath{Facts: []byte("{}"), By: BySoon}))
	}
}

// untilFree tries again what others keep from the lock for so long that it is refused:
// those who write in a loop on a slow machine.
func untilFree(try func() error) error { return await.NoError(time.Minute, try) }

// writeFifty records fifty changes of a block of its own and of one that all share.
func writeFifty(folder string) {
	j, ctx := childJournal(folder), context.Background()
	for range 50 {
		in := someIntent(fmt.Sprint(os.Getpid()))
		var c Change
		must(untilFree(func() (err error) { c, err = j.Intend(ctx, in); return err }))
		say("%d", c.ID)
		must(untilFree(func() error { return j.Finish(ctx, c, Outcome{State: StateDone}) }))
		must(untilFree(func() error { return j.After(ctx, c, Aftermath{By: BySoon}) }))
	}
	must(untilFree(func() error { return j.Close(ctx) }))
}

func TestProcesses(t *testing.T) {
	ctx := context.Background()
	t.Run("an intent survives that its process is killed, and is abandoned then", func(t *testing.T) {
		folder := newFolder(t)
		killed, j := start(t, "intend", folder), open(t, folder)
		id := killed.line(t)
		for name, find := range map[string]func(context.Context, *Graph) ([]Open, error){"abandoned": j.Abandoned, "unread": j.Unread} {
			if found, err := find(ctx, nil); err != nil || len(found) != 0 {
				t.Errorf("%s while its server lives: %v, %v", name, found, err)
			}
		}
		killed.kill()
		found, err := j.Abandoned(ctx, &Graph{"my-notes", "hosted"})
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v; want one", found, err)
		}
		in, o := someIntent("killed"), found[0]
		if fmt.Sprint(o.ID) != id || o.State != StateOpen || o.Tool != in.Tool || o.Action != in.Action || o.Class != in.Class || o.Graph != in.Graph ||
			string(o.Request) != string(in.Request) || string(o.Before) != string(in.Before) || len(o.Touches) != 1 || o.Touches[0] != in.Touches[0] || o.Sent.IsZero() || !o.Done.IsZero() {
			t.Errorf("found %+v", o)
		}
		if others, err := j.Abandoned(ctx, &Graph{"my-notes", "offline"}); err != nil || len(others) != 0 {
			t.Errorf("of another graph: %v, %v", others, err)
		}
		finish(t, j, o.Change, StateDone)
		if found, err = j.Abandoned(ctx, nil); err != nil || len(found) != 0 {
			t.Errorf("settled, it is still among them: %v, %v", found, err)
		}
		if found, err = j.Unread(ctx, nil); err != nil || len(found) != 1 || found[0].Done.IsZero() {
			t.Errorf("%v, %v; want the one whose after-read is missing", found, err)
		}
		require.NoError(t, j.After(ctx, found[0].Change, Aftermath{By: ByLate}))
		if found, err = j.Unread(ctx, nil); err != nil || len(found) != 0 {
			t.Errorf("read, it is still among them: %v, %v", found, err)
		}
	})
	t.Run("a server lives until it ends or is killed", func(t *testing.T) {
		folder := newFolder(t)
		ends, j := start(t, "live", folder), open(t, folder)
		ends.line(t)
		killed := start(t, "live", folder)
		killed.line(t)
		alive := func() string {
			servers, err := j.Servers(ctx)
			require.NoError(t, err)
			var said []string
			for _, s := range servers {
				said = append(said, fmt.Sprintf("%d alive %v ended %v", s.ID, s.Alive, !s.Ended.IsZero()))
			}
			return strings.Join(said, ", ")
		}
		if got := alive(); got != "2 alive true ended false, 1 alive true ended false" {
			t.Error(got)
		}
		require.NoError(t, ends.input.Close())
		require.NoError(t, ends.Wait())
		killed.kill()
		if got := alive(); got != "2 alive false ended false, 1 alive false ended true" {
			t.Error(got)
		}
		intend(t, j, someIntent("x"))
		locks, err := os.ReadDir(filepath.Join(folder, "servers"))
		if err != nil || len(locks) != 1 || locks[0].Name() != "3.lock" {
			t.Errorf("locks %v, %v; want that of the one that lives", locks, err)
		}
	})
	t.Run("a lock that is held for too long is told with its holder", func(t *testing.T) {
		t.Parallel() // waits for 2 seconds
		folder := newFolder(t)
		holds, j := start(t, "hold", folder), open(t, folder)
		var server, process int64
		_, err := fmt.Sscanf(holds.line(t), "%d %d", &server, &process)
		require.NoError(t, err)
		_, err = j.Intend(ctx, someIntent("x"))
		want := fmt.Sprintf("HISTORY_UNAVAILABLE: The journal FOLDER/journal.db has been locked by server %d (process %d) for more than 2 seconds. > Try again. If it stays so, look what that process does, or end it.", server, process)
		if got := told(err, folder); got != filepath.FromSlash(want) {
			t.Errorf("%s\nwant %s", got, want)
		}
		require.NoError(t, holds.input.Close())
		require.NoError(t, holds.Wait())
		intend(t, j, someIntent("x"))
	})
	t.Run("an exclusive lock is waited for, and freed by the end of its process", func(t *testing.T) {
		folder := newFolder(t)
		j, other := open(t, folder), open(t, folder)
		intend(t, j, someIntent("x"))
		release, ok, err := j.Exclusive(ctx, "settle", 0)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if _, ok, err := other.Exclusive(ctx, "settle", 20*time.Millisecond); err != nil || ok {
			t.Errorf("taken twice: %v, %v", ok, err)
		}
		if free, ok, err := other.Exclusive(ctx, "purge", 0); err != nil || !ok {
			t.Errorf("one of another name: %v, %v", ok, err)
		} else {
			free()
		}
		release()
		if free, ok, err := other.Exclusive(ctx, "settle", time.Minute); err != nil || !ok {
			t.Errorf("freed: %v, %v", ok, err)
		} else {
			free()
		}
	})
}

func TestKills(t *testing.T) {
	t.Logf("%d rounds", killRounds)
	for round := range killRounds {
		folder := newFolder(t)
		writer := start(t, "write", folder)
		var intended, finishing, finished []string
		for range 1 + rand.IntN(60) {
			what, id, _ := strings.Cut(writer.line(t), " ")
			switch what {
			case "intended":
				intended = append(intended, id)
			case "finishing":
				finishing = append(finishing, id)
			case "finished":
				finished = append(finished, id)
			}
		}
		time.AfterFunc(time.Duration(rand.IntN(2000))*time.Microsecond, func() { _ = writer.Process.Kill() }) // while it writes
		for writer.lines.Scan() {                                                                             // all that it printed
			what, id, _ := strings.Cut(writer.lines.Text(), " ")
			if what == "intended" {
				intended = append(intended, id)
			} else if what == "finishing" {
				finishing = append(finishing, id)
			} else if what == "finished" {
				finished = append(finished, id)
			}
		}
		writer.kill() // only now, since it closes the pipe
		j := open(t, folder)
		if got := ask(t, j, "PRAGMA integrity_check"); got != "ok" {
			t.Fatalf("round %d: %s", round, got)
		}
		for _, id := range intended {
			if got := ask(t, j, "SELECT request IS NOT NULL AND before IS NOT NULL FROM change WHERE id = "+id); got != "1" {
				t.Errorf("round %d: the intent %s is missing", round, id)
			}
		}
		for _, id := range finished {
			if got := ask(t, j, "SELECT state FROM change WHERE id = "+id); got != "done" {
				t.Errorf("round %d: %s is %q, and was finished", round, id, got)
			}
		}
		done := ask(t, j, "SELECT group_concat(id, ' ') FROM change WHERE state <> 'open'")
		for _, id := range strings.Fields(done) {
			if len(finishing) == 0 || atoi(id) > atoi(finishing[len(finishing)-1]) {
				t.Errorf("round %d: %s is done, and was not finished", round, id)
			}
		}
	}
}

func atoi(s string) (n int) {
	_, _ = fmt.Sscan(s, &n)
	return n
}

func TestTogether(t *testing.T) {
	folder := newFolder(t)
	const writers = 4
	var running []*child
	for range writers {
		running = append(running, start(t, "fifty", folder))
	}
	stop := make(chan struct{})
	failed := make(chan error, 2)
	for range cap(failed) {
		reader := open(t, folder)
		go func() {
			newest := ""
			for {
				select {
				case <-stop:
					failed <- nil
					return
				default:
				}
				_, err := reader.read(context.Background(), func(conn *sqlite.Conn) error {
					now, err := text(conn, "SELECT coalesce(max(id), 0) FROM call")
					if err == nil && atoi(now) < atoi(newest) {
						err = fmt.Errorf("call %s after %s", now, newest)
					}
					newest = now
					return err
				})
				if err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	seen := map[string]bool{}
	for _, writer := range running {
		for range 50 {
			id := writer.line(t)
			if seen[id] {
				t.Errorf("the number %s was given twice", id)
			}
			seen[id] = true
		}
		require.NoError(t, writer.Wait())
	}
	close(stop)
	for range cap(failed) {
		require.NoError(t, await.Value(t, "the end of a reader", failed))
	}
	j := open(t, folder)
	want := fmt.Sprint(writers * 50)
	for query, want := range map[string]string{
		"PRAGMA integrity_check":                              "ok",
		"SELECT count(*) FROM call WHERE state = 'done'":      want,
		"SELECT count(DISTINCT id) FROM change":               want,
		"SELECT count(*) FROM server WHERE ended IS NOT NULL": fmt.Sprint(writers),
		"SELECT count(*) FROM change WHERE after_by = 'soon'": want,
	} {
		if got := ask(t, j, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}
