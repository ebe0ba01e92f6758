// Command probe asks the Roam of a connected graph how it behaves where only Roam can tell,
// and compares the answers with what docs/dev/LOCAL_API.md says:
//
//	go -C tools run ./probe NICKNAME
//	go -C tools run ./probe -out roam.json NICKNAME
//	go -C tools run ./probe -clean NICKNAME
//
// The graph is one of the configuration of roam-mcp. The probe makes a page whose title
// begins with "roam-mcp probe" and up to three beside it, tries things there, and removes
// them. Others in a shared graph see the pages meanwhile, and Roam's undo has them
// afterwards: an empty local-only graph is the best place.
//
// The table has a line for each question: = as expected, ≠ otherwise, ? not tried. The file
// of -out holds no token, no name of the graph and no text of the user's. What a probe that
// was killed has left is removed by the next one, or by -clean; what somebody else wrote
// there stays.
//
// It exits with 10 where an answer is otherwise than expected, and with 11 where something
// that it made is still there.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"roam-mcp/configstore"
	"roam-mcp/internal/files"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// flags are those of the command.
type flags struct {
	home, out, only                string
	yes, open, clean, rate, guided bool
}

func main() {
	home, err := os.UserHomeDir()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var f flags
	flag.StringVar(&f.home, "home", home, "home `folder` with the port file of Roam and the configuration of roam-mcp")
	flag.StringVar(&f.out, "out", "", "write the answers as JSON to a `file`, beside the table")
	flag.StringVar(&f.only, "only", "", "ask only these: `ids`, with commas between")
	flag.BoolVar(&f.yes, "yes", false, "do not ask")
	flag.BoolVar(&f.open, "open", false, "also a graph that has no window; Roam opens one")
	flag.BoolVar(&f.clean, "clean", false, "only remove what earlier probes have left")
	flag.BoolVar(&f.rate, "rate", false, "add 2,000 writes, as fast as Roam takes them")
	flag.BoolVar(&f.guided, "guided", false, "add questions that need your hand in Roam, a step each")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code, err := terminal{bufio.NewReader(os.Stdin), os.Stdout}.probe(ctx, f, flag.Arg(0))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, explained(err))
	}
	os.Exit(code)
}

// explained returns the message of an error, with its hint.
func explained(err error) string {
	known, ok := problem.As(err)
	if !ok {
		return err.Error()
	}
	return strings.TrimSpace(known.Message + " " + problem.World{}.Say(known.Hint))
}

// terminal is where the person is.
type terminal struct {
	in  *bufio.Reader
	out io.Writer
}

// The exit codes.
const (
	exitFailed     = 1
	exitOtherwise  = 10
	exitNotCleaned = 11
)

// probe asks the Roam of a graph. It returns the exit code.
func (t terminal) probe(ctx context.Context, f flags, nickname string) (int, error) {
	config, err := configstore.New(filepath.Join(f.home, ".roam-mcp.json")).Load(ctx)
	if err != nil {
		return exitFailed, err
	}
	entry, found := config.Find(nickname)
	if !found {
		return exitFailed, fmt.Errorf("no graph is connected as %q", nickname)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return exitFailed, err
	}
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(f.home, localapi.PortFileName)}})
	defer client.CloseIdleConnections()
	options := Options{
		Caller: client, Graph: entry.Graph(), Token: entry.Token, Folder: filepath.Join(cache, "roam-mcp-probe"),
		Hidden: HiddenWords(f.home, entry.Name, entry.Nickname), Rate: f.rate,
	}
	if f.only != "" {
		options.Only = strings.Split(f.only, ",")
	}
	if err := CheckIDs(options.Only); err != nil {
		return exitFailed, err
	}
	if f.guided {
		options.Step = t.step
	}
	ctx = localapi.Expecting(ctx, entry.APIVersion)
	if !f.open {
		if open, err := client.OpenGraphs(ctx); err != nil || !slices.Contains(open, entry.Graph()) {
			return exitFailed, errors.Join(err, fmt.Errorf("%s has no window in Roam; open it there, or give -open", nickname))
		}
	}
	if !f.clean && !f.yes {
		fmt.Fprintf(t.out, "A page %q and up to three beside it are made in %s (%s), tried out, and removed. Go on? [y/N] ", TitleStart+"…", nickname, entry.Type)
		if said, err := t.in.ReadString('\n'); err != nil || strings.TrimSpace(said) != "y" {
			return exitFailed, errors.Join(err, errors.New("nothing was made"))
		}
	}
	left, removed, err := Clean(ctx, options)
	if err != nil {
		return exitFailed, err
	}
	if f.clean {
		fmt.Fprintf(t.out, "What %d of the earlier probes left is removed.\n", removed)
		return t.end(Report{Left: left}, 0)
	}
	report, err := Run(ctx, options)
	if err != nil && len(report.Left) == 0 {
		return exitFailed, err
	}
	return t.print(report, f.out)
}

// step asks a person to do something in Roam, and returns when they say that it is done.
func (t terminal) step(_ context.Context, what string) error {
	fmt.Fprintf(t.out, "\n%s\nThen press enter. ", what)
	_, err := t.in.ReadString('\n')
	return err
}

// print prints the table, and below it what follows from each difference.
func (t terminal) print(report Report, out string) (int, error) {
	if out != "" {
		data, err := json.MarshalIndent(report.File, "", "  ")
		if err == nil {
			err = files.ReplaceAtomically(out, append(data, '\n'))
		}
		if err != nil {
			return exitFailed, err
		}
	}
	table := tabwriter.NewWriter(t.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "\tID\tEXPECTED\tFOUND")
	for _, c := range report.File.Checks {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", c.Verdict, c.ID, c.Expected, c.Found)
	}
	if err := table.Flush(); err != nil {
		return exitFailed, err
	}
	fmt.Fprintf(t.out, "%s\n%d as expected, %d otherwise, %d not tried\n", report.Notes(), report.Count(Same), report.Count(Differ), report.Count(Untold))
	if report.Gone {
		return exitFailed, errors.New("no more answers of Roam during the probe: what it had answered is above")
	}
	return t.end(report, report.Count(Differ))
}

// end says which pages are still there, and returns the exit code.
func (t terminal) end(report Report, differ int) (int, error) {
	for _, each := range report.Left {
		why := "it could not be removed"
		if each.Foreign {
			why = "somebody else wrote there, or refers to it"
		}
		fmt.Fprintf(t.out, "Still there: %s: %s.\n", each.Title, why)
	}
	switch {
	case len(report.Left) > 0:
		return exitNotCleaned, nil
	case differ > 0:
		return exitOtherwise, nil
	}
	return 0, nil
}
