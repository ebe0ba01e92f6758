// Command flow counts how much of this program's own code runs for one call of a tool.
//
//	go -C tools run ./flow [-list]
//
// It builds roam-mcp with counters, serves a sandbox's graph over stdio, and prints for each
// call the functions, files and packages that run for it and not for a connection without it,
// and the most frames of our own on a stack while Roam holds the request that it is about. The
// note is changed without having been read, so that nothing is counted but the change.
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
	holds   []string // the actions of Roam of which the first is held
	most    counts   // the goal
}

func flows() []flow {
	return []flow{
		{
			name: "get_page", profile: "roam", tool: "get_page", args: map[string]any{"title": title},
			holds: []string{"data.ai.getPage"}, most: counts{120, 40, 10, 16},
		},
		{
			name: "update_note, one changed paragraph", profile: "notes", options: []string{"--overwrite-unread"}, tool: "update_note",
			args:  map[string]any{"id": uid, "content": "The first paragraph.\n\nThe second one, changed.\n\nThe third."},
			holds: []string{"data.block.updateBlocks"}, most: counts{420, 90, 16, 24},
		},
	}
}

const (
	title = "A note of three paragraphs"
	uid   = "flownote1"
)

// pages is the note that is read and changed, as a Roam JSON export.
func pages(time.Time) string {
	return `[{"title":"` + title + `","uid":"` + uid + `","children":[{"string":"The first paragraph.","uid":"flowpara1"},{"string":"The second paragraph.","uid":"flowpara2"},{"string":"The third.","uid":"flowpara3"}]}]`
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
	for _, each := range flows() {
		c, ran, err := m.measure(ctx, each)
		if err != nil {
			return fmt.Errorf("%s: %w", each.name, err)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\n", each.name, c.functions, c.files, c.packages, c.frames)
		fmt.Fprintf(table, "  at most\t%d\t%d\t%d\t%d\n", each.most.functions, each.most.files, each.most.packages, each.most.frames)
		if list {
			fmt.Fprintf(out, "%s\n\t%s\n", each.name, strings.Join(ran, "\n\t"))
		}
	}
	return table.Flush()
}

// measurement is a program with counters, and where it is tried.
type measurement struct{ folder, program string }

// measure measures one call, and lists what has run and the frames.
func (m measurement) measure(ctx context.Context, f flow) (c counts, ran []string, err error) {
	without, err := m.covered(ctx, f, false)
	if err != nil {
		return c, nil, err
	}
	with, err := m.covered(ctx, f, true)
	if err != nil {
		return c, nil, err
	}
	ran = with.beyond(without)
	c = countOf(ran)
	frames, err := m.framesHeld(ctx, f)
	c.frames = len(frames)
	return c, append(ran, frames...), err
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
func (f flow) call(ctx context.Context, session *mcp.ClientSession) error {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: f.tool, Arguments: f.args})
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
