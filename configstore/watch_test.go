package configstore

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/testutil/require"
)

const watchInterval = 100 * time.Millisecond

// nextEvent fails unless an event comes within the given number of intervals.
func nextEvent(t *testing.T, events <-chan Event, intervals int) Event {
	t.Helper()
	select {
	case e, ok := <-events:
		if !ok {
			t.Fatal("the channel is closed")
		}
		return e
	case <-time.After(time.Duration(intervals)*watchInterval + time.Millisecond):
		t.Fatalf("no event within %d intervals", intervals)
		return Event{}
	}
}

func wantSilence(t *testing.T, events <-chan Event) {
	t.Helper()
	select {
	case e := <-events:
		t.Fatalf("an event nobody caused: %+v", e)
	case <-time.After(10 * watchInterval):
	}
}

// watching runs the test in a bubble with a clock of its own, and checks that
// the watcher ends with its context.
func watching(t *testing.T, s *Store, test func(*testing.T, <-chan Event)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		events := s.Watch(ctx, watchInterval)
		test(t, events)
		cancel()
		for range events { // ends when the channel is closed
		}
	})
}

func TestWatchSendsTheFirstStateAndEveryChange(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "c.json"))
	watching(t, s, func(t *testing.T, events <-chan Event) {
		if e := nextEvent(t, events, 0); e.Err != nil || e.Config.Exists {
			t.Fatalf("got %+v", e)
		}
		wantSilence(t, events)
		require.NoError(t, s.Save(t.Context(), entry(t, "a", "A")))
		if e := nextEvent(t, events, 1); nicknames(e.Config.Entries) != "A" {
			t.Fatalf("got %+v", e)
		}
		for _, disabled := range []bool{true, false, true, false} { // the sizes and inodes take turns
			require.NoError(t, s.SetDisabled(t.Context(), "A", disabled))
			if e := nextEvent(t, events, 1); e.Config.Entries[0].Disabled != disabled {
				t.Fatalf("got %+v", e)
			}
		}
		wantSilence(t, events)
		require.NoError(t, os.Chmod(s.Path(), 0o644))
		if e := nextEvent(t, events, 1); problemCodes(e.Config.Problems) != string(CodeConfigModeOpen) {
			t.Fatalf("got %+v", e)
		}
		require.NoError(t, os.Remove(s.Path()))
		if e := nextEvent(t, events, 2); e.Config.Exists || e.Err != nil {
			t.Fatalf("got %+v", e)
		}
		wantSilence(t, events)
	})
}

func TestWatchSeesAChangeOfTheSameSizeAndTime(t *testing.T) {
	s := storeWith(t, `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A"}]}`)
	watching(t, s, func(t *testing.T, events <-chan Event) {
		nextEvent(t, events, 0)
		info, err := os.Stat(s.Path())
		require.NoError(t, err)
		writeFile(t, s.Path(), `{"graphs":[{"name":"a","token":"TOKEN","nickname":"B"}]}`)
		require.NoError(t, os.Chtimes(s.Path(), info.ModTime(), info.ModTime()))
		if e := nextEvent(t, events, 1); nicknames(e.Config.Entries) != "B" {
			t.Fatalf("got %+v", e)
		}
	})
}

func TestWatchReportsAFileThatWentBadAndKeepsTheLastGoodState(t *testing.T) {
	s := storeWith(t, `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A"}]}`)
	good := fileText(t, s.Path())
	watching(t, s, func(t *testing.T, events <-chan Event) {
		nextEvent(t, events, 0)
		writeFile(t, s.Path(), "{")
		e := nextEvent(t, events, 2)
		wantCode(t, e.Err, CodeConfigInvalid)
		if nicknames(e.Config.Entries) != "A" {
			t.Fatalf("got %+v", e)
		}
		wantSilence(t, events)
		writeFile(t, s.Path(), good)
		if e := nextEvent(t, events, 1); e.Err != nil || nicknames(e.Config.Entries) != "A" {
			t.Fatalf("got %+v", e)
		}
	})
}

func TestWatchOverlooksAnEditorInTheMiddleOfWriting(t *testing.T) {
	s := storeWith(t, `{"graphs":[]}`)
	watching(t, s, func(t *testing.T, events <-chan Event) {
		nextEvent(t, events, 0)
		writeFile(t, s.Path(), "")
		time.Sleep(watchInterval)
		writeFile(t, s.Path(), `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A"}]}`)
		if e := nextEvent(t, events, 1); e.Err != nil || nicknames(e.Config.Entries) != "A" {
			t.Fatalf("got %+v", e)
		}
	})
}

func TestASlowReaderOfWatchGetsTheNewestState(t *testing.T) {
	s := storeWith(t, `{"graphs":[]}`)
	watching(t, s, func(t *testing.T, events <-chan Event) {
		for _, nickname := range []string{"A", "B", "C"} {
			require.NoError(t, s.Save(t.Context(), entry(t, "g"+nickname, nickname)))
			time.Sleep(2 * watchInterval)
		}
		if e := nextEvent(t, events, 0); nicknames(e.Config.Entries) != "A,B,C" {
			t.Fatalf("got %+v", e)
		}
		wantSilence(t, events)
	})
}

func TestWatchFollowsALinkThatIsPointedElsewhere(t *testing.T) {
	skipWithoutPOSIX(t)
	one, two := storeWith(t, `{"graphs":[]}`), storeWith(t, `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A"}]}`)
	link := filepath.Join(t.TempDir(), "c.json")
	require.NoError(t, os.Symlink(one.Path(), link))
	watching(t, New(link), func(t *testing.T, events <-chan Event) {
		nextEvent(t, events, 0)
		require.NoError(t, os.Symlink(two.Path(), link+".new"))
		require.NoError(t, os.Rename(link+".new", link))
		if e := nextEvent(t, events, 1); nicknames(e.Config.Entries) != "A" {
			t.Fatalf("got %+v", e)
		}
	})
}
