//go:build campaign && linux

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/testutil/require"
)

// The writer of the configuration is killed when it enters its first system call and
// when it leaves it, then the second, and so on until it ends by itself. The file is
// always the old one or the new one, what is left beside it is readable by its owner
// alone and is cleaned up by the next writer, and no lock is stuck.
func TestKillingTheConfigWriterAtEverySystemCall(t *testing.T) {
	program := programPath(t, "roam-mcp")
	const other = `{"version":1,"graphs":[{"name":"third","token":"roam-graph-local-token-ccccccccccccccccccccccccccccc","nickname":"Third"}]}`
	for name, args := range map[string][]string{
		"rename":  {"rename", "First", "Renamed"},
		"remove":  {"remove", "First", "--yes"},
		"disable": {"disable", "Second"},
		"import":  {"import", "FOLDER/../secret-third.json"},
	} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread() // only the thread that has started a process traces it
			defer runtime.UnlockOSThread()
			k := killedWriter{t: t, program: program, folder: filepath.Join(t.TempDir(), "home")}
			require.NoError(t, os.Mkdir(k.folder, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(k.folder, "..", "secret-third.json"), []byte(other), 0o600))
			for _, arg := range args {
				k.args = append(k.args, strings.ReplaceAll(arg, "FOLDER", k.folder))
			}
			k.run()
		})
	}
}

type killedWriter struct {
	t       *testing.T
	program string
	folder  string
	args    []string

	leftovers int // of all kills
}

const configBefore = `{
  "version": 1,
  "graphs": [
    {"name": "first", "token": "roam-graph-local-token-aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "nickname": "First", "note": "kept"},
    {"name": "second", "token": "roam-graph-local-token-bbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "nickname": "Second"}
  ]
}
`

func (k *killedWriter) run() {
	config := filepath.Join(k.folder, configName)
	k.restore(config)
	if killed := k.killAt(0); killed {
		k.t.Fatal("it was killed")
	}
	after, err := os.ReadFile(config)
	require.NoError(k.t, err)
	if string(after) == configBefore {
		k.t.Fatal("the command changes nothing")
	}
	// The runtime's own calls differ from run to run, so it has ended for good only if
	// it does so a few times.
	kills, ended, changed := 0, 0, 0
	for stop := 1; ended < 20; stop++ {
		k.restore(config)
		if !k.killAt(stop) {
			ended++
		} else {
			kills++
		}
		text, err := os.ReadFile(config)
		require.NoError(k.t, err)
		switch {
		case bytes.Equal(text, after):
			changed++
		case string(text) != configBefore:
			k.t.Fatalf("killed at stop %d, the file is %q", stop, text)
		}
		k.check(stop, config)
	}
	k.t.Logf("%d kills; after %d of them the new file was there; %d left a temporary file, which the next writer removed", kills, changed-ended, k.leftovers)
}

func (k *killedWriter) restore(config string) {
	require.NoError(k.t, os.WriteFile(config, []byte(configBefore), 0o600))
}

// check looks at what is left, and lets the next writer clean it up.
func (k *killedWriter) check(stop int, config string) {
	k.t.Helper()
	left := k.strangers()
	for _, path := range left {
		k.leftovers++
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			k.t.Errorf("stop %d: %s, %v is open to others", stop, info.Mode(), err)
		}
	}
	store := configstore.New(config, configstore.WithLockTimeout(5*time.Second))
	if err := store.CheckWritable(k.t.Context()); err != nil {
		k.t.Fatalf("stop %d: %v", stop, err)
	}
	if left := k.strangers(); len(left) > 0 {
		k.t.Fatalf("stop %d: %v is still there", stop, left)
	}
}

// strangers lists what is in the folder beside the configuration and its lock.
func (k *killedWriter) strangers() []string {
	entries, err := os.ReadDir(k.folder)
	require.NoError(k.t, err)
	var list []string
	for _, e := range entries {
		if e.Name() != configName && e.Name() != configName+".lock" {
			list = append(list, filepath.Join(k.folder, e.Name()))
		}
	}
	return list
}

// killAt runs the command and kills it at one of the stops that its system calls make,
// of which each makes two; 0: at none. It returns false if the command ended before.
func (k *killedWriter) killAt(stop int) bool {
	k.t.Helper()
	const (
		exitKill    = 0x100000 // PTRACE_O_EXITKILL, which package syscall lacks
		syscallStop = syscall.SIGTRAP | 0x80
	)
	var said bytes.Buffer
	command := exec.Command(k.program, append([]string{"--config", filepath.Join(k.folder, configName)}, k.args...)...)
	command.Env = append(os.Environ(), "HOME="+k.folder, "GOMAXPROCS=1", "GOGC=off")
	output, err := os.Create(filepath.Join(k.folder, "..", "said")) // a pipe would make a goroutine wait for it
	require.NoError(k.t, err)
	defer output.Close()
	command.Stderr = output
	command.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	require.NoError(k.t, command.Start())
	pid := command.Process.Pid
	watchdog := time.AfterFunc(30*time.Second, func() {
		k.t.Errorf("stop %d: it does not go on", stop)
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
	for seen := 0; ; {
		thread, err := syscall.Wait4(-pid, &status, syscall.WALL, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		require.NoError(k.t, err)
		switch {
		case thread == pid && status.Signaled():
			_ = command.Process.Release()
			return true
		case thread == pid && status.Exited():
			_ = command.Process.Release()
			if status.ExitStatus() != 0 {
				_, _ = said.ReadFrom(output)
				k.t.Fatalf("it ends with %d: %s", status.ExitStatus(), said.String())
			}
			return false
		case !status.Stopped():
			continue // the end of another thread
		}
		pass := 0 // the signal to hand on
		switch signal := status.StopSignal(); signal {
		case syscallStop:
			if seen++; seen == stop {
				require.NoError(k.t, syscall.Kill(pid, syscall.SIGKILL))
				continue
			}
		case syscall.SIGTRAP, syscall.SIGSTOP: // a new thread
		default:
			pass = int(signal)
		}
		if err := syscall.PtraceSyscall(thread, pass); err != nil && !errors.Is(err, syscall.ESRCH) {
			k.t.Fatal(err)
		}
	}
}
