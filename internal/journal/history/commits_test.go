package history

import (
	"context"
	"encoding/binary"
	"os"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/testutil/require"
)

// commitsIn returns how many transactions stand in the log of a journal that has not begun
// anew: each ends with a page that has the size of the database.
func commitsIn(t *testing.T, j *Journal) (commits int) {
	t.Helper()
	log, err := os.ReadFile(j.path() + "-wal")
	require.NoError(t, err)
	const header, head = 32, 24 // of the log and of a page in it
	page := head + int(binary.BigEndian.Uint32(log[8:]))
	for at := header; at+page <= len(log) && string(log[at+8:at+16]) == string(log[16:24]); at += page {
		if binary.BigEndian.Uint32(log[at+4:]) != 0 {
			commits++
		}
	}
	return commits
}

// TestWhatAWriteCommits counts what a write waits for: each commit is work, and one of the
// level toDisk is a flush of the disk.
func TestWhatAWriteCommits(t *testing.T) {
	ctx := context.Background()
	for name, tc := range map[string]struct {
		class   fact.Class
		looks   bool // whether what is there is read before
		flushes int
		commits int
	}{
		"of an addition, is its intent, its outcome and what it left, of which the intent is flushed": {fact.ClassMake, false, 1, 3},
		"of a change, is no more than that": {fact.ClassText, true, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			j := open(t, newFolder(t))
			write := func(uid string) (flushes int) {
				in := someIntent(uid)
				in.Class = tc.class
				count := func(before int) {
					if commitsIn(t, j) > before && j.w.level != toSystem {
						flushes++
					}
				}
				if tc.looks {
					mark, err := j.Mark(ctx)
					require.NoError(t, err)
					in.Mark = mark
				} else {
					in.Before, in.BeforeBy = nil, ""
				}
				before := 0
				if j.w != nil {
					before = commitsIn(t, j)
				}
				c := intend(t, j, in)
				count(before)
				before = commitsIn(t, j)
				finish(t, j, c, StateDone)
				count(before)
				before = commitsIn(t, j)
				require.NoError(t, j.After(ctx, c, Aftermath{Facts: []byte(`{"things":{"` + uid + `":{"text":"after"}}}`), By: BySoon}))
				count(before)
				return flushes
			}
			write("first") // which enters the server, the session and the graph
			before := commitsIn(t, j)
			flushes := write("second")
			if commits := commitsIn(t, j) - before; commits != tc.commits || flushes != tc.flushes {
				t.Errorf("%d commits, %d of them flushed; want %d and %d", commits, flushes, tc.commits, tc.flushes)
			}
		})
	}
}
