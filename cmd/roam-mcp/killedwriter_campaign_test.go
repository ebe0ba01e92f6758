//go:build campaign && linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/traced"
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
	command := exec.Command(k.program, append([]string{"--config", filepath.Join(k.folder, configName)}, k.args...)...)
	command.Env = append(os.Environ(), "HOME="+k.folder, "GOMAXPROCS=1", "GOGC=off")
	output, err := os.Create(filepath.Join(k.folder, "..", "said"))
	require.NoError(k.t, err)
	defer output.Close()
	command.Stderr = output
	seen := 0
	killed, status := traced.Run(k.t, command, func(traced.Stop) bool {
		seen++
		return seen == stop
	})
	if status != 0 {
		said, _ := os.ReadFile(output.Name())
		k.t.Fatalf("at stop %d it ends with %d: %s", stop, status, said)
	}
	return killed
}
