package history

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// disk is what is known of the files of a journal: what has been synced, and what has
// been written since. A power cut leaves any mixture of both.
//
// SQLite syncs the log when an intent is committed; log and database in turn when it
// copies one to the other; and the first 32 bytes of a log that begins anew before it
// writes the rest.
type disk struct {
	path                  string
	syncedDB, syncedLog   []byte
	currentDB, currentLog []byte
}

// logHeader is the size of the part of a log that names its generation.
const logHeader = 32

// look reads the files after an operation. It returns what a power cut within a copy to
// the database could leave, nil where there was none.
func (d *disk) look(t testing.TB, synced bool, random *rand.Rand) (copying *image) {
	t.Helper()
	before := d.currentDB
	var err error
	d.currentDB, err = os.ReadFile(d.path)
	require.NoError(t, err)
	d.currentLog, err = os.ReadFile(d.path + "-wal")
	require.NoError(t, err)
	if copied := !bytes.Equal(before, d.currentDB); copied {
		copying = &image{mix(random, before, d.currentDB, false), d.currentLog}
		synced = true
	}
	if synced {
		d.syncedDB, d.syncedLog = d.currentDB, d.currentLog
	} else if head := d.currentLog[:logHeader]; !bytes.Equal(head, d.syncedLog[:logHeader]) {
		d.syncedLog = slices.Concat(head, d.syncedLog[logHeader:])
	}
	return copying
}

// image is what a power cut left.
type image struct{ db, log []byte }

func (d *disk) cut(random *rand.Rand) image {
	return image{d.syncedDB, mix(random, d.syncedLog, d.currentLog, true)}
}

// mix returns a file whose sectors are each as they were, as they should be, or, with
// torn, anything where both differ. Its end may be missing, as far as it is new.
func mix(random *rand.Rand, old, new []byte, torn bool) []byte {
	const sector = 512
	chance := random.IntN(101)
	mixed := slices.Clone(new)
	for from := 0; from < len(mixed); from += sector {
		part := mixed[from:min(from+sector, len(mixed))]
		was := make([]byte, len(part))
		if from < len(old) {
			copy(was, old[from:])
		}
		switch {
		case bytes.Equal(part, was) || random.IntN(100) < chance:
		case torn && random.IntN(4) == 0:
			for i := range part {
				if i >= len(was) || from+i >= len(old) || part[i] != old[from+i] {
					part[i] = byte(random.Uint32())
				}
			}
		default:
			copy(part, was)
		}
	}
	if len(new) > len(old) && random.IntN(2) == 0 {
		mixed = mixed[:len(old)+random.IntN(len(new)-len(old)+1)]
	}
	return mixed
}

// TestPowerCut records changes, cuts the power at random, and opens what is left: all
// intents that had returned are there, and none is done that was not finished.
func TestPowerCut(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("%d cuts, seed %d", powerCuts, seed)
	random, ctx := rand.New(rand.NewPCG(seed, 0)), context.Background()
	const perJournal = 200 // operations, so that the log begins anew several times
	for cuts := 0; cuts < powerCuts; {
		j := open(t, newFolder(t))
		expected := map[int64]State{}
		var unfinished []Change
		intendOne := func(n int) {
			in := benchmarkIntent(n)
			in.Before = bytes.Repeat(in.Before, 1+random.IntN(20))
			c := intend(t, j, in)
			if level, err := number(j.w.conn, "PRAGMA synchronous"); err != nil || level != 2 {
				t.Fatalf("an intent is committed with synchronous = %d, %v, and need not be on disk", level, err)
			}
			expected[c.ID], unfinished = StateOpen, append(unfinished, c)
		}
		intendOne(0)
		require.NoError(t, run(j.w.conn, "PRAGMA wal_autocheckpoint = 25"))
		d := &disk{path: j.path()}
		d.currentDB, _ = os.ReadFile(d.path)
		d.look(t, true, random)
		// An intent that is under way when the power goes has not returned.
		cutAfter := func(synced bool) {
			if copying := d.look(t, synced, random); copying != nil && random.IntN(4) == 0 {
				checkImage(t, *copying, expected)
				cuts++
			}
			if random.IntN(perJournal/10) == 0 {
				checkImage(t, d.cut(random), expected)
				cuts++
			}
		}
		for n := 1; n < perJournal && cuts < powerCuts; n++ {
			if len(unfinished) == 0 || random.IntN(3) == 0 {
				intendOne(n)
				cutAfter(true)
				continue
			}
			c := unfinished[0]
			unfinished = unfinished[1:]
			expected[c.ID] = StateDone
			finish(t, j, c, StateDone)
			cutAfter(false)
			require.NoError(t, j.After(ctx, c, Aftermath{Facts: facts(n), By: BySoon}))
			cutAfter(false)
		}
		require.NoError(t, j.Close(ctx))
		if t.Failed() {
			return
		}
	}
}

func checkImage(t testing.TB, left image, expected map[int64]State) {
	t.Helper()
	folder := newFolder(t)
	defer os.RemoveAll(folder)
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "journal.db"), left.db, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "journal.db-wal"), left.log, 0o600))
	j := open(t, folder)
	defer j.Close(context.Background())
	if got := notices(t, j); got != "" {
		t.Errorf("notices: %s", got)
		return
	}
	if got := ask(t, j, "PRAGMA integrity_check"); got != "ok" {
		t.Errorf("integrity: %s", got)
		return
	}
	for id, state := range expected {
		got := ask(t, j, fmt.Sprintf("SELECT state || (before IS NOT NULL) FROM change WHERE id = %d", id))
		if got != "open1" && got != string(state)+"1" {
			t.Errorf("change %d is %q, and was %s", id, got, state)
		}
	}
	if got := ask(t, j, "SELECT count(*) FROM change"); atoi(got) > len(expected) {
		t.Errorf("%s changes of %d", got, len(expected))
	}
}
