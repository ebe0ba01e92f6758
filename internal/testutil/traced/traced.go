//go:build linux

// Package traced runs a child process that stops at each of its system calls, so that a
// test can kill it at any of them.
package traced

import (
	"errors"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

const (
	exitKill    = 0x100000 // PTRACE_O_EXITKILL, which package syscall lacks
	syscallStop = syscall.SIGTRAP | 0x80
	limit       = 30 * time.Second
)

// Stop is a system call that a thread of the child begins or ends.
type Stop struct {
	Thread int
	Begins bool
}

// Run runs the command until kill says so at a stop, and kills it there. It reports
// whether it was killed, and the exit status of one that has ended before. Where nothing
// can be traced the test is skipped. What the child prints must go to files: a pipe would
// make a goroutine wait for it.
func Run(t *testing.T, command *exec.Cmd, kill func(Stop) bool) (killed bool, exitStatus int) {
	t.Helper()
	runtime.LockOSThread() // only the thread that has started a process traces it
	defer runtime.UnlockOSThread()
	command.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	require.NoError(t, command.Start())
	defer func() { _ = command.Process.Release() }()
	pid := command.Process.Pid
	watchdog := time.AfterFunc(limit, func() {
		t.Errorf("the child does not go on")
		_ = syscall.Kill(pid, syscall.SIGKILL)
	})
	defer watchdog.Stop()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WALL, nil); err != nil || !status.Stopped() {
		t.Fatalf("the child does not stop: %v, %v", status, err)
	}
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACESYSGOOD|exitKill); err != nil {
		_ = command.Process.Kill()
		t.Skipf("no process can be traced here: %v", err)
	}
	require.NoError(t, syscall.PtraceSyscall(pid, 0))
	inCall := map[int]bool{} // by thread: the next stop is the end of a call
	for {
		thread, err := syscall.Wait4(-pid, &status, syscall.WALL, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		require.NoError(t, err)
		switch {
		case thread == pid && status.Signaled():
			return true, 0
		case thread == pid && status.Exited():
			return false, status.ExitStatus()
		case !status.Stopped():
			continue // the end of another thread
		}
		pass := 0 // the signal to hand on
		signal := status.StopSignal()
		if signal == syscallStop {
			inCall[thread] = !inCall[thread]
			if kill(Stop{thread, inCall[thread]}) {
				require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
				continue
			}
		} else if signal != syscall.SIGTRAP && signal != syscall.SIGSTOP { // those are of a new thread
			pass = int(signal)
		}
		if err := syscall.PtraceSyscall(thread, pass); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
}
