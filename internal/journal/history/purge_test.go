package history

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// secret is in every text that write records. The journal has to forget it.
func secret(graph string) string { return "Zq7-" + graph + "-secret" }

// write records a change and a version with a secret in all that can hold a text, and
// returns the change.
func write(t testing.TB, j *Journal, graph string, n int) Change {
	t.Helper()
	ctx, hidden := context.Background(), fmt.Sprintf("%s %d %s", secret(graph), n, words(rand.New(rand.NewPCG(uint64(n), 1)), n%60))
	change, err := j.Intend(ctx, Intent{
		Who: Who{Agent: "agent", Client: "client"}, Graph: Graph{graph, "hosted"}, Tool: "update_block", Args: fmt.Appendf(nil, "{%q:1}", hidden+"args"),
		Action: "data.block.update", Request: fmt.Appendf(nil, "[%q]", hidden+"request"), Class: fact.ClassText, BeforeBy: ByLook,
		Before: fmt.Appendf(nil, "{%q:2}", hidden+"before"), Lacks: []string{hidden + "lacks"}, Touches: []fact.Touch{{UID: fmt.Sprint("uid", n), Role: fact.RoleTarget, Page: "page"}},
	})
	require.NoError(t, err)
	settle(t, j, change, hidden)
	addVersion(t, j, Graph{graph, "hosted"}, Version{ID: fmt.Sprintf("%040x", n), Page: "page", Title: hidden + "title", Author: hidden + "author", From: hidden + "from", Tree: fmt.Appendf(nil, "{%q:4}", hidden+"tree")})
	return change
}

func settle(t testing.TB, j *Journal, change Change, hidden string) {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, j.Finish(ctx, change, Outcome{State: StateDone, Evidence: hidden + "evidence", Summary: hidden + "summary"}))
	require.NoError(t, j.After(ctx, change, Aftermath{
		Facts: fmt.Appendf(nil, "{%q:3}", hidden+"after"), By: BySoon, Lacks: []string{hidden + "more"}, Pages: map[string]string{"page": hidden + "title"},
	}))
}

// found returns where a text is in the files of a folder: as it is, in UTF-16, or
// deflated.
func found(t testing.TB, folder, text string) (places []string) {
	t.Helper()
	var little, big []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		little, big = binary.LittleEndian.AppendUint16(little, unit), binary.BigEndian.AppendUint16(big, unit)
	}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "filler" {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(entry.Name(), text) {
			places = append(places, "the name of "+entry.Name())
		}
		for form, bytesOf := range map[string][]byte{"plain": []byte(text), "UTF-16LE": little, "UTF-16BE": big} {
			if bytes.Contains(data, bytesOf) {
				places = append(places, form+" in "+entry.Name())
			}
		}
		if inflates(data, []byte(text)) {
			places = append(places, "deflated in "+entry.Name())
		}
		return err
	}))
	return places
}

// inflates reports whether a text comes out of inflating the data from any of its bytes
// on.
func inflates(data, text []byte) bool {
	source := bytes.NewReader(nil)
	reader := flate.NewReader(source)
	out := make([]byte, 256) // the secret is in the beginning of a text
	for at := range data {
		if data[at] == 0 || data[at]&6 == 6 { // no block that the journal writes begins so
			continue
		}
		source.Reset(data[at:min(len(data), at+512)])
		_ = reader.(flate.Resetter).Reset(source, nil)
		n, _ := io.ReadFull(reader, out)
		if bytes.Contains(out[:n], text) {
			return true
		}
	}
	return false
}

func TestPurge(t *testing.T) {
	ctx := context.Background()
	personal := Graph{"Personal", "hosted"}
	// begin returns a journal with changes of two graphs, half of them of long ago.
	begin := func(t *testing.T, changes int) (*Journal, string) {
		folder, now := newFolder(t), noon().Add(-60*day)
		j := New(Options{Folder: folder, Kind: KindStdio, Now: func() time.Time { return now }})
		t.Cleanup(func() { require.NoError(t, j.Close(ctx)) })
		for n := range changes {
			if n == changes/2 {
				now = noon()
			}
			write(t, j, []string{"Work", "Personal"}[n%2], n)
		}
		return j, folder
	}
	for name, tc := range map[string]struct {
		purge  Purge
		calls  int
		gone   []string // secrets
		stays  string
		ledger bool
	}{
		"all":                          {Purge{All: true}, 20, []string{"Work", "Personal"}, "", false},
		"a graph leaves another's":     {Purge{Graphs: []Graph{personal}}, 10, []string{"Personal"}, "Work", false},
		"the texts of a graph":         {Purge{Graphs: []Graph{personal}, Texts: true}, 10, []string{"Personal"}, "Work", true},
		"all texts":                    {Purge{Texts: true}, 20, []string{"Work", "Personal"}, "", true},
		"what is older than a day":     {Purge{Before: noon().Add(-day)}, 10, nil, "", false},
		"a graph that nobody wrote to": {Purge{Graphs: []Graph{{"None", "hosted"}}}, 0, nil, "Work", false},
	} {
		t.Run("removes "+name, func(t *testing.T) {
			j, folder := begin(t, 20)
			for _, graph := range tc.gone {
				if places := fmt.Sprint(found(t, folder, secret(graph))); !strings.Contains(places, "plain") || !strings.Contains(places, "deflated") {
					t.Fatalf("the search finds nothing of %s before: %s", graph, places)
				}
			}
			purged, err := j.Purge(ctx, tc.purge)
			if err != nil || purged.Calls != tc.calls || purged.Changes != tc.calls || purged.Versions != tc.calls || purged.UnderWay != 0 || purged.Waiting {
				t.Fatalf("%+v, %v", purged, err)
			}
			for _, graph := range tc.gone {
				if places := found(t, folder, secret(graph)); places != nil {
					t.Errorf("%s is still there: %v", graph, places)
				}
			}
			if !tc.purge.Before.IsZero() {
				for n := range 10 {
					if places := found(t, folder, fmt.Sprintf("%s %d ", secret([]string{"Work", "Personal"}[n%2]), n)); places != nil {
						t.Errorf("change %d is still there: %v", n, places)
					}
				}
			}
			lines := 20
			if !tc.ledger {
				lines -= tc.calls
			}
			page, err := j.Calls(ctx, Filter{Limit: 100})
			if err != nil || len(page.Calls) != lines {
				t.Errorf("%d calls are left, %v", len(page.Calls), err)
			}
			for _, call := range page.Calls {
				record, _, err := j.Record(ctx, call.ID)
				if err != nil {
					t.Fatal(err)
				}
				if gone := tc.ledger && strings.Contains(fmt.Sprint(tc.gone), call.Graph.Name); gone != call.TextsGone || gone != (record.Changes[0].Before == nil) {
					t.Errorf("%+v: texts are gone: want %v", record, gone)
				}
			}
			whole(t, j)
			if next := write(t, j, "Work", 99); next.Call != 21 || next.ID != 21 {
				t.Errorf("the next call has number %d", next.Call)
			}
		})
	}
}

// whole checks the database, and that no row refers to one that is gone.
func whole(t testing.TB, j *Journal) {
	t.Helper()
	if got := ask(t, j, "PRAGMA integrity_check"); !strings.Contains(got, "ok") {
		t.Error(got)
	}
	if got := ask(t, j, "SELECT count(*) FROM pragma_foreign_key_check"); !strings.Contains(got, "0") {
		t.Error("rows refer to others that are gone:", got)
	}
	if got := ask(t, j, `SELECT count(*) FROM body WHERE id NOT IN (SELECT ifnull(args, 0) FROM call UNION SELECT ifnull(request, 0) FROM change
		UNION SELECT ifnull(before, 0) FROM change UNION SELECT ifnull(after, 0) FROM change UNION SELECT body FROM version)`); !strings.Contains(got, "0") {
		t.Error("bodies without users:", got)
	}
}

func TestPurgeAmongOthers(t *testing.T) {
	ctx := context.Background()
	t.Run("a text that two graphs share stays with the other", func(t *testing.T) {
		j := open(t, newFolder(t))
		for _, graph := range []string{"Work", "Personal"} {
			in := someIntent("u")
			in.Graph, in.Before = Graph{graph, "hosted"}, []byte(`{"shared":1}`)
			finish(t, j, intend(t, j, in), StateDone)
		}
		_, err := j.Purge(ctx, Purge{Graphs: []Graph{{"Personal", "hosted"}}})
		require.NoError(t, err)
		record, ok, err := j.Record(ctx, 1)
		if err != nil || !ok || string(record.Changes[0].Before) != `{"shared":1}` {
			t.Errorf("%+v %v %v", record, ok, err)
		}
		whole(t, j)
	})
	t.Run("what a live server has under way is left, and told", func(t *testing.T) {
		folder := newFolder(t)
		writer, j := open(t, folder), open(t, folder)
		write(t, writer, "Work", 1)
		under := intend(t, writer, someIntent("u"))
		purged, err := j.Purge(ctx, Purge{All: true})
		if err != nil || purged.Calls != 1 || purged.UnderWay != 1 {
			t.Errorf("%+v, %v", purged, err)
		}
		settle(t, writer, under, "done")
		if record, ok, err := j.Record(ctx, under.Call); err != nil || !ok || record.Call.State != CallDone || record.Changes[0].After == nil {
			t.Errorf("%+v %v %v", record, ok, err)
		}
		whole(t, j)
	})
	t.Run("what is told after a purge brings no text back, and a call goes on under a new number", func(t *testing.T) {
		folder := newFolder(t)
		writer, j := open(t, folder), open(t, folder)
		for _, purge := range []Purge{{Texts: true}, {All: true}} {
			in := someIntent("u")
			first := intend(t, writer, in)
			finish(t, writer, first, StateDone)
			_, err := j.Purge(ctx, purge)
			require.NoError(t, err)
			require.NoError(t, writer.After(ctx, first, Aftermath{Facts: []byte(secret("late")), By: BySoon, Summary: secret("late"), Pages: map[string]string{"p": secret("late")}}))
			if places := found(t, folder, secret("late")); places != nil {
				t.Errorf("%+v: %v", purge, places)
			}
			in.Call = first.Call
			second := intend(t, writer, in)
			if new := second.Call != first.Call; new != purge.All || second.Call < first.Call {
				t.Errorf("%+v: call %d goes on as %d", purge, first.Call, second.Call)
			}
			finish(t, writer, second, StateDone)
		}
		whole(t, j)
	})
	t.Run("a change whose server died becomes unknown when its texts go", func(t *testing.T) {
		folder := newFolder(t)
		dead := start(t, "intend", folder)
		dead.line(t)
		dead.kill()
		j := open(t, folder)
		purged, err := j.Purge(ctx, Purge{Texts: true})
		record, ok, _ := j.Record(ctx, 1)
		if err != nil || purged.Calls != 1 || !ok || record.Call.State != CallUnknown || record.Changes[0].State != StateUnknown {
			t.Errorf("%+v, %v: %+v", purged, err, record)
		}
	})
	t.Run("writers lose no intent", func(t *testing.T) {
		folder := newFolder(t)
		j, writers := open(t, folder), []*Journal{open(t, folder), open(t, folder)}
		for n := range 150 {
			write(t, j, "Personal", n)
		}
		stop, ended := make(chan struct{}), make(chan []Change)
		for i, writer := range writers {
			go func() {
				var written []Change
				for n := 0; ; n++ {
					select {
					case <-stop:
						ended <- written
						return
					default:
						written = append(written, write(t, writer, "Work", 1000*(i+1)+n))
						time.Sleep(5 * time.Millisecond) // agents are not as busy as a loop
					}
				}
			}()
		}
		for range 3 {
			_, err := j.Purge(ctx, Purge{Graphs: []Graph{{"Personal", "hosted"}}})
			require.NoError(t, err)
			write(t, j, "Personal", 1)
		}
		close(stop)
		seen := map[int64]bool{}
		for range writers {
			for _, change := range <-ended {
				record, ok, err := j.Record(ctx, change.Call)
				if err != nil || !ok || record.Call.State != CallDone || !strings.Contains(string(record.Changes[0].Before), "before") || seen[change.Call] {
					t.Fatalf("%+v: %+v, %v, %v", change, record, ok, err)
				}
				seen[change.Call] = true
			}
		}
		whole(t, j)
	})
	t.Run("writers wait while the file is written anew, and not for another program", func(t *testing.T) {
		folder := newFolder(t)
		j := open(t, folder)
		write(t, j, "Work", 1)
		j.w.conn.SetBusyTimeout(10 * time.Millisecond)
		other, err := sqlite.OpenConn(j.path(), sqlite.OpenReadWrite)
		require.NoError(t, err)
		require.NoError(t, run(other, "BEGIN IMMEDIATE"))
		if _, err := j.Intend(ctx, someIntent("u")); problem.CodeOf(err) != CodeUnavailable {
			t.Error("it waited for another program:", err)
		}
		release, _, err := open(t, folder).Exclusive(ctx, "purge", 0)
		require.NoError(t, err)
		defer release()
		closed := make(chan error)
		time.AfterFunc(200*time.Millisecond, func() { closed <- errors.Join(run(other, "COMMIT"), other.Close()) })
		_, err = j.Intend(ctx, someIntent("u"))
		require.NoError(t, <-closed)
		if err != nil {
			t.Error("it did not wait:", err)
		}
	})
	t.Run("another program that reads an older state is waited for, and told", func(t *testing.T) {
		folder := newFolder(t)
		j := open(t, folder)
		j.readers = 50 * time.Millisecond
		write(t, j, "Work", 1)
		other, err := sqlite.OpenConn(j.path(), sqlite.OpenReadOnly)
		require.NoError(t, err)
		defer other.Close()
		require.NoError(t, run(other, "BEGIN"))
		require.NoError(t, run(other, "SELECT count(*) FROM call"))
		purged, err := j.Purge(ctx, Purge{All: true})
		if err != nil || !purged.Waiting || found(t, folder, secret("Work")) == nil {
			t.Errorf("%+v, %v: the files hold it as long as somebody may read it", purged, err)
		}
		require.NoError(t, run(other, "COMMIT"))
		require.NoError(t, j.Tidy(ctx)) // brings it to its end, as another Purge would
		if places := found(t, folder, secret("Work")); places != nil {
			t.Errorf("after Tidy: %v", places)
		}
		if got := ask(t, j, "SELECT count(*) FROM meta WHERE name = 'purging'"); got != "0" {
			t.Error("the purge counts as under way after its end")
		}
	})
	t.Run("another program that has the file open and reads nothing is not waited for", func(t *testing.T) {
		folder := newFolder(t)
		j := open(t, folder)
		write(t, j, "Work", 1)
		other := open(t, folder)
		_, err := other.Calls(ctx, Filter{})
		require.NoError(t, err)
		purged, err := j.Purge(ctx, Purge{All: true})
		if places := found(t, folder, secret("Work")); err != nil || purged.Waiting || places != nil {
			t.Errorf("%+v, %v: %v", purged, err, places)
		}
		if page, err := other.Calls(ctx, Filter{}); err != nil || len(page.Calls) != 0 {
			t.Errorf("the other sees %+v, %v", page, err)
		}
	})
}

func TestPurgeOfFiles(t *testing.T) {
	ctx := context.Background()
	damaged := func(t *testing.T, folder string) string {
		t.Helper()
		path := filepath.Join(folder, damagedName(noon(), 1))
		for _, suffix := range []string{"", "-wal"} {
			require.NoError(t, os.WriteFile(path+suffix, []byte(secret("Work")), 0o600))
		}
		return path
	}
	t.Run("damaged journals go with everything", func(t *testing.T) {
		folder := newFolder(t)
		j := open(t, folder)
		write(t, j, "Work", 1)
		damaged(t, folder)
		purged, err := j.Purge(ctx, Purge{All: true})
		if places := found(t, folder, secret("Work")); err != nil || places != nil || purged.Damaged != nil {
			t.Errorf("%+v, %v: %v", purged, err, places)
		}
	})
	t.Run("damaged journals are named where a part is to go", func(t *testing.T) {
		folder := newFolder(t)
		j := open(t, folder)
		write(t, j, "Work", 1)
		path := damaged(t, folder)
		purged, err := j.Purge(ctx, Purge{Graphs: []Graph{{"Work", "hosted"}}})
		if err != nil || fmt.Sprint(purged.Damaged) != "["+path+"]" {
			t.Errorf("%+v, %v", purged, err)
		}
	})
	t.Run("where there is no journal nothing is made", func(t *testing.T) {
		folder := newFolder(t)
		purged, err := open(t, folder).Purge(ctx, Purge{All: true})
		err = errors.Join(err, open(t, folder).Tidy(ctx))
		if _, there := os.Stat(folder); err != nil || purged.Calls != 0 || there == nil {
			t.Errorf("%+v, %v; the folder is there: %v", purged, err, there == nil)
		}
	})
	t.Run("the zero Purge is refused", func(t *testing.T) {
		_, err := open(t, newFolder(t)).Purge(ctx, Purge{})
		if e, ok := problem.As(err); !ok || e.Code != CodeUnavailable {
			t.Error(err)
		}
	})
	t.Run("another who purges is told of", func(t *testing.T) {
		folder := newFolder(t)
		j := open(t, folder)
		write(t, j, "Work", 1)
		release, _, err := open(t, folder).Exclusive(ctx, "settle", 0)
		require.NoError(t, err)
		defer release()
		limited, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		if _, err := j.Purge(limited, Purge{All: true}); err == nil {
			t.Error("it did not wait")
		}
	})
}
