package configstore

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

// The test binary becomes a writer where this variable names the file.
const writerVariable = "CONFIGSTORE_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		if err := runWriter(path, os.Args[1], os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		// One that is to be killed is held here until it is, however late that comes.
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runWriter makes updates from first up to last. Every fifth adds a graph, those
// between rename it to the number of the update. A line on stdout acknowledges
// each update after it was reported done.
func runWriter(path, id, first, last string) error {
	from, _ := strconv.Atoi(first)
	to, _ := strconv.Atoi(last)
	s := New(path, WithLockTimeout(5*time.Minute))
	token, err := localapi.ParseToken(tokenText(id))
	if err != nil {
		return err
	}
	ctx := context.Background()
	for i := from; i < to; i++ {
		name := graphOfUpdate(id, from, i)
		nickname := fmt.Sprintf("%s at %d", name, i)
		if (i-from)%5 == 0 {
			err = s.Save(ctx, Entry{Name: name, Token: token, Nickname: nickname})
		} else {
			err = s.Rename(ctx, fmt.Sprintf("%s at %d", name, i-1), nickname)
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Println(i); err != nil {
			return err
		}
	}
	return nil
}

// graphOfUpdate names the graph that a writer's update i is about.
func graphOfUpdate(id string, from, i int) string {
	return fmt.Sprintf("w%s-%d", id, (i-from)/5)
}

// writer is a writing process as its parent sees it.
type writer struct {
	id       string
	from, to int
	cmd      *exec.Cmd
	killAt   int // after this acknowledgement; one that never comes: never
	acked    int // the last acknowledged update
	killed   bool
}

func (w *writer) run(t *testing.T, path string) {
	w.acked = w.from - 1
	w.cmd = exec.Command(os.Args[0], w.id, strconv.Itoa(w.from), strconv.Itoa(w.to))
	w.cmd.Env = append(os.Environ(), writerVariable+"="+path)
	var complaints strings.Builder
	w.cmd.Stderr = &complaints
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	hold, err := w.cmd.StdinPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := w.cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	if w.killAt < w.from || w.killAt >= w.to {
		_ = hold.Close()
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		i, err := strconv.Atoi(lines.Text())
		if err != nil || i != w.acked+1 {
			t.Errorf("writer %s acknowledged %q after %d", w.id, lines.Text(), w.acked)
		}
		w.acked = i
		if i == w.killAt {
			// Any moment of the next update: waiting for the lock, in the
			// middle of the write, between the rename and the acknowledgement.
			time.AfterFunc(rand.N(6*time.Millisecond), func() { _ = w.cmd.Process.Kill() })
		}
	}
	err = w.cmd.Wait()
	w.killed = w.cmd.ProcessState.ExitCode() == -1
	if err != nil && !w.killed {
		t.Errorf("writer %s: %v: %s", w.id, err, complaints.String())
	}
}

// check compares the file with what the writer acknowledged. Only the one update
// that a kill fell into may be there or not.
func (w *writer) check(t *testing.T, c Config) {
	for i := w.from; i <= w.acked; i++ {
		name := graphOfUpdate(w.id, w.from, i)
		lastOfGraph := i == w.acked || graphOfUpdate(w.id, w.from, i+1) != name
		if !lastOfGraph {
			continue
		}
		e, ok := c.FindGraph(localapi.Graph{Name: name, Type: localapi.Hosted})
		done, next := fmt.Sprintf("%s at %d", name, i), fmt.Sprintf("%s at %d", name, i+1)
		inFlight := w.killed && i == w.acked && e.Nickname == next
		if !ok || (e.Nickname != done && !inFlight) {
			t.Errorf("writer %s (killed: %v) was told that %q is saved; the file holds %q", w.id, w.killed, done, e.Nickname)
		}
	}
}

func TestKilledWritersLoseNoUpdateThatWasReportedDone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a killed process can't be told from one that failed")
	}
	const rounds = 3
	for round := range rounds {
		t.Run(strconv.Itoa(round), killRound)
	}
}

func killRound(t *testing.T) {
	const (
		processes = 8
		updates   = 25 // of each: 200 in all
	)
	path := filepath.Join(t.TempDir(), ".roam-mcp.json")
	writeFile(t, path, `{"before":{"x":1},"graphs":[{"zeta":1.0,"name":"old","nickname":"Old","token":"TOKEN","alpha":[1,2]},"not an entry"],"after":[]}`)
	stop := make(chan struct{})
	var reader sync.WaitGroup
	reader.Go(func() { readAllTheTime(t, path, stop) })

	var (
		group   sync.WaitGroup
		mu      sync.Mutex
		writers []*writer
	)
	for p := range processes {
		group.Go(func() {
			// Five of the eight are killed, some of them twice; a new process
			// goes on with the updates that are left.
			for from, life := 0, 0; from < updates; life++ {
				w := &writer{id: fmt.Sprintf("%d-%d", p, life), from: from, to: updates, killAt: -1}
				if p < 5 && life < 2 {
					w.killAt = from + rand.IntN(updates)
				}
				w.run(t, path)
				mu.Lock()
				writers = append(writers, w)
				mu.Unlock()
				if from = w.acked + 1; t.Failed() || !w.killed {
					break
				}
			}
		})
	}
	group.Wait()
	close(stop)
	reader.Wait()
	checkAfterKills(t, path, writers, processes*updates)
}

// readAllTheTime makes sure that no reader ever sees less than a whole file.
func readAllTheTime(t *testing.T, path string, stop <-chan struct{}) {
	s := New(path)
	for most := 0; ; {
		select {
		case <-stop:
			return
		default:
		}
		c, err := s.Load(t.Context())
		if err != nil || len(c.Entries) < most || len(c.Problems) != 1 {
			t.Errorf("a reader saw %d entries after %d, problems %v, error %v", len(c.Entries), most, c.Problems, err)
			return
		}
		most = len(c.Entries)
		time.Sleep(time.Millisecond)
	}
}

func checkAfterKills(t *testing.T, path string, writers []*writer, want int) {
	text := fileText(t, path)
	if !json.Valid([]byte(text)) {
		t.Fatalf("the file is not JSON:\n%s", text)
	}
	c := mustLoad(t, New(path))
	acknowledged, kills := 0, 0
	for _, w := range writers {
		w.check(t, c)
		acknowledged += w.acked - w.from + 1
		if w.killed {
			kills++
		}
	}
	if acknowledged != want {
		t.Errorf("%d updates were acknowledged, want %d", acknowledged, want)
	}
	if kills < 5 {
		t.Errorf("only %d writers were killed", kills)
	}
	for _, kept := range []string{`{"before":{"x":1},"graphs":[{"zeta":1.0,"name":"old","nickname":"Old","token":"TOKEN","alpha":[1,2]},"not an entry",`, `],"after":[]}`} {
		if !strings.Contains(compacted(t, text), kept) {
			t.Errorf("the file lost %s:\n%s", kept, text)
		}
	}
	require.NoError(t, New(path).CheckWritable(t.Context()))
	wantFiles(t, filepath.Dir(path), ".roam-mcp.json", ".roam-mcp.json.lock")
	t.Logf("%d processes, %d killed, %d updates acknowledged, %d graphs", len(writers), kills, acknowledged, len(c.Entries))
}
