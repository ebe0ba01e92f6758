package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

var killedGraph = localapi.Graph{Name: "demo", Type: localapi.Hosted}

const (
	writersPerRound = 3
	writesPerRound  = 20 // reported at least, before the kill
)

// The sandbox is killed while it is written to over HTTP. No write that was
// reported is lost, and none is half there. -tags campaign makes more rounds.
func TestKillingTheSandboxLosesNothingThatWasReported(t *testing.T) {
	program := programPath(t, "roam-mcp")
	k := &killing{t: t, program: program, home: t.TempDir(), written: map[string]*tree{}}
	reported := 0
	for k.round = range killRounds {
		process := k.start()
		if k.round == 0 {
			k.prepare()
		}
		k.verify()
		reported += k.writeUntilKilled(process)
		k.checkFile()
	}
	process := k.start()
	k.verify()
	_ = process.Process.Kill()
	_ = process.Wait()
	t.Logf("%d writes were reported in %d rounds", reported, killRounds)
}

// killing is a sandbox, and what is known of what it must hold.
type killing struct {
	t       *testing.T
	program string
	home    string
	client  *localapi.Client
	token   localapi.Token
	round   int

	mu       sync.Mutex
	written  map[string]*tree
	counters [writersPerRound]struct{ reported, tried int }
}

// tree is a block with two below it, which are written in one call.
type tree struct {
	uid  string
	fate fate
}

type fate uint8

const (
	unknown fate = iota // the reply was lost
	present
	absent
)

func (k *killing) start() *exec.Cmd {
	k.t.Helper()
	process := exec.Command(k.program, "sandbox", "--home", k.home, "--approve", "allow", "--port", "0")
	process.Env = append(os.Environ(), "HOME="+k.home)
	_ = os.Remove(filepath.Join(k.home, localapi.PortFileName))
	require.NoError(k.t, process.Start())
	k.t.Cleanup(func() { _ = process.Process.Kill() })
	k.client = localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(k.home, localapi.PortFileName), Strict: true}})
	await.Condition(k.t, "an answer of the sandbox", func() bool {
		_, err := k.client.OpenGraphs(k.t.Context())
		return err == nil
	})
	return process
}

func (k *killing) call(action string, argument any, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	reply, err := k.client.Call(ctx, killedGraph, k.token, action, argument)
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal(reply.Result, result)
}

// prepare gets a token and makes a page and a counter for each writer.
func (k *killing) prepare() {
	grant, err := k.client.RequestToken(k.t.Context(), localapi.TokenRequest{Graph: killedGraph, AccessLevel: localapi.Full, Description: "a test"})
	require.NoError(k.t, err)
	k.token = grant.Token
	for w := range writersPerRound {
		err := k.call("data.block.create", map[string]any{
			"location": map[string]any{"page-title": pageOf(w), "order": "first"},
			"block":    map[string]any{"uid": counterOf(w), "string": "count 0"},
		}, nil)
		require.NoError(k.t, err)
	}
}

func pageOf(writer int) string    { return fmt.Sprintf("Durable %d", writer) }
func counterOf(writer int) string { return fmt.Sprintf("counter-%d", writer) }

// writeUntilKilled gives how many writes were reported.
func (k *killing) writeUntilKilled(process *exec.Cmd) int {
	var writers sync.WaitGroup
	var reported atomic.Int64
	enough := make(chan struct{})
	for w := range writersPerRound {
		writers.Go(func() {
			for n := 0; k.write(w, n); n++ {
				if reported.Add(1) == writesPerRound {
					close(enough)
				}
			}
		})
	}
	select {
	case <-enough:
	case <-time.After(patience):
		k.t.Errorf("round %d: %d writes in %v are too few to mean something", k.round, reported.Load(), patience)
	}
	time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) // the moment of death, not a wait for something
	require.NoError(k.t, process.Process.Kill())
	_ = process.Wait()
	writers.Wait()
	k.client.CloseIdleConnections()
	return int(reported.Load())
}

// write makes one write and tells whether it was reported.
func (k *killing) write(writer, n int) bool {
	switch n % 4 {
	case 1:
		return k.count(writer)
	case 3:
		return k.delete(fmt.Sprintf("r%dw%dn%d", k.round, writer, n-1))
	}
	return k.create(writer, fmt.Sprintf("r%dw%dn%d", k.round, writer, n))
}

func (k *killing) create(writer int, name string) bool {
	k.mu.Lock()
	one := &tree{}
	k.written[name] = one
	k.mu.Unlock()
	var made struct {
		UIDs []string `json:"uids"`
	}
	err := k.call("data.block.fromMarkdown", map[string]any{
		"location":        map[string]any{"page-title": pageOf(writer), "order": "last"},
		"markdown-string": fmt.Sprintf("- tree %[1]s top\n  - tree %[1]s one [[Mentioned %[1]s]]\n  - tree %[1]s two", name),
	}, &made)
	if err != nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	one.uid, one.fate = made.UIDs[0], present
	return true
}

func (k *killing) delete(name string) bool {
	k.mu.Lock()
	one := k.written[name]
	one.fate = unknown
	k.mu.Unlock()
	if k.call("data.block.delete", map[string]any{"block": map[string]any{"uid": one.uid}}, nil) != nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	one.fate = absent
	return true
}

func (k *killing) count(writer int) bool {
	counter := &k.counters[writer] // its writer's own
	counter.tried++
	if k.call("data.block.update", map[string]any{
		"block": map[string]any{"uid": counterOf(writer), "string": fmt.Sprintf("count %d", counter.tried)},
	}, nil) != nil {
		return false
	}
	counter.reported = counter.tried
	return true
}

// verify compares the graph with what is known of it.
func (k *killing) verify() {
	k.t.Helper()
	var rows [][2]string
	require.NoError(k.t, k.call("data.q", "[:find ?uid ?text :where [?b :block/uid ?uid] [?b :block/string ?text] [?b :block/page]]", &rows))
	parts := map[string]int{}
	texts := map[string]string{}
	for _, row := range rows {
		texts[row[0]] = row[1]
		if words := strings.Fields(row[1]); len(words) > 2 && words[0] == "tree" {
			parts[words[1]]++
		}
	}
	for name, one := range k.written {
		switch n := parts[name]; {
		case n != 0 && n != 3:
			k.t.Errorf("round %d: %d of the 3 blocks of %s are there", k.round, n, name)
		case one.fate == present && n == 0:
			k.t.Errorf("round %d: %s was reported as written and is lost", k.round, name)
		case one.fate == absent && n != 0:
			k.t.Errorf("round %d: %s was reported as deleted and is there", k.round, name)
		case n == 0:
			one.fate = absent
		default:
			one.fate = present
		}
	}
	for w := range k.counters {
		var n int
		if _, err := fmt.Sscanf(texts[counterOf(w)], "count %d", &n); err != nil || n < k.counters[w].reported || n > k.counters[w].tried {
			k.t.Errorf("round %d: a counter is %q; %d was reported, %d tried", k.round, texts[counterOf(w)], k.counters[w].reported, k.counters[w].tried)
		}
		k.counters[w].reported = n
	}
}

// checkFile has SQLite check a copy of the file as the kill left it, so that
// recovering is left to the next start.
func (k *killing) checkFile() {
	k.t.Helper()
	files, err := filepath.Glob(filepath.Join(k.home, ".roam-sandbox", "hosted-demo.sqlite*"))
	if err != nil || len(files) == 0 {
		k.t.Fatalf("no graph file: %v", err)
	}
	to := k.t.TempDir()
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(k.t, err)
		require.NoError(k.t, os.WriteFile(filepath.Join(to, filepath.Base(file)), data, 0o600))
	}
	database, err := sqlite.OpenConn(filepath.Join(to, "hosted-demo.sqlite"), sqlite.OpenReadWrite)
	require.NoError(k.t, err)
	defer database.Close()
	err = sqlitex.ExecuteTransient(database, "PRAGMA integrity_check", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		if text := row.ColumnText(0); text != "ok" {
			k.t.Errorf("round %d: %s", k.round, text)
		}
		return nil
	}})
	if err != nil {
		k.t.Error(err)
	}
}
