package configstore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func skipWithoutPOSIX(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs POSIX file modes and links")
	}
}

func fileMode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	require.NoError(t, err)
	return info.Mode()
}

func TestALinkIsFollowedAndStaysALink(t *testing.T) {
	skipWithoutPOSIX(t)
	for name, tc := range map[string]struct {
		links  map[string]string // path from the root, text of the link
		target string
		exists bool
	}{
		"absolute":                    {map[string]string{"home/c.json": "ROOT/dot/c.json"}, "dot/c.json", true},
		"relative":                    {map[string]string{"home/c.json": "../dot/c.json"}, "dot/c.json", true},
		"a chain":                     {map[string]string{"home/c.json": "x.json", "home/x.json": "../dot/y", "dot/y": "ROOT/dot/c.json"}, "dot/c.json", true},
		"dangling":                    {map[string]string{"home/c.json": "../dot/c.json"}, "dot/c.json", false},
		"through a linked folder":     {map[string]string{"home/far": "../dot/deep", "home/c.json": "far/../c.json"}, "dot/c.json", true},
		"from within a linked folder": {map[string]string{"home/c.json": "sub/l", "home/sub": "../dot/deep", "dot/deep/l": "../c.json"}, "dot/c.json", true},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(root, "home"), 0o700))
			require.NoError(t, os.MkdirAll(filepath.Join(root, "dot", "deep"), 0o700))
			for path, text := range tc.links {
				require.NoError(t, os.Symlink(strings.ReplaceAll(text, "ROOT", root), filepath.Join(root, path)))
			}
			target := filepath.Join(root, tc.target)
			if tc.exists {
				writeFile(t, target, strange)
			}
			s := New(filepath.Join(root, "home", "c.json"))
			if c := mustLoad(t, s); c.Exists != tc.exists {
				t.Fatalf("got %+v", c)
			}
			require.NoError(t, s.CheckWritable(t.Context()))
			require.NoError(t, s.Save(t.Context(), entry(t, "new", "New")))
			if fileMode(t, s.Path())&fs.ModeSymlink == 0 || !fileMode(t, target).IsRegular() {
				t.Fatal("the link was replaced")
			}
			if _, ok := mustLoad(t, s).Find("New"); !ok {
				t.Fatal("the entry is not in the file that the link leads to")
			}
		})
	}
}

func TestTheModeIsNeverWiderThan0600(t *testing.T) {
	skipWithoutPOSIX(t)
	for _, tc := range []struct {
		before, after fs.FileMode
		problem       string
	}{
		{0o644, 0o600, string(CodeConfigModeOpen)},
		{0o620, 0o600, string(CodeConfigModeOpen)},
		{0o600, 0o600, ""},
		{0o400, 0o400, ""},
	} {
		s := storeWith(t, strange)
		require.NoError(t, os.Chmod(s.Path(), tc.before))
		problems := mustLoad(t, s).Problems
		if last := problems[len(problems)-1]; tc.problem != "" && (string(last.Code) != tc.problem || last.Index != -1) {
			t.Errorf("%o: got %+v", tc.before, problems)
		}
		fixed := storeWith(t, strange)
		require.NoError(t, os.Chmod(fixed.Path(), tc.before))
		require.NoError(t, fixed.FixMode(t.Context()))
		require.NoError(t, s.Rename(t.Context(), "Work", "Job"))
		for _, path := range []string{s.Path(), fixed.Path()} {
			if mode := fileMode(t, path).Perm(); mode != tc.after {
				t.Errorf("%o became %o, want %o", tc.before, mode, tc.after)
			}
		}
		if strings.Contains(problemCodes(mustLoad(t, fixed).Problems), string(CodeConfigModeOpen)) {
			t.Error("the problem is still there")
		}
	}
	require.NoError(t, New(filepath.Join(t.TempDir(), "none")).FixMode(t.Context()))
}

func TestTheModeIsToldAndMendedAlsoOfAFileThatCannotBeUnderstood(t *testing.T) {
	skipWithoutPOSIX(t)
	s := storeWith(t, "{ nonsense")
	require.NoError(t, os.Chmod(s.Path(), 0o644))
	for _, want := range []bool{true, false} {
		c, err := s.Load(t.Context())
		if problem.CodeOf(err) != CodeConfigInvalid || c.OthersCanRead() != want {
			t.Fatalf("got %+v and %v, want that others can read it to be %t", c, err, want)
		}
		require.NoError(t, s.FixMode(t.Context()))
	}
	watching(t, s, func(t *testing.T, events <-chan Event) {
		nextEvent(t, events, 0)
		require.NoError(t, os.Chmod(s.Path(), 0o644))
		if e := nextEvent(t, events, 2); e.Err == nil || !e.Config.OthersCanRead() {
			t.Fatalf("got %+v", e)
		}
	})
}

func TestAFolderThatCannotBeWrittenIsKnownBeforehand(t *testing.T) {
	t.Run("missing", func(t *testing.T) {
		s := New(filepath.Join(t.TempDir(), "none", "c.json"))
		wantCode(t, s.CheckWritable(t.Context()), CodeConfigUnwritable)
		wantCode(t, s.Save(t.Context(), entry(t, "a", "A")), CodeConfigUnwritable)
		if c := mustLoad(t, s); c.Exists {
			t.Fatal("exists")
		}
	})
	t.Run("read-only", func(t *testing.T) {
		skipWithoutPOSIX(t)
		if os.Geteuid() == 0 {
			t.Skip("root may write anywhere")
		}
		s := storeWith(t, strange)
		require.NoError(t, os.Chmod(filepath.Dir(s.Path()), 0o500))
		t.Cleanup(func() { _ = os.Chmod(filepath.Dir(s.Path()), 0o700) })
		wantCode(t, s.CheckWritable(t.Context()), CodeConfigUnwritable)
	})
	t.Run("a folder in the place of the lock", func(t *testing.T) {
		s := storeWith(t, strange)
		require.NoError(t, os.Mkdir(s.Path()+".lock", 0o700))
		wantCode(t, s.CheckWritable(t.Context()), CodeConfigUnwritable)
	})
}

func TestUnwritableSaysWhy(t *testing.T) {
	for cause, word := range map[error]string{
		syscall.EROFS: "read-only", syscall.ENOSPC: "full", syscall.EBUSY: "in use", fs.ErrPermission: "permission",
		fs.ErrNotExist: "does not exist", errOtherOwner: "another user", syscall.EIO: syscall.EIO.Error(),
	} {
		err := unwritable("/a/b", &fs.PathError{Op: "open", Path: "/a/b.123.tmp", Err: cause})
		if !strings.Contains(err.Error(), word) || !errors.Is(err, cause) {
			t.Errorf("%v: %v", cause, err)
		}
	}
}

func TestCheckWritableLeavesNothingButTheLock(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "c.json"))
	require.NoError(t, s.CheckWritable(t.Context()))
	wantFiles(t, filepath.Dir(s.Path()), "c.json.lock")
}

func TestLeftoversOfKilledWritersAreRemovedAndNothingElse(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "c.json"))
	dir := filepath.Dir(s.Path())
	for _, name := range []string{"c.json.123.tmp", "c.json.tmp", "c.json.12a.tmp", "c.json..tmp", "d.json.123.tmp", "c.json.bak"} {
		writeFile(t, filepath.Join(dir, name), "x")
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "c.json.4.tmp"), 0o700))
	require.NoError(t, s.Save(t.Context(), entry(t, "a", "A")))
	wantFiles(t, dir, "c.json", "c.json..tmp", "c.json.12a.tmp", "c.json.4.tmp", "c.json.bak", "c.json.lock", "c.json.tmp", "d.json.123.tmp")
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got, want := strings.Join(names, " "), strings.Join(want, " "); got != want {
		t.Fatalf("the folder holds %s, want %s", got, want)
	}
}

func TestALockThatIsHeldIsWaitedForAndThenReported(t *testing.T) {
	s := storeWith(t, strange)
	held := flock.New(s.Path() + ".lock")
	require.NoError(t, held.Lock())
	defer func() { _ = held.Unlock() }()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		err := s.Rename(t.Context(), "Work", "Job")
		wantCode(t, err, CodeConfigLocked)
		if waited := time.Since(start); waited != defaultLockTimeout || !strings.Contains(err.Error(), s.Path()+".lock") {
			t.Fatalf("after %v: %v", waited, err)
		}

		start = time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wantCode(t, s.CheckWritable(ctx), CodeConfigLocked)
		if waited := time.Since(start); waited != time.Second {
			t.Fatalf("the context's deadline was passed: %v", waited)
		}

		cancelled, cancelNow := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancelNow)
		if err := s.FixMode(cancelled); !errors.Is(err, context.Canceled) || problem.CodeOf(err) == CodeConfigLocked {
			t.Fatalf("got %v", err)
		}
		if err := s.SetTokenStatus(t.Context(), entry(t, "two", "").Graph(), token(t, ""), localapi.TokenActive, ""); err != nil {
			t.Fatalf("a status that is no news waited for the lock: %v", err)
		}
		mustLoad(t, s)
	})
	if fileText(t, s.Path()) != strange {
		t.Fatal("the file was written")
	}
}

func TestACancelledContextDoesNothing(t *testing.T) {
	s := storeWith(t, strange)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, loadErr := s.Load(ctx)
	for _, err := range []error{loadErr, s.Rename(ctx, "Work", "Job"), s.CheckWritable(ctx), s.FixMode(ctx)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	ctx, cancel = context.WithCancel(t.Context())
	err := s.update(ctx, func(d *document) error { d.modified = true; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || fileText(t, s.Path()) != strange {
		t.Fatalf("cancelled during the change: %v", err)
	}
}

func TestGoroutinesLoseNoUpdate(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "c.json"))
	var group sync.WaitGroup
	for i := range 16 {
		e := entry(t, "g"+string(rune('a'+i)), "Graph "+string(rune('a'+i)))
		group.Go(func() {
			if err := s.Save(t.Context(), e); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if c := mustLoad(t, s); len(c.Entries) != 16 || len(c.Problems) != 0 {
		t.Fatalf("got %d entries, %v", len(c.Entries), c.Problems)
	}
}
