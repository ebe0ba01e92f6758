package history

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"roam-mcp/internal/problem"
)

// inNamespace lets a child mount file systems that only it sees.
func inNamespace(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

// mount makes a file system of a size of a folder's parent.
func mount(folder, size string) {
	must(os.MkdirAll(filepath.Dir(folder), 0o700))
	must(syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""))
	must(syscall.Mount("tmpfs", filepath.Dir(folder), "tmpfs", 0, "size="+size))
}

// fill takes all the room there is, and returns what gives it back.
func fill(folder string) (free func()) {
	path := filepath.Join(filepath.Dir(folder), "others")
	file, err := os.Create(path)
	must(err)
	for _, size := range []int{64 << 10, 4 << 10, 512, 1} {
		for block := make([]byte, size); err == nil; {
			_, err = file.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			must(err)
		}
		err = nil
	}
	must(file.Close())
	return func() { must(os.Remove(path)) }
}

func sayError(what string, folder string, err error) {
	if err == nil {
		say("%s: ok", what)
		return
	}
	say("%s: %s", what, told(err, folder))
}

func onAFullDisk(folder string) {
	mount(folder, "12m")
	j, ctx := childJournal(folder), context.Background()
	first, err := j.Intend(ctx, someIntent("first"))
	must(err)
	free := fill(folder)
	in := someIntent("large")
	for n := 0; err == nil; n++ { // until the log has no room left
		in.Before = []byte(strings.Repeat(string(facts(n)), 4))
		_, err = j.Intend(ctx, in)
	}
	sayError("an intent", folder, err)
	say("no room: %v", problem.CodeOf(err) == CodeUnavailable)
	sayError("an outcome", folder, j.Finish(ctx, first, Outcome{State: StateDone}))
	_, err = os.Stat(j.filler())
	say("the filler is gone: %v", os.IsNotExist(err))
	_, err = j.Intend(ctx, someIntent("next"))
	sayError("the next intent", folder, err)
	free()
	_, err = j.Intend(ctx, someIntent("last"))
	sayError("an intent after there is room", folder, err)
	info, err := os.Stat(j.filler())
	must(err)
	say("the filler is back: %v", info.Size() == fillerSize)
	must(j.Close(ctx))
}

func onAReadOnlyDisk(folder string) {
	mount(folder, "12m")
	j, ctx := childJournal(folder), context.Background()
	_, err := j.Intend(ctx, someIntent("x"))
	must(err)
	must(j.Close(ctx))
	must(syscall.Mount("", filepath.Dir(folder), "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	j = childJournal(folder)
	_, err = j.Intend(ctx, someIntent("y"))
	sayError("an intent", folder, err)
	open, err := j.Abandoned(ctx, nil)
	say("read: %d open, %v", len(open), err)
}

func TestDisk(t *testing.T) {
	const noRoom = "HISTORY_UNAVAILABLE: There is no room on the disk for the journal FOLDER/journal.db. > Make room on that disk, then try again."
	for name, test := range map[string]struct {
		child string
		want  []string
	}{
		"a full disk has room for outcomes, and for no more intents": {"disk", []string{
			"an intent: " + noRoom, "no room: true",
			"an outcome: ok", "the filler is gone: true",
			"the next intent: " + noRoom,
			"an intent after there is room: ok", "the filler is back: true",
		}},
		"a journal on a disk that can't be written is read": {"readonly", []string{
			"an intent: HISTORY_UNAVAILABLE: The journal FOLDER/journal.db can't be used: open FOLDER/holder: read-only file system. > Check that its folder is there and that you may write in it.",
			"read: 1 open, <nil>",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := startCommand(t, test.child, newFolder(t), inNamespace)
			for _, want := range test.want {
				if got := c.line(t); strings.HasPrefix(got, "failed: ") && strings.Contains(got, "permitted") {
					t.Skip("no file system can be mounted here:", got)
				} else if got != want {
					t.Errorf("%s\nwant %s", got, want)
				}
			}
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
