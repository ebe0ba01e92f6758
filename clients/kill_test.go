//go:build linux && amd64

package clients

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
)

// The test binary applies a plan where these variables name the home and what is to be
// done there.
const (
	killHome = "CLIENTS_TEST_HOME"
	killTask = "CLIENTS_TEST_TASK"
)

// killMachine is a machine whose only client is Cursor.
func killMachine(home string) Machine {
	return Machine{
		GOOS: linux, Home: home, Getenv: func(string) string { return "" }, Program: "/opt/roam-mcp",
		LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
	}
}

// killPlan makes the plan of a task.
func (m Machine) killPlan(task string) (Plan, error) {
	cursor, _ := Find("cursor")
	if task == "remove" {
		return m.PlanRemove(cursor, "roam", Options{})
	}
	return m.PlanInstall(cursor, Server{Name: "roam", Command: m.Program, Args: []string{"serve"}}, Options{})
}

// TestAppliedByAChild is run by TestKillingApply in a process of its own.
func TestAppliedByAChild(t *testing.T) {
	if os.Getenv(killHome) == "" {
		t.Skip("it is for a child of TestKillingApply")
	}
	m := killMachine(os.Getenv(killHome))
	p, err := m.killPlan(os.Getenv(killTask))
	require.NoError(t, err)
	require.NoError(t, m.Apply(t.Context(), p))
}

// TestKillingApply kills a process that applies a plan before its first system call that
// changes files, then before the second, and so on until it ends by itself. The client's
// file is the old or the new one each time, and whoever tries again succeeds.
func TestKillingApply(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector's own calls are as many again")
	}
	const document = "{\n  // mine\n  \"mcpServers\": {\n    \"x\": { \"command\": \"x\" }\n  }\n}\n"
	for name, tc := range map[string]struct {
		document  string // empty: no file
		installed bool   // before the task
		task      string
	}{
		"an installation into a file":                {document, false, "install"},
		"an installation without a file":             {"", false, "install"},
		"a removal that brings the old file back":    {document, true, "remove"},
		"a removal of the file that was made before": {"", true, "remove"},
	} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread() // only the thread that has started a process traces it
			defer runtime.UnlockOSThread()
			k := killedApply{t: t, task: tc.task, kills: map[bool]int{}}
			k.begin = func() Machine {
				m := killMachine(t.TempDir())
				file := filepath.Join(m.Home, ".cursor", "mcp.json")
				require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
				if tc.document != "" {
					require.NoError(t, os.WriteFile(file, []byte(tc.document), 0o644))
				}
				if tc.installed {
					p, err := m.killPlan("install")
					require.NoError(t, err)
					require.NoError(t, m.Apply(t.Context(), p))
				}
				return m
			}
			for step := 1; k.killBefore(step); step++ {
			}
			if k.kills[true] == 0 || k.kills[false] == 0 {
				t.Errorf("it was killed with the old file %d times, with the new one %d times", k.kills[false], k.kills[true])
			}
			t.Logf("%d kills: %d with the old file, %d with the new one", k.kills[false]+k.kills[true], k.kills[false], k.kills[true])
		})
	}
}

type killedApply struct {
	t     *testing.T
	task  string
	begin func() Machine
	kills map[bool]int // by whether the new file was there
}

// killBefore kills the child before a step, and looks at what is left. It returns false if
// the child has ended before that.
func (k killedApply) killBefore(step int) bool {
	k.t.Helper()
	m := k.begin()
	p, err := m.killPlan(k.task)
	require.NoError(k.t, err)
	killed := k.run(m.Home, step)
	now, exists, err := m.read(p.File)
	require.NoError(k.t, err)
	isOld := exists != p.New && string(now) == string(p.Before)
	isNew := exists != p.Gone && string(now) == string(p.After)
	switch {
	case isOld == isNew:
		k.t.Fatalf("killed before step %d, the file is (%v)\n%s", step, exists, now)
	case !killed && isOld:
		k.t.Fatal("it has ended without changing the file")
	case killed:
		k.kills[isNew]++
	}
	again, err := m.killPlan(k.task)
	require.NoError(k.t, err)
	require.NoError(k.t, m.Apply(k.t.Context(), again))
	if now, exists, _ := m.read(p.File); exists == p.Gone || string(now) != string(p.After) {
		k.t.Fatalf("killed before step %d and tried again, the file is (%v)\n%s", step, exists, now)
	}
	return killed
}

// run runs the child until a step, and reports whether it was killed there.
func (k killedApply) run(home string, step int) (killed bool) {
	k.t.Helper()
	const (
		exitKill    = 0x100000 // PTRACE_O_EXITKILL, which package syscall lacks
		syscallStop = syscall.SIGTRAP | 0x80
	)
	command := exec.Command(os.Args[0], "-test.run", "^TestAppliedByAChild$")
	command.Env = append(os.Environ(), killHome+"="+home, killTask+"="+k.task, "GOMAXPROCS=1", "GOGC=off")
	command.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	require.NoError(k.t, command.Start())
	pid := command.Process.Pid
	defer func() { _ = command.Process.Release() }()
	watchdog := time.AfterFunc(30*time.Second, func() {
		k.t.Errorf("step %d: it does not go on", step)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	})
	defer watchdog.Stop()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WALL, nil); err != nil || !status.Stopped() {
		k.t.Fatalf("it does not stop: %v, %v", status, err)
	}
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACESYSGOOD|exitKill); err != nil {
		_ = command.Process.Kill()
		k.t.Skipf("no process can be traced here: %v", err)
	}
	require.NoError(k.t, syscall.PtraceSyscall(pid, 0))
	inCall := map[int]bool{} // by thread: the next stop is the end of a call
	for seen := 0; ; {
		thread, err := syscall.Wait4(-pid, &status, syscall.WALL, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		require.NoError(k.t, err)
		switch {
		case thread == pid && status.Signaled():
			return true
		case thread == pid && status.Exited():
			if status.ExitStatus() != 0 {
				k.t.Fatalf("it ends with %d", status.ExitStatus())
			}
			return false
		case !status.Stopped():
			continue // the end of another thread
		}
		pass := 0 // the signal to hand on
		signal := status.StopSignal()
		if signal == syscallStop {
			inCall[thread] = !inCall[thread]
			if inCall[thread] && changesFiles(thread) {
				seen++
			}
			if seen == step {
				require.NoError(k.t, syscall.Kill(pid, syscall.SIGKILL))
				continue
			}
		} else if signal != syscall.SIGTRAP && signal != syscall.SIGSTOP { // those are of a new thread
			pass = int(signal)
		}
		if err := syscall.PtraceSyscall(thread, pass); err != nil && !errors.Is(err, syscall.ESRCH) {
			k.t.Fatal(err)
		}
	}
}

// changesFiles reports whether the system call that a thread begins can change a file.
func changesFiles(thread int) bool {
	const renameat2 = 316 // which package syscall lacks
	var registers syscall.PtraceRegs
	if syscall.PtraceGetRegs(thread, &registers) != nil {
		return false
	}
	if registers.Orig_rax == syscall.SYS_OPENAT {
		return registers.Rdx&syscall.O_CREAT != 0
	}
	return slices.Contains([]uint64{
		syscall.SYS_MKDIRAT, syscall.SYS_WRITE, syscall.SYS_PWRITE64, syscall.SYS_FSYNC, syscall.SYS_FTRUNCATE, syscall.SYS_FCHMOD,
		syscall.SYS_FCHOWN, syscall.SYS_RENAME, syscall.SYS_RENAMEAT, renameat2, syscall.SYS_UNLINKAT, syscall.SYS_RMDIR,
	}, registers.Orig_rax)
}
