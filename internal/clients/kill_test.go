//go:build linux && amd64

package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/traced"
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
	command := exec.Command(os.Args[0], "-test.run", "^TestAppliedByAChild$")
	command.Env = append(os.Environ(), killHome+"="+home, killTask+"="+k.task, "GOMAXPROCS=1", "GOGC=off")
	seen := 0
	killed, status := traced.Run(k.t, command, func(stop traced.Stop) bool {
		if stop.Begins && changesFiles(stop.Thread) {
			seen++
		}
		return seen == step
	})
	if status != 0 {
		k.t.Fatalf("before step %d it ends with %d", step, status)
	}
	return killed
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
