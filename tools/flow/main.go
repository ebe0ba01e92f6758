// Command flow counts how much of this program's own code runs for one call of a tool.
//
//	go -C tools run ./flow [-list]
//
// It builds roam-mcp with counters, serves a sandbox's graph over stdio, and prints for each
// call the functions, files and packages that run for it and not for a connection without it,
// and the most frames of our own on a stack while Roam holds the request that it is about. It
// fails when one is above what is recorded here; a change that takes less lowers the record.
// The note is changed without having been read, so that nothing is counted but the change.
//
// The first call of a connection finds Roam, and begins the log of calls, besides. So each call
// is counted once more as a later one: what runs for it after the same call about another note.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/tools/evaluation"
)

// flow is a call that is measured.
type flow struct {
	name    string
	profile string
	options []string // of roam-mcp serve
	tool    string
	args    map[string]any
	later   map[string]any // the same about another note
	holds   []string       // the actions of Roam of which the first is held
	first   counts         // the record, of the first call of a connection
	again   counts         // of a later one
}

func flows() []flow {
	return []flow{
		{
			name: "get_page", profile: "roam", tool: "get_page", args: map[string]any{"title": title}, later: map[string]any{"title": otherTitle},
			holds: []string{"data.ai.getPage"}, first: counts{212, 70, 18, 17}, again: counts{171, 63, 17, 17},
		},
		{
			name: "update_note, one changed paragraph", profile: "notes", options: []string{"--overwrite-unread"}, tool: "update_note",
			args: map[string]any{"id": uid, "content": changed}, later: map[string]any{"id": otherUID, "content": changed},
			holds: []string{"data.block.updateBlocks"}, first: counts{799, 181, 24, 25}, again: counts{708, 171, 23, 25},
		},
	}
}

const (
	title, otherTitle = "A note of three paragraphs", "Another note of three paragraphs"
	uid, otherUID     = "flownote1", "flownote2"
	changed           = "The first paragraph.\n\nThe second one, changed.\n\nThe third."
)

// pages are the notes that are read and changed, as a Roam JSON export.
func pages(time.Time) string {
	note := func(title, uid string) string {
		text := `{"title":"TITLE","uid":"UID","children":[{"string":"The first paragraph.","uid":"UIDa"},{"string":"The second paragraph.","uid":"UIDb"},{"string":"The third.","uid":"UIDc"}]}`
		return strings.NewReplacer("TITLE", title, "UID", uid).Replace(text)
	}
	return "[" + note(title, uid) + "," + note(otherTitle, otherUID) + "]"
}

func main() {
	list := flag.Bool("list", false, "list the functions, and the frames from the request up")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *list); err != nil {
		fmt.Fprintln(os.Stderr, "flow:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, list bool) (err error) {
	folder, err := os.MkdirTemp("", "flow")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	m := measurement{folder: folder, program: filepath.Join(folder, "roam-mcp")}
	build := exec.CommandContext(ctx, "go", "build", "-cover", "-covermode=atomic", "-coverpkg=./...", "-o", m.program, "./cmd/roam-mcp")
	build.Dir = ".." // from the folder tools
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the program: %w: %s", err, text)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "call\tfunctions\tfiles\tpackages\tframes")
	above := false
	for _, each := range flows() {
		first, later, frames, err := m.measure(ctx, each)
		if err != nil {
			return fmt.Errorf("%s: %w", each.name, err)
		}
		for _, row := range []struct {
			name        string
			got, record counts
		}{{each.name, countOf(first, frames), each.first}, {"  later", countOf(later, frames), each.again}} {
			fmt.Fprintf(table, "%s\t%s\n", row.name, row.got)
			if row.got != row.record {
				fmt.Fprintf(table, "  recorded\t%s\n", row.record)
			}
			above = above || row.got.above(row.record)
		}
		if list {
			for i, lines := range [][]string{first, later, frames} {
				fmt.Fprintf(out, "%s%s\n\t%s\n", each.name, [...]string{"", ", later", ", frames"}[i], strings.Join(lines, "\n\t"))
			}
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if above {
		return errors.New("a call takes more than is recorded")
	}
	return nil
}

// measurement is a program with counters, and where it is tried.
type measurement struct{ folder, program string }

// measure lists what runs for a call that is the first of a connection and for a later one, and
// the frames.
func (m measurement) measure(ctx context.Context, f flow) (first, later, frames []string, err error) {
	idle, err := m.covered(ctx, f)
	if err != nil {
		return nil, nil, nil, err
	}
	once, err := m.covered(ctx, f, f.args)
	if err != nil {
		return nil, nil, nil, err
	}
	twice, err := m.covered(ctx, f, f.args, f.later)
	if err != nil {
		return nil, nil, nil, err
	}
	frames, err = m.framesHeld(ctx, f)
	return once.beyond(coverage{}, idle), twice.beyond(once, idle), frames, err
}

// world starts a sandbox of its own.
func (m measurement) world(ctx context.Context, f flow) (*evaluation.World, error) {
	folder, err := os.MkdirTemp(m.folder, "world")
	if err != nil {
		return nil, err
	}
	return evaluation.NewSuite(folder, "", nil).Start(ctx, evaluation.Task{Name: f.tool, Graph: evaluation.Demo, Pages: pages, Profile: f.profile})
}

// server returns the command that serves a world.
func (m measurement) server(ctx context.Context, f flow, w *evaluation.World, counters string) *exec.Cmd {
	command := exec.CommandContext(ctx, m.program, append([]string{"serve", "--config", w.Config, "--profile", f.profile}, f.options...)...)
	command.Env = append(os.Environ(), "HOME="+w.Home, "USERPROFILE="+w.Home, "XDG_STATE_HOME="+filepath.Join(w.Home, "state"), "GOCOVERDIR="+counters, "GOTRACEBACK=all")
	return command
}

// call makes the call over a connection.
func (f flow) call(ctx context.Context, session *mcp.ClientSession, args map[string]any) error {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: f.tool, Arguments: args})
	if err != nil {
		return err
	}
	if text, _ := json.Marshal(result.Content); result.IsError {
		return fmt.Errorf("the call failed: %s", text)
	}
	return nil
}

// connect connects to a server that is started for it.
func connect(ctx context.Context, server *exec.Cmd) (*mcp.ClientSession, error) {
	return mcp.NewClient(&mcp.Implementation{Name: "flow", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: server, TerminateDuration: time.Minute}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
}
