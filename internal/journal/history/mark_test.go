package history

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/testutil/require"
)

func TestMark(t *testing.T) {
	ctx := context.Background()
	t.Run("what is being written when it is taken is newer, and not waited for", func(t *testing.T) {
		folder := newFolder(t)
		j, other := open(t, folder), open(t, folder)
		finish(t, j, intend(t, j, someIntent("x")), StateDone)
		finish(t, other, intend(t, other, someIntent("y")), StateDone)
		in := someIntent("x")
		require.NoError(t, other.transact(ctx, toSystem, func(conn *sqlite.Conn) (err error) {
			c, err := other.insert(conn, someIntent("x"), StateOpen, "")
			require.NoError(t, err)
			require.NoError(t, run(conn, "UPDATE change SET state = 'done', after_by = 'none' WHERE id = ?1", c.ID))
			in.Mark, err = j.Mark(ctx)
			return err
		}))
		if _, err := j.Intend(ctx, in); !errors.Is(err, ErrLookAgain) {
			t.Error(err)
		}
	})
	t.Run("of no journal it makes none, and all that is recorded then is newer", func(t *testing.T) {
		folder := newFolder(t)
		j, other := open(t, folder), open(t, folder)
		in := someIntent("x")
		var err error
		in.Mark, err = j.Mark(ctx)
		require.NoError(t, err)
		if _, err := os.Lstat(folder); err == nil {
			t.Error("the folder was made")
		}
		finish(t, other, intend(t, other, someIntent("x")), StateDone)
		if _, err := j.Intend(ctx, in); !errors.Is(err, ErrLookAgain) {
			t.Error(err)
		}
	})
	t.Run("of a file that is no database another one begins", func(t *testing.T) {
		folder := newFolder(t)
		j := open(t, folder)
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "journal.db"), make([]byte, 9000), 0o600))
		in := someIntent("x")
		var err error
		in.Mark, err = j.Mark(ctx)
		require.NoError(t, err)
		intend(t, j, in)
	})
}
