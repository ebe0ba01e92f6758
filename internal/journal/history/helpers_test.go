package history

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// The test binary is run again as the processes that share a journal.
const (
	childVariable  = "ROAM_MCP_HISTORY_CHILD"
	folderVariable = "ROAM_MCP_HISTORY_FOLDER"
)

func TestMain(m *testing.M) {
	if child := children()[os.Getenv(childVariable)]; child != nil {
		child(os.Getenv(folderVariable))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// children are what such a process does, each with the folder of the journal.
func children() map[string]func(folder string) {
	return map[string]func(string){
		"intend": intendAndWait, "write": writeForever, "fifty": writeFifty, "hold": holdTheLock, "live": takeTheLock, "weigh": weigh,
		"disk": onAFullDisk, "readonly": onAReadOnlyDisk, "claim": claimAndWait, "claim in vain": claimInVain,
	}
}

// child is a running one.
type child struct {
	*exec.Cmd
	lines *bufio.Scanner // that it prints
	input io.WriteCloser // its end ends the ones that wait
}

// start runs a child. It is killed when the test ends.
func start(t testing.TB, name, folder string) *child {
	t.Helper()
	return startCommand(t, name, folder, func(*exec.Cmd) {})
}

func startCommand(t testing.TB, name, folder string, prepare func(*exec.Cmd)) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0], "-test.run=^$")}
	c.Env = append(os.Environ(), childVariable+"="+name, folderVariable+"="+folder)
	c.Stderr = os.Stderr
	prepare(c.Cmd)
	output, err := c.StdoutPipe()
	require.NoError(t, err)
	c.lines = bufio.NewScanner(output)
	c.input, err = c.StdinPipe()
	require.NoError(t, err)
	if err := c.Start(); err != nil {
		if prepare != nil && os.IsPermission(err) {
			t.Skip("this machine does not allow it:", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	return c
}

// kill ends a child without asking it.
func (c *child) kill() {
	if c.ProcessState == nil {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

// line returns the next that the child prints.
func (c *child) line(t testing.TB) string {
	t.Helper()
	last := c.lines.Text()
	if !c.lines.Scan() {
		t.Fatalf("the child ended after it had said %q: %v", last, c.lines.Err())
	}
	return c.lines.Text()
}

// end waits for the end of a child's input.
func waitForTheEnd() { _, _ = io.Copy(io.Discard, os.Stdin) }

// say prints a line as a child.
func say(format string, args ...any) { _, _ = fmt.Fprintf(os.Stdout, format+"\n", args...) }

// must ends a child that fails.
func must(err error) {
	if err != nil {
		say("failed: %v", err)
		os.Exit(1)
	}
}

func newFolder(t testing.TB) string { return filepath.Join(t.TempDir(), "history") }

// open returns a journal that is closed when the test ends.
func open(t testing.TB, folder string) *Journal {
	t.Helper()
	j := New(Options{Folder: folder, Kind: KindStdio, Program: "test"})
	t.Cleanup(func() { _ = j.Close(context.Background()) })
	return j
}

// someIntent is one that has all that an intent may have.
func someIntent(uid string) Intent {
	return Intent{
		Who:   Who{Agent: "planner", Client: "Some Client", Version: "1.2", Era: "2025-11-25", Connection: "1"},
		Graph: Graph{"my-notes", "hosted"}, Tool: "update_block", Args: []byte(`{"uid":"` + uid + `"}`),
		Action: "data.block.update", Request: []byte(`[{"block":{"uid":"` + uid + `"}}]`), Class: fact.ClassText,
		Before: []byte(`{"things":{"` + uid + `":{"text":"before"}}}`), BeforeBy: ByLook,
		Touches: []fact.Touch{{UID: uid, Role: fact.RoleTarget, Page: "page"}},
	}
}

// intend records an intent that nothing stands in the way of.
func intend(t testing.TB, j *Journal, in Intent) Change {
	t.Helper()
	c, err := j.Intend(context.Background(), in)
	require.NoError(t, err)
	return c
}

func finish(t testing.TB, j *Journal, c Change, state State) {
	t.Helper()
	require.NoError(t, j.Finish(context.Background(), c, Outcome{State: state}))
}

// ask returns the first column of a query's only row, as text.
func ask(t testing.TB, j *Journal, query string, args ...any) (answer string) {
	t.Helper()
	there, err := j.read(context.Background(), func(conn *sqlite.Conn) (err error) {
		answer, err = text(conn, query, args...)
		return err
	})
	require.NoError(t, err)
	if !there {
		t.Fatal("there is no journal")
	}
	return answer
}

// told returns a failure as a person reads it, without the folder's name.
func told(err error, folder string) string {
	e, ok := problem.As(err)
	if !ok {
		return fmt.Sprint(err)
	}
	said := string(e.Code) + ": " + e.Message
	if !e.Hint.IsZero() {
		said += " > " + problem.World{}.Say(e.Hint)
	}
	return strings.ReplaceAll(said, folder, "FOLDER")
}

// notices returns what a person is told, without the folder's name.
func notices(t testing.TB, j *Journal) string {
	t.Helper()
	list, err := j.Notices(context.Background())
	require.NoError(t, err)
	var lines []string
	for _, n := range list {
		lines = append(lines, told(&problem.Error{Code: n.Code, Message: n.Message, Hint: n.Hint}, j.options.Folder))
	}
	return strings.Join(lines, "\n")
}

// at is a clock that stands still.
func at(day string) func() time.Time {
	moment, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return func() time.Time { return moment }
}

// Server is a process that wrote to the journal.
type Server struct {
	ID             int64
	PID            int
	Program        string
	Kind           Kind
	Started, Ended time.Time // Ended is zero where it did not say that it ends
	Alive          bool      // it holds its lock
}

// Servers returns the processes that wrote to the journal, newest first.
func (j *reader) Servers(ctx context.Context) ([]Server, error) {
	var servers []Server
	_, err := j.read(ctx, func(conn *sqlite.Conn) error {
		servers = nil
		return rows(conn, "SELECT id, pid, program, kind, started, ended FROM server ORDER BY id DESC", nil, func(row *sqlite.Stmt) error {
			servers = append(servers, Server{
				ID: row.ColumnInt64(0), PID: row.ColumnInt(1), Program: row.ColumnText(2), Kind: Kind(row.ColumnText(3)),
				Started: timeOf(row, 4), Ended: timeOf(row, 5), Alive: j.alive(row.ColumnInt64(0)),
			})
			return nil
		})
	})
	return servers, err
}
