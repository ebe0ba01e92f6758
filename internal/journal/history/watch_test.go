package history

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := newFolder(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		writer, viewer := open(t, folder), open(t, folder)
		changed := viewer.Watch(ctx)
		received := func(what string, want bool) {
			t.Helper()
			time.Sleep(watchEvery + time.Millisecond)
			synctest.Wait()
			got := false
			select {
			case _, got = <-changed:
			default:
			}
			if got != want {
				t.Errorf("%s: received is %v", what, got)
			}
		}
		received("there is no journal", false)
		if _, err := os.Stat(folder); err == nil {
			t.Error("the folder was made")
		}
		change := intend(t, writer, someIntent("u"))
		received("the file came to be", true)
		received("nobody wrote", false)
		finish(t, writer, change, StateDone)
		received("another process wrote", true)
		received("nobody wrote since", false)
		finish(t, viewer, intend(t, viewer, someIntent("v")), StateDone)
		received("this process wrote", true)
		received("it wrote nothing since", false)
		finish(t, writer, intend(t, writer, someIntent("v")), StateDone)
		time.Sleep(watchEvery)
		finish(t, writer, intend(t, writer, someIntent("v")), StateDone)
		received("two changes that nobody received one by one", true)
		received("they are received as one", false)

		aside := folder + "-aside"
		require.NoError(t, os.Rename(folder, aside))
		received("the file was deleted", true)
		received("it is still not there", false)
		intend(t, writer, someIntent("w"))
		received("another file took its place", true)
		received("that is not written to", false)

		cancel()
		synctest.Wait()
		if _, ok := <-changed; ok {
			t.Error("the channel is open after the end of the context")
		}
	})
}
